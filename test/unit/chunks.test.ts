import { giveBack, peek, unpeek } from '../../nodes/recordingFile/chunks';

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
	const read: Uint8Array[] = [];
	for await (const chunk of chunks) read.push(chunk);
	return read;
}

/** A source that notes how many chunks were read, and whether it was closed. */
function source(...texts: string[]) {
	const seen = { read: 0, closed: false };
	async function* chunks() {
		try {
			for (const text of texts) {
				seen.read += 1;
				yield Buffer.from(text);
			}
		} finally {
			seen.closed = true;
		}
	}
	return { seen, chunks: chunks() };
}

describe('the first bytes of a file', () => {
	test.each([
		[0, 0, ''],
		[1, 1, 'ab'],
		[2, 1, 'ab'],
		[3, 2, 'abcd'],
		[99, 3, 'abcdef'],
	])('%i of them take %i chunks, and none is lost', async (bytes, read, head) => {
		const { seen, chunks } = source('ab', 'cd', 'ef');
		const peeked = await peek(chunks, bytes);
		expect(seen.read).toBe(read);
		expect(peeked.head.toString()).toBe(head);
		expect(Buffer.concat(await all(unpeek(peeked))).toString()).toBe('abcdef');
	});

	test('of an empty file: no chunk', async () => {
		expect(await all(unpeek(await peek(source().chunks, 1)))).toEqual([]);
	});

	test.each([
		[1, 'ab'],
		[2, 'abcd'],
		[0, ''],
	])('a reader that stops after %i chunks closes the source', async (count, text) => {
		const { seen, chunks } = source('ab', 'cd', 'ef');
		const peeked = await peek(chunks, 1);
		const reader = unpeek(peeked);
		const read: Uint8Array[] = [];
		for (let turn = 0; turn < count; turn++) read.push((await reader.next()).value as Uint8Array);
		expect(Buffer.concat(read).toString()).toBe(text);
		expect(seen.closed).toBe(false);
		// A reader that has not begun does not run, so it cannot close anything.
		if (count === 0) await peeked.close();
		else await reader.return();
		expect(seen).toEqual({ read: Math.max(count, 1), closed: true });
	});

	test('a source that cannot be closed', async () => {
		const iterator = source('ab', 'cd').chunks;
		const chunks = { [Symbol.asyncIterator]: () => ({ next: async () => await iterator.next() }) };
		const reader = unpeek(await peek(chunks, 1));
		await reader.next();
		await expect(reader.return()).resolves.toEqual({ value: undefined, done: true });
	});
});

describe('the memory of a chunk', () => {
	test('is given back where Node.js can, and the chunk is empty then', () => {
		const chunk = new Uint8Array(100);
		giveBack(chunk);
		const nodeCan = 'transfer' in ArrayBuffer.prototype;
		expect(chunk.length).toBe(nodeCan ? 0 : 100);
	});

	test('stays if the chunk is only a part of it', () => {
		const file = Uint8Array.from({ length: 100 }, (_, index) => index);
		for (const part of [file.subarray(1), file.subarray(0, 99)]) giveBack(part);
		expect([...file]).toEqual([...Array(100).keys()]);
	});
});
