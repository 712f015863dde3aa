import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { VoiceAgentError } from '../nodes/errors';
import { parseApiCredential } from '../nodes/service/apiCredential';
import { EMPTY } from './fields/empty';
import { previousPasswordFields } from './fields/previousPasswordFields';
import { serviceFields } from './fields/serviceFields';
import { webhookFields } from './fields/webhookFields';

/** In the words of n8n's request helper, and then of the older one. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

export class VoiceAgentApi implements ICredentialType {
	name = 'voiceAgentApi';

	displayName = 'VoiceAgent API';

	icon: Icon = { light: 'file:../icons/voiceagent.svg', dark: 'file:../icons/voiceagent.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-voiceagent/n8n-nodes-voiceagent/blob/main/docs/reference.md#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://voiceagent.example.com',
			description:
				'Address of the service, as shown in its web portal. The address of its Swagger UI works too.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				"From the service's web portal, on the account settings or API keys page. Sent as the header 'Token'.",
		},
		{
			displayName: 'Recording Password',
			name: 'recordingPassword',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Encrypts recordings (recordCallPassword in the answer to CallStart) and decrypts them. Invent it yourself. Used exactly as entered, spaces included.',
		},
		{
			displayName:
				"Keep a copy of this password: n8n does not show it again, and without it nobody can open an encrypted recording. Before you change it, enter the old one as 'Previous Password'.",
			name: 'keepACopy',
			type: 'notice',
			default: '',
			displayOptions: { hide: { recordingPassword: EMPTY } },
		},
		...previousPasswordFields,
		...webhookFields,
		...serviceFields,
	];

	/**
	 * Adds the `Token` header, spelled exactly like this (service specification, "Authentication").
	 * The key goes to the origin of the Base URL only, and redirects are not followed.
	 *
	 * n8n's HTTP Request node uses this too, with the options of an older helper, such as `uri`.
	 *
	 * @throws VoiceAgentError if the request goes to another address or does not say where
	 */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions & { uri?: string },
	): Promise<IHttpRequestOptions> => {
		const { baseUrl, apiKey } = parseApiCredential(credentials);
		const { url, uri, baseURL = baseUrl } = requestOptions;
		const addresses = [url, uri].filter((address) => address !== undefined);
		const targets = addresses.map((address) => new URL(address, baseURL));
		const foreign = targets.find(({ origin }) => origin !== new URL(baseUrl).origin);
		if (foreign || targets.length === 0) {
			throw new VoiceAgentError('invalidBaseUrl', {
				detail: `the API key is not sent to ${foreign?.host ?? 'an unknown address'}`,
			});
		}
		const headers = { ...requestOptions.headers, Token: apiKey };
		return { ...requestOptions, ...NO_REDIRECTS, headers };
	};
}
