/** Call: Make as a tool of an agent that nobody supervises: the limits that are left then. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';

import type { Execution, N8n, Workflow } from '../../../harness/n8n/n8n.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { serviceOf, succeeded } from '../suite.mts';
import { CHAT } from './chat.mts';
import { startScriptedModel, type ScriptedModel } from './scriptedModel.mts';

const AGENT = 'Place calls for the user';
const TOOL = 'make_a_call';

/** One turn of the model, with one tool call for each number. */
const toCall = (...numbers: string[]) => [
	numbers.map((Number) => ({ tool: TOOL, input: { Number } })),
];

/** As if its user had taken the approval out and raised the limit. */
function withoutApproval(workflow: Workflow): void {
	const taken = ['Ask a human first', 'Answer in the chat'];
	workflow.nodes = workflow.nodes.filter(({ name }) => !taken.includes(name));
	const connections = Object.entries(workflow.connections);
	workflow.connections = {
		...Object.fromEntries(connections.filter(([from]) => ![AGENT, ...taken].includes(from))),
		[TOOL]: { ai_tool: [[{ node: AGENT, type: 'ai_tool', index: 0 }]] },
	};
	Object.assign(nodeOf(workflow, TOOL).parameters.options as object, { maxCalls: 3 });
}

export function toolSuite(getN8n: () => N8n): void {
	suite('Call: Make as a tool', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);
		let model: ScriptedModel;
		before(async () => {
			model = await startScriptedModel();
		});
		after(() => model?.close());
		beforeEach(() => {
			model.requests.length = 0;
		});

		/** @param messages of the user, one item each */
		async function runAgent(
			messages: string[],
			change: (workflow: Workflow) => void = () => {},
		): Promise<Execution> {
			const openAiApi = await stack.n8n.createCredential(model.credential);
			const workflow = readWorkflow('agent-that-calls');
			withoutApproval(workflow);
			change(workflow);
			workflow.pinData = {
				[CHAT]: messages.map((chatInput) => ({ json: { chatInput, sessionId: 'session-1' } })),
			};
			const id = await stack.n8n.importWorkflow(workflow, { ...stack.credentials, openAiApi });
			return await stack.n8n.run(id, { trigger: CHAT });
		}

		test('two calls in one turn are both placed, and each gets its own answer', async () => {
			const { control } = stack.emulator;
			const before = control.calls().length;
			model.script = () => toCall('+15550100', '+15550101');
			await runAgent(['Call both customers.']);
			const calls = control.calls().slice(before);
			assert.deepEqual(calls.map(({ to }) => to).sort(), ['+15550100', '+15550101']);
			const guidOf = (number: string) => calls.find(({ to }) => to === number)?.sessionGuid;
			const [first, second] = model.toolAnswers();
			assert.match(String(first), new RegExp(String(guidOf('+15550100'))));
			assert.match(String(second), new RegExp(String(guidOf('+15550101'))));
		});

		suite('added by hand, as it opens', () => {
			const limits = { allowedDestinations: '+1555*', maxCalls: 3 };
			/** What the model gets to know of the tool, and what it hears when it has used it. */
			async function byHand(input: object, parameters: object, status?: number) {
				const { control } = stack.emulator;
				const before = control.calls().length;
				if (status !== undefined) {
					const errors = { phone_number: ['is not a mobile number'] };
					const body = { title: 'Validation failed', errors };
					const fault = { kind: 'status', status, body } as const;
					control.addFault({ match: { endpoint: 'makeCall' }, fault });
				}
				model.script = () => [[{ tool: TOOL, input }]];
				await runAgent(['Call my doctor.'], (workflow) => {
					const make = { resource: 'call', operation: 'make', ...parameters };
					nodeOf(workflow, TOOL).parameters = make as never;
				});
				const tools = model.requests[0]?.tools?.map((tool) => tool.function);
				return {
					asked: JSON.stringify(tools?.[0]?.parameters),
					heard: model.toolAnswers().join('\n'),
					dialed: control
						.calls()
						.slice(before)
						.map((call) => call.to),
				};
			}

			for (const [way, parameters] of [
				['the number', {}],
				['JSON', { specifyBody: 'json' }],
				['named fields', { specifyBody: 'fields' }],
			] as const) {
				test(`${way}: the model fills in the number`, async () => {
					const given = { ...parameters, options: limits };
					const { asked, dialed } = await byHand({ To: '+15550142' }, given);
					assert.match(asked, /"To":\{"type":"string","description":"Number to call/);
					assert.deepEqual(dialed, ['+15550142']);
				});

				test(`${way}: without a number, nobody is called, and the model hears why`, async () => {
					const { heard, dialed } = await byHand({ To: '' }, { ...parameters, options: limits });
					assert.match(heard, /is empty: enter/);
					assert.deepEqual(dialed, []);
				});
			}

			test('without limits, nobody is called, and the model hears which options are missing', async () => {
				const { heard, dialed } = await byHand({ To: '+15550142' }, {});
				assert.match(heard, /needs 'Allowed Destinations' and 'Max Calls per Execution'/);
				assert.deepEqual(dialed, []);
			});

			test('the model hears which field the service refuses', async () => {
				const { heard, dialed } = await byHand({ To: '+15550142' }, { options: limits }, 422);
				assert.match(
					heard,
					/The service rejected the request.*errors\.phone_number: is not a mobile number/,
				);
				assert.deepEqual(dialed, []);
			});
		});

		test('calls for items of one batch: n8n mixes them up, so all but the first are refused', async () => {
			const { control } = stack.emulator;
			const before = control.calls().length;
			const numbers = ['+15550100', '+15550101', '+15550102'];
			model.script = (said) => toCall(/\+\d+/.exec(said)?.[0] ?? '');
			const messages = numbers.map((number) => `Call ${number}.`);
			const execution = await runAgent(messages, (workflow) => {
				const agent = nodeOf(workflow, AGENT);
				agent.typeVersion = 2.2;
				Object.assign(agent.parameters.options as object, { batching: { batchSize: 3 } });
			});
			succeeded(execution);
			const [call, ...others] = control.calls().slice(before);
			assert.equal(call?.to, '+15550100');
			assert.deepEqual(others, []);
			assert.match(execution.raw, /n8n has mixed up this tool call with another one/);

			const guid = new RegExp(String(call?.sessionGuid));
			const answered = model.requests.filter(({ messages }) => messages.at(-1)?.role === 'tool');
			assert.equal(answered.length, numbers.length);
			for (const { messages } of answered) {
				const answer = JSON.stringify(messages.at(-1)?.content);
				if (JSON.stringify(messages).includes('Call +15550100.')) assert.match(answer, guid);
				else assert.doesNotMatch(answer, guid);
			}
		});
	});
}
