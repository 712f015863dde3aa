import { createCipheriv, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const deriveKey = promisify(pbkdf2);

// Service specification, "Encrypted file (.enc) layout" and its key derivation constants.
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const ITERATIONS = 310_000;
const HASH = 'sha256';

/**
 * Encrypts a stream into the service's `.enc` layout: salt (16 bytes), nonce (12 bytes),
 * AES-256-GCM ciphertext, tag (16 bytes). Memory use does not grow with the stream.
 *
 * This is the emulator's own writer. It shares no code with the decryption it is there to test.
 */
export async function* encrypt(
	plain: AsyncIterable<Uint8Array>,
	password: string,
): AsyncGenerator<Uint8Array> {
	const salt = randomBytes(SALT_BYTES);
	const nonce = randomBytes(NONCE_BYTES);
	const key = await deriveKey(password, salt, ITERATIONS, KEY_BYTES, HASH);
	const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
	yield Buffer.concat([salt, nonce]);
	for await (const chunk of plain) {
		const sealed = cipher.update(chunk);
		if (sealed.length > 0) yield sealed;
	}
	yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
}
