import { randomBytes } from 'node:crypto';

import {
	AUDIO_HEAD_BYTES,
	formats,
	recognizeAudio,
	unknownFormat,
} from '../../nodes/recordingFile/audioFormat';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const join = (...parts: Buffer[]) => Buffer.concat(parts);

/** An Ogg page header with one lacing value, followed by the packet (RFC 3533). */
const oggPage = (packet: string) =>
	join(latin1('OggS'), Buffer.alloc(22), Buffer.from([1, packet.length]), latin1(packet));

const frame = (header: string, bytes: number) =>
	join(Buffer.from(header, 'hex'), Buffer.alloc(bytes - 4));
/** MPEG-1 Layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame without padding. */
const mp3Frame = frame('fffb9000', 417);
/** MPEG-2 Layer III, 32 kbit/s, 16 kHz. */
const mpeg2Frame = frame('fff34800', 144);
/** 32 kbit/s at 8 kHz: 72,000 * 32 / 8,000 bytes. */
const mpeg25Frame = frame('ffe34800', 288);

const ebml = (docType: string) =>
	join(
		Buffer.from('1a45dfa3a3428681014282', 'hex'),
		Buffer.from([0x80 + docType.length]),
		latin1(`${docType}OpusHead`),
	);
const mimeTypes = {
	opus: 'audio/ogg',
	ogg: 'audio/ogg',
	wav: 'audio/wav',
	webm: 'audio/webm',
	mp3: 'audio/mpeg',
};

describe('recognized by the first bytes', () => {
	test.each<[string, Buffer, keyof typeof mimeTypes]>([
		['Ogg Opus', oggPage('OpusHead'), 'opus'],
		['Ogg with another codec', oggPage('\u0001vorbis'), 'ogg'],
		['WAV', latin1('RIFF\0\0\0\0WAVEfmt '), 'wav'],
		['WebM', ebml('webm'), 'webm'],
		['MP3 with a tag', latin1('ID3\u0004\0\0\0\0\u0001\u007f'), 'mp3'],
		['an older tag', latin1('ID3\u0002\0\u0080\0\0\u0001\0'), 'mp3'],
		['MP3 frames', join(mp3Frame, mp3Frame), 'mp3'],
		['MPEG-2 frames', join(mpeg2Frame, mpeg2Frame), 'mp3'],
		['MP3 up to the second header', join(mpeg2Frame, mpeg2Frame.subarray(0, 4)), 'mp3'],
		['MP3 frames with padding, one byte more', join(frame('fffb9200', 418), mp3Frame), 'mp3'],
		['MPEG-2.5 frames', join(mpeg25Frame, mpeg25Frame), 'mp3'],
	])('%s', (_name, head, format) => {
		const mimeType = mimeTypes[format];
		expect(recognizeAudio(head)).toEqual({ format, extension: format, mimeType });
	});

	const otherSync = join(latin1('\xfe'), mp3Frame.subarray(1));
	test.each([
		['nothing', Buffer.alloc(0)],
		['zeros', Buffer.alloc(AUDIO_HEAD_BYTES)],
		// Its first header would pass for that of 1 in 17,000 encrypted recordings.
		['one MP3 frame', mp3Frame],
		['half an MP3 header', latin1('\xff\xfb')],
		['frames with another sync word', join(otherSync, otherSync)],
		['MP3 frames behind zeros', join(Buffer.alloc(9), mp3Frame, mp3Frame)],
		['Matroska', ebml('matroska')],
		['WebM, named too late', join(ebml('x'), Buffer.alloc(64), ebml('webm').subarray(4))],
		['a big-endian RIFX file', latin1('RIFX\0\0\0\0WAVEfmt ')],
		['MP4', latin1('\0\0\0\x1cftypM4A \0\0\x02\0')],
		['FLAC', latin1('fLaC\0\0\0\x22')],
		['WAVE without the name before it', latin1('data\0\0\0\0WAVEfmt ')],
		['OpusHead without the name before it', latin1(`${'\0'.repeat(28)}OpusHead`)],
		['an AVI file', latin1('RIFF\0\0\0\0AVI LIST')],
		['a sync word without a second frame', join(mp3Frame, Buffer.alloc(100))],
		['a second header of a reserved bitrate', join(mp3Frame, Buffer.from('fffbf000', 'hex'))],
		['a tag of version 1', latin1('ID3\u0001\0\0\0\0\u0001\0')],
		['another name before a tag', latin1('ID4\x04\0\0\0\0\x01\0')],
		['Layer II', Buffer.from(`fffd9000${'00'.repeat(413)}`.repeat(2), 'hex')],
		['a reserved bitrate', Buffer.from('fffbf000', 'hex')],
		['a reserved sampling rate', Buffer.from('fffb9c00', 'hex')],
		['a web page', latin1('<!DOCTYPE html>')],
		['a tag of an unknown version', latin1('ID3\u0007\0\0\0\0\0\0')],
		['a tag with a wrong size', latin1('ID3\u0004\0\0\0\0\u0080\0')],
		['the beginning of a tag', latin1('ID3\u0004\0\0')],
		['frames of two kinds', join(mp3Frame, mpeg2Frame)],
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
