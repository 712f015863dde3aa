import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class VoiceAgentWebhookApi implements ICredentialType {
	name = 'voiceAgentWebhookApi';

	displayName = 'VoiceAgent Webhook API';

	icon: Icon = { light: 'file:../icons/voiceagent.svg', dark: 'file:../icons/voiceagent.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-voiceagent/n8n-nodes-voiceagent?tab=readme-ov-file#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Send In',
			name: 'sendIn',
			type: 'options',
			options: [
				{
					name: 'Header',
					value: 'header',
					description: 'The service sends the secret in a header of its webhooks',
				},
				{
					name: 'Query Parameter',
					value: 'query',
					description:
						'The secret is part of the URL that you enter at the service. Such URLs may show up in logs.',
				},
			],
			default: 'header',
			description: 'Where the webhooks of the service carry the secret',
		},
		{
			displayName: 'Name',
			name: 'headerName',
			type: 'string',
			default: 'X-Webhook-Secret',
			required: true,
			placeholder: 'e.g. X-Webhook-Secret',
			description: 'Name of the header, in any letter case',
			displayOptions: { show: { sendIn: ['header'] } },
		},
		{
			displayName: 'Name',
			name: 'queryName',
			type: 'string',
			default: 'secret',
			required: true,
			placeholder: 'e.g. secret',
			description:
				"Name of the query parameter. At the service, add it to the URL of the trigger: '?secret=' and the secret, which should consist of letters and digits only.",
			displayOptions: { show: { sendIn: ['query'] } },
		},
		{
			displayName: 'Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'16 characters or more, best made by a password generator. Requests without it are refused.',
		},
	];
}
