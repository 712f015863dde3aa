import { VoiceAgentError } from '../../errors';
import { type CredentialContext, readOptionalCredential } from './readCredential';

/**
 * The passwords that may have encrypted a recording: the current one, then the previous ones. Empty if no password
 * credential is selected in the node.
 *
 * @throws VoiceAgentError `invalidPassword` if the credential has no current password
 */
export async function recordingPasswords(
	context: CredentialContext,
	itemIndex?: number,
): Promise<string[]> {
	const name = 'voiceAgentRecordingPasswordApi';
	return (await readOptionalCredential(context, name, passwordsOf, itemIndex)) ?? [];
}

/**
 * The passwords in the fields of a VoiceAgent Recording Password API credential, exactly as entered.
 * @throws VoiceAgentError `invalidPassword`
 */
export function passwordsOf(fields: Record<string, unknown>): string[] {
	const current = fields.password;
	if (typeof current !== 'string' || current === '') throw new VoiceAgentError('invalidPassword');
	const { entries = [] } = (fields.previous ?? {}) as {
		entries?: Array<{ password?: string }>;
	};
	const previous = entries.flatMap(({ password }) => (password ? [password] : []));
	return [...new Set([current, ...previous])];
}
