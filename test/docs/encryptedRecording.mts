import assert from 'node:assert/strict';
import { createCipheriv, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Looks like a WAV file. */
const recording = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt \x10\0\0\0'), randomBytes(1000)]);

export const PLAIN_SHA256 = createHash('sha256').update(recording).digest('hex');

/** Encrypts the recording as the service specifies it, without the code under test. */
export function encryptedRecording(password: string): Buffer {
	const salt = randomBytes(16);
	const nonce = randomBytes(12);
	const key = pbkdf2Sync(password, salt, 310_000, 32, 'sha256');
	const cipher = createCipheriv('aes-256-gcm', key, nonce);
	const body = Buffer.concat([cipher.update(recording), cipher.final()]);
	return Buffer.concat([salt, nonce, body, cipher.getAuthTag()]);
}

/** Asserts that these files in the folder are the decrypted recording. */
export function assertDecrypted(folder: string, ...names: string[]): void {
	for (const name of names) assert.deepEqual(readFileSync(join(folder, name)), recording, name);
}
