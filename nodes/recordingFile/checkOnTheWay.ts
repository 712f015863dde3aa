import { createHash } from 'node:crypto';

import type { Chunks } from './chunks';
import type { Decrypt } from './encryptedRecording';

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
	const pending: Uint8Array[] = [];
	const { chunks: plaintext, passwordIndex } = await decryptNext(notedIn(pending, source));
	return { chunks: passOn(plaintext, pending, onVerified), passwordIndex };
}

/**
 * The same chunks. When one is read, a copy of it is added to `pending`, because the chunk itself
 * belongs to its reader.
 */
async function* notedIn(
	pending: Uint8Array[],
	source: Chunks,
): AsyncGenerator<Uint8Array, void, undefined> {
	for await (const chunk of source) {
		pending.push(Buffer.from(chunk));
		yield chunk;
	}
}

/**
 * The chunks in `pending`, of which each chunk of the plaintext adds some. Of the plaintext, only
 * its checksum stays.
 */
async function* passOn(
	plaintext: AsyncGenerator<Buffer, void, undefined>,
	pending: Uint8Array[],
	onVerified: (plainSha256: string) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	const hash = createHash('sha256');
	try {
		for (;;) {
			const next = await plaintext.next();
			if (next.done) break;
			hash.update(next.value);
			// The latest chunk is held back, so that a reader never has the whole file before its
			// tag is checked.
			yield* pending.splice(0, pending.length - 1);
		}
		// The tag was right: otherwise the plaintext has ended in an error.
		onVerified(hash.digest('hex'));
		yield* pending;
	} finally {
		// For a reader that stops before the end.
		await plaintext.return();
	}
}
