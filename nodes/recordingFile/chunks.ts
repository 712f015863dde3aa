/** A file in chunks. A chunk belongs to the reader once it is yielded: the source must not use its memory again. */
export type Chunks = AsyncIterable<Uint8Array>;

/** What `peek` has read, and what follows. */
export interface Peeked {
	/** The first bytes: at least as many as `peek` was asked for, unless the content is shorter. */
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
			// If a reader stops early, the source must learn of it, so that it closes its connection or file.
			await iterator.return?.();
		}
	}

	return { head: Buffer.concat(read), rest: remaining() };
}

/** The whole content, as before `peek`. */
export async function* unpeek({ head, rest }: Peeked): AsyncGenerator<Uint8Array, void, undefined> {
	try {
		if (head.length > 0) yield head;
		yield* rest;
	} finally {
		await rest.return();
	}
}

/** A file that is already in memory, in chunks that neither block the event loop nor double the memory. */
export async function* slices(
	content: Uint8Array,
	sliceBytes = 1024 * 1024,
): AsyncGenerator<Uint8Array, void, undefined> {
	for (let start = 0; start < content.length; start += sliceBytes) {
		yield content.subarray(start, start + sliceBytes);
	}
}
