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
 * rest. Memory that cannot be given back stays with V8, and so does all of it in Node.js 20.
 *
 * @param chunk its reader needs it no longer: it may be empty afterward
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
	const memory: ArrayBufferLike & { transfer?: (newByteLength: number) => unknown } = buffer;
	const isAllOfIt = byteLength > 0 && byteLength === memory.byteLength;
	if (!isAllOfIt) return;
	try {
		memory.transfer?.(0);
	} catch {
		// Such as memory of WebAssembly.
	}
}

/**
 * How many chunks wait for one block. Each of them costs hundreds of bytes beside its own, and a
 * service may send them byte by byte.
 */
const MOST_WAITING = 256;

/**
 * The same bytes in longer chunks, which a stream does not have to join, so that the memory of each
 * can be given back.
 *
 * @param bytes how long a block is at least. It is shorter if 256 chunks do not fill it, and at the
 * end
 */
export async function* inBlocks(
	chunks: Chunks,
	bytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
	let waiting: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of chunks) {
		if (chunk.length === 0) continue;
		waiting.push(chunk);
		length += chunk.length;
		if (length < bytes && waiting.length < MOST_WAITING) continue;
		yield joined(waiting);
		waiting = [];
		length = 0;
	}
	if (length > 0) yield joined(waiting);
}

function joined(chunks: Uint8Array[]): Uint8Array {
	const [first] = chunks;
	if (first && chunks.length === 1) return first;
	const block = Buffer.concat(chunks);
	chunks.forEach(giveBack);
	return block;
}

/** What `peek` has read, and what follows. */
export interface Peeked {
	/**
	 * The first bytes: at least as many as `peek` was asked for, unless the content is shorter. They
	 * belong to the reader of `unpeek`, as any other chunk does.
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

	const { buffer, byteOffset, byteLength } = joined(read);
	const head = Buffer.from(buffer, byteOffset, byteLength);
	const rest = { [Symbol.asyncIterator]: () => iterator };
	return { head, rest, close: async () => await iterator.return?.() };
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
