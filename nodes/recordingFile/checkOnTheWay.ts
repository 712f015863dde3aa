import { createHash } from 'node:crypto';

import { type Chunks, giveBack } from './chunks';
import type { Decrypt } from './encryptedRecording';

/** How long the pieces of a passed recording are, but for the last one. */
const PIECE_BYTES = 64 * 1024;

/** An encrypted recording that passes as it is. */
export interface CheckedRecording {
	/** The bytes of the file. Its tag is checked only when the iteration has ended. */
	chunks: AsyncGenerator<Uint8Array, void, undefined>;
	/** With which of the passwords the tag is checked. */
	passwordIndex: number;
}

/**
 * Passes an encrypted recording on as it is, and checks its tag on the way, in constant memory.
 * What is deciphered for this is thrown away, except its checksum.
 *
 * @param onVerified called once the tag was right, with the SHA-256 of the plaintext in hexadecimal
 * @throws what `decrypt` throws, at the same moments
 */
export async function checkOnTheWay(
	source: Chunks,
	decryptNext: Decrypt,
	onVerified: (plainSha256: string) => void = () => undefined,
): Promise<CheckedRecording> {
	const copy = new Copy();
	const { chunks: plaintext, passwordIndex } = await decryptNext(copiedTo(copy, source));
	return { chunks: passOn(plaintext, copy, onVerified), passwordIndex };
}

/**
 * A copy of what was read, because a chunk belongs to its reader. It is in pieces, or many short
 * chunks would take hundreds of times their memory.
 */
class Copy {
	readonly #full: Buffer[] = [];
	#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
	#filled = 0;

	add(chunk: Uint8Array): void {
		for (let taken = 0; taken < chunk.length; ) {
			if (this.#filled === PIECE_BYTES) {
				this.#full.push(this.#piece);
				this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
				this.#filled = 0;
			}
			const part = chunk.subarray(taken, taken + PIECE_BYTES - this.#filled);
			this.#piece.set(part, this.#filled);
			this.#filled += part.length;
			taken += part.length;
		}
	}

	/** What is complete. The latest bytes are never among it. */
	takeFull(): Buffer[] {
		return this.#full.splice(0);
	}

	/** All that is left. */
	takeRest(): Buffer[] {
		return [...this.takeFull(), this.#piece.subarray(0, this.#filled)];
	}
}

async function* copiedTo(copy: Copy, source: Chunks): AsyncGenerator<Uint8Array, void, undefined> {
	for await (const chunk of source) {
		copy.add(chunk);
		yield chunk;
	}
}

/**
 * The copy, to which each chunk of the plaintext adds something. Of the plaintext, only its
 * checksum stays.
 */
async function* passOn(
	plaintext: AsyncGenerator<Buffer, void, undefined>,
	copy: Copy,
	onVerified: (plainSha256: string) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	const hash = createHash('sha256');
	try {
		for (;;) {
			const next = await plaintext.next();
			if (next.done) break;
			hash.update(next.value);
			giveBack(next.value);
			// Without the latest bytes, so that a reader never has the whole file before its tag is
			// checked.
			yield* copy.takeFull();
		}
		// The tag was right: otherwise the plaintext has ended in an error.
		onVerified(hash.digest('hex'));
		yield* copy.takeRest();
	} finally {
		// For a reader that stops before the end.
		await plaintext.return();
	}
}
