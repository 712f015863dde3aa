import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';

import type { Execution } from '../../harness/n8n/n8n.mts';
import { readWorkflow } from '../../harness/workflows.mts';
import { startStack, type Stack } from '../../harness/stack.mts';

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

const CHAT = 'When a message is received';

suite('workflow: AI agent that places calls', () => {
	let stack: Stack;
	let model: Server;
	/** What the model was asked. */
	const requests: ChatRequest[] = [];
	/** Numbers that the model calls, one tool call each, before it answers. */
	let numbers: string[] = [];

	before(async () => {
		stack = await startStack();
		model = createServer((request, response) => {
			let body = '';
			request.on('data', (chunk: Buffer) => (body += chunk.toString()));
			request.on('end', () => {
				const chat = JSON.parse(body) as ChatRequest;
				requests.push(chat);
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify(completion(chat)));
			});
		}).listen(0, '127.0.0.1');
		await new Promise((resolve) => model.once('listening', resolve));
	});
	after(async () => {
		await stack?.stop();
		model?.close();
	});

	/** A scripted model: calls the tool for each number in turn, then says that it is done. */
	function completion({ messages, tools }: ChatRequest): object {
		const done = messages.filter(({ role }) => role === 'tool').length;
		const number = numbers[done];
		const message =
			number === undefined
				? { role: 'assistant', content: 'Done.' }
				: {
						role: 'assistant',
						content: null,
						tool_calls: [
							{
								id: `call_${done}`,
								type: 'function',
								function: {
									name: tools?.[0]?.function.name,
									arguments: JSON.stringify({ Number: number }),
								},
							},
						],
					};
		const finish_reason = number === undefined ? 'stop' : 'tool_calls';
		return {
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model: 'fake-1',
			choices: [{ index: 0, message, finish_reason }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	async function runAgent(): Promise<Execution> {
		requests.length = 0;
		const { port } = model.address() as AddressInfo;
		const openAiApi = await stack.n8n.createCredential({
			name: 'Scripted model',
			type: 'openAiApi',
			data: {
				apiKey: 'none',
				organizationId: '',
				url: `http://127.0.0.1:${port}/v1`,
				header: false,
			},
		});
		const workflow = readWorkflow('agent-that-calls');
		const message = { chatInput: 'Call the customer.', sessionId: 'session-1' };
		workflow.pinData = { [CHAT]: [{ json: message }] };
		const id = await stack.n8n.importWorkflow(workflow, { ...stack.credentials, openAiApi });
		return await stack.n8n.run(id, { trigger: CHAT });
	}

	/** What the tool told the model. */
	const toolAnswers = () =>
		(requests.at(-1)?.messages ?? [])
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => JSON.stringify(content));

	test('the model sees what the tool does, and a call is placed', async () => {
		const before = stack.emulator.control.calls().length;
		numbers = ['+15550100'];
		const execution = await runAgent();
		assert.equal(execution.status, 'success', execution.error?.message);
		const tool = requests[0]?.tools?.[0]?.function;
		assert.match(String(tool?.description), /call/i);
		assert.match(JSON.stringify(tool?.parameters), /Phone number to call/);
		const calls = stack.emulator.control.calls().slice(before);
		assert.deepEqual(
			calls.map(({ to }) => to),
			['+15550100'],
		);
		assert.match(String(toolAnswers()[0]), new RegExp(String(calls[0]?.sessionGuid)));
	});

	test('a number that is not allowed is refused with a text that the model can read', async () => {
		const before = stack.emulator.control.calls().length;
		numbers = ['+4930123456'];
		await runAgent();
		assert.equal(stack.emulator.control.calls().length, before);
		assert.match(String(toolAnswers()[0]), /not among the Allowed Destinations/);
	});

	test('a model reads that a call may have been placed which the service failed to answer', async () => {
		const { control } = stack.emulator;
		const before = control.calls().length;
		numbers = ['+15550100'];
		control.addFault({
			match: { endpoint: 'makeCall' },
			carryOut: true,
			fault: { kind: 'status', status: 502 },
		});
		await runAgent();
		assert.equal(control.calls().length, before + 1);
		assert.match(String(toolAnswers()[0]), /the call may have been placed/);
		assert.doesNotMatch(String(toolAnswers()[0]), /try again/i);
	});

	test('a model that goes on calling is stopped by Max Calls per Run', async () => {
		const before = stack.emulator.control.calls().length;
		numbers = ['+15550100', '+15550101', '+15550102', '+15550103'];
		await runAgent();
		assert.equal(stack.emulator.control.calls().length, before + 3);
		assert.match(String(toolAnswers()[3]), /more than the Max Calls per Run of 3/);
	});
});
