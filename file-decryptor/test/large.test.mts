import assert from 'node:assert/strict';
import { createCipheriv, createHash, randomBytes, webcrypto } from 'node:crypto';
import { createReadStream, statfsSync, statSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { peakMemoryHook } from '../bench/peakMemory.mts';
import { deriveKey, run, temporaryFolder, wav, write } from './helpers.mts';

const GIBIBYTE = 1024 ** 3;
const SIZE = 3 * GIBIBYTE + 12_345;
const ALLOWED_PEAK = 150_000_000;

const folder = temporaryFolder();
const { bavail, bsize } = statfsSync(folder);
const free = bavail * bsize;
const skip =
	free < 7 * GIBIBYTE &&
	`needs 7 GiB in the temporary folder (TMPDIR), and ${(free / GIBIBYTE).toFixed(1)} GiB are free`;

/** Writes a recording piece by piece. Returns the digest of its plaintext. */
async function generate(path: string, bytes: number): Promise<string> {
	const salt = randomBytes(16);
	const nonce = randomBytes(12);
	const key = await webcrypto.subtle.exportKey('raw', await deriveKey('secret', salt, 310_000));
	const cipher = createCipheriv('aes-256-gcm', Buffer.from(key), nonce);
	const digest = createHash('sha256');
	const piece = wav(4 * 1024 * 1024);
	const file = await open(path, 'wx', 0o600);
	await file.writeFile(Buffer.concat([salt, nonce]));
	for (let left = bytes, count = 0; left > 0; left -= piece.length, count += 1) {
		piece.writeUInt32BE(count, piece.length / 2);
		const part = piece.subarray(0, Math.min(left, piece.length));
		digest.update(part);
		await file.writeFile(cipher.update(part));
	}
	cipher.final();
	await file.writeFile(cipher.getAuthTag());
	await file.close();
	return digest.digest('hex');
}

async function digestOf(path: string): Promise<string> {
	const digest = createHash('sha256');
	for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
		digest.update(chunk as Buffer);
	}
	return digest.digest('hex');
}

test('3 GiB: decrypted correctly, with less than 150 MB of memory', { skip }, async (context) => {
	const input = join(folder, 'large.enc');
	const expected = await generate(input, SIZE);
	const peakFile = join(folder, 'peak');
	const hook = write(folder, 'hook.cjs', peakMemoryHook);
	const began = performance.now();
	const { code, stderr } = await run(['-p-', '-e', 'wav', 'large.enc'], {
		cwd: folder,
		input: 'secret',
		nodeArguments: ['--require', hook],
		env: { PEAK_MEMORY_FILE: peakFile },
	});
	const seconds = (performance.now() - began) / 1000;
	assert.equal(code, 0, stderr);
	await rm(input);
	const output = join(folder, 'large.wav');
	assert.equal(statSync(output).size, SIZE);
	assert.equal(await digestOf(output), expected);
	const peak = Number(await readFile(peakFile, 'utf8'));
	context.diagnostic(
		`${(SIZE / 1e6 / seconds).toFixed(0)} MB/s, peak memory ${(peak / 1e6).toFixed(0)} MB`,
	);
	assert.ok(peak < ALLOWED_PEAK, `peak memory ${peak}`);
});
