import { createHash } from 'node:crypto';

import type { DownloadedFile } from '../../nodes/service/http/download';
import type { Content } from '../../nodes/VoiceAgent/recording/file/openRecording';
import { openRecording } from '../../nodes/VoiceAgent/recording/file/openRecording';
import { inChunks, joined } from './encryptRecording';

/** The same random bytes each time. */
const noise = (length: number) =>
	Buffer.concat(
		Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
			createHash('sha256').update(`noise ${block}`).digest(),
		),
	).subarray(0, length);
/** No audio that is recognized, and no text. */
const structured = Buffer.concat([Buffer.from('TELE'), Buffer.alloc(200), noise(3_000)]);
const wav = (missing = 0) => {
	const file = Buffer.alloc(1_044 - missing, 1);
	file.write('RIFF\x14\x04\0\0WAVEfmt \x10\0\0\0', 'latin1');
	file.write('data\xe8\x03\0\0', 36, 'latin1');
	return file;
};

const fileOf = (content: Buffer, answer: Partial<DownloadedFile> = {}): DownloadedFile => ({
	chunks: inChunks(content, 1_000),
	contentType: 'application/octet-stream',
	announcedBytes: content.length,
	...answer,
});

async function read({ chunks, format, facts }: Content) {
	return { bytes: await joined(chunks), format: format.format, facts };
}

/** What comes out, or the error. */
async function opened(
	content: Buffer,
	{
		mode = 'automatic',
		plain,
		...answer
	}: Partial<DownloadedFile> & {
		mode?: 'automatic' | 'always' | 'never';
		plain?: Buffer;
	} = {},
) {
	const decryptNext = async () => {
		if (!plain) throw new Error('nothing to decrypt');
		const chunks = inChunks(plain, 1_000) as AsyncGenerator<Buffer, void, undefined>;
		return { chunks, passwordIndex: 2, isOnlyOne: true };
	};
	return await openRecording(fileOf(content, answer), mode, decryptNext).then(read);
}

const PAGES = [
	'text/html',
	'Text/HTML; charset=utf-8',
	'application/json',
	'application/problem+json',
	'application/vnd.example-1.call+xml',
	'application/xml;charset=utf-8',
];
const FILES = [
	'',
	'audio/ogg',
	'application/octet-stream',
	'application/octet-stream; was=text/html',
	'application/jsonp',
	'text/plain',
];

describe('what is no recording', () => {
	test.each([...PAGES, 'multipart/mixed; boundary=x'])('content type %j', async (contentType) => {
		const reason = 'notARecording';
		await expect(opened(structured, { contentType })).rejects.toMatchObject({ reason });
		// What a service calls a file is often wrong: its bytes decide.
		expect((await opened(wav(), { contentType })).format).toBe('wav');
	});

	test.each([...FILES, 'x-multipart/mixed'])(
		'content type %j: it may be one',
		async (contentType) => {
			expect(await opened(structured, { contentType, plain: wav() })).toMatchObject({
				bytes: wav(),
				facts: { decrypted: true },
			});
		},
	);

	test.each([
		['nothing', Buffer.alloc(0), 'notARecording'],
		['text', Buffer.from('Try again later'), 'notARecording'],
		['text that begins like audio', Buffer.from('OggS is not available here'), 'notARecording'],
		['zeros', Buffer.alloc(30_000), 'recordingNotReady'],
		['one byte', Buffer.alloc(1), 'recordingNotReady'],
		['one byte again and again', Buffer.alloc(200, 0x80), 'recordingNotReady'],
	])('%s', async (_name, content, reason) => {
		for (const mode of ['automatic', 'always', 'never'] as const) {
			await expect(opened(content, { mode })).rejects.toMatchObject({ reason });
		}
	});
});

describe('Decrypt', () => {
	test('Always: audio is not encrypted', async () => {
		const reason = 'notEncrypted';
		await expect(opened(wav(), { mode: 'always' })).rejects.toMatchObject({ reason });
	});

	test('Never: what is shorter than an encrypted file is refused', async () => {
		const reason = 'notARecording';
		await expect(opened(noise(43), { mode: 'never' })).rejects.toMatchObject({ reason });
	});

	test.each([
		['44 random bytes', noise(44)],
		['random bytes', noise(20_000)],
		['an unknown file', structured],
	])('Never: %s are kept, as a file that may be encrypted', async (_name, bytes) => {
		const facts = { encrypted: true, decrypted: false };
		expect(await opened(bytes, { mode: 'never' })).toEqual({ bytes, format: 'enc', facts });
	});

	test.each([
		['wav', wav()],
		// Its tag says that it is complete.
		['wav', wav(1)],
		['unknown', structured],
		['unknown', Buffer.alloc(0)],
	])('Automatically: %s', async (format, plain) => {
		for (const mode of ['automatic', 'always'] as const) {
			// No statistics: whatever is not recognized is tried.
			for (const content of [noise(3_000), structured]) {
				expect(await opened(content, { mode, plain })).toEqual({
					bytes: plain,
					format,
					facts: { encrypted: false, decrypted: true, passwordIndex: 2 },
				});
			}
		}
	});
});

describe('audio that ends early', () => {
	const cut = wav(44);

	test.each([
		['is not complete', 'automatic', 1_000],
		['without a length: is not complete', 'never', 0],
	] as const)('%s', async (_name, mode, announcedBytes) => {
		const error = { reason: 'recordingIncomplete', detail: 'it has 1000 of 1044 bytes' };
		await expect(opened(cut, { mode, announcedBytes })).rejects.toMatchObject(error);
	});

	test('is kept as the service has it with Never', async () => {
		expect(await opened(cut, { mode: 'never' })).toEqual({
			bytes: cut,
			format: 'wav',
			facts: { encrypted: false, decrypted: false },
		});
	});
});
