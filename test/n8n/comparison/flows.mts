/** What the proofs of docs/comparison.md are made of: flows of both kinds, and what the service saw of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import type { AddRecordingOptions, FaultRule } from '../../../emulator/src/index.mts';
import { byGuid, inARow, voiceAgent } from '../../../harness/flow.mts';
import type { Execution, Item, Json, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';
import { postWebhook } from '../../../harness/webhook.mts';
import { httpRequest, importFlow, tokenHeader } from '../../bench/handBuiltFlow.mts';

export const RECORDINGS = '/api/customer/recordings';
export const FORMER_PASSWORD = 'the password of last year';
export const EVERY_SECOND = '* * * * * *';
export const FILE = { response: { response: { responseFormat: 'file' } } };
export const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };

/** The first column of the page, and what proves the other two. */
export type Proof = [situation: string, prove: (flows: Flows) => Promise<void>];

export type Flows = Awaited<ReturnType<typeof flowsIn>>;

/** @param stack with a service that no other proof uses */
export async function flowsIn(stack: Stack) {
	const { n8n, emulator } = stack;
	const { control } = emulator;
	const token = await tokenHeader(stack);

	/** HTTP Request, which downloads the recording of an item unless the parameters say otherwise. */
	const get = (
		parameters: Record<string, unknown> = {},
		settings: Record<string, unknown> = {},
	): WorkflowNode => httpRequest(stack, token, parameters, settings);

	/** What the service has received since the logs were cleared. */
	const requests = (method: string, path?: string) =>
		control
			.requests()
			.filter((one) => one.method === method && (path === undefined || one.path === path));

	return {
		stack,
		get,
		requests,
		/** HTTP Request that deletes the recording of an item. */
		remove: (settings: Record<string, unknown> = {}): WorkflowNode =>
			get({ method: 'DELETE', options: {} }, { ...settings, name: 'Delete' }),
		/** n8n's own Webhook node, with Header Auth. */
		async webhook(parameters: Record<string, unknown> = {}): Promise<WorkflowNode> {
			const httpHeaderAuth = await n8n.createCredential({
				name: 'Webhook secret as a header',
				type: 'httpHeaderAuth',
				data: { name: WEBHOOK_HEADER, value: WEBHOOK_SECRET },
			});
			return {
				name: 'Webhook',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2.1,
				webhookId: randomUUID(),
				credentials: { httpHeaderAuth },
				parameters: {
					httpMethod: 'POST',
					path: randomUUID(),
					authentication: 'headerAuth',
					options: {},
					...parameters,
				},
			};
		},
		/** Runs a flow by hand, with these items. */
		async run(
			nodes: WorkflowNode[],
			items: Array<Record<string, Json>> = [{}],
			on: Stack = stack,
		): Promise<Execution> {
			const workflowId = await importFlow(on, items, nodes);
			return await on.n8n.run(workflowId, { trigger: 'Start' });
		},
		/** Publishes a flow that begins with a trigger. */
		async publish(...nodes: WorkflowNode[]): Promise<{ workflowId: string; url: string }> {
			const [first] = nodes;
			const name = `Flow of ${nodes.map((node) => node.name).join(', ')}`;
			const workflowId = await n8n.importWorkflow(inARow(name, nodes), stack.credentials);
			await n8n.activate(workflowId);
			const url =
				first?.webhookId === undefined ? '' : await n8n.webhookUrl(workflowId, first.name);
			return { workflowId, url };
		},
		async post({ url }: { url: string }, body: unknown, secret?: string): Promise<Response> {
			return await postWebhook(url, JSON.stringify(body), { secret });
		},
		/** Does something while the service has a fault, with its logs cleared before. */
		async during<T>(rule: FaultRule, action: () => Promise<T>): Promise<T> {
			control.clearLogs();
			const { id } = control.addFault(rule);
			try {
				return await action();
			} finally {
				control.removeFault(id);
			}
		},
		async add(options: AddRecordingOptions = {}): Promise<{ sessionGuid: string }> {
			const { sessionGuid } = await control.addRecording(options);
			return { sessionGuid };
		},
		stateOf: ({ sessionGuid }: { sessionGuid: string }) =>
			control.recordings().find((one) => one.sessionGuid === sessionGuid)?.state,
	};
}

/** The VoiceAgent node on the recording of an item. */
export function ownNode(operation: 'download' | 'delete', options: object = {}): WorkflowNode {
	return voiceAgent(
		{ resource: 'recording', operation, recording: byGuid(), options },
		{ name: operation },
	);
}

/** What the last node has put out, in an execution that must have succeeded. */
export function outputOf(execution: Execution): Item[] {
	assert.equal(execution.status, 'success', execution.error?.message);
	return execution.items(execution.nodes.at(-1) ?? '');
}

/** Message of the error that has ended the execution; empty without one. */
export function failure(execution: Execution): string {
	return execution.error?.message ?? '';
}
