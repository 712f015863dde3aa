import {
	type ILoadOptionsFunctions,
	type INodePropertyOptions,
	NodeOperationError,
} from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { type Field, optionsField } from '../fields/field';
import { moreInstructionsField, recordingFields } from '../fields/instructionFields';
import { encryptionPassword, readAccount } from '../service/account';

const onCallStart = { show: { event: ['callStart'] } };

export const deadlineField = {
	displayName: 'Deadline (Seconds)',
	name: 'deadlineSeconds',
	type: 'number',
	typeOptions: { minValue: 0.5, maxValue: 60, numberPrecision: 1 },
	default: 5,
	noDataExpression: true,
	description: 'How long to wait for the workflow before answering with the fallback instructions',
	displayOptions: {
		show: { '/event': ['callStart'], '/respond': ['responseNode'] },
	},
} as const satisfies Field;

/** Apart from the field: n8n's linter takes each list that is loaded for one of identifiers. */
const loaded = { loadOptionsMethod: 'encryptionPasswords' };

/**
 * Shows in the editor whether the account has a password. Nothing reads its value. n8n loads the
 * choices when the field appears, and marks it in red if that fails.
 */
const encryptWithField = {
	displayName: 'Encrypt With',
	name: 'encryptWith',
	type: 'options',
	noDataExpression: true,
	options: [{ name: 'Recording Password of the Credential', value: 'recordingPassword' }],
	default: 'recordingPassword',
	description: 'What new recordings are encrypted with',
	hint: "Marked in red if the credential above has no 'Recording Password'. After you have entered one, open this node again.",
	displayOptions: { show: { recordCall: [true], encryptRecording: [true] } },
	typeOptions: loaded,
} as const satisfies Field;

/**
 * The choices of Encrypt With.
 *
 * @throws if the account has no password
 */
export async function encryptionPasswords(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const account = await readAccount(this);
	if (encryptionPassword(account) === undefined) {
		// n8n shows only its message.
		const { fullText } = new VoiceAgentError('encryptionPasswordMissing');
		throw new NodeOperationError(this.getNode(), fullText);
	}
	return [...encryptWithField.options];
}

/** Each webhook of the service has an address of its own: swapped, both are refused. */
function setUpNotice(event: string, webhook: string): Field {
	return {
		displayName: `Open 'Webhook URLs' above, enter the Production URL as the target of the ${webhook} webhook in the service's web portal, and publish this workflow. If nothing arrives, check the secret there: n8n's answer to the service shows why a webhook was refused.`,
		name: `setUp${webhook}`,
		type: 'notice',
		default: '',
		displayOptions: { show: { event: [event] } },
	};
}

export const properties: readonly Field[] = [
	setUpNotice('callEnd', 'CallEnd'),
	setUpNotice('callStart', 'CallStart'),
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Call End',
				value: 'callEnd',
				description: 'Outputs the session GUID of the recording when a call has ended',
			},
			{
				name: 'Call Start',
				value: 'callStart',
				description: 'Answers with instructions when a call starts, such as to record it',
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
				description: 'Accept requests from anyone who knows the URL',
			},
			{
				name: 'Secret or Signature',
				value: 'sharedSecret',
				description: 'Refuse requests that do not carry what the credential asks for',
			},
		],
		default: 'sharedSecret',
		description: 'How the service authenticates its webhooks',
	},
	// Puts the credentials here.
	{ displayName: 'Credentials', name: 'credentials', type: 'credentials', default: '' },
	{
		displayName:
			"Anyone who knows or guesses the URL can start this workflow. Restrict it at least with the option 'Allowed IP Addresses'.",
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
				name: 'Immediately',
				value: 'onReceived',
				description: 'With the instructions below, before the workflow starts',
			},
			{
				name: 'Using Respond to Call Start',
				value: 'responseNode',
				description: "With the instructions of the VoiceAgent node's operation 'Respond'",
			},
		],
		default: 'onReceived',
		description: 'When and with what to answer the service, which waits with a live call',
		displayOptions: onCallStart,
	},
	{
		displayName:
			"<b>Fallback Instructions</b>: the fields below are the answer if the workflow fails, gives none, or takes longer than the option 'Deadline (Seconds)', by default 5. A live call waits for it, so keep the workflow fast.",
		name: 'fallback',
		type: 'notice',
		default: '',
		displayOptions: { show: { event: ['callStart'], respond: ['responseNode'] } },
	},
	...([...recordingFields, encryptWithField] as readonly Field[]).map((field) => ({
		...field,
		displayOptions: { show: { ...field.displayOptions?.show, ...onCallStart.show } },
	})),
	optionsField([
		{
			displayName: 'Allowed IP Addresses',
			name: 'allowedAddresses',
			type: 'string',
			default: '',
			placeholder: 'e.g. 203.0.113.7, 198.51.100.0/24',
			description:
				'IP addresses and IPv4 ranges (CIDR) that requests may come from, separated by commas. Requests from other addresses are refused with 403. Behind a reverse proxy, set N8N_PROXY_HOPS in n8n.',
		},
		deadlineField,
		{ ...moreInstructionsField, displayOptions: { show: { '/event': ['callStart'] } } },
		{
			displayName: 'Session GUID Field',
			name: 'sessionGuidField',
			type: 'string',
			default: '',
			noDataExpression: true,
			placeholder: 'e.g. call.reference',
			description:
				'Name of the field that holds the session GUID, with dots for nested fields. By default, the field sessionGuid is found at any depth and in any spelling.',
		},
	]),
];
