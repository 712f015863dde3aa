/** A published agent with a service and a scripted model of its own. */
import type { N8n, Workflow } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { until } from '../../../harness/until.mts';
import { readWorkflow } from '../../../harness/workflows.mts';
import { Chat } from './chat.mts';
import { startScriptedModel, type ScriptedModel, type ToolCall } from './scriptedModel.mts';

export class Agent {
	readonly stack: Stack;
	readonly model: ScriptedModel;
	readonly workflowId: string;
	readonly #getN8n: () => N8n;
	readonly #chats: Chat[] = [];

	private constructor(getN8n: () => N8n, stack: Stack, model: ScriptedModel, id: string) {
		this.#getN8n = getN8n;
		this.stack = stack;
		this.model = model;
		this.workflowId = id;
	}

	/** @param change what else the user does to the workflow */
	static async publish(
		getN8n: () => N8n,
		name: string,
		change: (workflow: Workflow) => void = () => {},
	): Promise<Agent> {
		const stack = await addService(getN8n());
		const model = await startScriptedModel();
		const openAiApi = await getN8n().createCredential(model.credential);
		const workflow = readWorkflow(name);
		change(workflow);
		const id = await getN8n().importWorkflow(workflow, { ...stack.credentials, openAiApi });
		await getN8n().activate(id);
		return new Agent(getN8n, stack, model, id);
	}

	/** Says something in the chat, after which the model does this. */
	async isTold(said: string, turns: ToolCall[][]): Promise<Chat> {
		this.model.script = () => turns;
		this.model.requests.length = 0;
		const chat = await Chat.begin(this.#getN8n(), this.workflowId, said);
		this.#chats.push(chat);
		return chat;
	}

	/** Numbers that were dialed, oldest first. */
	get dialed(): string[] {
		return this.stack.emulator.control.calls().map(({ to }) => to);
	}

	/** Waits until an execution waits for a person's answer. */
	async waits({ executionId }: Chat): Promise<{ waitTill: string }> {
		return await until(async () => {
			const path = `/rest/executions/${executionId}`;
			const execution = await this.#getN8n().rest<{ status: string; waitTill: string }>(
				'GET',
				path,
			);
			return execution.status === 'waiting' ? execution : undefined;
		});
	}

	async stop(): Promise<void> {
		for (const chat of this.#chats) chat.close();
		await this.#getN8n().deactivate(this.workflowId);
		await this.stack.stop();
		this.model.close();
	}
}
