/** Workflows that Call End webhooks start, and the webhooks. */
import assert from 'node:assert/strict';

import { inARow, voiceAgentTrigger } from '../../../harness/flow.mts';
import type { Credential, Execution, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';

export const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
export const TRIGGER = 'VoiceAgent Trigger';
export const AUTHENTIC = { [WEBHOOK_HEADER]: WEBHOOK_SECRET };

export interface Active {
	id: string;
	url: string;
	/** Executions that were looked at already. */
	executions: number;
}

export interface Answer {
	status: number;
	json: unknown;
}

export function triggerWorkflow(
	parameters: Record<string, unknown>,
	nodes: WorkflowNode[] = [],
): Workflow {
	const trigger = voiceAgentTrigger(parameters, TRIGGER);
	return inARow(`Trigger ${JSON.stringify(parameters)}`, [trigger, ...nodes]);
}

/** The published workflows of one suite, which nobody else sends webhooks to. */
export class CallEndWebhooks {
	readonly #stack: Stack;
	readonly #active = new Map<string, Active>();

	constructor(stack: Stack) {
		this.#stack = stack;
	}

	async activate(
		name: string,
		parameters: Record<string, unknown>,
		more: { nodes?: WorkflowNode[]; credentials?: Record<string, Credential> } = {},
	): Promise<void> {
		const { n8n, credentials } = this.#stack;
		const id = await n8n.importWorkflow(
			triggerWorkflow(parameters, more.nodes),
			more.credentials ?? credentials,
		);
		await n8n.activate(id);
		this.#active.set(name, { id, url: await n8n.webhookUrl(id, TRIGGER), executions: 0 });
	}

	workflow(name = 'default'): Active {
		const found = this.#active.get(name);
		assert.ok(found);
		return found;
	}

	async send(
		body: string,
		{
			type = 'application/json',
			method = 'POST',
			to = 'default',
			query = '',
			headers = AUTHENTIC,
		}: {
			/** Empty for none. */
			type?: string;
			method?: string;
			to?: string;
			query?: string;
			headers?: Record<string, string> | [string, string][];
		} = {},
	): Promise<Answer> {
		const all = new Headers(headers);
		if (type !== '') all.set('content-type', type);
		const { url } = this.workflow(to);
		// A text would get a content type of its own.
		const bytes = method === 'GET' ? undefined : Buffer.from(body);
		const response = await fetch(url + query, { method, body: bytes, headers: all });
		const text = await response.text();
		return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
	}

	/** The execution that the last webhook has started, and no other. */
	async nextExecution(of = 'default'): Promise<Execution> {
		const [execution] = await this.nextExecutions(1, of);
		return execution as Execution;
	}

	/** The executions that the last webhooks have started, and no others. */
	async nextExecutions(count: number, of = 'default'): Promise<Execution[]> {
		const workflow = this.workflow(of);
		const seen = workflow.executions;
		workflow.executions += count;
		const executions = await this.#stack.n8n.waitForExecutions({
			workflowId: workflow.id,
			count: workflow.executions,
		});
		assert.equal(executions.length, workflow.executions, 'an execution that nobody asked for');
		return executions.slice(seen);
	}

	/** Sends a webhook that is accepted, to see that none of those before it started an execution. */
	async assertNoneBefore(of = 'default', options: object = {}): Promise<void> {
		const answer = await this.send(JSON.stringify({ sessionGuid: GUID, last: true }), {
			to: of,
			...options,
		});
		assert.equal(answer.status, 200, JSON.stringify(answer.json));
		const execution = await this.nextExecution(of);
		assert.equal((execution.items(TRIGGER)[0]?.json.payload as { last?: boolean }).last, true);
	}
}
