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
		{ to, headers }: { to?: string; headers?: Record<string, string> } = {},
	): Promise<Answer> {
		const response = await fetch(this.workflow(to).url, {
			method: 'POST',
			body,
			headers: { 'content-type': 'application/json', ...AUTHENTIC, ...headers },
		});
		return { status: response.status, json: await response.json() };
	}

	/** The execution that the last webhook has started, and no other. */
	async nextExecution(of = 'default'): Promise<Execution> {
		const workflow = this.workflow(of);
		workflow.executions += 1;
		const executions = await this.#stack.n8n.waitForExecutions({
			workflowId: workflow.id,
			count: workflow.executions,
		});
		assert.equal(executions.length, workflow.executions, 'an execution that nobody asked for');
		return executions.at(-1) as Execution;
	}
}
