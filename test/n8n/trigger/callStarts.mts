/** Workflows that Call Start webhooks start, and the answers to those webhooks. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';

import { inARow, voiceAgent, voiceAgentTrigger, wait } from '../../../harness/flow.mts';
import type { Credential, Execution, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';

export const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
export const TRIGGER = 'When a call starts';
export const RESPOND = 'Respond to call start';

/** A password that occurs in one credential only, to be searched for everywhere. */
export const OWN_PASSWORD = 'Pässword "with" everything / in it';

/** Long enough to tell an immediate answer from one at the deadline, however busy the machine is. */
export const LONG_DEADLINE = { deadlineSeconds: 30 };

export const respond = (
	parameters: Record<string, unknown>,
	settings?: Record<string, unknown>,
): WorkflowNode =>
	voiceAgent(
		{ resource: 'callStart', operation: 'respond', ...parameters },
		{ name: RESPOND, ...settings },
	);

/** A node that puts out this JSON, which may be an expression. */
export const setJson = (json: unknown): WorkflowNode => ({
	name: 'Set',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		mode: 'raw',
		jsonOutput: typeof json === 'string' ? json : JSON.stringify(json),
		options: {},
	},
});

/** A node that is slower than an answer may be. */
export const slow = (): WorkflowNode => wait(6);

export function callStartWorkflow(
	parameters: Record<string, unknown>,
	nodes: readonly WorkflowNode[] = [],
): Workflow {
	const trigger = voiceAgentTrigger({ event: 'callStart', ...parameters }, TRIGGER);
	return inARow(`Call Start ${JSON.stringify(parameters)}`, [trigger, ...nodes]);
}

export interface Answer {
	status: number;
	json: unknown;
	ms: number;
	/** When it arrived. */
	at: number;
}

/** An answer with exactly these instructions. */
export function assertInstructions({ status, json }: Answer, block: object): void {
	assert.deepEqual({ status, json }, { status: 200, json: { Service_Instructions: block } });
}

/** The answer did not wait for the end of a slow workflow. */
export function assertBeforeEnd({ at }: Answer, { stoppedAt }: Execution): void {
	assert.ok(stoppedAt && at < stoppedAt.getTime(), `${at} is not before ${stoppedAt?.getTime()}`);
}

/** A published workflow. */
export interface CallStart {
	id: string;
	url: string;
	call(payload?: unknown, raw?: string): Promise<Answer>;
	/** All executions. Their number must be `count`. */
	executions(count?: number): Promise<Execution[]>;
	execution(): Promise<Execution>;
}

export async function publish(
	{ n8n, credentials: own }: Stack,
	parameters: Record<string, unknown>,
	nodes: readonly WorkflowNode[] = [],
	credentials: Record<string, Credential> = {},
): Promise<CallStart> {
	const id = await n8n.importWorkflow(callStartWorkflow(parameters, nodes), {
		...own,
		...credentials,
	});
	await n8n.activate(id);
	const url = await n8n.webhookUrl(id, TRIGGER);
	// Keeps its connection open, as services do: a second answer would spoil the next one.
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	const executions = async (count = 1) => {
		const found = await n8n.waitForExecutions({ workflowId: id, count });
		assert.equal(found.length, count, 'an execution that nobody asked for');
		return found;
	};
	return {
		id,
		url,
		executions,
		execution: async () => (await executions())[0] as Execution,
		call: async (payload: unknown = { sessionGuid: GUID, to: '+15550100' }, raw?: string) =>
			await post(url, raw ?? JSON.stringify(payload), agent),
	};
}

/** Credentials with a password of their own. */
export async function withPassword({ n8n }: Stack, password: string) {
	const voiceAgentRecordingPasswordApi = await n8n.createCredential({
		name: 'Own password',
		type: 'voiceAgentRecordingPasswordApi',
		data: { password },
	});
	return { voiceAgentRecordingPasswordApi };
}

/** Posts a webhook and measures the time to its answer. */
export async function post(url: string, body: string, agent?: Agent): Promise<Answer> {
	const start = performance.now();
	const sent = request(url, {
		method: 'POST',
		agent,
		headers: { 'content-type': 'application/json', [WEBHOOK_HEADER]: WEBHOOK_SECRET },
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
