import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import type { NumberFields } from './apiCredential';

/** The one credential type: an account of the service. */
export const ACCOUNT = 'voiceAgentApi';

/**
 * The fields of the passwords, the current one first. They are separate fields, because n8n
 * restores the values of a list by their position: after one is removed, it would lose another one.
 */
export const PASSWORD_FIELDS = [
	'recordingPassword',
	'previousPassword1',
	'previousPassword2',
	'previousPassword3',
	'previousPassword4',
	'previousPassword5',
] as const;

/** What an account is read from. */
export interface AccountContext {
	getNode(): INode;
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
}

/** The fields of the account that is selected in the node; none without one. */
async function accountFields(
	context: AccountContext,
	itemIndex?: number,
): Promise<ICredentialDataDecryptedObject> {
	const isSelected = context.getNode().credentials?.[ACCOUNT] !== undefined;
	return isSelected ? await context.getCredentials(ACCOUNT, itemIndex) : {};
}

/**
 * The passwords that may have encrypted a recording. Empty if the account has none, or if no
 * account is selected in the node.
 */
export async function recordingPasswords(
	context: AccountContext,
	itemIndex?: number,
): Promise<string[]> {
	return passwordsOf(await accountFields(context, itemIndex));
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
	const { recordingPassword } = await accountFields(context);
	const isEntered = typeof recordingPassword === 'string' && recordingPassword !== '';
	return isEntered ? recordingPassword : undefined;
}

/**
 * The passwords in the fields of a VoiceAgent API credential, exactly as entered: the current one,
 * then the previous ones.
 */
export function passwordsOf(fields: Record<string, unknown>): string[] {
	const passwords = new Set<string>();
	for (const name of PASSWORD_FIELDS) {
		const password = fields[name];
		if (typeof password === 'string' && password !== '') passwords.add(password);
	}
	return [...passwords];
}

/**
 * The fields with the numbers of a call, as the user has named them. Never throws: a webhook must
 * be received in any case.
 */
export async function numberFieldsOf(context: AccountContext): Promise<NumberFields> {
	const fields: Record<string, unknown> = await accountFields(context).catch(() => ({}));
	const { calledNumberField, callerNumberField } = fields;
	return {
		calledNumberField: String(calledNumberField ?? '').trim(),
		callerNumberField: String(callerNumberField ?? '').trim(),
	};
}
