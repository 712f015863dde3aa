import { VoiceAgentError } from '../errors';
import type { Chunks } from './chunks';
import type { DecryptedRecording } from './encryptedRecording';
import { decrypt } from './encryptedRecording';

/** Decrypts like {@link decrypt}, with the passwords whose turn it is. */
export type Decrypt = (source: Chunks) => Promise<DecryptedRecording>;

/**
 * Runs `attempt` again from the start, with one other password at a time, until the tag accepts one. Usually the first
 * attempt succeeds, because its password is the one whose plaintext starts like audio. A recording without audio gives no
 * such sign.
 *
 * @param attempt reads the file from its start and must leave nothing behind if it fails
 * @throws whatever the last attempt throws
 */
export async function tryPasswords<T>(
	passwords: readonly string[],
	attempt: (decryptNext: Decrypt) => Promise<T>,
): Promise<T> {
	let untried = [...passwords.keys()];
	let candidates = untried;
	for (;;) {
		let refused: number | undefined;
		let failure: unknown;
		try {
			return await attempt(async (source) => {
				const decrypted = await decrypt(
					source,
					candidates.map((index) => passwords[index] ?? ''),
				);
				const passwordIndex = candidates[decrypted.passwordIndex] ?? 0;
				refused = decrypted.isOnlyOne ? undefined : passwordIndex;
				return { ...decrypted, passwordIndex };
			});
		} catch (error) {
			failure = error;
		}
		untried = untried.filter((index) => index !== refused);
		const isRefused =
			failure instanceof VoiceAgentError && failure.reason === 'wrongPasswordOrAltered';
		if (!isRefused || refused === undefined || untried.length === 0) throw failure;
		candidates = untried.slice(0, 1);
	}
}
