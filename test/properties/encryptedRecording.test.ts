import fc from 'fast-check';

import { AUDIO_HEAD_BYTES, peekAudio, recognizeAudio } from '../../nodes/recordingFile/audioFormat';
import { type EndOfAudio, untilEndOfAudio } from '../../nodes/recordingFile/audioEnd';
import type { Chunks } from '../../nodes/recordingFile/chunks';
import { isTextPage } from '../../nodes/recordingFile/textPage';
import { checkOnTheWay } from '../../nodes/recordingFile/checkOnTheWay';
import { tryPasswords } from '../../nodes/recordingFile/tryPasswords';
import type * as adjustable from '../unit/adjustablePbkdf2';
import { adjusted } from '../unit/adjustablePbkdf2';
import { encryptRecording, joined } from '../unit/encryptRecording';
import { outcomeOf, property } from './property';

jest.mock(
	'node:crypto',
	() => jest.requireActual<typeof adjustable>('../unit/adjustablePbkdf2').adjustableCrypto,
);
// How many there are does not matter here.
adjusted.iterations = 1;

const PASSWORD = 'correct horse battery staple';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const plaintexts = fc.oneof(
	bytes(200),
	// Around the length of the head that is read before a password is chosen.
	fc.integer({ min: -40, max: 40 }).map((more) => Buffer.alloc(AUDIO_HEAD_BYTES + more, 'audio')),
);
/** Positions at which a file is cut into chunks. The same one twice makes an empty chunk. */
const cuts = fc.array(fc.nat(), { maxLength: 12 });

async function* inPieces(content: Uint8Array, positions: readonly number[]): Chunks {
	const ends = positions.map((position) => position % (content.length + 1));
	let start = 0;
	for (const end of [...ends.sort((one, other) => one - other), content.length]) {
		// Copied: the reader may do with a chunk what it wants.
		yield Uint8Array.from(content.subarray(start, end));
		start = end;
	}
}

/** Each attempt reads the file from its start. */
async function decrypted(
	file: Uint8Array,
	cutAt: readonly number[],
	passwords: readonly string[] = [PASSWORD],
) {
	return await tryPasswords(passwords, async (decryptNext) => {
		const { chunks } = await decryptNext(inPieces(file, cutAt));
		return await joined(chunks);
	});
}

async function encrypted(plain: Uint8Array, password = PASSWORD) {
	return await encryptRecording(plain, password, { iterations: 1 });
}

/** Ways to change a file. Each may also leave it as it is. */
const mutations = fc.oneof(
	fc
		.record({ at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) })
		.map(({ at, bit }) => (file: Buffer) => {
			const changed = Buffer.from(file);
			changed[at % file.length]! ^= 1 << bit;
			return changed;
		}),
	fc.nat().map((at) => (file: Buffer) => file.subarray(0, at % (file.length + 1))),
	fc.nat().map((at) => (file: Buffer) => file.subarray(at % (file.length + 1))),
	fc.tuple(fc.nat(), bytes(40)).map(([at, more]) => (file: Buffer) => {
		const start = at % (file.length + 1);
		return Buffer.concat([file.subarray(0, start), more, file.subarray(start)]);
	}),
	fc.tuple(fc.nat(), fc.nat()).map(([at, count]) => (file: Buffer) => {
		const start = at % (file.length + 1);
		return Buffer.concat([file.subarray(0, start), file.subarray(start + (count % 40))]);
	}),
	fc.tuple(fc.nat(), bytes(40)).map(([at, other]) => (file: Buffer) => {
		const changed = Buffer.from(file);
		changed.set(other.subarray(0, file.length), at % Math.max(1, file.length - other.length));
		return changed;
	}),
	fc.constant((file: Buffer) => Buffer.concat([file, file])),
	fc.constant((file: Buffer) => Buffer.from(file).reverse()),
);

property('any file, cut in any way, is decrypted', 2_000, [plaintexts, cuts], async (plain, at) => {
	const read = await decrypted(await encrypted(plain), at);
	expect(read.equals(plain)).toBe(true);
});

/** The file as it was passed on while its tag was checked. */
async function checked(file: Uint8Array, cutAt: readonly number[]) {
	return await tryPasswords([PASSWORD], async (decryptNext) => {
		const { chunks } = await checkOnTheWay(inPieces(file, cutAt), decryptNext);
		const read: Uint8Array[] = [];
		for await (const chunk of chunks) {
			read.push(Uint8Array.from(chunk));
			// A reader may write to the chunk it gets.
			chunk.fill(0xee);
		}
		return Buffer.concat(read);
	});
}

property(
	'any file, cut in any way, is passed on as it is while its tag is checked',
	2_000,
	[plaintexts, cuts],
	async (plain, at) => {
		const file = await encrypted(plain);
		expect((await checked(file, at)).equals(file)).toBe(true);
	},
);

property(
	'a file that was changed in any way is refused',
	5_000,
	[bytes(120), fc.array(mutations, { minLength: 1, maxLength: 4 }), cuts],
	async (plain, changes, at) => {
		const file = await encrypted(plain);
		let changed = file;
		for (const change of changes) {
			if (changed.length > 0) changed = change(changed);
		}
		const expected = changed.length < 44 ? 'notEncrypted' : 'wrongPasswordOrAltered';
		for (const read of [decrypted, checked]) {
			const { reason } = await outcomeOf(async () => await read(changed, at));
			expect(reason).toBe(changed.equals(file) ? undefined : expected);
		}
	},
);

property('any other bytes are refused', 2_000, [bytes(300), cuts], async (content, at) => {
	const { reason } = await outcomeOf(async () => await decrypted(content, at));
	expect(reason).toBe(content.length < 44 ? 'notEncrypted' : 'wrongPasswordOrAltered');
});

property(
	'only the password opens a file, whichever place it has among others',
	2_000,
	[bytes(60), fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }), fc.nat(), fc.boolean()],
	async (plain, passwords, which, isGiven) => {
		const password = passwords[which % passwords.length] as string;
		const file = await encrypted(plain, password);
		const given = isGiven ? passwords : passwords.filter((one) => one !== password);
		const { reason } = await outcomeOf(async () => {
			const read = await decrypted(file, [], given);
			expect(read.equals(plain)).toBe(true);
		});
		const whyNot = given.length > 0 ? 'wrongPasswordOrAltered' : 'passwordMissing';
		expect(reason).toBe(isGiven ? undefined : whyNot);
	},
);

/** What files of several formats begin with, and pages of text. */
const SIGNATURES = [
	'',
	'OggS',
	'RIFF\x10\0\0\0WAVE',
	'RIFF\0\0\0\x7fWAVEfmt ',
	'RIFF\x10\0\0\0WAVEdata',
	'ID3\x04\0\0\0\0\0\x0a',
	'\xff\xfb\x90\0',
	'\x1aE\xdf\xa3\x87\x42\x82\x84webm',
	'fLaC',
	'<html>',
	'\xff\xfe<\0',
];
const heads = fc
	.tuple(fc.constantFrom(...SIGNATURES), bytes(120), fc.nat({ max: 20_000 }))
	.map(([start, more, zeros]) =>
		Buffer.concat([Buffer.from(start, 'latin1'), more, Buffer.alloc(zeros > 18_000 ? zeros : 0)]),
	);

property(
	'whatever a file is, its bytes pass through unchanged',
	2_000,
	[heads, cuts],
	async (file, at) => {
		const ends: EndOfAudio[] = [];
		const read: Uint8Array[] = [];
		const peeked = await peekAudio(inPieces(file, at));
		for await (const chunk of untilEndOfAudio(peeked, (end) => ends.push(end))) {
			read.push(Uint8Array.from(chunk));
			// A reader may write to the chunk it gets.
			chunk.fill(0xee);
		}
		expect(Buffer.concat(read).equals(file)).toBe(true);
		expect(ends.length).toBe(1);
		expect(typeof isTextPage(file)).toBe('boolean');
		expect([undefined, 'object']).toContain(recognizeAudio(file) && 'object');
	},
);
