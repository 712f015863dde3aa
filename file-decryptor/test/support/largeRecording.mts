import { createCipheriv, randomBytes, webcrypto } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { wav } from './audio.mts';
import { deriveKey, ITERATIONS } from './encryption.mts';

const PIECE_BYTES = 4 * 1024 * 1024;

/** Audio of any size that does not fit into memory. No two pieces are the same. */
export class LargeAudio {
	readonly bytes: number;

	readonly #piece = wav(PIECE_BYTES);

	constructor(bytes: number) {
		this.bytes = bytes;
	}

	/** The audio from its start. Each piece is valid until the next one is asked for. */
	*pieces(): Generator<Buffer, void, undefined> {
		for (let start = 0; start < this.bytes; start += PIECE_BYTES) {
			this.#piece.writeUInt32BE(start / PIECE_BYTES, PIECE_BYTES / 2);
			yield this.#piece.subarray(0, Math.min(PIECE_BYTES, this.bytes - start));
		}
	}

	/** Encrypts it piece by piece. */
	async writeEncrypted(path: string, password: string): Promise<void> {
		const salt = randomBytes(16);
		const nonce = randomBytes(12);
		const key = await webcrypto.subtle.exportKey(
			'raw',
			await deriveKey(password, salt, ITERATIONS),
		);
		const cipher = createCipheriv('aes-256-gcm', Buffer.from(key), nonce);
		const file = await open(path, 'wx', 0o600);
		await file.writeFile(Buffer.concat([salt, nonce]));
		for (const piece of this.pieces()) await file.writeFile(cipher.update(piece));
		cipher.final();
		await file.writeFile(cipher.getAuthTag());
		await file.close();
	}

	/** Whether a file holds exactly this audio. */
	async isIn(path: string): Promise<boolean> {
		const file = await open(path);
		try {
			for (const piece of this.pieces()) {
				if (!(await nextBytes(file, piece.length)).equals(piece)) return false;
			}
			return (await nextBytes(file, 1)).length === 0;
		} finally {
			await file.close();
		}
	}
}

/** @returns fewer bytes only at the end of the file */
async function nextBytes(file: FileHandle, bytes: number): Promise<Buffer> {
	const buffer = Buffer.allocUnsafe(bytes);
	let length = 0;
	while (length < bytes) {
		const { bytesRead } = await file.read(buffer, length, bytes - length, null);
		if (bytesRead === 0) break;
		length += bytesRead;
	}
	return buffer.subarray(0, length);
}
