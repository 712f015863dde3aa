import assert from 'node:assert/strict';
import { createCipheriv, webcrypto } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { deriveKey } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { jsonLines, packageFolder, run } from './support/program.mts';

interface Vectors<Group> {
	testGroups: Group[];
}

interface GcmGroup {
	keySize: number;
	ivSize: number;
	tagSize: number;
	tests: {
		tcId: number;
		key: string;
		iv: string;
		aad: string;
		msg: string;
		ct: string;
		tag: string;
		result: 'valid' | 'invalid';
	}[];
}

interface Pbkdf2Group {
	tests: {
		tcId: number;
		password: string;
		salt: string;
		iterationCount: number;
		dkLen: number;
		dk: string;
		result: string;
	}[];
}

/** Published vectors, beside the repository. They are not part of it. */
const wycheproof = resolve(packageFolder, '../../shared/vectors/wycheproof');
const gcmFile = join(wycheproof, 'aes_gcm_test.json');
const pbkdf2File = join(wycheproof, 'pbkdf2_hmacsha256_test.json');
const skip = existsSync(gcmFile) && existsSync(pbkdf2File) ? false : 'no published vectors here';

function groupsOf<Group>(file: string): Group[] {
	return (JSON.parse(readFileSync(file, 'utf8')) as Vectors<Group>).testGroups;
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Everything in hexadecimal digits. */
interface Sealed {
	key: string;
	nonce: string;
	ciphertextAndTag: string;
}

/**
 * Has the program decrypt the vectors as recordings, with their keys instead of derived ones. It reads byte by byte, because
 * no border between pieces may matter.
 *
 * @returns the plaintext in hexadecimal digits, or the code of the error
 */
async function open(vectors: readonly Sealed[]): Promise<string[]> {
	const folder = temporaryFolder();
	const saltOf = (index: number): Buffer => Buffer.alloc(16, index);
	const files = vectors.map(({ nonce, ciphertextAndTag }, index) => {
		const content = Buffer.concat([saltOf(index), hex(nonce), hex(ciphertextAndTag)]);
		write(folder, `${index}.enc`, content);
		return `${index}.enc`;
	});
	const { stdout, stderr } = await run(['-p-', '--json', '-e', 'out', ...files], {
		cwd: folder,
		input: 'secret',
		hook: `
			const keys = ${JSON.stringify(vectors.map(({ key }) => key))};
			require('node:crypto').pbkdf2 = (password, salt, iterations, bytes, hash, done) =>
				done(null, Buffer.from(keys[salt[0]], 'hex'));
			const { allocUnsafeSlow } = Buffer;
			Buffer.allocUnsafeSlow = (bytes) => allocUnsafeSlow(bytes === 512 * 1024 ? 1 : bytes);`,
	});
	const outcomes = jsonLines(stdout);
	assert.equal(outcomes.length, vectors.length, stderr);
	return outcomes.map(({ error }, index) =>
		error ? error.code : readFileSync(join(folder, `${index}.out`)).toString('hex'),
	);
}

test('the program agrees with the AES-GCM vectors of Wycheproof', { skip }, async () => {
	const cases = groupsOf<GcmGroup>(gcmFile)
		.filter(({ keySize, ivSize, tagSize }) => keySize === 256 && ivSize === 96 && tagSize === 128)
		.flatMap(({ tests }) => tests.filter(({ aad }) => aad === ''));
	assert.equal(cases.length, 48);
	const opened = await open(
		cases.map(({ key, iv, ct, tag }) => ({ key, nonce: iv, ciphertextAndTag: ct + tag })),
	);
	assert.deepEqual(
		cases.map(({ tcId }, index) => [tcId, opened[index]]),
		cases.map(({ tcId, msg, result }) => [
			tcId,
			result === 'valid' ? msg : 'wrongPasswordOrAltered',
		]),
	);
});

test(
	"the tests' own key derivation agrees with the PBKDF2 vectors of Wycheproof",
	{ skip },
	async () => {
		const cases = groupsOf<Pbkdf2Group>(pbkdf2File).flatMap(({ tests }) =>
			tests.filter(({ dkLen, result, iterationCount }) => {
				return dkLen >= 32 && result === 'valid' && iterationCount <= 100_000;
			}),
		);
		assert.ok(cases.length > 30, `${cases.length} cases`);
		for (const { tcId, password, salt, iterationCount, dk } of cases) {
			const key = await deriveKey(hex(password), hex(salt), iterationCount);
			const raw = Buffer.from(await webcrypto.subtle.exportKey('raw', key));
			assert.equal(raw.toString('hex'), dk.slice(0, 64), `case ${tcId}`);
		}
	},
);

test('NIST SP 800-38D, test cases 13 and 14 (built in, so that some vector is always tried)', async () => {
	const key = '00'.repeat(32);
	const nonce = '00'.repeat(12);
	const zeros = '00'.repeat(16);
	assert.deepEqual(
		await open([
			{ key, nonce, ciphertextAndTag: '530f8afbc74536b9a963b4f1c4cb738b' },
			{
				key,
				nonce,
				ciphertextAndTag: 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
			},
		]),
		['', zeros],
	);
	// The vectors themselves, seen from the other side.
	const cipher = createCipheriv('aes-256-gcm', hex(key), hex(nonce));
	cipher.update(hex(zeros));
	cipher.final();
	assert.equal(cipher.getAuthTag().toString('hex'), 'd0d1c8a799996bf0265b98b5d48ab919');
});
