import { untilEndOfAudio } from '../../nodes/recordingFile/audioEnd';
import { peekAudio } from '../../nodes/recordingFile/audioFormat';
import { formats } from '../../nodes/recordingFile/formats';

async function* slices(file: Uint8Array, bytes = file.length) {
	for (let at = 0; at < file.length; at += bytes) yield file.subarray(at, at + bytes);
}

const END_OF_STREAM = 4;

function oggPage(flags: number, bytes: number): Buffer {
	const lacing = Buffer.alloc(Math.floor(bytes / 255) + 1, 255);
	lacing[lacing.length - 1] = bytes % 255;
	const header = Buffer.alloc(27);
	header.write('OggS');
	header[5] = flags;
	header[26] = lacing.length;
	return Buffer.concat([header, lacing, Buffer.alloc(bytes, 1)]);
}

function wav(bytes: number, size = bytes - 8): Buffer {
	const file = Buffer.alloc(bytes);
	file.write('RIFF');
	file.writeUInt32LE(size, 4);
	file.write('WAVE', 8);
	return file;
}

/** Whether the file arrives as it is, and what its end shows. */
async function pass(file: Buffer, sliceBytes = 100, format?: keyof typeof formats) {
	const chunks: Uint8Array[] = [];
	const ends: unknown[] = [];
	const peeked = await peekAudio(slices(file, sliceBytes));
	const known = { ...peeked, format: format ? formats[format] : peeked.format };
	for await (const chunk of untilEndOfAudio(known, (end) => ends.push(end))) chunks.push(chunk);
	return { isPassedOn: Buffer.concat(chunks).equals(file), ends };
}

/** With small slices, a long file takes seconds. */
const sliceSizes = (file: Buffer) => [file.length > 2_000 ? 1_000 : 1, 70_000, 3_000_000];

const u32 = (value: number) => {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes;
};
/** A WAV file with its format, other chunks, and 1,000 bytes of audio. */
const riff = (
	riffSize: number,
	before: Buffer[],
	dataSize: number,
	after: Buffer = Buffer.alloc(0),
) =>
	Buffer.concat([
		Buffer.from('RIFF'),
		u32(riffSize),
		Buffer.from('WAVEfmt '),
		u32(16),
		Buffer.alloc(16, 1),
		...before,
		Buffer.from('data'),
		u32(dataSize),
		Buffer.alloc(1000, 1),
		after,
	]);
/** With a usual header: 1,044 bytes. */
const pcm = (riffSize = 1036, dataSize = 1000, after?: Buffer) =>
	riff(riffSize, [], dataSize, after);
/** With a chunk of three bytes, and the one that makes it even, before the audio. */
const withOddChunk = (riffSize = 1048, chunkBytes = 3) =>
	riff(riffSize, [Buffer.from('LIST'), u32(chunkBytes), Buffer.alloc(chunkBytes + 1, 1)], 1000);
const opus = Buffer.concat([oggPage(2, 19), oggPage(0, 60_000), oggPage(END_OF_STREAM, 60_000)]);
/** MPEG-1 Layer III, 128 kbit/s, 44.1 kHz: 417 bytes. */
const frame = Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)]);
const frames = (count: number) => Buffer.concat(Array<Buffer>(count).fill(frame));
const id3 = (bytes: number) => {
	const size = [21, 14, 7, 0].map((bit) => (bytes >> bit) & 0x7f);
	return Buffer.concat([Buffer.from('ID3\x04\0\0'), Buffer.from(size), Buffer.alloc(bytes)]);
};
const apeTag = (bytes: number) =>
	Buffer.concat([
		Buffer.alloc(bytes - 32),
		Buffer.from('APETAGEX'),
		u32(2000),
		u32(bytes),
		Buffer.alloc(16),
	]);
const oldTag = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
const large = (riffBytes: bigint, dataBytes: bigint, signature = 'RF64') => {
	const sizes = Buffer.alloc(28);
	sizes.writeBigUInt64LE(riffBytes);
	sizes.writeBigUInt64LE(dataBytes, 8);
	const file = riff(0xffffffff, [Buffer.from('ds64'), u32(28), sizes], 0xffffffff);
	file.write(signature);
	return file;
};

/** Cut so many bytes behind the beginning of its two sizes, which have 16 bytes. */
function cutLarge(bytes: number): Buffer {
	const file = large(1072n, 1000n);
	return file.subarray(0, file.indexOf('ds64') + 8 + bytes);
}

describe('files that show that they are whole', () => {
	test.each<[string, Buffer, keyof typeof formats]>([
		['WAV', wav(5000), 'wav'],
		['WAV with more after it', wav(5000, 3000), 'wav'],
		['WAV without the last, odd byte', wav(5001, 4994), 'wav'],
		['WAV with all its audio', pcm(), 'wav'],
		['WAV with all its audio, which announces more behind it', pcm(2036), 'wav'],
		['WAV whose size counts its own eight bytes', pcm(1044), 'wav'],
		['WAV with chunks after the audio', pcm(1056, 1000, Buffer.alloc(20)), 'wav'],
		['WAV from a pipe, with a true size of its audio', riff(0xffffffff, [], 1000), 'wav'],
		['WAV from a pipe, with a true size of its file', pcm(1036, 0), 'wav'],
		['WAV with a chunk of odd length before its audio', withOddChunk(), 'wav'],
		['RF64', large(1072n, 1000n), 'wav'],
		['BW64 with a size of its file only', large(1072n, 0n, 'BW64'), 'wav'],
		['Ogg', opus, 'opus'],
		['Ogg with more after it', Buffer.concat([opus, Buffer.alloc(10)]), 'ogg'],
		['Ogg of one page', oggPage(2 + END_OF_STREAM, 100), 'opus'],
		['two Ogg streams, one after the other', Buffer.concat([opus, opus]), 'opus'],
		['MP3', frames(5), 'mp3'],
		[
			'MP3 of one frame after another, with a tag before',
			Buffer.concat([id3(90), frames(4)]),
			'mp3',
		],
		['MP3 with the tag of an old program', Buffer.concat([frames(5), oldTag]), 'mp3'],
		['MP3 with two tags at its end', Buffer.concat([frames(5), apeTag(300), oldTag]), 'mp3'],
		['three frames of MP3, and a tag behind them', Buffer.concat([frames(3), oldTag]), 'mp3'],
		['MP3 behind a tag that is too long', Buffer.concat([id3(1_500_000), frames(20)]), 'mp3'],
	])('%s', async (_name, file, format) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes, format)).toEqual({ isPassedOn: true, ends: ['whole'] });
		}
	});
});

describe('files that do not show their end', () => {
	const page = Buffer.concat([oggPage(0, 100), frames(5)]);
	const longApe = Buffer.concat([frames(40), apeTag(9_000)]);
	test.each<[string, Buffer, keyof typeof formats, 'open' | 'doubtful']>([
		['WAV of unknown length', wav(5000, 0), 'wav', 'open'],
		['WAV of unknown length, the other way', wav(5000, 0xffffffff), 'wav', 'open'],
		['WAV from a pipe: zeros', pcm(0, 0), 'wav', 'open'],
		['WAV from a pipe: ffmpeg', pcm(0xffffffff, 0xffffffff), 'wav', 'open'],
		['WAV from a pipe: SoX', pcm(0x7ffff024, 0x7ffff000), 'wav', 'open'],
		['WAV from a pipe: the least of such sizes', pcm(0x7ff00000, 0x7ff00000), 'wav', 'open'],
		['WAV from a pipe: arecord', pcm(0x80000024, 0x80000000), 'wav', 'open'],
		['WAV before its length', pcm().subarray(0, 7), 'wav', 'open'],
		['WAV from a pipe, whose audio begins late', withOddChunk(0, 1_100_001), 'wav', 'open'],
		// Sizes that contradict each other were never measured.
		['WAV whose audio is longer than the file', pcm(1036, 2000), 'wav', 'open'],
		['WAV whose audio is as long as the file', pcm(0x10000000, 0x10000000), 'wav', 'open'],
		['WAV whose header was written before its audio', pcm(36, 0), 'wav', 'open'],
		['RF64 without sizes', large(0n, 0n), 'wav', 'open'],
		['RF64 that is cut in its sizes', cutLarge(15), 'wav', 'open'],
		['WebM', Buffer.alloc(3_000, 1), 'webm', 'open'],
		['MP3 that is cut', frames(9).subarray(0, 3_000), 'mp3', 'doubtful'],
		[
			'MP3 with other bytes at its end',
			Buffer.concat([frames(9), Buffer.alloc(100)]),
			'mp3',
			'doubtful',
		],
		[
			'MP3 with zeros behind it',
			Buffer.concat([frames(9), Buffer.alloc(7_000)]),
			'mp3',
			'doubtful',
		],
		['MP3 with a tag that is longer than its end', longApe, 'mp3', 'doubtful'],
		['two frames', frames(2), 'mp3', 'doubtful'],
		['MP3 with a page of Ogg before its frames', page.subarray(0, -1), 'mp3', 'doubtful'],
	])('%s', async (_name, file, format, end) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes, format)).toEqual({ isPassedOn: true, ends: [end] });
		}
	});
});

describe('files that end early', () => {
	const LAST_PAGE = 'its last page is missing';
	const NO_AUDIO = 'no audio is behind its tag';
	const longPage = oggPage(END_OF_STREAM, 65_024);
	const longTag = id3(1_500_000);
	test.each<[string, Buffer, keyof typeof formats, string]>([
		['WAV', wav(5000).subarray(0, 1000), 'wav', 'it has 1000 of 5000 bytes'],
		['WAV in its audio', pcm().subarray(0, 1000), 'wav', 'it has 1000 of 1044 bytes'],
		['WAV with the size of its audio only', pcm(0).subarray(0, 900), 'wav', '900 of 1044'],
		['WAV with the size of its file only', pcm(1036, 0).subarray(0, 900), 'wav', '900 of 1044'],
		['WAV in the audio behind an odd chunk', withOddChunk().subarray(0, 900), 'wav', '900 of 1056'],
		['the same from a pipe', withOddChunk(0).subarray(0, 900), 'wav', '900 of 1056'],
		['WAV in the header of its format', pcm().subarray(0, 20), 'wav', '20 of 1044'],
		['WAV behind its length', pcm().subarray(0, 8), 'wav', '8 of 1044'],
		[
			'WAV from a pipe, behind the length of its audio',
			pcm(0).subarray(0, 44),
			'wav',
			'44 of 1044',
		],
		['WAV without its last two bytes', pcm().subarray(0, 1042), 'wav', '1042 of 1044'],
		['WAV with sizes of 256 MiB', pcm(0x10000024, 0x10000000), 'wav', '1044 of 268435500'],
		['RF64', large(5_000_000_072n, 5_000_000_000n), 'wav', '1080 of 5000000080'],
		['RF64 behind its sizes', cutLarge(16), 'wav', 'of 1080'],
		['Ogg after a page', opus.subarray(0, -oggPage(0, 60_000).length), 'opus', LAST_PAGE],
		['Ogg in its last page', opus.subarray(0, -1), 'opus', LAST_PAGE],
		['Ogg in the header of its last page', opus.subarray(0, -60_240), 'opus', LAST_PAGE],
		['Ogg in a last page of the greatest length', longPage.subarray(0, -1), 'opus', LAST_PAGE],
		['Ogg in another page', opus.subarray(0, 30_000), 'opus', LAST_PAGE],
		['the second of two Ogg streams', Buffer.concat([opus, oggPage(2, 19)]), 'opus', LAST_PAGE],
		['Ogg with space behind it', Buffer.concat([opus, Buffer.alloc(66_000)]), 'opus', LAST_PAGE],
		[
			'MP3 with space behind it',
			Buffer.concat([frames(9), Buffer.alloc(8_192)]),
			'mp3',
			'nothing is written at its end yet',
		],
		['a tag that is cut', longTag.subarray(0, 5_000), 'mp3', NO_AUDIO],
		['zeros behind a tag', Buffer.concat([id3(90), Buffer.alloc(2_000_000)]), 'mp3', NO_AUDIO],
		['a long tag with nothing behind it', longTag, 'mp3', NO_AUDIO],
		['text behind a long tag', Buffer.concat([longTag, Buffer.alloc(5_000, 'a')]), 'mp3', NO_AUDIO],
	])('%s', async (_name, file, format, missing) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes, format)).toEqual({
				isPassedOn: true,
				ends: [{ missing: expect.stringContaining(missing) as string }],
			});
		}
	});

	test('an error that the caller throws at the end ends the iteration', async () => {
		const refuse = async () => {
			const peeked = await peekAudio(slices(pcm().subarray(0, 900)));
			const passedOn = untilEndOfAudio(peeked, () => {
				throw new Error('refused');
			});
			for await (const chunk of passedOn) expect(chunk.length).toBe(900);
		};
		await expect(refuse()).rejects.toThrow('refused');
	});
});
