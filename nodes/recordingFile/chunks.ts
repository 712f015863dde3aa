/** A file in pieces. A piece belongs to the reader once it was handed out: its memory must not be used again. */
export type Chunks = AsyncIterable<Uint8Array>;

/** What `peek` has read, and the whole content for the next reader. */
export interface Peeked {
	/** The first bytes: as many as were asked for or more, fewer only if the content is shorter. */
	head: Buffer;
	/** Everything after `head`. */
	rest: AsyncGenerator<Uint8Array, void, undefined>;
}

/**
 * Reads at least `bytes` bytes from the start of `source`, without losing them.
 * Whatever `source` throws passes through.
 */
export async function peek(source: Chunks, bytes: number): Promise<Peeked> {
	const iterator = source[Symbol.asyncIterator]();
	const read: Uint8Array[] = [];
	let length = 0;
	while (length < bytes) {
		const next = await iterator.next();
		if (next.done) break;
		read.push(next.value);
		length += next.value.length;
	}

	async function* remaining(): AsyncGenerator<Uint8Array, void, undefined> {
		try {
			for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
				yield next.value;
			}
		} finally {
			// A reader that stops early must reach the source, so that a connection or a file is closed.
			await iterator.return?.();
		}
	}

	return { head: Buffer.concat(read), rest: remaining() };
}

/** The content as if nothing had been peeked. */
export async function* unpeek({ head, rest }: Peeked): AsyncGenerator<Uint8Array, void, undefined> {
	try {
		if (head.length > 0) yield head;
		yield* rest;
	} finally {
		await rest.return();
	}
}

/** A file that is in memory already, in pieces that neither block the event loop nor double the memory. */
export async function* slices(
	content: Uint8Array,
	sliceBytes = 1024 * 1024,
): AsyncGenerator<Uint8Array, void, undefined> {
	for (let start = 0; start < content.length; start += sliceBytes) {
		yield content.subarray(start, start + sliceBytes);
	}
}
