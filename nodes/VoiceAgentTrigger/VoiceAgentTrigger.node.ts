import type {
	IHookFunctions,
	INodeParameters,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError, WEBHOOK_RESOLVERS } from 'n8n-workflow';

import { activationError } from '../nodeError';
import { readAccount } from '../service/account';
import { testAccount } from '../service/accountTest';
import { admit, assertCheckable } from './access';
import { onCallEnd } from './callEnd';
import { assertInstructions, onCallStart } from './callStart';
import { encryptionPasswords, properties } from './properties';
import { requestOf, WebhookRefusal } from '../service/webhooks/request';

// n8n needs about 100 ms to evaluate an expression, and a live call waits meanwhile. Versions of
// n8n that know WEBHOOK_RESOLVERS call the function in place of it.
const responseMode = {
	template: '={{ $parameter.event === "callStart" ? $parameter.respond : "onReceived" }}',
	resolve: ({ event, respond }: INodeParameters) =>
		event === 'callStart' ? respond : 'onReceived',
};

const webhook = {
	name: 'default',
	path: 'webhook',
	responseMode: responseMode.template,
	// Empty, not left out: otherwise n8n would send its own text instead of our answer.
	responseData: '',
	[WEBHOOK_RESOLVERS]: { responseMode },
} as const;

export class VoiceAgentTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'VoiceAgent Trigger',
		name: 'voiceAgentTrigger',
		icon: {
			light: 'file:../../icons/voiceagent.svg',
			dark: 'file:../../icons/voiceagent.dark.svg',
		},
		group: ['trigger'],
		// Of a trigger with version 1, n8n evaluates an expression before each webhook, which takes
		// longer than everything else here.
		version: 2,
		subtitle: '={{ { callEnd: "Call End", callStart: "Call Start" }[$parameter["event"]] }}',
		// In the nodes panel, n8n shows this description for the VoiceAgent node too.
		description:
			'Starts the workflow when a call of the VoiceAgent service starts or ends. Its actions place calls, and list, download, decrypt and delete recordings.',
		eventTriggerDescription:
			"Waiting for the service to call the Test URL. If nothing arrives, check the URL and the secret in the service's web portal, and that n8n can be reached from the internet.",
		activationMessage: 'The Production URL now answers the webhooks of the service.',
		builderHint: {
			searchHint:
				'To archive calls, choose the event Call End, and add VoiceAgent: Download, the upload to the archive, the same file read back, and VoiceAgent: Delete. A webhook can get lost, so add a second workflow that starts with VoiceAgent Recording Trigger.',
			relatedNodes: [
				{ nodeType: 'n8n-nodes-voiceagent.voiceAgent', relationHint: 'Downloads, then deletes' },
			],
		},
		triggerPanel: {
			header: 'Listen for VoiceAgent calls',
			executionsHelp:
				"<b>While you build the workflow</b>, click 'Execute step', then send a sample payload to the Test URL, or enter that URL in the service's web portal and make a call. The Test URL answers one request, and only while you listen. <br /> <br /> <b>To run the workflow for every call</b>, enter the Production URL as the target of the webhook in the service's web portal, and publish the workflow. These executions show up in the <a data-key=\"executions\">executions list</a>, but not in the editor. <br /> <br /> <b>If nothing arrives</b>, check the address. While you listen, a refused webhook shows up here with the reason, such as a wrong secret; for the Production URL, the answer to the service and the log of n8n say so.",
			activationHint:
				"Once you have built the workflow, publish it and enter the Production URL in the service's web portal. It then runs for every call, without this button.",
		},
		defaults: { name: 'VoiceAgent Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'voiceAgentApi', required: true, testedBy: 'testAccount' }],
		// The specification does not show the method. The editor shows one URL, because it is the
		// same for all of them.
		webhooks: [
			{ ...webhook, httpMethod: 'POST' },
			{ ...webhook, httpMethod: 'PUT', ndvHideUrl: true },
			{ ...webhook, httpMethod: 'GET', ndvHideUrl: true },
		],
		properties: properties as INodeProperties[],
	};

	methods = {
		credentialTest: { testAccount },
		loadOptions: { encryptionPasswords },
	};

	// The service has no API to register webhooks: the user enters the URL in its web portal. So
	// this only checks beforehand whether requests can be checked and answered.
	webhookMethods = {
		default: {
			async checkExists(): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				try {
					const account = await readAccount(this);
					assertCheckable(this, account);
					if (this.getNodeParameter('event') === 'callStart') assertInstructions(this, account);
					return true;
				} catch (error) {
					throw activationError(this.getNode(), error);
				}
			},
			async delete(): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		try {
			const request = requestOf(this);
			// n8n has left a body of an unusual content type unread.
			if (request.body === undefined) await request.readRawBody?.();
			const admitted = await admit(this);
			if (this.getNodeParameter('event') === 'callStart') return await onCallStart(this, admitted);
			return onCallEnd(this, admitted);
		} catch (error) {
			return answerRefused(this, error);
		}
	}
}

/**
 * Answers a request that is refused. n8n ignores a status in the data that a trigger returns, so
 * the answer is written here. No execution starts, so the owner of the workflow learns of it in the
 * log, or in an editor that listens.
 */
function answerRefused(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
	const { status, reason, detail } = error instanceof WebhookRefusal ? error : uncheckable(error);
	const place = `node '${context.getNode().name}', workflow ${context.getWorkflow().id}`;
	context.logger.warn(`A webhook was refused (${status}, ${place}): ${detail}`);
	context.getResponseObject().status(status).json({ received: false, reason });
	if (context.getMode() === 'manual') {
		throw new NodeOperationError(context.getNode(), `A webhook was refused (${status}): ${detail}`);
	}
	return { noWebhookResponse: true };
}

/** The refusal of a request that cannot be checked. Only the log says why. */
function uncheckable(error: unknown): WebhookRefusal {
	const reason = 'The trigger cannot check requests: see the log of n8n';
	return new WebhookRefusal(403, reason, `it cannot be checked: ${(error as Error).message}`);
}
