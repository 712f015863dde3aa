import type { IExecuteFunctions } from 'n8n-workflow';

import { storeBinary } from '../../nodes/VoiceAgent/recording/file/binary';

const MIB = 1024 * 1024;
const nodeCanGiveBack = 'transfer' in ArrayBuffer.prototype;

/** Stores a file of this size. n8n keeps the chunks that it reads, or fails after so many. */
async function stored({ bytes, failsAfter = Infinity }: { bytes: number; failsAfter?: number }) {
	const read: Uint8Array[] = [];
	const prepareBinaryData = async (stream: AsyncIterable<Uint8Array>) => {
		for await (const chunk of stream) {
			if (read.length === failsAfter) throw new Error('The disk is full');
			read.push(chunk);
		}
		return { data: '', mimeType: 'audio/wav' };
	};
	const context = { helpers: { prepareBinaryData } } as unknown as IExecuteFunctions;
	async function* chunks() {
		for (let at = 0; at < bytes; at += MIB) yield new Uint8Array(Math.min(MIB, bytes - at));
	}
	const file = { fileName: 'a.wav', mimeType: 'audio/wav' };
	const result = await storeBinary(context, chunks(), file).catch((error: Error) => error.message);
	return { result, left: read.reduce((sum, { length }) => sum + length, 0) };
}

describe('the memory of a file that n8n has stored', () => {
	// Of zeros: `head -c 300000 /dev/zero | sha256sum`.
	const sha256 = '886715e4051e827f4fe215df3053af3f85ad0d352db2c829c7487af6d78efe30';

	test('is given back', async () => {
		const { result, left } = await stored({ bytes: 300_000 });
		expect(result).toMatchObject({ bytes: 300_000, sha256 });
		expect(left).toBe(nodeCanGiveBack ? 0 : 300_000);
	});

	test('is kept in mind for the first 8 MiB only', async () => {
		const { left } = await stored({ bytes: 20 * MIB });
		expect(left).toBe(nodeCanGiveBack ? 12 * MIB : 20 * MIB);
	});

	test('stays if it failed: it may still be written', async () => {
		const { result, left } = await stored({ bytes: 3 * MIB, failsAfter: 2 });
		expect({ result, left }).toEqual({ result: 'The disk is full', left: 2 * MIB });
	});
});
