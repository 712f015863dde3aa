import { randomBytes } from 'node:crypto';

import {
	AUDIO_HEAD_BYTES,
	formats,
	recognizeAudio,
	unknownFormat,
} from '../../nodes/recordingFile/audioFormat';

/** An Ogg page header with one lacing value, followed by the packet (RFC 3533). */
const oggPage = (packet: string) =>
	Buffer.concat([
		Buffer.from('OggS'),
		Buffer.alloc(22),
		Buffer.from([1, packet.length]),
		Buffer.from(packet),
	]);

/** MPEG-1 Layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame without padding. */
const mp3Frame = () => Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)]);
/** MPEG-2 Layer III, 32 kbit/s, 16 kHz: 144 bytes a frame. */
const mpeg2Frame = () => Buffer.concat([Buffer.from('fff34800', 'hex'), Buffer.alloc(140)]);

const ebml = (docType: string) =>
	Buffer.concat([
		Buffer.from('1a45dfa3a3428681014282', 'hex'),
		Buffer.from([0x80 + docType.length]),
		Buffer.from(docType),
		Buffer.from('OpusHead'),
	]);
const text = (latin1: string) => Buffer.from(latin1, 'latin1');
describe('recognized by the first bytes', () => {
	test.each([
		['Ogg Opus', oggPage('OpusHead'), 'opus', 'opus', 'audio/ogg'],
		['Ogg with another codec', oggPage('\u0001vorbis'), 'ogg', 'ogg', 'audio/ogg'],
		['WAV', Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'wav', 'wav', 'audio/wav'],
		['WebM', ebml('webm'), 'webm', 'webm', 'audio/webm'],
		['MP3 with a tag', Buffer.from('ID3\u0004\0\0\0\0\u0001\u007f'), 'mp3', 'mp3', 'audio/mpeg'],
		[
			'an older tag',
			Buffer.from('ID3\u0002\0\u0080\0\0\u0001\0', 'latin1'),
			'mp3',
			'mp3',
			'audio/mpeg',
		],
		['MP3 frames', Buffer.concat([mp3Frame(), mp3Frame()]), 'mp3', 'mp3', 'audio/mpeg'],
		['MPEG-2 frames', Buffer.concat([mpeg2Frame(), mpeg2Frame()]), 'mp3', 'mp3', 'audio/mpeg'],
		[
			'MP3 up to the second header',
			Buffer.concat([mpeg2Frame(), mpeg2Frame().subarray(0, 4)]),
			...['mp3', 'mp3', 'audio/mpeg'],
		],
		// MPEG-1 Layer III with padding: one byte more.
		[
			'MP3 frames with padding',
			Buffer.concat([Buffer.from('fffb9200', 'hex'), Buffer.alloc(414), mp3Frame()]),
			...['mp3', 'mp3', 'audio/mpeg'],
		],
		// 32 kbit/s at 8 kHz: 72,000 * 32 / 8,000 = 288 bytes.
		[
			'MPEG-2.5 frames',
			Buffer.concat([0, 1].map(() => Buffer.concat([text('\xff\xe3\x48\0'), Buffer.alloc(284)]))),
			...['mp3', 'mp3', 'audio/mpeg'],
		],
	])('%s', (_name, head, format, extension, mimeType) => {
		expect(recognizeAudio(head)).toEqual({ format, extension, mimeType });
	});

	test.each([
		['nothing', Buffer.alloc(0)],
		['zeros', Buffer.alloc(AUDIO_HEAD_BYTES)],
		// Its first header would pass for that of 1 in 17,000 encrypted recordings.
		['one MP3 frame', mp3Frame()],
		['half an MP3 header', text('\xff\xfb')],
		[
			'frames with another sync word',
			Buffer.concat([0, 1].map(() => Buffer.concat([text('\xfe'), mp3Frame().subarray(1)]))),
		],
		['MP3 frames behind zeros', Buffer.concat([Buffer.alloc(9), mp3Frame(), mp3Frame()])],
		['Matroska', ebml('matroska')],
		[
			'WebM, named too late',
			Buffer.concat([ebml('x'), Buffer.alloc(64), ebml('webm').subarray(4)]),
		],
		['a big-endian RIFX file', text('RIFX\0\0\0\0WAVEfmt ')],
		['MP4', text('\0\0\0\x1cftypM4A \0\0\x02\0')],
		['FLAC', text('fLaC\0\0\0\x22')],
		['WAVE without the name before it', text('data\0\0\0\0WAVEfmt ')],
		['OpusHead without the name before it', text(`${'\0'.repeat(28)}OpusHead`)],
		['an AVI file', Buffer.from('RIFF\0\0\0\0AVI LIST')],
		['a sync word without a second frame', Buffer.concat([mp3Frame(), Buffer.alloc(100)])],
		[
			'a second header of a reserved bitrate',
			Buffer.concat([mp3Frame(), Buffer.from('fffbf000', 'hex')]),
		],
		['a tag of version 1', Buffer.from('ID3\u0001\0\0\0\0\u0001\0')],
		['another name before a tag', text('ID4\x04\0\0\0\0\x01\0')],
		['Layer II', Buffer.from(`fffd9000${'00'.repeat(413)}`.repeat(2), 'hex')],
		['a reserved bitrate', Buffer.from('fffbf000', 'hex')],
		['a reserved sampling rate', Buffer.from('fffb9c00', 'hex')],
		['a web page', Buffer.from('<!DOCTYPE html>')],
		['a tag of an unknown version', Buffer.from('ID3\u0007\0\0\0\0\0\0')],
		['a tag with a wrong size', Buffer.from('ID3\u0004\0\0\0\0\u0080\0', 'latin1')],
		['the beginning of a tag', Buffer.from('ID3\u0004\0\0')],
		['frames of two kinds', Buffer.concat([mp3Frame(), mpeg2Frame()])],
	])('%s is no audio', (_name, head) => {
		expect(recognizeAudio(head)).toBeUndefined();
	});

	test('random bytes, which an encrypted recording begins with, are not audio', () => {
		const mistaken = Array.from({ length: 20_000 }, () => randomBytes(2048)).filter(recognizeAudio);
		expect(mistaken).toHaveLength(0);
	});

	test.each(['ID3', 'RIFF'])('nor are they after %s', (signature) => {
		const mistaken = Array.from({ length: 2_000 }, () =>
			Buffer.concat([Buffer.from(signature), randomBytes(2045)]),
		).filter(recognizeAudio);
		// Of those with ID3, 3 of 4,096 are expected.
		expect(mistaken.length).toBeLessThan(12);
	});
});

test('the extensions of decrypted files: those of all formats and .bin, but not .enc', () => {
	const decrypted = [...Object.values(formats), unknownFormat];
	const known = 'opus ogg mp3 wav webm bin';
	expect(decrypted.map(({ extension }) => extension)).toEqual(known.split(' '));
	expect(unknownFormat).toEqual({
		format: 'unknown',
		extension: 'bin',
		mimeType: 'application/octet-stream',
	});
});
