import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';

const CREDENTIAL = 'voiceAgentRecordingPasswordApi';

/**
 * The passwords that a recording may be encrypted with: the current one, then the previous ones. Empty if no password
 * credential is selected in the node.
 *
 * @throws VoiceAgentError `invalidPassword` if the credential has no current password
 */
export async function recordingPasswords(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<string[]> {
	if (!context.getNode().credentials?.[CREDENTIAL]) return [];
	return passwordsOf(await context.getCredentials(CREDENTIAL, itemIndex));
}

/**
 * The passwords in the fields of a VoiceAgent Recording Password API credential. They are taken exactly as entered.
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
