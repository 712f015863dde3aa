import { VoiceAgentError } from '../errors';
import type { Chunks } from './chunks';
import type { DecryptedRecording } from './encryptedRecording';
import { decrypt } from './encryptedRecording';

/** Decrypts like {@link decrypt}, with a password that the tag has not refused yet. */
export type Decrypt = (source: Chunks) => Promise<DecryptedRecording>;

/**
 * Runs `attempt` again from the start, with another password each time, until the tag accepts one or has refused all.
 * Usually the first attempt succeeds, because it uses the password whose plaintext starts like audio.
 *
 * @param attempt reads the file from its start and must leave nothing behind if it fails
 * @throws whatever the last attempt throws
 */
export async function tryPasswords<T>(
	passwords: readonly string[],
	attempt: (decryptNext: Decrypt) => Promise<T>,
): Promise<T> {
	const refused = new Set<number>();
	for (;;) {
		let tried: number | undefined;
		try {
			return await attempt(async (source) => {
				const decrypted = await decrypt(source, passwords, refused);
				tried = decrypted.passwordIndex;
				return decrypted;
			});
		} catch (error) {
			const isRefused =
				error instanceof VoiceAgentError && error.reason === 'wrongPasswordOrAltered';
			if (!isRefused || tried === undefined) throw error;
			refused.add(tried);
			if (refused.size === passwords.length) throw error;
		}
	}
}
