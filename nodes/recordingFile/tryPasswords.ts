import { VoiceAgentError } from '../errors';
import type { Chunks } from './chunks';
import { type DecryptedRecording, decrypt } from './encryptedRecording';

/** Decrypts like {@link decrypt}, with a password that the tag has not refused yet. */
export type Decrypt = (source: Chunks) => Promise<DecryptedRecording>;

/**
 * Runs `attempt` again from the start, with another password each time, until the tag accepts one or has refused all.
 * Usually the first attempt succeeds, because it uses the password whose plaintext starts like audio.
 *
 * @param attempt reads the file from its start and must leave nothing behind if it fails
 * @param refused indexes of the passwords that were tried before
 * @throws whatever the last attempt throws
 */
export async function tryPasswords<T>(
	passwords: readonly string[],
	attempt: (decryptNext: Decrypt) => Promise<T>,
	refused: ReadonlySet<number> = new Set(),
): Promise<T> {
	let tried: number | undefined;
	const attempted = attempt(async (source) => {
		const decrypted = await decrypt(source, passwords, refused);
		tried = decrypted.passwordIndex;
		return decrypted;
	});
	return await attempted.catch(async (error: unknown) => {
		const isRefused = error instanceof VoiceAgentError && error.reason === 'wrongPasswordOrAltered';
		const isLast = refused.size + 1 >= passwords.length;
		if (!isRefused || tried === undefined || isLast) throw error;
		return await tryPasswords(passwords, attempt, new Set([...refused, tried]));
	});
}
