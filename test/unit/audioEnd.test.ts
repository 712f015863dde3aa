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

/** What arrives, or the message of the error. */
async function pass(
	file: Buffer,
	ends = new Set<number>(),
	sliceBytes = 100,
): Promise<Buffer | string> {
	const pieces: Uint8Array[] = [];
	try {
		for await (const piece of untilEndOfAudio(slices(file, sliceBytes), ends)) pieces.push(piece);
	} catch (error) {
		return (error as Error).message;
	}
	return Buffer.concat(pieces);
}

const opus = Buffer.concat([oggPage(2, 19), oggPage(0, 60_000), oggPage(END_OF_STREAM, 60_000)]);
const mp3 = Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(5000)]);

describe('files that are whole', () => {
	test.each([
		['WAV', wav(5000)],
		['WAV with more behind it', wav(5000, 3000)],
		['WAV without the last, odd byte', wav(5001, 4994)],
		['WAV of unknown length', wav(5000, 0)],
		['WAV of unknown length, the other way', wav(5000, 0xffffffff)],
		['Ogg', opus],
		['Ogg with more behind it', Buffer.concat([opus, Buffer.alloc(10)])],
		['Ogg of one page', oggPage(2 + END_OF_STREAM, 100)],
		['MP3, which tells nothing', mp3],
		['MP3 that is cut', mp3.subarray(0, 1000)],
		['nothing', Buffer.alloc(0)],
	])('%s', async (_name, file) => {
		for (const sliceBytes of [1, 100, 70_000, 1_000_000].slice(file.length > 10_000 ? 1 : 0)) {
			expect(await pass(file, new Set(), sliceBytes)).toEqual(file);
		}
	});
});

describe('files that end early', () => {
	test.each([
		['WAV', wav(5000).subarray(0, 1000), '1000 of 5000 bytes arrived'],
		[
			'Ogg behind a page',
			opus.subarray(0, opus.length - oggPage(0, 60_000).length),
			'its last page is missing',
		],
		['Ogg in its last page', opus.subarray(0, -1), 'its last page is missing'],
		['Ogg in the header of its last page', opus.subarray(0, -60_240), 'its last page is missing'],
		['Ogg in another page', opus.subarray(0, 30_000), 'its last page is missing'],
	])('%s: refused, and taken when it ends there again', async (_name, file, problem) => {
		const ends = new Set<number>();
		expect(await pass(file, ends)).toBe(`The recording ended before its end: ${problem}`);
		expect(await pass(file.subarray(0, -1), ends)).toMatch(/ended before its end/);
		expect(await pass(file, ends)).toEqual(file);
	});
});
