/** Webhooks of the VoiceAgent Trigger, with n8n's own middleware and n8n-core's context. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type {
	INodeExecutionData,
	IWebhookData,
	IWebhookResponseData,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { listen as listenHere } from '../listen.mts';
import { fromN8n } from '../n8n/installation.mts';
import type { Loaded } from './execution.mts';
import type { Modules } from './modules.mts';
import { triggerOf } from './triggers.mts';

export interface Webhook {
	url: string;
	/** A field of the webhook's description, as n8n reads it: by its expression, by its function. */
	described(field: 'responseMode' | 'responseData'): Promise<[unknown, unknown]>;
	/** The items of each execution that was started. */
	started: INodeExecutionData[][];
	/** Whether somebody listens in the editor. */
	isManual: boolean;
	/** What n8n then shows of a webhook that was refused. */
	shown: unknown;
	/** Tells n8n the address at which this listens. Without it, n8n takes it for `BASE_URL`. */
	knowAddress(): void;
	/** What the workflow answers once it has run; nothing unless it is set. */
	answer: { (): Promise<unknown> } | undefined;
	/**
	 * What n8n does when the workflow is published. It throws what n8n then shows.
	 *
	 * @returns whether the webhook is registered
	 */
	publish(): Promise<boolean>;
	/** What n8n does when it is published no longer. @returns whether the node has taken notice */
	unpublish(): Promise<boolean>;
	close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;
type Express = () => Handler & { use(handler: Handler): void };

interface BodyParser {
	rawBodyReader: Handler;
	parseBody: (request: IncomingMessage) => Promise<void>;
}

export async function listen(modules: Modules, loaded: Loaded): Promise<Webhook> {
	const { core } = modules;
	const express = fromN8n('express') as Express;
	const { rawBodyReader, parseBody } = fromN8n('./dist/middlewares/body-parser') as BodyParser;
	const { workflow } = loaded;
	const { node, type } = triggerOf(loaded);
	const [webhookDescription] = type.description.webhooks ?? [];
	const webhookData = {
		httpMethod: 'POST',
		node: node.name,
		path: '',
		webhookDescription,
		workflowId: workflow.id,
		workflowExecuteAdditionalData: loaded.additionalData,
	} as IWebhookData;

	const hooks = type.webhookMethods?.default;
	if (!hooks) throw new Error('The node has no webhook.');
	const hookContext = (activation: WorkflowActivateMode) =>
		new core.HookContext(workflow, node, loaded.additionalData, 'trigger', activation, webhookData);

	const webhook: Webhook = {
		url: '',
		described: async (field) => {
			const { expression } = workflow;
			const resolvers = webhookDescription?.[modules.workflow.WEBHOOK_RESOLVERS];
			const evaluated = await expression.withIsolate(async () =>
				expression.getSimpleParameterValue(node, webhookDescription?.[field], 'webhook', {}),
			);
			return [evaluated, resolvers?.[field]?.resolve(node.parameters)];
		},
		started: [],
		isManual: false,
		shown: undefined,
		answer: undefined,
		knowAddress: () => {
			loaded.additionalData.webhookBaseUrl = new URL(webhook.url).origin;
		},
		publish: async () => {
			const context = hookContext('activate');
			if (await hooks.checkExists.call(context)) return false;
			return await hooks.create.call(context);
		},
		unpublish: async () => await hooks.delete.call(hookContext('update')),
		close: async () => {},
	};

	const app = express();
	app.use(rawBodyReader);
	app.use(async (request, response) => {
		await parseBody(request);
		const context = new core.WebhookContext(
			workflow,
			node,
			{
				...loaded.additionalData,
				httpRequest: request as never,
				httpResponse: response as never,
			},
			webhook.isManual ? 'manual' : 'webhook',
			webhookData,
			[],
			null,
		);
		// Without it, expressions in the parameters would fail instead of having a value.
		const result = await workflow.expression
			.withIsolate(async () => await type.webhook?.call(context))
			.catch((error: unknown) => {
				if (!(response as ServerResponse).headersSent) throw error;
				webhook.shown = error;
				return { noWebhookResponse: true } as IWebhookResponseData;
			});
		const [items] = result?.workflowData ?? [];
		if (items) webhook.started.push(items);
		if (result?.noWebhookResponse) return;
		if ((response as ServerResponse).headersSent) {
			// Rejected where nobody catches it, so that the test fails although it has its answer.
			void Promise.reject(new Error('n8n would answer once more.'));
			return;
		}
		const body = result?.webhookResponse ?? (await webhook.answer?.());
		if (body !== undefined) (response as ServerResponse & Json).json(body);
	});
	const { port, close } = await listenHere(createServer(app as never));
	return Object.assign(webhook, { url: `http://127.0.0.1:${port}/`, close });
}

interface Json {
	json(body: unknown): void;
}
