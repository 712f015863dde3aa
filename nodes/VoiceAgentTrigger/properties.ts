import type { INodeProperties } from 'n8n-workflow';

import { instructionFields } from '../fields/instructionFields';
import { sessionGuidField } from '../fields/namedFields';

/** How many seconds the trigger waits for the workflow, unless the option Deadline is set. */
export const DEFAULT_DEADLINE_SECONDS = 5;

const onCallStart = { show: { event: ['callStart'] } };

export const deadlineField: INodeProperties = {
	displayName: 'Deadline',
	name: 'deadlineSeconds',
	type: 'number',
	typeOptions: { minValue: 0.5, maxValue: 60, numberPrecision: 1 },
	default: DEFAULT_DEADLINE_SECONDS,
	description:
		'How many seconds to wait for the workflow before the fallback instructions are the answer',
	displayOptions: {
		show: { '/event': ['callStart'], '/respond': ['lastNode', 'responseNode'] },
	},
};

const encryptsLastNode: INodeProperties = {
	displayName:
		"'Encrypt Recording' also applies to the answer of the last node: the password is added to it here, so that it is in no item.",
	name: 'encryptsLastNode',
	type: 'notice',
	default: '',
	displayOptions: {
		show: { event: ['callStart'], respond: ['lastNode'], encryptRecording: [true] },
	},
};

export const properties: INodeProperties[] = [
	{
		displayName:
			"Open 'Webhook URLs' above, enter the Production URL as the target of the CallEnd webhook in the service's web portal, and publish (activate) this workflow",
		name: 'setUp',
		type: 'notice',
		default: '',
		displayOptions: { show: { event: ['callEnd'] } },
	},
	{
		displayName:
			"Open 'Webhook URLs' above, enter the Production URL as the target of the CallStart webhook in the service's web portal, and publish (activate) this workflow",
		name: 'setUpCallStart',
		type: 'notice',
		default: '',
		displayOptions: onCallStart,
	},
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Call End',
				value: 'callEnd',
				description: 'When a call has ended; delivers the session GUID of its recording',
			},
			{
				name: 'Call Start',
				value: 'callStart',
				description: 'When a call starts; the reply gives instructions, such as to record it',
			},
		],
		default: 'callEnd',
	},
	{
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'None',
				value: 'none',
				description: 'Take requests from everybody who knows the URL',
			},
			{
				name: 'Secret or Signature',
				value: 'sharedSecret',
				description: 'Refuse requests that do not carry what the credential asks for',
			},
		],
		default: 'sharedSecret',
		description: 'How the webhooks of the service prove where they come from',
	},
	// Puts the credentials here.
	{ displayName: 'Credentials', name: 'credentials', type: 'credentials', default: '' },
	{
		displayName:
			"Everybody who knows or guesses the URL can start this workflow. Restrict it at least with the option 'Allowed Addresses'.",
		name: 'unprotected',
		type: 'notice',
		default: '',
		displayOptions: { show: { authentication: ['none'] } },
	},
	{
		displayName: 'Respond',
		name: 'respond',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'At Once',
				value: 'onReceived',
				description: 'With the instructions below, before the workflow starts',
			},
			{
				name: 'When Last Node Finishes',
				value: 'lastNode',
				description: 'With the first item of the last node, if it has Service_Instructions',
			},
			{
				name: "Using 'Respond to Call Start' Operation",
				value: 'responseNode',
				description: 'With the instructions of that operation of the VoiceAgent node',
			},
		],
		default: 'onReceived',
		description: 'When and with what to answer the service, which waits with a live call',
		displayOptions: onCallStart,
	},
	{
		displayName:
			"<b>Fallback Instructions</b>: the fields below are the answer if the workflow fails, gives none, or takes longer than the option 'Deadline' (5 seconds by default). A live call waits for it, so keep the workflow fast.",
		name: 'fallback',
		type: 'notice',
		default: '',
		displayOptions: { show: { event: ['callStart'], respond: ['lastNode', 'responseNode'] } },
	},
	...(instructionFields as readonly INodeProperties[]).flatMap((field) => [
		{
			...field,
			displayOptions: { show: { ...field.displayOptions?.show, ...onCallStart.show } },
		},
		...(field.name === 'encryptRecording' ? [encryptsLastNode] : []),
	]),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		placeholder: 'Add option',
		options: [
			{
				displayName: 'Allowed Addresses',
				name: 'allowedAddresses',
				type: 'string',
				default: '',
				placeholder: 'e.g. 203.0.113.7, 198.51.100.0/24',
				description:
					'IP addresses and CIDR ranges that requests may come from, separated by commas; others are answered with 403. Behind a reverse proxy, n8n needs N8N_PROXY_HOPS to see them.',
			},
			deadlineField,
			sessionGuidField,
		],
	},
];
