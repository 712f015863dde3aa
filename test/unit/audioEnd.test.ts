import { untilEndOfAudio } from '../../nodes/recordingFile/audioEnd';
import { slices } from '../../nodes/recordingFile/chunks';

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

/** What arrives, if the file counts as complete. */
async function pass(
	file: Buffer,
	earlyEnds: readonly number[] = [],
	sliceBytes = 100,
): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of untilEndOfAudio(slices(file, sliceBytes), earlyEnds))
		chunks.push(chunk);
	return Buffer.concat(chunks);
}

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
	])('%s', async (_name, file) => {
		for (const sliceBytes of [1, 100, 70_000, 1_000_000].slice(file.length > 10_000 ? 1 : 0)) {
			expect((await pass(file, [], sliceBytes)).equals(file)).toBe(true);
		}
	});
});

describe('files that end early', () => {
	test.each([
		['WAV', wav(5000).subarray(0, 1000), '1000 of 5000 bytes arrived'],
		[
			'Ogg after a page',
			opus.subarray(0, opus.length - oggPage(0, 60_000).length),
			'its last page is missing',
		],
		['Ogg in its last page', opus.subarray(0, -1), 'its last page is missing'],
		['Ogg in the header of its last page', opus.subarray(0, -60_240), 'its last page is missing'],
		['Ogg in another page', opus.subarray(0, 30_000), 'its last page is missing'],
	])('%s: refused, and accepted if it ends there again', async (_name, file, problem) => {
		const shorter = file.subarray(0, -1);
		await expect(pass(file)).rejects.toMatchObject({
			message: `The recording ended before its end: ${problem}`,
			retryable: true,
			endedAtByte: file.length,
		});
		await expect(pass(shorter, [file.length])).rejects.toThrow(/ended before its end/);
		expect((await pass(file, [file.length, shorter.length])).equals(file)).toBe(true);
	});
});
