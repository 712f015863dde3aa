import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { sleep } from 'n8n-workflow';

import { VoiceAgentError } from '../../nodes/errors';
import type { Chunks } from '../../nodes/recordingFile/chunks';
import { checkOnTheWay } from '../../nodes/recordingFile/checkOnTheWay';
import { decipherVerified, decrypt } from '../../nodes/recordingFile/encryptedRecording';
import { tryPasswords } from '../../nodes/recordingFile/tryPasswords';
import { mapConcurrently } from '../../nodes/VoiceAgent/mapConcurrently';
import type * as adjustable from './adjustablePbkdf2';
import { adjusted } from './adjustablePbkdf2';
import type { EncryptionVariant } from './encryptRecording';
import { encryptRecording, inChunks, joined } from './encryptRecording';

jest.mock(
	'node:crypto',
	() => jest.requireActual<typeof adjustable>('./adjustablePbkdf2').adjustableCrypto,
);

function withFewIterations() {
	beforeAll(() => (adjusted.iterations = 1_000));
	afterAll(() => (adjusted.iterations = undefined));
}

const PASSWORD = 'correct horse battery staple';
const MIB = 1024 * 1024;

async function decryptAll(source: Chunks, passwords: readonly string[] = [PASSWORD]) {
	const { chunks, passwordIndex } = await decrypt(source, passwords);
	return { plain: await joined(chunks), passwordIndex };
}

async function encrypt(plain: Uint8Array, password = PASSWORD): Promise<Buffer> {
	return await encryptRecording(plain, password, { iterations: adjusted.iterations });
}

describe('one small file, in many ways', () => {
	withFewIterations();

	test('every prefix of a file is refused [fault 20]', async () => {
		const encrypted = await encrypt(randomBytes(40));
		const lengths = [...encrypted.keys()];
		await mapConcurrently(lengths, 8, async (length) => {
			const reason = length < 44 ? 'notEncrypted' : 'wrongPasswordOrAltered';
			await expect(decryptAll(inChunks(encrypted.subarray(0, length), 7))).rejects.toMatchObject({
				reason,
			});
		});
		expect(lengths).toHaveLength(84);
	});

	test('a file with any single bit flipped is refused [fault 21] [promise 3] [security 3]', async () => {
		const encrypted = await encrypt(randomBytes(5));
		const bits = [...Array(encrypted.length * 8).keys()];
		await mapConcurrently(bits, 8, async (bit) => {
			const altered = Buffer.from(encrypted);
			altered[bit >> 3]! ^= 1 << (bit & 7);
			await expect(decryptAll(inChunks(altered, 64))).rejects.toMatchObject({
				reason: 'wrongPasswordOrAltered',
			});
		});
		expect(bits).toHaveLength(49 * 8);
	});
});

describe('a file that is deciphered in blocks of 1 MiB', () => {
	withFewIterations();

	const bordering = [MIB - 17, MIB - 16, MIB - 1, MIB, MIB + 1, MIB + 16, 2 * MIB, 2 * MIB + 17];

	test.each(bordering)('of %i bytes comes out the same, however it arrives', async (bytes) => {
		const plain = randomBytes(bytes);
		const encrypted = await encrypt(plain);
		const lengths = [16, 65_536, MIB - 16, MIB, MIB + 16, MIB + 44, encrypted.length];
		for (const length of lengths) {
			const { plain: read } = await decryptAll(inChunks(Buffer.from(encrypted), length));
			expect([length, read.equals(plain)]).toEqual([length, true]);
		}
	});

	test('eight of them at once, in turns, do not mix', async () => {
		const files = await mapConcurrently([...Array(8).keys()], 8, async () => {
			const plain = randomBytes(2 * MIB + 1);
			return { plain, encrypted: await encrypt(plain) };
		});
		for (let round = 0; round < 2; round++) {
			const read = await mapConcurrently(files, 8, async ({ encrypted }) => {
				return await decryptAll(inTurns(encrypted));
			});
			expect(read.map(({ plain }, index) => plain.equals(files[index]!.plain))).toEqual(
				files.map(() => true),
			);
		}
	});

	async function* inTurns(encrypted: Buffer) {
		for await (const chunk of inChunks(encrypted, 100_000)) {
			await sleep(0);
			yield chunk;
		}
	}
});

describe('faults', () => {
	test('a wrong password gives the same message as an altered file [fault 22]', async () => {
		const encrypted = await encryptRecording(randomBytes(100), PASSWORD);
		const altered = Buffer.from(encrypted);
		altered[50]! ^= 1;
		const message = 'The recording cannot be decrypted: wrong password, or the file was altered';
		const withWrongPassword = decryptAll(inChunks(encrypted, 64), ['wrong']);
		await expect(withWrongPassword).rejects.toMatchObject({ message });
		await expect(decryptAll(inChunks(altered, 64))).rejects.toMatchObject({ message });
	});

	test.each([4, 8, 12])('a tag that is cut to %i bytes is refused', async (bytes) => {
		const key = randomBytes(32);
		const header = randomBytes(28);
		const cipher = createCipheriv('aes-256-gcm', key, header.subarray(16));
		cipher.final();
		const read = async (length: number) => {
			const body = inChunks(cipher.getAuthTag().subarray(0, length), 16);
			for await (const chunk of decipherVerified(key, header, body)) {
				expect(chunk.length).toBe(0);
			}
		};
		await expect(read(16)).resolves.toBeUndefined();
		await expect(read(bytes)).rejects.toThrow();
	});

	const wrongVariants: Array<[string, EncryptionVariant]> = [
		['iterations', { iterations: 100_000 }],
		['hash', { hash: 'SHA-512' }],
		['layout, the nonce first', { layout: 'nonceFirst' }],
		['layout, the tag first', { layout: 'tagFirst' }],
		['tag size', { tagBits: 96 }],
	];
	test.each(wrongVariants)(
		'a file with another %s is refused [fault 23]',
		async (_name, variant) => {
			const encrypted = await encryptRecording(randomBytes(100), PASSWORD, variant);
			await expect(decryptAll(inChunks(encrypted, 64))).rejects.toMatchObject({
				reason: 'wrongPasswordOrAltered',
			});
		},
	);

	test('an error of the source passes through, and a reader that stops closes the source', async () => {
		const encrypted = await encryptRecording(randomBytes(3 * MIB), PASSWORD);
		let closed = false;
		async function* broken() {
			try {
				yield* inChunks(encrypted.subarray(0, 2 * MIB), 1_000);
				throw new Error('connection lost');
			} finally {
				closed = true;
			}
		}
		await expect(decryptAll(broken())).rejects.toThrow('connection lost');
		closed = false;
		const { chunks } = await decrypt(broken(), [PASSWORD]);
		await chunks.next();
		await chunks.return();
		expect(closed).toBe(true);
	});
});

describe('passwords', () => {
	withFewIterations();

	const ogg = Buffer.concat([Buffer.from('OggS'), randomBytes(3_000)]);

	/** What trying these passwords leads to, and how often the file is read for it. */
	async function attempts(encrypted: Buffer, passwords: string[]) {
		let tried = 0;
		const outcome = await tryPasswords(passwords, async (decryptNext) => {
			tried++;
			const { chunks, passwordIndex } = await decryptNext(inChunks(encrypted, 5_000));
			return { passwordIndex, plain: await joined(chunks) };
		}).catch(({ reason }: { reason: string }) => reason);
		return { outcome, tried };
	}

	test('a wrong password whose plaintext looks like audio does not hide the right one', async () => {
		const same = { iterations: adjusted.iterations, salt: randomBytes(16), nonce: randomBytes(12) };
		const fake = Buffer.from('RIFF\0\0\0\0WAVEfmt \x10\0\0\0');
		const sealed = await encryptRecording(fake, 'wrong', same);
		const keyStream = await encryptRecording(Buffer.alloc(fake.length), 'right', same);
		const plain = fake.map((_, index) => sealed[28 + index]! ^ keyStream[28 + index]!);
		const encrypted = await encryptRecording(plain, 'right', same);
		expect(await attempts(encrypted, ['other', 'right', 'wrong'])).toEqual({
			outcome: { passwordIndex: 1, plain: Buffer.from(plain) },
			tried: 3,
		});
	});

	test('the first password whose plaintext looks like audio is used', async () => {
		const plain = Buffer.from(`fffb9000${'00'.repeat(413)}`.repeat(2), 'hex');
		const outcome = { passwordIndex: 1, plain };
		const encrypted = await encrypt(plain, 'right');
		expect(await attempts(encrypted, ['a', 'right', 'right'])).toEqual({ outcome, tried: 1 });
	});

	test('no password opens an altered file', async () => {
		const encrypted = await encrypt(Buffer.concat([ogg, randomBytes(60_000)]), 'b');
		encrypted[50_000]! ^= 1;
		expect(await attempts(encrypted, ['a', 'b'])).toEqual({
			outcome: 'wrongPasswordOrAltered',
			tried: 2,
		});
	});

	test.each([
		['another failure', new Error('No space left on device')],
		['a failure of the download', new VoiceAgentError('connectionLost')],
	])('after %s, no other password is tried', async (_name, failure) => {
		const encrypted = await encrypt(randomBytes(60_000), 'b');
		let tried = 0;
		const outcome = tryPasswords(['a', 'b'], async (decryptNext) => {
			tried++;
			await decryptNext(inChunks(encrypted, 5_000));
			throw failure;
		});
		await expect(outcome).rejects.toBe(failure);
		expect(tried).toBe(1);
	});

	test.each([
		['200 characters', 'x'.repeat(200)],
		['spaces around', '  padded  '],
		['composed accents', 'caf\u00e9'],
		['decomposed accents', 'cafe\u0301'],
		['other scripts', '密码🔐'],
	])('a password with %s is taken as given, in UTF-8', async (_name, password) => {
		const encrypted = await encrypt(ogg, password);
		expect((await decryptAll(inChunks(encrypted, 4096), [password])).plain.equals(ogg)).toBe(true);
		await expect(
			decryptAll(inChunks(encrypted, 4096), [password.normalize('NFKC').trim() + '!']),
		).rejects.toMatchObject({ reason: 'wrongPasswordOrAltered' });
	});

	test('without any password, an encrypted file is refused', async () => {
		const encrypted = await encrypt(ogg);
		await expect(decrypt(inChunks(encrypted, 100), [])).rejects.toMatchObject({
			reason: 'passwordMissing',
		});
	});
});

describe('a file that is passed on as it is', () => {
	withFewIterations();

	test('a reader that stops closes the source, and only what is deciphered is passed on', async () => {
		const encrypted = await encrypt(randomBytes(3 * MIB));
		let isClosed = false;
		let read = 0;
		async function* source() {
			try {
				for await (const chunk of inChunks(encrypted, 20_000)) {
					read += chunk.length;
					yield chunk;
				}
			} finally {
				isClosed = true;
			}
		}
		const decryptNext = async (file: Chunks) => await decrypt(file, [PASSWORD]);
		const { chunks, passwordIndex } = await checkOnTheWay(source(), decryptNext);
		expect(passwordIndex).toBe(0);
		const { value } = await chunks.next();
		expect(value).toEqual(encrypted.subarray(0, 64 * 1024));
		// What is deciphered at once was read, and nothing else.
		expect(read).toBeLessThanOrEqual(MIB + 2 * 20_000);
		await chunks.return();
		expect(isClosed).toBe(true);
	});

	test('one byte at a time is passed on in pieces', async () => {
		const encrypted = await encrypt(randomBytes(150_000));
		const decryptNext = async (file: Chunks) => await decrypt(file, [PASSWORD]);
		const { chunks } = await checkOnTheWay(inChunks(encrypted, 1), decryptNext);
		const pieces: Uint8Array[] = [];
		for await (const piece of chunks) pieces.push(piece);
		expect(Buffer.concat(pieces)).toEqual(encrypted);
		expect(pieces).toHaveLength(Math.ceil(encrypted.length / (64 * 1024)));
	});

	test('the checksum of the plaintext is told once the tag was right, and never else', async () => {
		const plain = randomBytes(90_000);
		const encrypted = await encrypt(plain);
		const told: string[] = [];
		const checked = async (file: Buffer) => {
			const decryptNext = async (source: Chunks) => await decrypt(source, [PASSWORD]);
			const source = inChunks(file, 20_000);
			return await checkOnTheWay(source, decryptNext, (sha256) => told.push(sha256));
		};
		const { chunks } = await checked(encrypted);
		expect(await joined(chunks)).toEqual(encrypted);
		expect(told).toEqual([createHash('sha256').update(plain).digest('hex')]);
		const altered = Buffer.from(encrypted);
		altered.writeUInt8(altered.readUInt8(50_000) ^ 1, 50_000);
		const outcome = checked(altered).then(async (one) => await joined(one.chunks));
		await expect(outcome).rejects.toMatchObject({ reason: 'wrongPasswordOrAltered' });
		expect(told).toHaveLength(1);
	});
});

test('key derivation leaves the event loop free', async () => {
	const encrypted = await encryptRecording(randomBytes(10), PASSWORD);
	let turns = 0;
	let done = false;
	const ticking = (async () => {
		for (; !done; turns++) await sleep(1);
	})();
	await decryptAll(inChunks(encrypted, 100));
	done = true;
	await ticking;
	// Some 40 ms of derivation on the event loop would leave no turn between its start and its end.
	expect(turns).toBeGreaterThan(2);
});
