import { createDecipheriv, pbkdf2 } from 'node:crypto';

import { VoiceAgentError } from '../errors';
import { AUDIO_HEAD_BYTES, recognizeAudio } from './audioFormat';
import { type Chunks, giveBack, peek, unpeek } from './chunks';

// Service specification, "Encrypted file (.enc) layout": salt, nonce, ciphertext, tag.
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const HEADER_BYTES = SALT_BYTES + NONCE_BYTES;
const TAG_BYTES = 16;

// Service specification, "Key derivation constants".
const ITERATIONS = 310_000;
const HASH = 'sha256';
const KEY_BYTES = 32;

/** How much is deciphered at once. What comes out is as long as the buffer before the disk. */
const BLOCK_BYTES = 1024 * 1024;
/** As many blocks are kept for the next files. */
const MAX_FREE_BLOCKS = 4;
/** Blocks that no file uses. A new block for each file makes short files slower. */
const freeBlocks: Buffer[] = [];

/** Length of the shortest encrypted recording: that of an empty file. */
export const MIN_ENCRYPTED_BYTES = HEADER_BYTES + TAG_BYTES;

export interface DecryptedRecording {
	/**
	 * The plaintext. It is verified only when the iteration has ended. Until then, a reader must
	 * not let anything out, and if the iteration throws, it must discard what it has.
	 */
	chunks: AsyncGenerator<Buffer, void, undefined>;
	/** Which of the passwords was used. */
	passwordIndex: number;
}

/** Decrypts like {@link decrypt}, with a password that the tag has not refused yet. */
export type Decrypt = (source: Chunks) => Promise<DecryptedRecording>;

/**
 * Decrypts an encrypted recording (AES-256-GCM, key by PBKDF2) as it arrives, in constant memory.
 *
 * Of several passwords, it uses the first one whose plaintext starts like audio, or else the first
 * one. Either way, the authentication tag decides.
 *
 * @param source the `.enc` file in chunks of any size
 * @param passwords the current password, then the previous ones
 * @param refused indexes of the passwords that are not used, because the tag has refused them
 * @param onRefused called with the index of the password that is used, if the tag refuses it
 * @throws VoiceAgentError `notEncrypted` (shorter than 44 bytes) or `passwordMissing`, before
 * anything is decrypted; `wrongPasswordOrAltered` at the end of the iteration. Whatever `source`
 * throws passes through.
 */
export async function decrypt(
	source: Chunks,
	passwords: readonly string[],
	refused: readonly number[] = [],
	onRefused: (passwordIndex: number) => void = () => undefined,
): Promise<DecryptedRecording> {
	// The header and the tag take 44 of these bytes, which does not matter for recognizing audio.
	const peeked = await peek(source, AUDIO_HEAD_BYTES);
	const { head } = peeked;
	if (head.length < MIN_ENCRYPTED_BYTES) throw new VoiceAgentError('notEncrypted');
	const chosen = await choosePassword(head, passwords, refused);
	if (!chosen) throw new VoiceAgentError('passwordMissing');
	const { key, passwordIndex } = chosen;
	const header = head.subarray(0, HEADER_BYTES);
	const body = unpeek({ ...peeked, head: head.subarray(HEADER_BYTES) });
	const chunks = decipherVerified(key, header, body, () => onRefused(passwordIndex));
	return { chunks, passwordIndex };
}

interface ChosenPassword {
	key: Buffer;
	passwordIndex: number;
	/** Whether its plaintext starts like audio. */
	isAudio: boolean;
}

/**
 * The first password whose plaintext starts like audio, or else the first one.
 *
 * @returns `undefined` if each of them is refused, or there is none
 */
export async function choosePassword(
	head: Buffer,
	passwords: readonly string[],
	refused: readonly number[],
): Promise<ChosenPassword | undefined> {
	const header = head.subarray(0, HEADER_BYTES);
	// The last bytes may be the tag.
	const ciphertext = head.subarray(HEADER_BYTES, -TAG_BYTES);
	let first: ChosenPassword | undefined;
	for (const [passwordIndex, password] of passwords.entries()) {
		if (refused.includes(passwordIndex)) continue;
		const key = await deriveKey(password, header);
		const plaintext = openDecipher(key, header).update(ciphertext);
		const isAudio = recognizeAudio(plaintext) !== undefined;
		giveBack(plaintext);
		if (isAudio) return { key, passwordIndex, isAudio };
		first ??= { key, passwordIndex, isAudio };
	}
	return first;
}

/**
 * PBKDF2 takes about 40 ms for each key, so it runs in the thread pool, never on the event loop.
 */
async function deriveKey(password: string, header: Buffer): Promise<Buffer> {
	const salt = header.subarray(0, SALT_BYTES);
	return await new Promise((resolve, reject) => {
		pbkdf2(password, salt, ITERATIONS, KEY_BYTES, HASH, (error, key) =>
			error ? reject(error) : resolve(key),
		);
	});
}

function openDecipher(key: Buffer, header: Buffer) {
	// Without authTagLength, a tag that was cut to 4 bytes would be accepted.
	return createDecipheriv('aes-256-gcm', key, header.subarray(SALT_BYTES), {
		authTagLength: TAG_BYTES,
	});
}

/**
 * Deciphers all but the last 16 bytes, which are the tag, and lets the tag decide at the end.
 *
 * @param key 32 bytes
 * @param header salt and nonce, 28 bytes
 * @param body ciphertext and tag
 * @param onRefused called before the error if the tag refuses the key
 * @throws VoiceAgentError `wrongPasswordOrAltered` at the end. What `body` throws passes through
 */
export async function* decipherVerified(
	key: Buffer,
	header: Buffer,
	body: Chunks,
	onRefused: () => void = () => undefined,
): AsyncGenerator<Buffer, void, undefined> {
	const decipher = openDecipher(key, header);
	const block = freeBlocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES + TAG_BYTES);
	let filled = 0;
	try {
		for await (const chunk of body) {
			let taken = 0;
			while (taken < chunk.length) {
				if (filled === block.length) {
					// The last 16 bytes wait: only what follows shows that they are not the tag.
					yield decipher.update(block.subarray(0, BLOCK_BYTES));
					filled = block.copy(block, 0, BLOCK_BYTES);
				}
				const part = chunk.subarray(taken, taken + block.length - filled);
				block.set(part, filled);
				filled += part.length;
				taken += part.length;
			}
			giveBack(chunk);
		}
		// The decipher refuses a shorter tag.
		const ciphertextBytes = Math.max(0, filled - TAG_BYTES);
		yield decipher.update(block.subarray(0, ciphertextBytes));
		decipher.setAuthTag(block.subarray(ciphertextBytes, filled));
	} finally {
		if (freeBlocks.length < MAX_FREE_BLOCKS) freeBlocks.push(block);
	}
	if (isVerified(decipher)) return;
	onRefused();
	throw new VoiceAgentError('wrongPasswordOrAltered');
}

function isVerified(decipher: ReturnType<typeof openDecipher>): boolean {
	try {
		decipher.final();
		return true;
	} catch {
		return false;
	}
}
