import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

const onHmac = { show: { scheme: ['hmac'] } };

export class VoiceAgentWebhookApi implements ICredentialType {
	name = 'voiceAgentWebhookApi';

	displayName = 'VoiceAgent Webhook API';

	icon: Icon = { light: 'file:../icons/voiceagent.svg', dark: 'file:../icons/voiceagent.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-voiceagent/n8n-nodes-voiceagent/blob/main/docs/reference.md#credentials';

	properties: INodeProperties[] = [
		{
			displayName:
				"Invent a secret, keep a copy, and enter the same one in the service's web portal: n8n does not show it again",
			name: 'howItWorks',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Verification Method',
			name: 'scheme',
			type: 'options',
			options: [
				{
					name: 'HMAC Signature',
					value: 'hmac',
					description: 'The service signs its webhooks with the secret (HMAC, SHA-256)',
				},
				{
					name: 'Shared Secret',
					value: 'sharedSecret',
					description: 'The service sends the secret with its webhooks',
				},
				{
					name: 'Standard Webhooks',
					value: 'standardWebhooks',
					description: 'The service signs its webhooks as standardwebhooks.com describes',
				},
			],
			default: 'sharedSecret',
			description: 'How the service authenticates its webhooks',
		},
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
						"The secret is part of the URL that you enter in the service's web portal. Such URLs may show up in logs.",
				},
			],
			default: 'header',
			description: 'Where the webhooks of the service carry the secret',
			displayOptions: { show: { scheme: ['sharedSecret'] } },
		},
		{
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			default: 'X-Webhook-Secret',
			required: true,
			placeholder: 'e.g. X-Webhook-Secret',
			description: 'Not case-sensitive',
			displayOptions: { show: { scheme: ['sharedSecret'], sendIn: ['header'] } },
		},
		{
			displayName: 'Query Parameter Name',
			name: 'queryName',
			type: 'string',
			default: 'secret',
			required: true,
			placeholder: 'e.g. secret',
			description:
				"In the service's web portal, add it to the URL of the trigger: '?secret=' and the secret. Use letters and digits only for the secret.",
			displayOptions: { show: { scheme: ['sharedSecret'], sendIn: ['query'] } },
		},
		{
			displayName: 'Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'16 characters or more, best from a password generator. The trigger refuses requests without it, or without a signature that is made with it. For Standard Webhooks, enter the secret that the service shows (whsec_…).',
		},
		{
			displayName: 'Signature Header',
			name: 'signatureHeader',
			type: 'string',
			default: 'X-Webhook-Signature',
			required: true,
			placeholder: 'e.g. X-Webhook-Signature',
			description:
				'Name of the header with the signature in hex or Base64, not case-sensitive. It may carry several signatures, separated by spaces.',
			displayOptions: onHmac,
		},
		{
			displayName: 'Prefix',
			name: 'prefix',
			type: 'string',
			default: '',
			placeholder: 'e.g. sha256=',
			description: 'Text before each signature in the header',
			displayOptions: onHmac,
		},
		{
			displayName: 'Timestamp Header',
			name: 'timestampHeader',
			type: 'string',
			default: '',
			placeholder: 'e.g. X-Webhook-Timestamp',
			description:
				"Name of the header with the time of the webhook, which may be up to 5 minutes from n8n's clock. The signature is then that of the time, a dot and the body. Leave empty if the service signs only the body.",
			displayOptions: onHmac,
		},
	];
}
