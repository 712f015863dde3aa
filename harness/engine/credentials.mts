/** Credentials of the engine: encrypted by n8n, and kept in memory where n8n has its database. */
import type * as Core from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	ICredentialType,
	INodeParameters,
} from 'n8n-workflow';
import type { Credential, CredentialInput } from '../n8n/n8n.mts';
import type { Modules } from './modules.mts';

export interface CredentialStore {
	create(credential: CredentialInput): Promise<Credential>;
	/** What n8n's `CredentialsHelper` does for types that neither extend another one nor expire. */
	helper: ICredentialsHelper;
}

export function credentialStore(
	{ core, workflow }: Modules,
	typeOf: (name: string) => ICredentialType,
): CredentialStore {
	const stored = new Map<string, Core.Credentials<ICredentialDataDecryptedObject>>();
	let created = 0;

	const find: ICredentialsHelper['getCredentials'] = async ({ id }, type) => {
		const credential = stored.get(String(id));
		if (credential?.type !== type) {
			throw new Error(`There is no credential ${id} of type ${type}.`);
		}
		return credential;
	};
	const notSupported = async () => {
		throw new Error('The engine changes no credentials.');
	};

	const helper: ICredentialsHelper = {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		getCredentialsProperties: (type) => typeOf(type).properties,
		getCredentials: find,
		async authenticate(credentials, type, requestOptions) {
			const { authenticate } = typeOf(type);
			if (typeof authenticate !== 'function') {
				throw new Error(`The engine runs only functions to authenticate, not those of ${type}.`);
			}
			return await authenticate(credentials, requestOptions as Parameters<typeof authenticate>[1]);
		},
		preAuthentication: async () => undefined,
		runPreAuthentication: async () => undefined,
		async getDecrypted(additionalData, nodeCredentials, type, mode, executeData, raw, values) {
			const data = await (await find(nodeCredentials, type)).getData();
			if (raw) return data;
			const withDefaults = workflow.NodeHelpers.getNodeParameters(
				typeOf(type).properties,
				data as INodeParameters,
				true,
				false,
				null,
				null,
			);
			if (!withDefaults) throw new Error(`The credential ${type} has no fields.`);
			// A trigger has no items, and the tests give it no expressions.
			if (!values) return withDefaults as ICredentialDataDecryptedObject;
			return values.workflow.expression.getParameterValue(
				withDefaults,
				values.runExecutionData,
				values.runIndex,
				values.itemIndex,
				values.node.name,
				values.connectionInputData,
				mode,
				core.getAdditionalKeys(additionalData, mode, null, { isCredential: true }),
				executeData,
				false,
				withDefaults,
			) as ICredentialDataDecryptedObject;
		},
		updateCredentials: notSupported,
		updateCredentialsOauthTokenData: notSupported,
	};

	return {
		helper,
		async create({ name, type, data }) {
			// Before anything is awaited, so that two tests side by side never get the same one.
			const id = `credential-${(created += 1)}`;
			const credential = new core.Credentials<ICredentialDataDecryptedObject>({ id, name }, type);
			await credential.setData(data as ICredentialDataDecryptedObject);
			stored.set(id, credential);
			return { id, name };
		},
	};
}
