/**
 * A file in chunks. A chunk belongs to the reader once it is yielded: the source must not use its
 * memory again, because the reader may give it back with {@link giveBack}.
 */
export type Chunks = AsyncIterable<Uint8Array>;

/**
 * Gives the memory of a chunk back at once. Without this, V8 counts the bytes of all chunks that
 * were read, and searches the whole heap of n8n for garbage each time they have added up.
 *
 * A chunk that is only a part of its memory stays as it is, because something else may be in the
 * rest. Node.js 20 leaves all of them to V8.
 *
 * @param chunk its reader needs it no longer: it may be empty afterward
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
	const memory: ArrayBufferLike & { transfer?: (newByteLength: number) => unknown } = buffer;
	const isAllOfIt = byteLength === memory.byteLength;
	if (isAllOfIt) memory.transfer?.(0);
}

/** What `peek` has read, and what follows. */
export interface Peeked {
	/**
	 * The first bytes: at least as many as `peek` was asked for, unless the content is shorter. They
	 * are a copy, which belongs to the reader of `unpeek` as any other chunk does.
	 */
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
