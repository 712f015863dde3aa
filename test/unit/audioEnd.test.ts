import type { EarlyEnd } from '../../nodes/recordingFile/audioEnd';
import { untilEndOfAudio } from '../../nodes/recordingFile/audioEnd';

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
	file.write('RIFF').toString();
	file.writeUInt32LE(size, 4);
	file.write('WAVE', 8);
	return file;
}

/** What arrives, and what is missing. */
async function pass(file: Buffer, sliceBytes = 100) {
	const chunks: Uint8Array[] = [];
	const ends: EarlyEnd[] = [];
	for await (const chunk of untilEndOfAudio(slices(file, sliceBytes), (end) => ends.push(end))) {
		chunks.push(chunk);
	}
	return { isPassedOn: Buffer.concat(chunks).equals(file), ends };
}

/** With small slices, a long file takes seconds. */
const sliceSizes = (file: Buffer) => [file.length > 2_000 ? 1_000 : 1, 70_000, 1_000_000];

const u32 = (value: number) => {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes;
};
const be32 = (value: number) => u32(value).reverse();
const u64 = (value: bigint) => {
	const bytes = Buffer.alloc(8);
	bytes.writeBigUInt64LE(value);
	return bytes;
};
const UNKNOWN_64 = 0xffff_ffff_ffff_ffffn;

/** A usual WAV header, and 1,000 bytes of audio: 1,044 bytes. */
const pcm = (riffSize = 1036, dataSize = 1000, after = Buffer.alloc(0)) =>
	Buffer.concat([
		Buffer.from('RIFF'),
		u32(riffSize),
		Buffer.from('WAVEfmt '),
		u32(16),
		Buffer.alloc(16, 1),
		Buffer.from('data'),
		u32(dataSize),
		Buffer.alloc(1000, 1),
		after,
	]);
/** With a chunk of three bytes, and the one that makes it even, before the audio. */
const withOddChunk = (riffSize = 1048, chunkBytes = 3) =>
	Buffer.concat([
		Buffer.from('RIFF'),
		u32(riffSize),
		Buffer.from('WAVEfmt '),
		u32(16),
		Buffer.alloc(16, 1),
		Buffer.from('LIST'),
		u32(chunkBytes),
		Buffer.alloc(chunkBytes + 1, 1),
		Buffer.from('data'),
		u32(1000),
		Buffer.alloc(1000, 1),
	]);
const rifx = Buffer.concat([
	Buffer.from('RIFX'),
	be32(1036),
	Buffer.from('WAVEfmt '),
	be32(16),
	Buffer.alloc(16, 1),
	Buffer.from('data'),
	be32(1000),
	Buffer.alloc(1000, 1),
]);
/** With the sizes of 64 bits before the format. */
const rf64 = (name: string, riffSize = 1072n, dataSize = 1000n, shortSizes = [-1, -1]) =>
	Buffer.concat([
		Buffer.from(name),
		u32(Number(shortSizes[0]) >>> 0),
		Buffer.from('WAVEds64'),
		u32(28),
		u64(riffSize),
		u64(dataSize),
		Buffer.alloc(12),
		Buffer.from('fmt '),
		u32(16),
		Buffer.alloc(16, 1),
		Buffer.from('data'),
		u32(Number(shortSizes[1]) >>> 0),
		Buffer.alloc(1000, 1),
	]);
const aiff = Buffer.concat([
	Buffer.from('FORM'),
	be32(1004),
	Buffer.from('AIFF'),
	Buffer.alloc(1000),
]);
const au = (size = 1000) =>
	Buffer.concat([Buffer.from('.snd'), be32(24), be32(size), Buffer.alloc(1012)]);
const w64 = Buffer.concat([
	Buffer.from('726966662e91cf11a5d628db04c10000', 'hex'),
	u64(1024n),
	Buffer.alloc(1000),
]);
const box = (type: string, content: Buffer) =>
	Buffer.concat([be32(8 + content.length), Buffer.from(type), content]);
const ftyp = box('ftyp', Buffer.from('M4A \0\0\x02\0isomM4A '));
const moov = box('moov', Buffer.alloc(500));
const m4a = Buffer.concat([ftyp, box('mdat', Buffer.alloc(20_000)), moov]);
const fastStart = Buffer.concat([ftyp, moov, box('mdat', Buffer.alloc(20_000))]);
const longBox = Buffer.concat([
	ftyp,
	be32(1),
	Buffer.from('mdat'),
	u64(20_016n).reverse(),
	Buffer.alloc(20_000),
]);
const webm = (size: string, bytes = 1000) =>
	Buffer.concat([
		Buffer.from('1a45dfa38a4286810142828477656d', 'hex').subarray(0, 15),
		Buffer.from('18538067', 'hex'),
		Buffer.from(size, 'hex'),
		Buffer.alloc(bytes),
	]);
const replaced = (file: Buffer, at: number, bytes: string) => {
	file.write(bytes, at, 'hex');
	return file;
};
const id3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x01\0', 'latin1'), Buffer.alloc(128)]);

const opus = Buffer.concat([oggPage(2, 19), oggPage(0, 60_000), oggPage(END_OF_STREAM, 60_000)]);
const mp3 = Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(5000)]);

describe('files that are whole', () => {
	test.each([
		['WAV', wav(5000)],
		['WAV with more after it', wav(5000, 3000)],
		['WAV without the last, odd byte', wav(5001, 4994)],
		['WAV of unknown length', wav(5000, 0)],
		['WAV of unknown length, the other way', wav(5000, 0xffffffff)],
		['Ogg', opus],
		['Ogg with more after it', Buffer.concat([opus, Buffer.alloc(10)])],
		['Ogg of one page', oggPage(2 + END_OF_STREAM, 100)],
		['MP3', mp3],
		['MP3 that is cut, which nothing shows', mp3.subarray(0, 1000)],
		['nothing', Buffer.alloc(0)],
		['WAV with all its audio', pcm()],
		['WAV whose size counts its own eight bytes', pcm(1044)],
		['WAV with chunks after the audio', pcm(1056, 1000, Buffer.alloc(20))],
		['WAV behind a tag', Buffer.concat([id3, pcm()])],
		['WAV from a pipe: zeros', pcm(0, 0)],
		['WAV from a pipe: ffmpeg', pcm(0xffffffff, 0xffffffff)],
		['WAV from a pipe: SoX', pcm(0x7ffff024, 0x7ffff000)],
		['WAV from a pipe: the largest signed size', pcm(0x7fffffff, 0x7fffffff - 36)],
		['WAV from a pipe: arecord', pcm(0x80000024, 0x80000000)],
		['WAV from a pipe, with a true size of its audio', pcm(0, 1000)],
		['WAV from a pipe, with a true size of its file', pcm(1036, 0)],
		['WAV with a chunk of odd length before its audio', withOddChunk()],
		['WAV, big-endian', rifx],
		['WAV of 64 bits', rf64('RF64')],
		['WAV of broadcasters', rf64('BW64')],
		['WAV of 64 bits, from a pipe', rf64('RF64', UNKNOWN_64, UNKNOWN_64)],
		['WAV of 64 bits whose short sizes count', rf64('RF64', 9_999n, 9_999n, [1072, 1000])],
		['AIFF', aiff],
		['AU', au()],
		['AU of unknown length', au(0xffff_ffff)],
		['Wave64', w64],
		['M4A', m4a],
		['M4A that starts with its index', fastStart],
		['M4A with a size of 64 bits', longBox],
		['M4A from a pipe', Buffer.concat([ftyp, be32(0), Buffer.from('mdat'), Buffer.alloc(500)])],
		['WebM', webm('43e8')],
		['WebM without a segment', webm('43e8').subarray(0, 15)],
		['WebM from a pipe', webm('01ffffffffffffff')],
		['WebM from a pipe, in one byte', webm('ff')],
		['two Ogg streams, one after the other', Buffer.concat([opus, opus])],
		['WebM of unknown length that is short', webm('ff', 50)],
	])('%s', async (_name, file) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes)).toEqual({ isPassedOn: true, ends: [] });
		}
	});
});

describe('files that may be whole, because nothing shows that they are not', () => {
	test.each([
		['WAV before its length', pcm().subarray(0, 7)],
		['WAV from a pipe, whose audio begins late', withOddChunk(0, 16_351).subarray(0, 17_000)],
		['WAV of 64 bits, in its size', rf64('RF64').subarray(0, 27)],
		['Wave64, in its size', w64.subarray(0, 20)],
		['M4A behind its first box', m4a.subarray(0, 26)],
		['M4A in a size of 64 bits', longBox.subarray(0, 36)],
		['WebM in its length', webm('43e8').subarray(0, 20)],
		['WebM with another element', replaced(webm('47d0'), 15, '1654ae6b')],
		['another file that goes on like WebM', replaced(webm('47d0'), 0, '00000000')],
	])('%s', async (_name, file) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes)).toEqual({ isPassedOn: true, ends: [] });
		}
	});
});

describe('files that end early', () => {
	test.each([
		['WAV', wav(5000).subarray(0, 1000), 'it has 1000 of 5000 bytes'],
		['WAV in its audio', pcm().subarray(0, 1000), 'it has 1000 of 1044 bytes'],
		['WAV of which only the size of the audio is known', pcm(0).subarray(0, 900), '900 of 1044'],
		[
			'WAV of which only the size of the file is known',
			pcm(1036, 0).subarray(0, 900),
			'900 of 1044',
		],
		['WAV with more audio than its size of the file says', pcm(1036, 2000), '1044 of 2044'],
		['WAV whose file is to be longer than its audio', pcm(2036), '1044 of 2044'],
		['WAV behind a tag', Buffer.concat([id3, pcm().subarray(0, 900)]), '900 of 1044'],
		['WAV in the audio behind an odd chunk', withOddChunk().subarray(0, 900), '900 of 1056'],
		['the same from a pipe', withOddChunk(0).subarray(0, 900), '900 of 1056'],
		['WAV in the header of its format', pcm().subarray(0, 20), '20 of 1044'],
		['WAV behind its length', pcm().subarray(0, 8), '8 of 1044'],
		['WAV of 64 bits, in its sizes', rf64('RF64', 1072n, 1000n).subarray(0, 34), '34 of 1080'],
		['WAV, big-endian', rifx.subarray(0, 900), '900 of 1044'],
		['WAV of 64 bits', rf64('RF64').subarray(0, 900), '900 of 1080'],
		['WAV of broadcasters', rf64('BW64').subarray(0, 900), '900 of 1080'],
		['WAV from a pipe, behind the length of its audio', pcm(0).subarray(0, 44), '44 of 1044'],
		[
			'WAV that has 4 bytes less than its size of the file, and no size of its audio',
			pcm(1036, 0).subarray(0, 1040),
			'1040 of 1044',
		],
		['WAV of 64 bits, behind its size', rf64('RF64').subarray(0, 28), '28 of 1080'],
		['AIFF', aiff.subarray(0, 900), '900 of 1012'],
		['AU', au().subarray(0, 900), '900 of 1024'],
		['AU behind its length', au().subarray(0, 12), '12 of 1024'],
		['AIFF behind its length', aiff.subarray(0, 8), '8 of 1012'],
		['Wave64', w64.subarray(0, 900), '900 of 1024'],
		['Wave64 behind its size', w64.subarray(0, 24), '24 of 1024'],
		['M4A in its audio', m4a.subarray(0, 18_000), '18000 of 20032'],
		['M4A that starts with its index', fastStart.subarray(0, 18_000), '18000 of 20540'],
		['M4A in its first box', m4a.subarray(0, 12), '12 of 24'],
		['M4A in a box with a size of 64 bits', longBox.subarray(0, 18_000), '18000 of 20040'],
		['M4A behind the header of a box', m4a.subarray(0, 32), '32 of 20032'],
		['M4A behind a size of 64 bits', longBox.subarray(0, 40), '40 of 20040'],
		[
			'M4A with an empty box',
			Buffer.concat([ftyp, box('free', Buffer.alloc(0)), box('mdat', Buffer.alloc(500))]).subarray(
				0,
				500,
			),
			'500 of 540',
		],
		['WebM', webm('47d0'), '1021 of 2021'],
		[
			'Ogg after a page',
			opus.subarray(0, opus.length - oggPage(0, 60_000).length),
			'its last page is missing',
		],
		['Ogg in its last page', opus.subarray(0, -1), 'its last page is missing'],
		['Ogg in the header of its last page', opus.subarray(0, -60_240), 'its last page is missing'],
		[
			'Ogg in a last page of the greatest length',
			Buffer.concat([oggPage(2, 19), oggPage(END_OF_STREAM, 65_024).subarray(0, -1)]),
			'its last page is missing',
		],
		['Ogg in another page', opus.subarray(0, 30_000), 'its last page is missing'],
		[
			'the second of two Ogg streams',
			Buffer.concat([opus, oggPage(2, 19)]),
			'last page is missing',
		],
	])('%s', async (_name, file, missing) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes)).toEqual({
				isPassedOn: true,
				ends: [{ bytes: file.length, missing: expect.stringContaining(missing) as string }],
			});
		}
	});

	test('what the caller throws ends the iteration', async () => {
		const refuse = async () => {
			const passedOn = untilEndOfAudio(slices(pcm().subarray(0, 900)), () => {
				throw new Error('refused');
			});
			for await (const chunk of passedOn) expect(chunk.length).toBe(900);
		};
		await expect(refuse()).rejects.toThrow('refused');
	});
});
