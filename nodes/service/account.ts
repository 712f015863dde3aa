import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { ACCOUNT, type AccountFields, type NumberFields, PASSWORD_FIELDS } from './apiCredential';

/** What an account is read from. */
export interface AccountContext {
	getNode(): INode;
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
}

/** The fields of the account that is selected in the node; none without one. */
export async function accountFields(
	context: AccountContext,
	itemIndex?: number,
): Promise<AccountFields> {
	return hasAccount(context) ? await context.getCredentials(ACCOUNT, itemIndex) : {};
}

/** The account of a trigger. n8n decrypts it each time it is asked, so it is read once. */
export interface Account {
	isSelected: boolean;
	/** Empty if none is selected, or if it cannot be read. */
	fields: AccountFields;
	/** Why it cannot be read. */
	problem?: unknown;
}

/**
 * Reads the account of a trigger. Never throws: only some webhooks need it, and the others must be
 * received in any case.
 */
export async function readAccount(context: AccountContext): Promise<Account> {
	const isSelected = hasAccount(context);
	try {
		return { isSelected, fields: await accountFields(context) };
	} catch (problem) {
		return { isSelected, fields: {}, problem };
	}
}

function hasAccount(context: AccountContext): boolean {
	return context.getNode().credentials?.[ACCOUNT] !== undefined;
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
 * The password that encrypts new recordings; `undefined` if the account has none.
 *
 * @throws whatever n8n has thrown if the account cannot be read
 */
export function encryptionPassword({ fields, problem }: Account): string | undefined {
	if (problem !== undefined) throw problem;
	const { recordingPassword } = fields;
	const isEntered = typeof recordingPassword === 'string' && recordingPassword !== '';
	return isEntered ? recordingPassword : undefined;
}

/**
 * The passwords in the fields of a VoiceAgent API credential, exactly as entered: the current one,
 * then the previous ones.
 */
export function passwordsOf(fields: AccountFields): string[] {
	const passwords = new Set<string>();
	for (const name of PASSWORD_FIELDS) {
		const password = fields[name];
		if (typeof password === 'string' && password !== '') passwords.add(password);
	}
	return [...passwords];
}

/** The fields with the numbers of a call, as the user has named them. */
export function numberFieldsOf(fields: AccountFields): NumberFields {
	const { calledNumberField, callerNumberField } = fields;
	return {
		calledNumberField: String(calledNumberField ?? '').trim(),
		callerNumberField: String(callerNumberField ?? '').trim(),
	};
}
