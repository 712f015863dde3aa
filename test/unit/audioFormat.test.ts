import { randomBytes } from 'node:crypto';

import { AUDIO_HEAD_BYTES, peekAudio, recognizeAudio } from '../../nodes/recordingFile/audioFormat';
import { unpeek } from '../../nodes/recordingFile/chunks';
import { formats, unknownFormat } from '../../nodes/recordingFile/formats';
import { inChunks, joined } from './encryptRecording';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const join = (...parts: Buffer[]) => Buffer.concat(parts);

/** An Ogg page header with one lacing value, followed by the packet (RFC 3533). */
const oggPage = (packet: string) =>
	join(latin1('OggS'), Buffer.alloc(22), Buffer.from([1, packet.length]), latin1(packet));

/** A chunk of RIFF (Microsoft, Multimedia Programming Interface and Data Specifications 1.0). */
const chunk = (name: string, content: Buffer) => {
	const size = Buffer.alloc(4);
	size.writeUInt32LE(content.length);
	return join(latin1(name), size, content, Buffer.alloc(content.length % 2));
};
const wave = (signature: string, ...chunks: Buffer[]) =>
	join(latin1(`${signature}\0\0\0\0WAVE`), ...chunks);
const fmt = chunk('fmt ', Buffer.alloc(16, 1));
const text = (bytes: number) => Buffer.alloc(bytes, 'Call from 030 123456. ');

/** An ID3v2 tag (id3.org) with so many bytes in it. */
const id3 = (bytes: number, version = 4, flags = 0, content = Buffer.alloc(bytes)) => {
	const size = [21, 14, 7, 0].map((bit) => (bytes >> bit) & 0x7f);
	return join(latin1('ID3'), Buffer.from([version, 0, flags, ...size]), content);
};

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

const broadcastWave = wave(
	'RIFF',
	chunk('JUNK', Buffer.alloc(27)),
	chunk('bext', text(603)),
	chunk('LIST', text(300)),
	chunk('iXML', text(4_001)),
	fmt,
);
/** Frames behind bytes that stand where a tag would, and differ from one. */
const behindTag = (bytes: Buffer) => join(bytes, Buffer.alloc(90), mp3Frame, mp3Frame);

describe('recognized by the first bytes', () => {
	test.each<[string, Buffer, keyof typeof mimeTypes]>([
		['Ogg Opus', oggPage('OpusHead'), 'opus'],
		['Ogg with another codec', oggPage('\u0001vorbis'), 'ogg'],
		['Ogg, its second page', join(oggPage('fishead'), oggPage('BBCD')), 'ogg'],
		['Ogg from its middle', join(oggPage('noise'), oggPage('noise')), 'ogg'],
		['WAV', wave('RIFF', fmt), 'wav'],
		['WAV with bext, LIST, iXML and JUNK', broadcastWave, 'wav'],
		['WAV with the shortest format', wave('RIFF', chunk('fmt ', Buffer.alloc(14))), 'wav'],
		['RF64', wave('RF64', chunk('ds64', Buffer.alloc(28)), fmt), 'wav'],
		['BW64', wave('BW64', chunk('ds64', Buffer.alloc(28)), fmt), 'wav'],
		['WebM', ebml('webm'), 'webm'],
		['MP3 with a tag of text', join(id3(2_000, 4, 0, text(2_000)), mp3Frame, mp3Frame), 'mp3'],
		['MP3 with an older tag', join(id3(200, 2, 0x80), mp3Frame, mp3Frame), 'mp3'],
		['MP3 with a tag that has a footer', join(id3(9, 4, 0x10), id3(0), mp3Frame, mp3Frame), 'mp3'],
		['MP3 with two tags', join(id3(50), id3(300, 3), mp3Frame, mp3Frame), 'mp3'],
		['MP3 with room behind its tag', join(id3(50), Buffer.alloc(900), mp3Frame, mp3Frame), 'mp3'],
		['MP3 with a tag and one frame', join(id3(50), mp3Frame), 'mp3'],
		['MP3 with a tag and a part of a frame', join(id3(50), mp3Frame.subarray(0, 90)), 'mp3'],
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
		['WAVE without the name before it', wave('data', fmt)],
		['OpusHead without the name before it', latin1(`${'\0'.repeat(28)}OpusHead`)],
		['an AVI file', join(latin1('RIFF\0\0\0\0AVI '), fmt)],
		['WAV whose format is too short', wave('RIFF', chunk('fmt ', Buffer.alloc(13)))],
		['WAV whose format is too long', wave('RIFF', chunk('fmt ', Buffer.alloc(0x10_000 + 18)))],
		['a sync word without a second frame', join(mp3Frame, Buffer.alloc(100))],
		['a second header of a reserved bitrate', join(mp3Frame, Buffer.from('fffbf000', 'hex'))],
		['a tag of version 1', latin1('ID3\u0001\0\0\0\0\u0001\0')],
		['another name before a tag', latin1('ID4\x04\0\0\0\0\x01\0')],
		['Layer II', Buffer.from(`fffd9000${'00'.repeat(413)}`.repeat(2), 'hex')],
		['a reserved bitrate', Buffer.from('fffbf000', 'hex')],
		['a reserved sampling rate', Buffer.from('fffb9c00', 'hex')],
		['a web page', latin1('<!DOCTYPE html>')],
		['a tag of an unknown version', behindTag(latin1('ID3\u0007\0\0\0\0\0Z'))],
		['a tag with a wrong size', behindTag(latin1('ID3\u0004\0\0\0\u00ff\0Z'))],
		['a tag with unknown flags', behindTag(latin1('ID3\u0004\0\u0001\0\0\0Z'))],
		['a tag with a wrong revision', behindTag(latin1('ID3\u0004\u00ff\0\0\0\0Z'))],
		['the beginning of a tag', latin1('ID3\u0004\0\0')],
		['text behind a tag', join(id3(30), text(2_000))],
		['a short text behind a tag', join(id3(30), text(200))],
		['another kind of frame behind a tag', join(id3(30), mp3Frame, mpeg2Frame)],
		['text that begins like Ogg', latin1('OggS is not available here. OpusHead')],
		['text that begins like a page of Ogg', join(oggPage(''), text(2_000))],
		[
			'Ogg with flags that do not exist',
			join(latin1('OggS\0\x08'), oggPage('OpusHead').subarray(6)),
		],
		[
			'Ogg of a version that does not exist',
			join(latin1('OggS\x01'), oggPage('OpusHead').subarray(5)),
		],
		['text that begins like RIFF', latin1('RIFF and WAVE are names of formats')],
		['text that begins like WAV', latin1('RIFF....WAVEfmt is the name of a chunk')],
		['text behind WAVE', join(latin1('RIFF....WAVE'), text(2_000))],
		['WAV without a format', wave('RIFF', chunk('LIST', text(300)))],
		['text that begins like a tag', latin1('ID3 is a format of tags. '.repeat(100))],
		['frames of two kinds', join(mp3Frame, mpeg2Frame)],
	])('%s is no audio', (_name, head) => {
		expect(recognizeAudio(head)).toBeUndefined();
	});

	test('random bytes, which an encrypted recording begins with, are not audio', () => {
		const mistaken = Array.from({ length: 20_000 }, () => randomBytes(2048)).filter(recognizeAudio);
		expect(mistaken).toHaveLength(0);
	});

	test.each(['ID3', 'RIFF', 'RIFF\0\0\0\0WAVE', 'OggS', 'OggS\0\0', '\x1aE\xdf\xa3'])(
		'random bytes behind %j are hardly ever audio',
		(signature) => {
			const mistaken = Array.from({ length: 2_000 }, () =>
				Buffer.concat([latin1(signature), randomBytes(2045)]),
			).filter(recognizeAudio);
			// Of those with ID3, 1 of 50,000 is expected.
			expect(mistaken.length).toBeLessThan(3);
		},
	);
});

describe('no more of a file is read than shows its format:', () => {
	const picture = randomBytes(400_000);
	const tagged = join(id3(picture.length, 3, 0, picture), mp3Frame, mp3Frame, mp3Frame);
	const taggedPage = join(id3(picture.length, 3, 0, picture), text(5_000));
	const long = join(id3(2_000_000), mp3Frame, mp3Frame);
	const manyChunks = wave('RIFF', ...Array<Buffer>(40_000).fill(chunk('JUNK', latin1('ab'))), fmt);
	/** 255 segments of 255 bytes. */
	const longPage = join(latin1('OggS'), Buffer.alloc(22), Buffer.alloc(256 + 255 * 255, 0xff));
	const farFormat = wave('RIFF', chunk('JUNK', Buffer.alloc(2_000_000)), fmt);

	test.each<[string, Buffer, string | undefined]>([
		['a tag with a picture', tagged, 'mp3'],
		['text behind a tag with a picture', taggedPage, undefined],
		['a tag that is too long to look behind it', long, 'mp3'],
		['zeros behind a tag', join(id3(90), Buffer.alloc(2_000_000)), 'mp3'],
		['a tag without its end', tagged.subarray(0, 90_000), 'mp3'],
		['an Ogg page of the greatest length', join(longPage, oggPage('noise')), 'ogg'],
		['text behind an Ogg page of the greatest length', join(longPage, text(400)), undefined],
		['many chunks before the format', manyChunks, 'wav'],
		['a chunk that is too long to look behind it', farFormat, undefined],
		['a WAV file without its format', broadcastWave.subarray(0, 800), undefined],
		['noise', randomBytes(3_000_000), undefined],
		['nothing', Buffer.alloc(0), undefined],
	])('%s', async (_name, file, format) => {
		for (const chunkBytes of [1_000, 65_536, 10_000_000]) {
			let read = 0;
			async function* source() {
				for await (const one of inChunks(file, chunkBytes)) {
					read += one.length;
					yield one;
				}
			}
			const peeked = await peekAudio(source());
			expect(peeked.format?.format).toBe(format);
			expect(read).toBeLessThanOrEqual(1024 * 1024 + chunkBytes);
			expect((await joined(unpeek(peeked))).equals(file)).toBe(true);
		}
	});
});

test('the extensions of decrypted files: those of all formats and .bin, but not .enc', () => {
	const decrypted = [...Object.values(formats), unknownFormat];
	expect(decrypted.map(({ extension }) => extension)).toEqual([
		'opus',
		'ogg',
		'mp3',
		'wav',
		'webm',
		'bin',
	]);
	expect(unknownFormat).toEqual({
		format: 'unknown',
		extension: 'bin',
		mimeType: 'application/octet-stream',
	});
});
