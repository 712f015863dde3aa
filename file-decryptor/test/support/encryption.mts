/**
 * Encrypts as the service's specification says in "Encrypted file (.enc) layout" and "Key
 * derivation constants". It shares nothing with the code under test.
 */
import { randomBytes, webcrypto } from 'node:crypto';

export const ITERATIONS = 310_000;

interface Key {
	salt: Buffer;
	key: Promise<webcrypto.CryptoKey>;
}

const keys = new Map<string, Key>();

/**
 * Encrypts a recording. A key takes 40 ms or more, so the recordings of a test file that have the
 * same password share one.
 *
 * @param salt for a key of its own
 */
export async function encrypt(
	plaintext: Uint8Array,
	password: string,
	salt?: Buffer,
): Promise<Buffer> {
	const recording = salt ? newKey(password, salt) : keyOf(password);
	const nonce = randomBytes(12);
	const ciphertextAndTag = await webcrypto.subtle.encrypt(
		{ name: 'AES-GCM', iv: nonce, tagLength: 128 },
		await recording.key,
		plaintext,
	);
	return Buffer.concat([recording.salt, nonce, Buffer.from(ciphertextAndTag)]);
}

function keyOf(password: string): Key {
	const key = keys.get(password) ?? newKey(password, randomBytes(16));
	keys.set(password, key);
	return key;
}

function newKey(password: string, salt: Buffer): Key {
	return { salt, key: deriveKey(password, salt, ITERATIONS) };
}

export async function deriveKey(
	password: string | Uint8Array,
	salt: Uint8Array,
	iterations: number,
): Promise<webcrypto.CryptoKey> {
	const bytes = typeof password === 'string' ? new TextEncoder().encode(password) : password;
	const material = await webcrypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveKey']);
	return await webcrypto.subtle.deriveKey(
		{ name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
		material,
		{ name: 'AES-GCM', length: 256 },
		true,
		['encrypt'],
	);
}
