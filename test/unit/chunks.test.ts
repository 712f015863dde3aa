import { giveBack, inBlocks, peek, unpeek } from '../../nodes/recordingFile/chunks';

/** TypeScript has it only for browsers. */
declare const WebAssembly: { Memory: new (pages: { initial: number }) => { buffer: ArrayBuffer } };

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

	test('are the first chunk itself if that is long enough, and else its memory is given back', async () => {
		const sent = [new Uint8Array(100), new Uint8Array(100), new Uint8Array(100)];
		async function* chunks() {
			yield* sent;
		}
		const whole = await peek(chunks(), 100);
		expect(whole.head.buffer).toBe(sent[0]?.buffer);
		const joined = await peek(chunks(), 101);
		expect(joined.head).toHaveLength(200);
		const left = sent.map(({ length }) => length);
		expect(left).toEqual('transfer' in ArrayBuffer.prototype ? [0, 0, 100] : [100, 100, 100]);
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

	test('may be empty, given back before, or not to be given back', () => {
		const empty = new Uint8Array(0);
		const before = new Uint8Array(100);
		const kept = new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer);
		for (const chunk of [empty, before, kept]) {
			giveBack(chunk);
			giveBack(chunk);
		}
		expect(kept).toHaveLength(64 * 1024);
	});

	test('stays if the chunk is only a part of it', () => {
		const file = Uint8Array.from({ length: 100 }, (_, index) => index);
		for (const part of [file.subarray(1), file.subarray(0, 99)]) giveBack(part);
		expect([...file]).toEqual([...Array(100).keys()]);
	});
});

describe('blocks', () => {
	test.each([
		[1, ['ab', 'cd', 'ef']],
		[3, ['abcd', 'ef']],
		[99, ['abcdef']],
	])('of %i bytes or more', async (bytes, blocks) => {
		const read = await all(inBlocks(source('ab', 'cd', 'ef').chunks, bytes));
		expect(read.map(String)).toEqual(blocks);
	});

	test('of nothing: none', async () => expect(await all(inBlocks(source().chunks, 9))).toEqual([]));

	test('are shorter if a service sends byte by byte, so that few chunks wait', async () => {
		const bytes = Array.from({ length: 1_000 }, (_, index) => String(index % 10));
		const { seen, chunks } = source(...bytes);
		const blocks = inBlocks(chunks, 1_048_576);
		const { value: first } = await blocks.next();
		expect(seen.read).toBeLessThanOrEqual(256);
		expect(Buffer.concat([first as Uint8Array, ...(await all(blocks))]).toString()).toBe(
			bytes.join(''),
		);
	});
});
