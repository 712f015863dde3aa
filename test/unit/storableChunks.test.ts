import type { IExecuteFunctions } from 'n8n-workflow';

import { storableChunks } from '../../nodes/VoiceAgent/recording/file/binary';

/** V8's longest text has just enough room for this many bytes in hexadecimal, with a prefix. */
const MOST = 268_435_443;

/** Passes chunks of these lengths, without their content, to where n8n keeps files. */
async function stored(data: 'database' | 'filesystem-v2', lengths: number[]) {
	const prepareBinaryData = jest.fn(async () => ({ data, mimeType: '' }));
	const context = { helpers: { prepareBinaryData } } as unknown as IExecuteFunctions;
	async function* chunks() {
		for (const length of lengths) yield { length } as Uint8Array;
	}
	const passedOn: number[] = [];
	const reason = await (async () => {
		for await (const { length } of storableChunks(context, chunks())) passedOn.push(length);
	})().catch((error: { reason: string }) => error.reason);
	return { passedOn, reason, asked: prepareBinaryData.mock.calls.length };
}

test.each([
	['database', [MOST - 1, 1], { passedOn: [MOST - 1, 1], asked: 0 }],
	['database', [MOST, 1, 7], { passedOn: [MOST], asked: 1, reason: 'tooLargeForDatabase' }],
	['filesystem-v2', [MOST, 1, 7], { passedOn: [MOST, 1, 7], asked: 1 }],
] as const)(
	'n8n keeps files in the %s: chunks of %j bytes pass as long as it can store them',
	async (data, lengths, expected) => {
		expect(await stored(data, [...lengths])).toEqual({ reason: undefined, ...expected });
	},
);
