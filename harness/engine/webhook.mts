/** Webhooks of the VoiceAgent Trigger: read by n8n's own middleware, and handed to the node in n8n-core's context. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INodeExecutionData, IWebhookData, Workflow } from 'n8n-workflow';
import type { Loaded } from './execution.mts';
import type { Modules } from './modules.mts';
import { triggerOf } from './triggers.mts';

export interface Webhook {
	url: string;
	/** The items of each execution that was started. */
	started: INodeExecutionData[][];
	/** What the workflow answers once it has run; nothing unless it is set. */
	answer: { (): Promise<unknown> } | undefined;
	/** What n8n does when the workflow is published. It throws what n8n then shows. */
	publish(): Promise<void>;
	close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;
type Express = () => Handler & { use(handler: Handler): void };

interface BodyParser {
	rawBodyReader: Handler;
	parseBody: (request: IncomingMessage) => Promise<void>;
}

export async function listen(modules: Modules, loaded: Loaded): Promise<Webhook> {
	const { core, fromN8n } = modules;
	const express = fromN8n('express') as Express;
	const { rawBodyReader, parseBody } = fromN8n('./dist/middlewares/body-parser') as BodyParser;
	const { workflow } = loaded;
	const { node, type } = triggerOf(loaded);
	const webhookData = webhookDataOf(workflow, loaded);

	const webhook: Webhook = {
		url: '',
		started: [],
		answer: undefined,
		publish: async () => {
			const context = new core.HookContext(
				workflow,
				node,
				loaded.additionalData,
				'trigger',
				'activate',
				webhookData,
			);
			await type.webhookMethods?.default?.create.call(context);
		},
		close: async () => await closed(server),
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
			'webhook',
			webhookData,
			[],
			null,
		);
		const result = await type.webhook?.call(context);
		const [items] = result?.workflowData ?? [];
		if (items) webhook.started.push(items);
		if (result?.noWebhookResponse) return;
		const body = result?.webhookResponse ?? (await webhook.answer?.());
		if (body !== undefined) (response as ServerResponse & Json).json(body);
	});
	const server = createServer(app as never);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	webhook.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	return webhook;
}

interface Json {
	json(body: unknown): void;
}

function webhookDataOf(workflow: Workflow, loaded: Loaded): IWebhookData {
	const { node, type } = triggerOf(loaded);
	const [webhookDescription] = type.description.webhooks ?? [];
	return {
		httpMethod: 'POST',
		node: node.name,
		path: '',
		webhookDescription,
		workflowId: workflow.id,
		workflowExecuteAdditionalData: loaded.additionalData,
	} as IWebhookData;
}

async function closed(server: Server): Promise<void> {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
}
