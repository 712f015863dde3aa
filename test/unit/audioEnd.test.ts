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
	file.write('RIFF');
	file.writeUInt32LE(size, 4);
	file.write('WAVE', 8);
	return file;
}

/** What arrives, and what is missing. */
async function pass(file: Buffer, sliceBytes = 100) {
	const chunks: Uint8Array[] = [];
	const ends: string[] = [];
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
/** A WAV file with its format, other chunks, and 1,000 bytes of audio. */
const riff = (
	riffSize: number,
	before: Buffer[],
	dataSize: number,
	after: Buffer = Buffer.alloc(0),
) =>
	Buffer.concat([
		...[Buffer.from('RIFF'), u32(riffSize), Buffer.from('WAVEfmt '), u32(16), Buffer.alloc(16, 1)],
		...before,
		...[Buffer.from('data'), u32(dataSize), Buffer.alloc(1000, 1), after],
	]);
/** With a usual header: 1,044 bytes. */
const pcm = (riffSize = 1036, dataSize = 1000, after?: Buffer) =>
	riff(riffSize, [], dataSize, after);
/** With a chunk of three bytes, and the one that makes it even, before the audio. */
const withOddChunk = (riffSize = 1048, chunkBytes = 3) =>
	riff(riffSize, [Buffer.from('LIST'), u32(chunkBytes), Buffer.alloc(chunkBytes + 1, 1)], 1000);
const opus = Buffer.concat([oggPage(2, 19), oggPage(0, 60_000), oggPage(END_OF_STREAM, 60_000)]);
const mp3 = Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(5000)]);

describe('files that are whole, or do not show that they are not', () => {
	test.each([
		['WAV', wav(5000)],
		['WAV with more after it', wav(5000, 3000)],
		['WAV without the last, odd byte', wav(5001, 4994)],
		['WAV of unknown length', wav(5000, 0)],
		['WAV of unknown length, the other way', wav(5000, 0xffffffff)],
		['Ogg', opus],
		['Ogg with more after it', Buffer.concat([opus, Buffer.alloc(10)])],
		['Ogg with much more after it', Buffer.concat([opus, Buffer.alloc(66_000)])],
		['Ogg of one page', oggPage(2 + END_OF_STREAM, 100)],
		['two Ogg streams, one after the other', Buffer.concat([opus, opus])],
		['MP3', mp3],
		['MP3 that is cut', mp3.subarray(0, 1000)],
		['MP3 with a page of Ogg in it', Buffer.concat([mp3, oggPage(0, 100)])],
		['nothing', Buffer.alloc(0)],
		['WAV with all its audio', pcm()],
		['WAV with all its audio, which announces more behind it', pcm(2036)],
		['WAV whose size counts its own eight bytes', pcm(1044)],
		['WAV with chunks after the audio', pcm(1056, 1000, Buffer.alloc(20))],
		['WAV from a pipe: zeros', pcm(0, 0)],
		['WAV from a pipe: ffmpeg', pcm(0xffffffff, 0xffffffff)],
		['WAV from a pipe: SoX', pcm(0x7ffff024, 0x7ffff000)],
		['WAV from a pipe: the least of such sizes', pcm(0x7ff00000, 0x7ff00000)],
		['WAV from a pipe: arecord', pcm(0x80000024, 0x80000000)],
		['WAV from a pipe, with a true size of its audio', pcm(0, 1000)],
		['WAV from a pipe, with a true size of its file', pcm(1036, 0)],
		['WAV with a chunk of odd length before its audio', withOddChunk()],
		['WAV before its length', pcm().subarray(0, 7)],
		['WAV from a pipe, whose audio begins late', withOddChunk(0, 16_351).subarray(0, 17_000)],
	])('%s', async (_name, file) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes)).toEqual({ isPassedOn: true, ends: [] });
		}
	});
});

describe('files that end early', () => {
	const LAST_PAGE = 'its last page is missing';
	const longPage = oggPage(END_OF_STREAM, 65_024);
	test.each([
		['WAV', wav(5000).subarray(0, 1000), 'it has 1000 of 5000 bytes'],
		['WAV in its audio', pcm().subarray(0, 1000), 'it has 1000 of 1044 bytes'],
		['WAV with the size of its audio only', pcm(0).subarray(0, 900), '900 of 1044'],
		['WAV with the size of its file only', pcm(1036, 0).subarray(0, 900), '900 of 1044'],
		['WAV with more audio than its size of the file says', pcm(1036, 2000), '1044 of 2044'],
		['WAV in the audio behind an odd chunk', withOddChunk().subarray(0, 900), '900 of 1056'],
		['the same from a pipe', withOddChunk(0).subarray(0, 900), '900 of 1056'],
		['WAV in the header of its format', pcm().subarray(0, 20), '20 of 1044'],
		['WAV behind its length', pcm().subarray(0, 8), '8 of 1044'],
		['WAV from a pipe, behind the length of its audio', pcm(0).subarray(0, 44), '44 of 1044'],
		['WAV without its last two bytes', pcm().subarray(0, 1042), '1042 of 1044'],
		['Ogg after a page', opus.subarray(0, -oggPage(0, 60_000).length), LAST_PAGE],
		['Ogg in its last page', opus.subarray(0, -1), LAST_PAGE],
		['Ogg in the header of its last page', opus.subarray(0, -60_240), LAST_PAGE],
		['Ogg in a last page of the greatest length', longPage.subarray(0, -1), LAST_PAGE],
		['Ogg in another page', opus.subarray(0, 30_000), LAST_PAGE],
		['the second of two Ogg streams', Buffer.concat([opus, oggPage(2, 19)]), LAST_PAGE],
	])('%s', async (_name, file, missing) => {
		for (const sliceBytes of sliceSizes(file)) {
			expect(await pass(file, sliceBytes)).toEqual({
				isPassedOn: true,
				ends: [expect.stringContaining(missing)],
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
