import { webcrypto } from 'node:crypto';

export interface EncryptionVariant {
	iterations?: number;
	hash?: string;
	tagBits?: 128 | 96;
	layout?: 'specified' | 'nonceFirst' | 'tagFirst';
	salt?: Uint8Array;
	nonce?: Uint8Array;
}

/**
 * Encrypts as the service specification says, with Web Crypto: expected values do not come from
 * the code under test. The variants make files that the specification does not allow.
 */
export async function encryptRecording(
	plain: Uint8Array,
	password: string,
	variant: EncryptionVariant = {},
): Promise<Buffer> {
	const { iterations = 310_000, hash = 'SHA-256', tagBits = 128, layout = 'specified' } = variant;
	const salt = variant.salt ?? webcrypto.getRandomValues(new Uint8Array(16));
	const nonce = variant.nonce ?? webcrypto.getRandomValues(new Uint8Array(12));
	const secret = new TextEncoder().encode(password);
	const material = await webcrypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']);
	const key = await webcrypto.subtle.deriveKey(
		{ name: 'PBKDF2', salt, iterations, hash },
		material,
		{ name: 'AES-GCM', length: 256 },
		false,
		['encrypt'],
	);
	const sealed = Buffer.from(
		await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, tagLength: tagBits }, key, plain),
	);
	const tag = sealed.subarray(-tagBits / 8);
	const ciphertext = sealed.subarray(0, -tagBits / 8);
	switch (layout) {
		case 'specified':
			return Buffer.concat([salt, nonce, ciphertext, tag]);
		case 'nonceFirst':
			return Buffer.concat([nonce, salt, ciphertext, tag]);
		case 'tagFirst':
			return Buffer.concat([salt, nonce, tag, ciphertext]);
	}
}

/** All chunks as one. */
export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const read: Uint8Array[] = [];
	for await (const chunk of chunks) read.push(chunk);
	return Buffer.concat(read);
}

/** The content in chunks of a given size, which belong to their reader. */
export async function* inChunks(content: Uint8Array, chunkBytes: number) {
	for (let start = 0; start < content.length; start += chunkBytes) {
		yield Uint8Array.prototype.slice.call(content, start, start + chunkBytes);
	}
}
