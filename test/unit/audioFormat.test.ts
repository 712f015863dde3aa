import { randomBytes } from 'node:crypto';

import {
	AUDIO_HEAD_BYTES,
	decryptedExtensions,
	formatOfExtension,
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

/** ADTS: AAC LC, 16 kHz, mono, 100 bytes a frame, the last 3 of the length bits in the sixth byte. */
const adtsFrame = () =>
	Buffer.concat([
		Buffer.from([0xff, 0xf1, 0x60, 0x40, 100 >> 3, (100 & 7) << 5, 0xfc]),
		Buffer.alloc(93, 1),
	]);
/** An ID3v2.4 tag with this many bytes of content, a multiple of 128. */
const id3 = (bytes: number) =>
	Buffer.concat([
		Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, bytes / 128, 0]),
		Buffer.alloc(bytes),
	]);
const ebml = (docType: string) =>
	Buffer.concat([
		Buffer.from('1a45dfa3a3428681014282', 'hex'),
		Buffer.from([0x80 + docType.length]),
		Buffer.from(docType),
		Buffer.from('OpusHead'),
	]);
const text = (latin1: string) => Buffer.from(latin1, 'latin1');
const twice = (...parts: Buffer[]) => Buffer.concat([...parts, ...parts]);
const wav = text('RIFF\0\0\0\0WAVEfmt ');

describe('other containers, tags and padding', () => {
	test.each([
		['WAV, big-endian', text('RIFX\0\0\0\0WAVEfmt '), 'wav', 'audio/wav'],
		['WAV of broadcasters', text('BW64\xff\xff\xff\xffWAVEds64'), 'wav', 'audio/wav'],
		['WAV behind a tag', Buffer.concat([id3(128), wav]), 'wav', 'audio/wav'],
		['WAV behind two tags', Buffer.concat([id3(128), id3(256), wav]), 'wav', 'audio/wav'],
		['Wave64', text('riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0'), 'w64', 'audio/x-w64'],
		['AIFF', text('FORM\0\0\0\0AIFF'), 'aiff', 'audio/aiff'],
		['AIFF-C', text('FORM\0\0\0\0AIFC'), 'aiff', 'audio/aiff'],
		['Opus in WebM', ebml('webm'), 'webm', 'audio/webm'],
		['Opus in Matroska', ebml('matroska'), 'mka', 'audio/matroska'],
		['Opus in MP4', text('\0\0\0\x1cftypisom\0\0\x02\0'), 'mp4', 'audio/mp4'],
		['AAC in MP4', text('\0\0\0\x1cftypM4A \0\0\x02\0'), 'm4a', 'audio/mp4'],
		['Opus in CAF', text('caff\0\x01\0\0desc'), 'caf', 'audio/x-caf'],
		['FLAC', text('fLaC\0\0\0\x22'), 'flac', 'audio/flac'],
		['FLAC behind a tag', Buffer.concat([id3(128), text('fLaC')]), 'flac', 'audio/flac'],
		['AAC', Buffer.concat([adtsFrame(), adtsFrame()]), 'aac', 'audio/aac'],
		[
			'AAC up to the second header',
			Buffer.concat([adtsFrame(), adtsFrame().subarray(0, 4)]),
			...['aac', 'audio/aac'],
		],
		['an MP3 header', mp3Frame().subarray(0, 4), 'mp3', 'audio/mpeg'],
		[
			'MPEG-2 up to the second header',
			Buffer.concat([mpeg2Frame(), mpeg2Frame().subarray(0, 4), Buffer.alloc(200)]),
			...['mp3', 'audio/mpeg'],
		],
		['AAC behind a tag', Buffer.concat([id3(128), adtsFrame(), adtsFrame()]), 'aac', 'audio/aac'],
		['AU', text('.snd\0\0\0\x18\xff\xff\xff\xff\0\0\0\x01'), 'au', 'audio/basic'],
		['3GP', text('\0\0\0\x1cftyp3gp4\0\0\x02\0'), '3gp', 'audio/3gpp'],
		['AMR', text('#!AMR\n\x3c'), 'amr', 'audio/amr'],
		['AMR wideband', text('#!AMR-WB\n\x3c'), 'awb', 'audio/amr-wb'],
		[
			'MP3 behind zeros',
			Buffer.concat([Buffer.alloc(3_001), mp3Frame(), mp3Frame()]),
			'mp3',
			'audio/mpeg',
		],
		[
			'MP3 behind a tag and padding',
			Buffer.concat([id3(128), Buffer.alloc(500), mp3Frame(), mp3Frame()]),
			'mp3',
			'audio/mpeg',
		],
		['MP3 behind a tag longer than the head', id3(8_192).subarray(0, 4_096), 'mp3', 'audio/mpeg'],
	])('%s', (_name, head, format, mimeType) => {
		expect(recognizeAudio(head)).toEqual({ format, extension: format, mimeType });
	});

	test.each([
		['zeros', Buffer.alloc(AUDIO_HEAD_BYTES)],
		['one ADTS header', adtsFrame()],
		['another RIFX file', text('RIFX\0\0\0\0MV93')],
		['another RF64 file', text('RF64\xff\xff\xff\xffAVI ds64')],
		['another BW64 file', text('BW64\xff\xff\xff\xffAVI ds64')],
		['another FORM file', text('FORM\0\0\0\x20ILBM')],
		['WAVE without the name before it', text('data\0\0\0\0WAVEfmt ')],
		['AIFF without the name before it', text('data\0\0\0\0AIFF')],
		['a sound of another kind', text('\0'.repeat(28) + 'OpusHead')],
		['half an ADTS header', text('\xff\xf1\x60\x40\x0c')],
		['ADTS frames with another sync word', twice(text('\xfe'), adtsFrame().subarray(1))],
		['MP3 frames with another sync word', twice(text('\xfe'), mp3Frame().subarray(1))],
		['half an MP3 header', text('\xff\xfb')],
		['ADTS frames of two kinds', Buffer.concat([adtsFrame(), text('\xff\xf1\x50\x80\0\0')])],
	])('%s: no audio', (_name, head) => {
		expect(recognizeAudio(head)).toBeUndefined();
	});
});

describe('recognized by the first bytes', () => {
	test.each([
		['Ogg Opus', oggPage('OpusHead'), 'opus', 'opus', 'audio/ogg'],
		['Ogg with another codec', oggPage('\u0001vorbis'), 'ogg', 'ogg', 'audio/ogg'],
		['WAV', Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'wav', 'wav', 'audio/wav'],
		[
			'WAV beyond 4 GB',
			Buffer.from('RF64\xff\xff\xff\xffWAVEds64', 'latin1'),
			'wav',
			'wav',
			'audio/wav',
		],
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
		['one MP3 frame', mp3Frame(), 'mp3', 'mp3', 'audio/mpeg'],
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
		['an AVI file', Buffer.from('RIFF\0\0\0\0AVI LIST')],
		['a sync word without a second frame', Buffer.concat([mp3Frame(), Buffer.alloc(100)])],
		[
			'a second header of a reserved bitrate',
			Buffer.concat([mp3Frame(), Buffer.from('fffbf000', 'hex')]),
		],
		['a tag of version 1', Buffer.from('ID3\u0001\0\0\0\0\u0001\0')],
		['a tag of a revision that cannot be', text('ID3\x04\xff\0\0\0\x01\0')],
		['another name before a tag', text('ID4\x04\0\0\0\0\x01\0')],
		['Layer II', Buffer.from('fffd9000', 'hex')],
		['a reserved bitrate', Buffer.from('fffbf000', 'hex')],
		['a reserved sampling rate', Buffer.from('fffb9c00', 'hex')],
		['a web page', Buffer.from('<!DOCTYPE html>')],
		['a tag of an unknown version', Buffer.from('ID3\u0007\0\0\0\0\0\0')],
		['a tag with unknown flags', Buffer.from('ID3\u0004\0\u0001\0\0\0\0')],
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
		// With an ID3 header, about 3 of 65,536 are expected.
		expect(mistaken.length).toBeLessThan(5);
	});
});

test('a known extension gives format and MIME type', () => {
	expect(formatOfExtension('wav', unknownFormat)).toEqual({
		format: 'wav',
		extension: 'wav',
		mimeType: 'audio/wav',
	});
	expect(formatOfExtension('constructor', unknownFormat)).toEqual({
		format: 'constructor',
		extension: 'constructor',
		mimeType: 'application/octet-stream',
	});
});

test('the extensions of decrypted files: those of all formats and .bin, but not .enc', () => {
	const known = 'opus ogg mp3 wav w64 webm mka m4a mp4 caf flac aac aiff au 3gp amr awb bin';
	expect(decryptedExtensions).toEqual(known.split(' '));
	for (const extension of decryptedExtensions) {
		expect(formatOfExtension(extension, unknownFormat).extension).toBe(extension);
	}
	expect(unknownFormat).toEqual({
		format: 'unknown',
		extension: 'bin',
		mimeType: 'application/octet-stream',
	});
});

test('WAV behind a tag with a footer', () => {
	const tag = Buffer.from('ID3\u0004\0\u0010\0\0\0\u0002');
	const footer = Buffer.from('3DI\u0004\0\u0010\0\0\0\u0002');
	const head = Buffer.concat([tag, Buffer.alloc(2), footer, wav]);
	expect(recognizeAudio(head)).toMatchObject({ format: 'wav' });
});
