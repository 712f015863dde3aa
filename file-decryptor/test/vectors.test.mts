import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { webcrypto } from 'node:crypto';
import { decipherVerified } from '../../nodes/recordingFile/encryptedRecording.ts';
import { deriveKey, vectors } from './helpers.mts';

interface GcmVectors {
	testGroups: {
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
	}[];
}

interface Pbkdf2Vectors {
	testGroups: {
		tests: {
			tcId: number;
			password: string;
			salt: string;
			iterationCount: number;
			dkLen: number;
			dk: string;
			result: string;
		}[];
	}[];
}

const gcmFile = join(vectors, 'wycheproof', 'aes_gcm_test.json');
const pbkdf2File = join(vectors, 'wycheproof', 'pbkdf2_hmacsha256_test.json');
const skip = existsSync(gcmFile) && existsSync(pbkdf2File) ? false : 'no published vectors here';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

test('the decryption agrees with the AES-GCM vectors of Wycheproof', { skip }, async () => {
	const { testGroups } = JSON.parse(readFileSync(gcmFile, 'utf8')) as GcmVectors;
	const cases = testGroups
		.filter(({ keySize, ivSize, tagSize }) => keySize === 256 && ivSize === 96 && tagSize === 128)
		.flatMap(({ tests }) => tests.filter(({ aad }) => aad === ''));
	assert.equal(cases.length, 48);
	for (const { tcId, key, iv, msg, ct, tag, result } of cases) {
		const opened = openWith(hex(key), hex(iv), hex(ct + tag));
		if (result === 'valid') assert.equal((await opened).toString('hex'), msg, `case ${tcId}`);
		else await assert.rejects(opened, { reason: 'wrongPasswordOrAltered' }, `case ${tcId}`);
	}
});

async function openWith(key: Buffer, nonce: Buffer, body: Buffer): Promise<Buffer> {
	const plaintext: Buffer[] = [];
	const header = Buffer.concat([Buffer.alloc(16), nonce]);
	// Byte by byte: no border between pieces may matter.
	async function* rest(): AsyncGenerator<Uint8Array, void, undefined> {
		for (let index = 16; index < body.length; index += 1) yield body.subarray(index, index + 1);
	}
	const peeked = { head: body.subarray(0, 16), rest: rest() };
	for await (const chunk of decipherVerified(key, header, peeked)) plaintext.push(chunk);
	return Buffer.concat(plaintext);
}

test(
	"the tests' own key derivation agrees with the PBKDF2 vectors of Wycheproof",
	{
		skip,
	},
	async () => {
		const { testGroups } = JSON.parse(readFileSync(pbkdf2File, 'utf8')) as Pbkdf2Vectors;
		const cases = testGroups.flatMap(({ tests }) =>
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

test('NIST SP 800-38D, test case 13 and 14 (built in, so that some vector is always tried)', async () => {
	const key = Buffer.alloc(32);
	const nonce = Buffer.alloc(12);
	const empty = await openWith(key, nonce, hex('530f8afbc74536b9a963b4f1c4cb738b'));
	assert.equal(empty.length, 0);
	const zeros = await openWith(
		key,
		nonce,
		hex('cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919'),
	);
	assert.deepEqual(zeros, Buffer.alloc(16));
	// The vectors themselves, seen from the other side.
	const cipher = createCipheriv('aes-256-gcm', key, nonce);
	cipher.update(Buffer.alloc(16));
	cipher.final();
	assert.equal(cipher.getAuthTag().toString('hex'), 'd0d1c8a799996bf0265b98b5d48ab919');
});
