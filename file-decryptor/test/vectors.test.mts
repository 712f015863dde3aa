import assert from 'node:assert/strict';
import { createCipheriv, createHash, webcrypto } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
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

interface JavaRecording {
	file: string;
	password: string;
	/** `opened`, or the code of the error. */
	outcome: string;
	sha256?: string;
}

/** Expected values from elsewhere: see the README.md there. */
const vectors = resolve(packageFolder, '../test/vectors');
const gcmFile = join(vectors, 'wycheproof', 'aes_gcm_test.json');
const pbkdf2File = join(vectors, 'wycheproof', 'pbkdf2_hmacsha256_test.json');

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
 * Has the program decrypt the vectors as recordings, with their keys instead of derived ones. It
 * reads byte by byte, because no border between pieces may matter.
 *
 * @returns the plaintext in hexadecimal digits, or the code of the error
 */
async function open(sealed: readonly Sealed[]): Promise<string[]> {
	const folder = temporaryFolder();
	const saltOf = (index: number): Buffer => Buffer.alloc(16, index);
	const files = sealed.map(({ nonce, ciphertextAndTag }, index) => {
		const content = Buffer.concat([saltOf(index), hex(nonce), hex(ciphertextAndTag)]);
		write(folder, `${index}.enc`, content);
		return `${index}.enc`;
	});
	const { stdout, stderr } = await run(['-p-', '--json', '-e', 'out', ...files], {
		cwd: folder,
		input: 'secret',
		hook: `
			const keys = ${JSON.stringify(sealed.map(({ key }) => key))};
			require('node:crypto').pbkdf2 = (password, salt, iterations, bytes, hash, done) =>
				done(null, Buffer.from(keys[salt[0]], 'hex'));
			const { allocUnsafeSlow } = Buffer;
			Buffer.allocUnsafeSlow = (bytes) => allocUnsafeSlow(bytes === 512 * 1024 ? 1 : bytes);`,
	});
	const outcomes = jsonLines(stdout);
	assert.equal(outcomes.length, sealed.length, stderr);
	return outcomes.map(({ error }, index) =>
		error ? error.code : readFileSync(join(folder, `${index}.out`)).toString('hex'),
	);
}

test('the program agrees with the AES-GCM vectors of Wycheproof', async () => {
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

test("the tests' own key derivation agrees with the PBKDF2 vectors of Wycheproof", async () => {
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
});

interface OpenSslCase {
	pass?: string;
	passHex?: string;
	salt?: string;
	saltHex?: string;
	iter: number;
	/** The key, of any length. */
	out: string;
}

test("the tests' own key derivation agrees with the vectors of OpenSSL", async () => {
	const file = join(vectors, 'openssl', 'pbkdf2-sha256.json');
	const { tests: cases } = JSON.parse(readFileSync(file, 'utf8')) as { tests: OpenSslCase[] };
	assert.equal(cases.length, 6);
	const bytes = (text: string | undefined, digits = ''): Buffer =>
		text === undefined ? hex(digits) : Buffer.from(text);
	for (const { pass, passHex, salt, saltHex, iter, out } of cases) {
		const key = await deriveKey(bytes(pass, passHex), bytes(salt, saltHex), iter);
		const raw = Buffer.from(await webcrypto.subtle.exportKey('raw', key)).toString('hex');
		// PBKDF2 makes the first 32 bytes alike, however long the key is (RFC 8018, section 5.2).
		const common = Math.min(raw.length, out.length);
		assert.equal(raw.slice(0, common), out.slice(0, common), JSON.stringify({ pass, iter }));
	}
});

test('the program opens what a second implementation, in Java, has encrypted', async () => {
	const list = readFileSync(join(vectors, 'java', 'recordings.json'), 'utf8');
	const recordings = JSON.parse(list) as JavaRecording[];
	assert.ok(recordings.length > 30, `${recordings.length} recordings`);
	const outDir = temporaryFolder();
	for (const password of new Set(recordings.map((recording) => recording.password))) {
		const ofPassword = recordings.filter((recording) => recording.password === password);
		const files = ofPassword.map(({ file }) => join(vectors, 'java', file));
		const { stdout, stderr } = await run(
			['-p-', '--json', '-e', 'out', '--out-dir', outDir, ...files],
			{ input: password },
		);
		const outcomes = jsonLines(stdout);
		assert.equal(outcomes.length, files.length, stderr);
		const seen = outcomes.map(({ error }, index) => {
			const output = join(outDir, `${basename(files[index] ?? '', '.enc')}.out`);
			if (error) return { outcome: error.code, isStored: existsSync(output) };
			const content = readFileSync(output);
			return { outcome: 'opened', sha256: createHash('sha256').update(content).digest('hex') };
		});
		const expected = ofPassword.map(({ outcome, sha256 }) =>
			outcome === 'opened' ? { outcome, sha256 } : { outcome, isStored: false },
		);
		assert.deepEqual(seen, expected);
	}
});

test('NIST SP 800-38D, test cases 13 and 14', async () => {
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
