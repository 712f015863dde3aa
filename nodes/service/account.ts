import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

/** The one credential type: an account of the service. */
export const ACCOUNT = 'voiceAgentApi';

/** What an account is read from. */
export interface AccountContext {
	getNode(): INode;
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
}

/**
 * The passwords that may have encrypted a recording. Empty if the account has none, or if no account
 * is selected in the node.
 */
export async function recordingPasswords(
	context: AccountContext,
	itemIndex?: number,
): Promise<string[]> {
	if (!context.getNode().credentials?.[ACCOUNT]) return [];
	return passwordsOf(await context.getCredentials(ACCOUNT, itemIndex));
}

/**
 * The passwords that may have encrypted a recording, to be hidden wherever the service repeats
 * them. Never throws: what has to be hidden must not keep a webhook from being received.
 */
export async function knownPasswords(
	context: AccountContext,
	itemIndex?: number,
): Promise<string[]> {
	return await recordingPasswords(context, itemIndex).catch(() => []);
}

/** The password that encrypts new recordings; `undefined` if the account has none. */
export async function encryptionPassword(context: AccountContext): Promise<string | undefined> {
	if (!context.getNode().credentials?.[ACCOUNT]) return undefined;
	return currentPassword(await context.getCredentials(ACCOUNT));
}

/**
 * The passwords in the fields of a VoiceAgent API credential, exactly as entered: the current one,
 * then the previous ones.
 */
export function passwordsOf(fields: Record<string, unknown>): string[] {
	const { entries = [] } = (fields.previousPasswords ?? {}) as {
		entries?: Array<{ password?: string }>;
	};
	const passwords = [currentPassword(fields), ...entries.map(({ password }) => password)];
	return [...new Set(passwords.filter((password) => password !== undefined && password !== ''))];
}

function currentPassword({ recordingPassword }: Record<string, unknown>): string | undefined {
	const isEntered = typeof recordingPassword === 'string' && recordingPassword !== '';
	return isEntered ? recordingPassword : undefined;
}
