/** Expected values from elsewhere: see test/vectors/README.md. */
import { createCipheriv, createHash } from 'node:crypto';

import { decipherVerified, decrypt } from '../../nodes/recordingFile/encryptedRecording';
import type * as adjustable from './adjustablePbkdf2';
import { adjusted } from './adjustablePbkdf2';
import { inChunks, joined } from './encryptRecording';

jest.mock(
	'node:crypto',
	() => jest.requireActual<typeof adjustable>('./adjustablePbkdf2').adjustableCrypto,
);

interface Gcm {
	tcId: number;
	key: string;
	iv: string;
	aad: string;
	msg: string;
	ct: string;
	tag: string;
	result: 'valid' | 'invalid';
}
interface Pbkdf2 {
	tcId: number;
	password: string;
	salt: string;
	iterationCount: number;
	dkLen: number;
	dk: string;
	result: 'valid' | 'invalid';
}
// From jest.config.js.
declare const wycheproof: {
	aesGcm: { testGroups: Array<{ keySize: number; ivSize: number; tagSize: number; tests: Gcm[] }> };
	pbkdf2: { testGroups: Array<{ tests: Pbkdf2[] }> };
};
declare const javaRecordings: Array<{
	file: string;
	password: string;
	outcome: string;
	sha256?: string;
	/** Base64. */
	content: string;
}>;

const hex = (text: string) => Buffer.from(text, 'hex');

const reasonOf = ({ reason }: { reason: string }) => reason;

describe('Wycheproof', () => {
	test('AES-GCM: valid files are opened, and invalid ones are refused', async () => {
		const cases = wycheproof.aesGcm.testGroups
			.filter(({ keySize, ivSize, tagSize }) => keySize === 256 && ivSize === 96 && tagSize === 128)
			.flatMap(({ tests }) => tests.filter(({ aad }) => aad === ''));
		expect(cases).toHaveLength(48);
		for (const { tcId, key, iv, ct, tag, msg, result } of cases) {
			const header = Buffer.concat([Buffer.alloc(16), hex(iv)]);
			const body = inChunks(hex(ct + tag), 1024);
			const outcome = await joined(decipherVerified(hex(key), header, body)).then(
				(plain) => plain.toString('hex'),
				reasonOf,
			);
			expect([tcId, outcome]).toEqual([tcId, result === 'valid' ? msg : 'wrongPasswordOrAltered']);
		}
	});

	test('PBKDF2: a file is opened with the key that is derived from its password', async () => {
		const isUtf8 = (password: string) => hex(password).equals(Buffer.from(String(hex(password))));
		const cases = wycheproof.pbkdf2.testGroups.flatMap(({ tests }) =>
			tests.filter(
				({ salt, dkLen, password }) => salt.length === 32 && dkLen >= 32 && isUtf8(password),
			),
		);
		expect(cases).toHaveLength(12);
		for (const { tcId, password, salt, iterationCount, dk } of cases) {
			const nonce = Buffer.alloc(12, tcId);
			const cipher = createCipheriv('aes-256-gcm', hex(dk).subarray(0, 32), nonce);
			const ciphertext = Buffer.concat([cipher.update('a recording'), cipher.final()]);
			const file = Buffer.concat([hex(salt), nonce, ciphertext, cipher.getAuthTag()]);
			adjusted.iterations = iterationCount;
			const { chunks } = await decrypt(inChunks(file, 10), [String(hex(password))]);
			adjusted.iterations = undefined;
			expect([tcId, String(await joined(chunks))]).toEqual([tcId, 'a recording']);
		}
	});
});

describe('a second implementation, in Java', () => {
	test.each(javaRecordings)('$file: $outcome', async (recording) => {
		const { password, outcome, sha256, content } = recording;
		const opened = async () =>
			await joined(
				(await decrypt(inChunks(Buffer.from(content, 'base64'), 100), [password])).chunks,
			);
		const seen = await opened().then(
			(plain) => ({
				outcome: 'opened',
				sha256: createHash('sha256').update(plain).digest('hex'),
			}),
			(error: { reason: string }) => ({ outcome: reasonOf(error) }),
		);
		expect(seen).toEqual({ outcome, ...(sha256 !== undefined && { sha256 }) });
	});
});
