/** Published workflows that webhooks start, and the answers to those webhooks. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';

import { baseNode, inARow, voiceAgent, voiceAgentTrigger } from '../../../harness/flow.mts';
import type { Credential, Execution, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { accountData, WEBHOOK_HEADER, WEBHOOK_SECRET } from '../../../harness/serviceAccess.mts';
import type { Stack } from '../../../harness/stack.mts';

export const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
export const TRIGGER = 'VoiceAgent Trigger';
export const RESPOND = 'Respond to call start';
export const AUTHENTIC = { [WEBHOOK_HEADER]: WEBHOOK_SECRET };

/** A password that occurs in one credential only, to be searched for everywhere. */
export const OWN_PASSWORD = 'Pässword "with" everything / in it';

/** A deadline so long that an immediate answer differs from one at the deadline on any machine. */
export const LONG_DEADLINE = { deadlineSeconds: 30 };

export const respond = (parameters: Record<string, unknown>): WorkflowNode =>
	voiceAgent({ resource: 'callStart', operation: 'respond', ...parameters }, { name: RESPOND });

/** A node that puts out this JSON, which may be an expression. */
export const setJson = (jsonOutput: string) =>
	baseNode('Set', 'set', 3.4, { mode: 'raw', jsonOutput });

/** The trigger, for Call Start unless the parameters say otherwise, and the nodes behind it. */
export function triggerWorkflow(
	parameters: Record<string, unknown>,
	nodes: readonly WorkflowNode[] = [],
): Workflow {
	const trigger = voiceAgentTrigger({ event: 'callStart', ...parameters }, TRIGGER);
	return inARow(`Trigger ${JSON.stringify(parameters)}`, [trigger, ...nodes]);
}

export interface Answer {
	status: number;
	json: unknown;
	ms: number;
	/** When it arrived. */
	at: number;
}

/** Asserts that an answer has exactly these instructions. */
export function assertInstructions({ status, json }: Answer, block: object): void {
	assert.deepEqual({ status, json }, { status: 200, json: { Service_Instructions: block } });
}

/** Asserts that the answer did not wait for the end of a slow workflow. */
export function assertBeforeEnd({ at }: Answer, { stoppedAt }: Execution): void {
	assert.ok(stoppedAt && at < stoppedAt.getTime(), `${at} is not before ${stoppedAt?.getTime()}`);
}

export type Published = Awaited<ReturnType<typeof publish>>;

/** A published workflow, which nobody else sends webhooks to. */
export async function publish(
	{ n8n, credentials: own }: Stack,
	parameters: Record<string, unknown>,
	nodes: readonly WorkflowNode[] = [],
	credentials: Record<string, Credential> = {},
) {
	const workflow = triggerWorkflow(parameters, nodes);
	const id = await n8n.importWorkflow(workflow, { ...own, ...credentials });
	await n8n.activate(id);
	const url = await n8n.webhookUrl(id, TRIGGER);
	// Keeps its connection open, as services do: a second answer would spoil the next one.
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	let count = 0;
	return {
		id,
		url,
		/** The execution that the next webhook has started, and no other. */
		async execution(): Promise<Execution> {
			const executions = await n8n.waitForExecutions({ workflowId: id, count: (count += 1) });
			assert.equal(executions.length, count, 'an execution that nobody asked for');
			return executions.at(-1) as Execution;
		},
		/** Sends a webhook, by default of a call. */
		call: async (body = JSON.stringify({ sessionGuid: GUID, to: '+15550100' }), headers = {}) =>
			await post(url, body, headers, agent),
	};
}

/** A credential with a password of its own. */
export async function withPassword({ n8n, emulator }: Stack, password: string) {
	const voiceAgentApi = await n8n.createCredential({
		name: 'Own password',
		type: 'voiceAgentApi',
		data: { ...accountData(emulator.url), recordingPassword: password },
	});
	return { voiceAgentApi };
}

/** Posts a webhook and measures the time to its answer. */
export async function post(
	url: string,
	body: string,
	headers: Record<string, string> = {},
	agent?: Agent,
): Promise<Answer> {
	const start = performance.now();
	const sent = request(url, {
		method: 'POST',
		agent,
		headers: { 'content-type': 'application/json', ...AUTHENTIC, ...headers },
	});
	return await new Promise((resolve, reject) => {
		sent.once('error', reject);
		sent.once('response', (response) => {
			let text = '';
			response.on('data', (piece: Buffer) => (text += piece.toString()));
			response.once('error', reject);
			response.once('end', () =>
				resolve({
					status: response.statusCode ?? 0,
					json: text === '' ? undefined : JSON.parse(text),
					ms: performance.now() - start,
					at: Date.now(),
				}),
			);
		});
		sent.end(body);
	});
}
