import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { invalid } from '../errors';

/** What a credential is read from. */
export interface CredentialContext {
	getNode(): INode;
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
}

/**
 * The passwords that may have encrypted a recording. Empty if no password credential is selected in
 * the node.
 */
export async function recordingPasswords(
	context: CredentialContext,
	itemIndex?: number,
): Promise<string[]> {
	const name = 'voiceAgentRecordingPasswordApi';
	if (!context.getNode().credentials?.[name]) return [];
	return passwordsOf(await context.getCredentials(name, itemIndex));
}

/**
 * The passwords that may have encrypted a recording, to be hidden wherever the service repeats
 * them. Never throws: what has to be hidden must not keep a webhook from being received.
 */
export async function knownPasswords(
	context: CredentialContext,
	itemIndex?: number,
): Promise<string[]> {
	return await recordingPasswords(context, itemIndex).catch(() => []);
}

/**
 * The passwords in the fields of a VoiceAgent Recording Password API credential, exactly as
 * entered: the current one, then the previous ones.
 *
 * @throws VoiceAgentError `invalidParameter` if there is no current one
 */
export function passwordsOf({ password, previous }: Record<string, unknown>): string[] {
	if (typeof password !== 'string' || password === '') {
		throw invalid(
			"the 'Password' of the VoiceAgent Recording Password API credential is empty: enter the one that your answer to CallStart gives as recordCallPassword",
		);
	}
	const { entries = [] } = (previous ?? {}) as { entries?: Array<{ password?: string }> };
	return [...new Set([password, ...entries.flatMap((entry) => entry.password || [])])];
}
