import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

/** The credential types of this package. */
export type CredentialName =
	| 'voiceAgentApi'
	| 'voiceAgentRecordingPasswordApi'
	| 'voiceAgentWebhookApi';

/** What a credential is read from. */
export interface CredentialContext {
	getNode(): INode;
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
}

/**
 * Reads a credential that is optional in the node.
 *
 * @param itemIndex item that expressions in the fields of the credential refer to; the first one by default
 * @returns `undefined` if none is selected in the node
 * @throws whatever `parse` throws
 */
export async function readOptionalCredential<T>(
	context: CredentialContext,
	name: CredentialName,
	parse: (fields: ICredentialDataDecryptedObject) => T,
	itemIndex?: number,
): Promise<T | undefined> {
	if (!context.getNode().credentials?.[name]) return undefined;
	return parse(await context.getCredentials(name, itemIndex));
}
