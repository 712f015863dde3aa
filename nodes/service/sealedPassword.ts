import type { KeyObject } from 'node:crypto';
import {
	createCipheriv,
	createDecipheriv,
	createHash,
	createPublicKey,
	diffieHellman,
	generateKeyPairSync,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** One is enough, because each key is used once. */
const NONCE = Buffer.alloc(12);
const TAG = { authTagLength: 16 };

/**
 * A password on its way through n8n, whose answer may reach somebody else than the service: n8n hands it to whoever waits
 * for the execution. It is sealed for the one request that the trigger has checked. `key` may be seen by everybody; what
 * opens never leaves the process that answers this request.
 */
export function newSeal(): { key: string; open(sealed: unknown): string | undefined } {
	const { publicKey, privateKey } = generateKeyPairSync('x25519');
	return {
		key: textOf(publicKey),
		open(sealed) {
			const [from = '', text = '', tag = ''] = String(sealed).split('.');
			try {
				const opener = createDecipheriv(CIPHER, sharedKey(privateKey, from), NONCE, TAG);
				opener.setAuthTag(Buffer.from(tag, 'base64url'));
				return opener.update(text, 'base64url', 'utf8') + opener.final('utf8');
			} catch {
				return undefined;
			}
		},
	};
}

export function seal(password: string, key: string): string {
	const { publicKey, privateKey } = generateKeyPairSync('x25519');
	const cipher = createCipheriv(CIPHER, sharedKey(privateKey, key), NONCE, TAG);
	const text = cipher.update(password, 'utf8', 'base64url') + cipher.final('base64url');
	return [textOf(publicKey), text, cipher.getAuthTag().toString('base64url')].join('.');
}

function sharedKey(privateKey: KeyObject, other: string): Buffer {
	const publicKey = createPublicKey({
		key: { kty: 'OKP', crv: 'X25519', x: other },
		format: 'jwk',
	});
	return createHash('sha256').update(diffieHellman({ privateKey, publicKey })).digest();
}

function textOf(key: KeyObject): string {
	return String(key.export({ format: 'jwk' }).x);
}
