import { type Reason, VoiceAgentError } from '../errors';
import { decrypt, type Decrypt } from './encryptedRecording';

/**
 * Runs `attempt` again from the start, with another password each time, until the tag accepts one
 * or has refused all. Then it throws what the last attempt has thrown.
 *
 * @param attempt reads the file from its start and must leave nothing behind if it fails. What it
 * calls its error does not matter: only what the tag has said does
 * @param refused indexes of the passwords that were tried before
 */
export async function tryPasswords<T>(
	passwords: readonly string[],
	attempt: (decryptNext: Decrypt) => Promise<T>,
	refused: readonly number[] = [],
): Promise<T> {
	/** Index of the password that the tag has refused in this attempt. */
	let refusedNow: number | undefined;
	const attempted = attempt(async (source) => {
		// A lost connection may have begun this attempt anew.
		refusedNow = undefined;
		return await decrypt(source, passwords, refused, (index) => (refusedNow = index));
	});
	return await attempted.catch(async (error: unknown) => {
		const isLast = refused.length + 1 >= passwords.length;
		if (refusedNow === undefined || isLast) throw error;
		return await tryPasswords(passwords, attempt, [...refused, refusedNow]);
	});
}

/** Whether a file was refused because no tag has proven it: then it may be no recording at all. */
export function isUnproven(error: unknown): error is VoiceAgentError {
	const reasons: readonly Reason[] = ['wrongPasswordOrAltered', 'passwordMissing'];
	return error instanceof VoiceAgentError && reasons.includes(error.reason);
}
