import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';

import type { Execution, Workflow } from '../../harness/n8n/n8n.mts';
import type { ChatRequest } from '../../harness/standIns/openAi.mts';
import { nodeOf, readWorkflow } from '../../harness/workflows.mts';
import { startStack, type Stack } from '../../harness/stack.mts';

const CHAT = 'When you ask in the chat';
const TOOL = 'make_a_call';

suite('workflow: AI agent that places calls', () => {
	let stack: Stack;
	let model: Server;
	/** What the model was asked. */
	const requests: ChatRequest[] = [];
	/** Numbers that the model calls before it answers: each list in one turn, with one tool call for each number. */
	let turns: string[][] = [];

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

	/** A scripted model: calls a number that the user names, or those of each turn, then says that it is done. */
	function completion({ messages, tools }: ChatRequest): object {
		const turn = messages.filter((message) => message.tool_calls !== undefined).length;
		const user = messages.findLast(({ role }) => role === 'user');
		const named = /\+\d+/.exec(JSON.stringify(user?.content));
		const numbers = (named ? [[named[0]]] : turns)[turn];
		const message = numbers
			? {
					role: 'assistant',
					content: null,
					tool_calls: numbers.map((number, index) => ({
						id: `call_${messages.length}_${index}`,
						type: 'function',
						function: {
							name: tools?.[0]?.function.name,
							arguments: JSON.stringify({ Number: number }),
						},
					})),
				}
			: { role: 'assistant', content: 'Done.' };
		return {
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model: 'fake-1',
			choices: [{ index: 0, message, finish_reason: numbers ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	/**
	 * @param change what the user does to the workflow
	 * @param messages of the user, one item each
	 */
	async function runAgent(
		change: (workflow: Workflow) => void = () => {},
		messages = ['Call the customer.'],
	): Promise<Execution> {
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
		change(workflow);
		workflow.pinData = {
			[CHAT]: messages.map((chatInput) => ({ json: { chatInput, sessionId: 'session-1' } })),
		};
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
		turns = [['+15550100']];
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
		turns = [['+4930123456']];
		await runAgent();
		assert.equal(stack.emulator.control.calls().length, before);
		assert.match(String(toolAnswers()[0]), /not among the Allowed Destinations/);
	});

	test('a model reads that a call may have been placed which the service failed to answer', async () => {
		const { control } = stack.emulator;
		const before = control.calls().length;
		turns = [['+15550100']];
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

	for (const version of [2.2, 3.1]) {
		suite(`agent ${version}`, { concurrency: 1 }, () => {
			const asVersion = (workflow: Workflow) => {
				nodeOf(workflow, 'Place calls for the user').typeVersion = version;
			};

			test('a call that may have been placed is not dialed again by Retry On Fail', async () => {
				const { control } = stack.emulator;
				const before = control.calls().length;
				// The model asks again, too: agent 2.2 gives it an empty text in place of the error.
				turns = [['+15550100'], ['+15550100']];
				const fault = { kind: 'status', status: 502 } as const;
				control.addFault({ match: { endpoint: 'makeCall' }, carryOut: true, fault });
				await runAgent((workflow) => {
					asVersion(workflow);
					const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
					Object.assign(nodeOf(workflow, TOOL), retries);
				});
				assert.equal(control.calls().length, before + 1);
				const expected = version < 3 ? /^""$/ : /the call may have been placed/;
				for (const answer of toolAnswers()) assert.match(String(answer), expected);
				assert.equal(toolAnswers().length, 2);
			});

			test('two calls in one turn are both placed, and each gets its own answer', async () => {
				const { control } = stack.emulator;
				const before = control.calls().length;
				turns = [['+15550100', '+15550101']];
				await runAgent(asVersion);
				const calls = control.calls().slice(before);
				assert.deepEqual(calls.map(({ to }) => to).sort(), ['+15550100', '+15550101']);
				const [first, second] = toolAnswers();
				const guidOf = (number: string) => calls.find(({ to }) => to === number)?.sessionGuid;
				assert.match(String(first), new RegExp(String(guidOf('+15550100'))));
				assert.match(String(second), new RegExp(String(guidOf('+15550101'))));
			});
		});
	}

	test('calls for items of one batch: n8n mixes them up, so all but the first are refused', async () => {
		const { control } = stack.emulator;
		const before = control.calls().length;
		const numbers = ['+15550100', '+15550101', '+15550102'];
		const execution = await runAgent(
			(workflow) => {
				const agent = nodeOf(workflow, 'Place calls for the user');
				agent.typeVersion = 2.2;
				Object.assign(agent.parameters.options as object, { batching: { batchSize: 3 } });
			},
			numbers.map((number) => `Call ${number}.`),
		);
		assert.equal(execution.status, 'success', execution.error?.message);
		const [call, ...others] = control.calls().slice(before);
		assert.equal(call?.to, '+15550100');
		assert.deepEqual(others, []);
		assert.match(execution.raw, /n8n has mixed up this tool call with another one/);

		const guid = new RegExp(String(call?.sessionGuid));
		const answered = requests.filter(({ messages }) => messages.at(-1)?.role === 'tool');
		assert.equal(answered.length, numbers.length);
		for (const { messages } of answered) {
			const answer = JSON.stringify(messages.at(-1)?.content);
			if (JSON.stringify(messages).includes('Call +15550100.')) assert.match(answer, guid);
			else assert.doesNotMatch(answer, guid);
		}
	});

	test('a model that goes on calling is stopped by Max Calls per Run', async () => {
		const before = stack.emulator.control.calls().length;
		turns = [['+15550100'], ['+15550101'], ['+15550102'], ['+15550103']];
		await runAgent();
		assert.equal(stack.emulator.control.calls().length, before + 3);
		assert.match(String(toolAnswers()[3]), /more than the Max Calls per Run of 3/);
	});
});
