import type { IExecuteFunctions } from 'n8n-workflow';

import { storableChunks } from '../../nodes/VoiceAgent/recording/file/binary';

/** As a Base64 text, this many bytes have the length of the longest text of V8, with the 24 bytes that stand around it. */
const MOST = 268_435_443;

/** Where n8n keeps files, and how often it was asked. */
function storage(data: 'database' | 'filesystem-v2') {
	const prepareBinaryData = jest.fn(async () => ({ data, mimeType: '' }));
	return {
		context: { helpers: { prepareBinaryData } } as unknown as IExecuteFunctions,
		prepareBinaryData,
	};
}

/** Chunks of these lengths, without their content. */
async function* chunksOf(lengths: number[], read: number[] = []) {
	for (const length of lengths) {
		read.push(length);
		yield { length } as Uint8Array;
	}
}

async function lengthsOf(chunks: AsyncIterable<Uint8Array>): Promise<number[]> {
	const lengths: number[] = [];
	for await (const { length } of chunks) lengths.push(length);
	return lengths;
}

const tooLarge = { reason: 'tooLargeForDatabase' };

describe('a file for the database of n8n', () => {
	test.each([1, MOST])(
		'announced with %d bytes: passed on, and n8n is not asked',
		async (announced) => {
			const { context, prepareBinaryData } = storage('database');
			expect(await lengthsOf(storableChunks(context, chunksOf([5]), announced))).toEqual([5]);
			expect(prepareBinaryData).not.toHaveBeenCalled();
		},
	);

	test('announced with a byte more than fits: refused with the first chunk', async () => {
		const { context } = storage('database');
		const chunks = storableChunks(context, chunksOf([5]), MOST + 1);
		await expect(lengthsOf(chunks)).rejects.toMatchObject(tooLarge);
	});

	test('of unknown size: passed on while it fits, refused with the first byte more', async () => {
		const { context, prepareBinaryData } = storage('database');
		expect(await lengthsOf(storableChunks(context, chunksOf([MOST - 1, 1]), 0))).toEqual([
			MOST - 1,
			1,
		]);
		expect(prepareBinaryData).not.toHaveBeenCalled();
		const seen: number[] = [];
		const chunks = storableChunks(context, chunksOf([MOST, 1, 7]), 0);
		await expect(
			(async () => {
				for await (const { length } of chunks) seen.push(length);
			})(),
		).rejects.toMatchObject(tooLarge);
		expect(seen).toEqual([MOST]);
		expect(prepareBinaryData).toHaveBeenCalledTimes(1);
	});
});

test.each([0, MOST + 1])(
	'a file outside the database, announced with %d bytes: n8n is asked once',
	async (announced) => {
		const { context, prepareBinaryData } = storage('filesystem-v2');
		const lengths = [MOST, MOST, MOST];
		expect(await lengthsOf(storableChunks(context, chunksOf(lengths), announced))).toEqual(lengths);
		expect(prepareBinaryData).toHaveBeenCalledTimes(1);
		expect(prepareBinaryData).toHaveBeenCalledWith(
			Buffer.alloc(0),
			'empty',
			'application/octet-stream',
		);
	},
);
