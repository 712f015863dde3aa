import type { INodeProperties } from 'n8n-workflow';

import { EMPTY } from './empty';

const onSharedSecret = { show: { webhookVerification: ['sharedSecret'] } };
const onHmac = { show: { webhookVerification: ['hmac'] } };
const onEd25519 = { show: { webhookVerification: ['ed25519'] } };
const onSecret = { hide: { webhookVerification: ['ed25519'] } };
const onSignature = { show: { webhookVerification: ['ed25519', 'hmac'] } };

/** How the service shows that a webhook comes from it. */
export const webhookFields: INodeProperties[] = [
	{
		displayName: 'Webhook Verification',
		name: 'webhookVerification',
		type: 'options',
		options: [
			{
				name: 'Ed25519 Signature',
				value: 'ed25519',
				description:
					'The service signs its webhooks with a private key, and shows you the public one',
			},
			{
				name: 'HMAC Signature',
				value: 'hmac',
				description: 'The service signs its webhooks with the secret',
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
		displayName: 'Algorithm',
		name: 'algorithm',
		type: 'options',
		options: [
			{ name: 'SHA-1', value: 'hmacSha1' },
			{ name: 'SHA-256', value: 'hmacSha256', description: 'The most usual one' },
			{ name: 'SHA-512', value: 'hmacSha512' },
		],
		default: 'hmacSha256',
		description: 'Hash function of the HMAC',
		displayOptions: onHmac,
	},
	{
		displayName: 'Public Key',
		name: 'publicKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. e7Y9Z0vCZ3nYcDkzhyw1VKZlTrJ3l1lT…',
		description: 'As the service shows it: PEM, Base64 or hex',
		displayOptions: onEd25519,
	},
	{
		displayName: 'Webhook Secret',
		name: 'webhookSecret',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description:
			"16 characters or more, best from a password generator. Enter the same one in the service's web portal, or here the one that it shows (such as whsec_…). Triggers refuse webhooks without it, or without a signature that is made with it.",
		displayOptions: onSecret,
	},
	{
		displayName: 'Previous Webhook Secret',
		name: 'previousWebhookSecret',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description: 'Accepted too, until the service uses the new one. Clear it then.',
		displayOptions: { hide: { ...onSecret.hide, webhookSecret: EMPTY } },
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
		displayOptions: onSharedSecret,
	},
	{
		displayName: 'Header Name',
		name: 'headerName',
		type: 'string',
		default: 'X-Webhook-Secret',
		placeholder: 'e.g. X-Webhook-Secret',
		description: 'Not case-sensitive',
		displayOptions: { show: { webhookVerification: ['sharedSecret'], sendIn: ['header'] } },
	},
	{
		displayName: 'Query Parameter Name',
		name: 'queryName',
		type: 'string',
		default: 'secret',
		placeholder: 'e.g. secret',
		description:
			"In the service's web portal, add it to the URL of the trigger: '?secret=' and the secret. Use letters and digits only for the secret.",
		displayOptions: { show: { webhookVerification: ['sharedSecret'], sendIn: ['query'] } },
	},
	{
		displayName: 'Signature Header',
		name: 'signatureHeader',
		type: 'string',
		default: 'X-Webhook-Signature',
		placeholder: 'e.g. X-Webhook-Signature',
		description: 'Name of the header with the signature, not case-sensitive',
		displayOptions: onSignature,
	},
	{
		displayName: 'Header Format',
		name: 'headerFormat',
		type: 'string',
		default: '{signature}',
		placeholder: 'e.g. t={timestamp},v1={signature}',
		description:
			'What stands in this header, with {signature}, {timestamp} and {id} for what changes. The signature may be in hex or Base64, and there may be several.',
		displayOptions: onSignature,
	},
	{
		displayName: 'Signed Content',
		name: 'signedContent',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description:
			"What the service signs, with {body}, {timestamp}, {id}, {url} and {parameters} (of a form, sorted) for what changes. With {timestamp}, a webhook may be up to 5 minutes from n8n's clock. A line break is \\n.",
		displayOptions: onSignature,
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Webhook-Timestamp',
		description: 'Name of the header with {timestamp}. Leave empty if it is in the Header Format.',
		displayOptions: onSignature,
	},
	{
		displayName: 'ID Header',
		name: 'idHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Webhook-ID',
		description: 'Name of the header with {id}. Leave empty if it is in the Header Format.',
		displayOptions: onSignature,
	},
];
