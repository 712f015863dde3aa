/**
 * A file in chunks. A chunk belongs to the reader once it is yielded: the source must not use its
 * memory again.
 */
export type Chunks = AsyncIterable<Uint8Array>;

/** What `peek` has read, and what follows. */
export interface Peeked {
	/** The first bytes: at least as many as `peek` was asked for, unless the content is shorter. */
	head: Buffer;
	/** Everything after `head`. */
	rest: Chunks;
	/** Closes the source, such as a file: for a reader that does not read to the end. */
	close: () => Promise<unknown>;
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

	const rest = { [Symbol.asyncIterator]: () => iterator };
	return { head: Buffer.concat(read), rest, close: async () => await iterator.return?.() };
}

/** The whole content, as before `peek`. */
export async function* unpeek(peeked: Peeked): AsyncGenerator<Uint8Array, void, undefined> {
	try {
		if (peeked.head.length > 0) yield peeked.head;
		yield* peeked.rest;
	} finally {
		// Also for a reader that stops before the rest.
		await peeked.close();
	}
}
