import { createHash } from 'node:crypto';

import { VoiceAgentError } from '../../nodes/errors';
import type { DownloadedFile } from '../../nodes/service/http/download';
import type { Content, OpenOptions } from '../../nodes/VoiceAgent/recording/file/openRecording';
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
/** MPEG-1 Layer III, 128 kbit/s, 44.1 kHz: 417 bytes each, with digital silence of LAME. */
const mp3 = Buffer.concat(
	Array<Buffer>(9).fill(
		Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413, 'LAME3.100UUUUU')]),
	),
);
/** An Ogg stream of two pages, neither of which is marked as the last one. */
const oggWithoutMark = Buffer.concat([
	Buffer.from('OggS\0\x02'),
	Buffer.alloc(20),
	Buffer.from([1, 19]),
	Buffer.from('OpusHead'),
	Buffer.alloc(11, 1),
	Buffer.from('OggS\0\0'),
	Buffer.alloc(20),
	Buffer.from([1, 200]),
	Buffer.alloc(200, 1),
]);

/** What the service may send, and what the node is set to. */
interface Given extends Partial<DownloadedFile>, Pick<OpenOptions, 'keptBecause'> {
	mode?: OpenOptions['mode'];
	/** What the tag accepts. */
	plain?: Buffer;
	hasPassword?: boolean;
}

async function read({ chunks, format, facts }: Content) {
	return { bytes: await joined(chunks), format: format.format, facts };
}

/** What comes out, or the error. */
async function opened(content: Buffer, given: Given = {}) {
	const { mode = 'automatic', plain, hasPassword = true, keptBecause, ...answer } = given;
	async function* decrypted(source: AsyncIterable<Uint8Array>) {
		const bytes = (await joined(source)).length;
		if (bytes !== content.length) throw new Error(`${bytes} bytes arrived`);
		if (!plain) throw new VoiceAgentError('wrongPasswordOrAltered');
		yield plain;
	}
	const decryptNext: OpenOptions['decryptNext'] = async (source) =>
		await Promise.resolve({ chunks: decrypted(source), passwordIndex: 2 });
	const file = {
		chunks: inChunks(content, 1_000),
		contentType: 'application/octet-stream',
		announcedBytes: content.length,
		isEndMarked: false,
		...answer,
	};
	const options = { mode, keptBecause, decryptNext: hasPassword ? decryptNext : undefined };
	return await openRecording(file, options).then(read);
}

const PAGES = [
	'text/html',
	'Text/HTML; charset=utf-8',
	'application/json',
	'application/problem+json',
	'application/vnd.example-1.call+xml',
	'application/xml;charset=utf-8',
	'multipart/mixed; boundary=x',
];
const FILES = [
	'',
	'audio/ogg',
	'application/octet-stream',
	'application/octet-stream; was=text/html',
	'application/jsonp',
	'text/plain',
	'x-multipart/mixed',
];

describe('the bytes decide, whatever the service calls them', () => {
	test.each([...PAGES, ...FILES])('content type %j', async (contentType) => {
		expect((await opened(wav(), { contentType })).format).toBe('wav');
		for (const content of [structured, noise(3_000), Buffer.from('a page of text'.repeat(9))]) {
			for (const mode of ['automatic', 'always'] as const) {
				expect(await opened(content, { contentType, mode, plain: wav() })).toMatchObject({
					bytes: wav(),
					format: 'wav',
					facts: { decrypted: true, verified: true },
				});
			}
			expect(await opened(content, { contentType, mode: 'never', plain: wav() })).toEqual({
				bytes: content,
				format: 'enc',
				facts: {
					encrypted: true,
					decrypted: false,
					verified: true,
					passwordIndex: 2,
					plainSha256: createHash('sha256').update(wav()).digest('hex'),
				},
			});
		}
	});

	test('audio that is full of text is audio', async () => {
		for (const mode of ['automatic', 'never'] as const) {
			const facts = { encrypted: false, decrypted: false, verified: true };
			expect(await opened(mp3, { mode })).toEqual({ bytes: mp3, format: 'mp3', facts });
		}
	});
});

describe('what nothing proves to be a recording', () => {
	const text = Buffer.from('{"error":"Try again later, the service is being updated"}');
	test.each<[string, Buffer, Given, string]>([
		['nothing', Buffer.alloc(0), {}, 'notARecording'],
		['a short text', Buffer.from('Try again later'), {}, 'notARecording'],
		['a file shorter than any encrypted one', noise(43), {}, 'notARecording'],
		['text', text, {}, 'notARecording'],
		['text, without a password', text, { hasPassword: false }, 'notARecording'],
		['text that begins like audio', Buffer.from('OggS '.repeat(20)), {}, 'notARecording'],
		['zeros', Buffer.alloc(30_000), {}, 'recordingNotReady'],
		['one byte', Buffer.alloc(1), {}, 'recordingNotReady'],
		['one byte again and again', Buffer.alloc(200, 0x80), {}, 'recordingNotReady'],
		['noise', noise(3_000), {}, 'wrongPasswordOrAltered'],
		[
			'noise, called text/plain',
			noise(3_000),
			{ contentType: 'text/plain' },
			'wrongPasswordOrAltered',
		],
		['noise that is called a page', noise(3_000), { contentType: 'text/html' }, 'notARecording'],
	])('%s is refused in each mode', async (_name, content, given, reason) => {
		for (const mode of ['automatic', 'always', 'never'] as const) {
			await expect(opened(content, { mode, ...given })).rejects.toMatchObject({ reason });
		}
	});

	test('noise without a password is refused, or kept as not verified', async () => {
		const content = noise(3_000);
		const hasPassword = false;
		for (const mode of ['automatic', 'always'] as const) {
			const reason = 'passwordMissing';
			await expect(opened(content, { mode, hasPassword })).rejects.toMatchObject({ reason });
		}
		expect(await opened(content, { mode: 'never', hasPassword })).toEqual({
			bytes: content,
			format: 'enc',
			facts: {
				encrypted: true,
				decrypted: false,
				verified: false,
				unverifiedReason: 'No password is available to check its tag',
			},
		});
	});

	test('noise that is called a page is downloaded again if it may be cut', async () => {
		const contentType = 'application/json';
		for (const announcedBytes of [undefined, 3_000]) {
			const error = opened(noise(3_000), { contentType, announcedBytes });
			await expect(error).rejects.toMatchObject({ retryable: announcedBytes === undefined });
		}
	});

	const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), noise(70)]);
	test.each([
		['a picture', png, 'enc'],
		['44 random bytes', noise(44), 'enc'],
		['zeros', Buffer.alloc(500), 'enc'],
		['text', text, 'enc'],
		['audio that is cut', wav(44), 'wav'],
	])(
		'%s is kept as it is, with the reason why it is not verified',
		async (_name, bytes, format) => {
			const kept = await opened(bytes, { mode: 'never', keptBecause: 'the tag refuses it' });
			expect(kept).toMatchObject({ bytes, format, facts: { decrypted: false, verified: false } });
			expect(kept.facts.unverifiedReason).toBe(
				format === 'wav'
					? 'The recording is not complete: it has 1000 of 1044 bytes'
					: 'the tag refuses it',
			);
		},
	);

	test.each([0, 43])('%i bytes are not kept', async (length) => {
		const error = opened(noise(length), { mode: 'never', keptBecause: 'any' });
		await expect(error).rejects.toMatchObject({ reason: 'notARecording' });
	});

	test('audio that has become whole is verified, whatever it is kept for', async () => {
		const { facts } = await opened(wav(), { mode: 'never', keptBecause: 'it was cut' });
		expect(facts).toEqual({ encrypted: false, decrypted: false, verified: true });
	});
});

describe('Decrypt', () => {
	test('Always refuses audio that is not encrypted', async () => {
		const reason = 'notEncrypted';
		await expect(opened(wav(), { mode: 'always' })).rejects.toMatchObject({ reason });
	});

	test.each([
		['wav', wav()],
		// Its tag says that it is complete.
		['wav', wav(1)],
		['unknown', structured],
		['unknown', Buffer.alloc(0)],
	])('Automatically outputs what the tag accepts, in the format %s', async (format, plain) => {
		expect(await opened(noise(3_000), { plain })).toEqual({
			bytes: plain,
			format,
			facts: { encrypted: false, decrypted: true, verified: true, passwordIndex: 2 },
		});
	});
});

describe('the end of audio', () => {
	const openWav = wav();
	openWav.writeUInt32LE(0xffffffff, 4);
	openWav.writeUInt32LE(0xffffffff, 40);
	const cutMp3 = mp3.subarray(0, -20);
	const webm = Buffer.concat([
		Buffer.from('1a45dfa387428284', 'hex'),
		Buffer.from('webm'),
		noise(900),
	]);

	const LENGTH = {};
	const CHUNKED = { announcedBytes: undefined, isEndMarked: true };
	const CLOSED = { announcedBytes: undefined };
	test.each<[string, Buffer, Given, RegExp | undefined]>([
		['WAV', wav(), CLOSED, undefined],
		['WAV that is cut', wav(44), LENGTH, /it has 1000 of 1044 bytes/],
		['WAV that is cut, chunked', wav(44), CHUNKED, /it has 1000 of 1044 bytes/],
		['WAV of unknown length', openWav, LENGTH, undefined],
		['WAV of unknown length, chunked', openWav, CHUNKED, undefined],
		['WAV of unknown length, until the connection ends', openWav, CLOSED, /nothing in it shows/],
		['MP3', mp3, CLOSED, undefined],
		['MP3 with a part of a frame', cutMp3, LENGTH, undefined],
		['MP3 with a part of a frame, chunked', cutMp3, CHUNKED, /no whole frame is at its end/],
		['WebM', webm, LENGTH, undefined],
		['WebM, chunked', webm, CHUNKED, undefined],
		['WebM, until the connection ends', webm, CLOSED, /nothing in it shows/],
		['Ogg without a mark', oggWithoutMark, LENGTH, /its last page is missing/],
		['Ogg without a mark, chunked', oggWithoutMark, CHUNKED, /its last page is missing/],
	])('%s', async (_name, content, given, missing) => {
		for (const mode of ['automatic', 'never'] as const) {
			const outcome = opened(content, { mode, ...given });
			if (missing === undefined) {
				expect(await outcome).toMatchObject({ bytes: content, facts: { verified: true } });
			} else {
				const detail = expect.stringMatching(missing) as string;
				await expect(outcome).rejects.toMatchObject({ reason: 'recordingIncomplete', detail });
			}
		}
	});
});
