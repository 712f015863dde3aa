import type {
	IDataObject,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { findSessionGuid } from '../shared/sessionGuid';

export class VoiceAgentTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'VoiceAgent Trigger',
		name: 'voiceAgentTrigger',
		icon: {
			light: 'file:../../icons/voiceagent.svg',
			dark: 'file:../../icons/voiceagent.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ { callEnd: "Call End" }[$parameter["event"]] }}',
		description: 'Starts the workflow when a call of the VoiceAgent service ends',
		eventTriggerDescription: 'Waiting for the service to call the Test URL',
		activationMessage: 'The Production URL now answers the webhooks of the service.',
		defaults: { name: 'VoiceAgent Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				path: 'webhook',
				responseMode: 'onReceived',
				// Empty, not left out: otherwise n8n sends a text of its own instead of our answer.
				responseData: '',
			},
		],
		properties: [
			{
				displayName:
					"Enter the Production URL above as the target of the CallEnd webhook in the service's web portal, and activate this workflow",
				name: 'setUp',
				type: 'notice',
				default: '',
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
				],
				default: 'callEnd',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				default: {},
				placeholder: 'Add option',
				options: [
					{
						displayName: 'Session GUID Field',
						name: 'sessionGuidField',
						type: 'string',
						default: '',
						placeholder: 'e.g. call.reference',
						description:
							"Name of the payload's field that holds the session GUID, with dots for nested fields. By default, a field named sessionGuid is found in any letter case, at the top or one level down.",
					},
				],
			},
		],
	};

	// The service has no API to register webhooks: the user enters the URL in its web portal, so there is nothing to do.
	webhookMethods = {
		default: {
			async checkExists(): Promise<boolean> {
				return true;
			},
			async create(): Promise<boolean> {
				return true;
			},
			async delete(): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const payload = readPayload(this.getBodyData());
		const field = this.getNodeParameter('options.sessionGuidField', '') as string;
		const found = findSessionGuid(payload, field.trim());

		if ('problem' in found) {
			// n8n ignores a status in the returned data, so the refusal is written here.
			this.getResponseObject()
				.status(400)
				.json({ received: false, reason: `No session GUID: ${found.problem}` });
			return { noWebhookResponse: true };
		}

		const { sessionGuid } = found;
		const json: IDataObject = { sessionGuid, receivedAt: new Date().toISOString(), payload };
		return { webhookResponse: { received: true, sessionGuid }, workflowData: [[{ json }]] };
	}
}

/** n8n parses JSON and forms; a body sent as plain text may still be JSON. */
function readPayload(body: unknown): IDataObject {
	if (typeof body !== 'string') return body as IDataObject;
	try {
		return JSON.parse(body) as IDataObject;
	} catch {
		return { body };
	}
}
