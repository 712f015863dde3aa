import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { parseApiCredential } from '../nodes/shared/apiCredential';
import { VoiceAgentError } from '../nodes/shared/errors';

export class VoiceAgentApi implements ICredentialType {
	name = 'voiceAgentApi';

	displayName = 'VoiceAgent API';

	icon: Icon = { light: 'file:../icons/voiceagent.svg', dark: 'file:../icons/voiceagent.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-voiceagent/n8n-nodes-voiceagent?tab=readme-ov-file#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://voiceagent.example.com',
			description: 'Address of the service, as shown in its web portal or Swagger UI',
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
			displayName: 'API Document Path',
			name: 'apiDocumentPath',
			type: 'string',
			default: '/swagger/v1/swagger.json',
			placeholder: 'e.g. /swagger/v1/swagger.json',
			description:
				'Where the service keeps its OpenAPI (Swagger) document, from which the fields of a call are read. The Swagger UI shows a link to it.',
		},
	];

	/**
	 * Adds the `Token` header, letter for letter (service specification, "Authentication"). The HTTP Request node uses
	 * this too: the key goes to the origin of the Base URL only.
	 */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const { baseUrl, apiKey } = parseApiCredential(credentials);
		const target = new URL(requestOptions.url, requestOptions.baseURL ?? baseUrl);
		if (target.origin !== new URL(baseUrl).origin) {
			throw new VoiceAgentError('invalidBaseUrl', {
				detail: `the API key is not sent to ${target.host}`,
			});
		}
		return { ...requestOptions, headers: { ...requestOptions.headers, Token: apiKey } };
	};
}
