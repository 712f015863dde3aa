import type { IExecuteFunctions } from 'n8n-workflow';

import { storeBinary } from '../../nodes/VoiceAgent/recording/file/binary';

// Hashing that much takes its time on a busy machine.
jest.setTimeout(60_000);

/** As a hexadecimal text with its prefix, this many bytes have the length of the longest text of V8. */
const MOST = 268_435_443;
const PIECE = Buffer.alloc(1024 * 1024);

async function* fileOf(bytes: number) {
	for (let left = bytes; left > 0; left -= PIECE.length) yield PIECE.subarray(0, left);
}

/** Stores a file as n8n does in one of its modes. */
async function stored(data: 'database' | 'filesystem-v2', bytes: number) {
	const prepareBinaryData = async (stream: AsyncIterable<Buffer>) => {
		let size = 0;
		for await (const { length } of stream) size += length;
		expect(size).toBe(bytes);
		return { data, mimeType: '' };
	};
	const context = { helpers: { prepareBinaryData } } as unknown as IExecuteFunctions;
	return await storeBinary(context, fileOf(bytes), { fileName: 'a.wav', mimeType: 'audio/wav' });
}

test.each([
	['database', MOST],
	['filesystem-v2', MOST + 1],
] as const)('in %s, n8n can read back %d bytes', async (data, bytes) => {
	await expect(stored(data, bytes)).resolves.toMatchObject({ bytes, binary: { data } });
});

test('a byte more in its database is refused', async () => {
	await expect(stored('database', MOST + 1)).rejects.toMatchObject({
		reason: 'tooLargeForDatabase',
	});
});
