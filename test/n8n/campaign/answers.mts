/** What a campaign makes of answers of the service, and of other executions at the same time. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';

import type { FaultRule } from '../../../emulator/src/index.mts';
import { baseNode, inARow, manualTrigger, voiceAgent } from '../../../harness/flow.mts';
import type { Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import { until } from '../../../harness/until.mts';
import { retry, succeeded } from '../suite.mts';
import { DO_NOT_CALL, TABLE, type Campaign } from './campaign.mts';

const ROWS = [
	{ number: '+15550100', zone: 'UTC' },
	{ number: '+15550101', zone: 'UTC' },
];

/**
 * Adds a node that changes a table while a campaign runs.
 *
 * @param name of the node that it follows, which writes to a table too
 * @param value of the row
 * @param edited the number whose row it edits; without one, it inserts a row
 */
function insertAfter(
	workflow: Workflow,
	name: string,
	table: string,
	value: object,
	edited?: string,
): void {
	const insert = structuredClone(nodeOf(workflow, name));
	Object.assign(insert, { id: 'meanwhile', name: 'Meanwhile', alwaysOutputData: false });
	if (edited === undefined) insert.parameters.operation = 'insert';
	insert.parameters.filters = { conditions: [{ keyName: 'number', keyValue: edited }] };
	const dataTableId = { __rl: true, mode: 'name', value: table };
	Object.assign(insert.parameters, { dataTableId, columns: { mappingMode: 'defineBelow', value } });
	workflow.nodes.push(insert);
	const connections = workflow.connections as Record<string, { main: object[][] }>;
	connections[insert.name] = structuredClone(connections[name]) as never;
	connections[name] = { main: [[{ node: insert.name, type: 'main', index: 0 }]] };
}

export function answersSuite(getCampaign: () => Campaign, killAndStart: () => Promise<void>): void {
	suite('answers of the service', { concurrency: 1 }, () => {
		test('each call that the service has placed is noted with its session GUID', async (t) => {
			const campaign = await getCampaign().setUp(t, ROWS);
			succeeded(await campaign.turn());
			const rows = await campaign.rows();
			assert.deepEqual(
				rows.map((row) => [row.number, row.status, row.sessionGuid]),
				campaign.control.calls().map(({ to, sessionGuid }) => [to, 'called', sessionGuid]),
			);
			await campaign.turn();
			assert.equal(campaign.dialed.length, 2);
		});

		const endpoint = { match: { endpoint: 'makeCall' } } as const;
		const cases: Array<[string, FaultRule, string, string[]]> = [
			[
				'after an answer that does not say whether the call was placed, it is never repeated',
				{ ...endpoint, carryOut: true, fault: { kind: 'status', status: 502 } },
				'unclear',
				['+15550100', '+15550101'],
			],
			[
				'a number that the service refuses is not tried again',
				{ ...endpoint, fault: { kind: 'status', status: 422 } },
				'refused',
				['+15550101'],
			],
			[
				'a call that was certainly not placed is placed later',
				{ ...endpoint, fault: { kind: 'status', status: 429 } },
				'called',
				['+15550100', '+15550101'],
			],
		];
		for (const [name, fault, status, dialed] of cases) {
			test(name, async (t) => {
				const campaign = await getCampaign().setUp(t, ROWS);
				campaign.control.addFault(fault);
				const execution = await campaign.turn();
				assert.match(
					String(execution.error?.message),
					/^\+15550100 \((unclear|refused|waiting)\): /,
				);
				assert.ok(!campaign.dialed.includes('+15550101'), 'after a failure, it pauses');
				for (const _turn of [1, 2]) await campaign.turn();
				const rows = await campaign.rows();
				assert.deepEqual(
					rows.map((row) => row.status),
					[status, 'called'],
				);
				assert.deepEqual(campaign.dialed, dialed);
			});
		}

		test('a stop, another execution or an edit still counts between the claim and the call', async (t) => {
			const meanwhile: Array<
				[row: { number: string; claim?: string; calledAt?: string }, edited?: string]
			> = [
				[{ number: 'stop' }],
				[{ number: '+15550199', claim: 'other', calledAt: new Date().toISOString() }],
				[{ number: '+15550142' }, '+15550100'],
			];
			for (const [other, edited] of meanwhile) {
				await t.test(other.number, async (t) => {
					const campaign = await getCampaign().setUp(t, ROWS, {}, (workflow) => {
						insertAfter(workflow, 'Claim the number in the table', TABLE, other, edited);
					});
					succeeded(await campaign.turn());
					assert.deepEqual(campaign.dialed, []);
					const [row] = await campaign.rows();
					assert.deepEqual([row?.status, row?.calledAt], ['waiting', null]);
				});
			}
		});

		for (const [node, dialed] of [
			['Note that it was called', ['+15550100']],
			['Claim the number in the table', []],
		] as const) {
			test(`a number that is entered in the do-not-call list after "${node}" is not called`, async (t) => {
				const campaign = await getCampaign().setUp(t, ROWS, {}, (workflow) => {
					// In another spelling.
					const number = `001 (555) 01-0${dialed.length}`;
					insertAfter(workflow, node, DO_NOT_CALL, { number });
				});
				const execution = await campaign.turn();
				assert.match(String(execution.error?.message), /is on the do-not-call list$/);
				assert.deepEqual(campaign.dialed, dialed);
				assert.equal((await campaign.rows())[dialed.length]?.status, 'refused');
			});
		}

		test('if the do-not-call list cannot be read again, nobody is called, and the number waits', async (t) => {
			const campaign = await getCampaign().setUp(t, ROWS, {}, (workflow) => {
				const { dataTableId } = nodeOf(workflow, 'Get the do-not-call list again').parameters;
				Object.assign(dataTableId as object, { value: 'No such table' });
			});
			assert.equal((await campaign.turn()).status, 'error');
			assert.deepEqual(campaign.dialed, []);
			assert.ok((await campaign.rows()).every(({ calledAt }) => calledAt === null));
		});

		test('a do-not-call list whose read fails without an error is not taken for an empty one', async (t) => {
			const former = { number: '+15550199', zone: 'UTC', calledAt: new Date().toISOString() };
			const rows = [{ ...former, status: 'called', endedAt: former.calledAt }, ...ROWS];
			const campaign = await getCampaign().setUp(t, rows, {}, (workflow) => {
				// Only the second read meets the fault.
				nodeOf(workflow, 'Check the numbers').parameters.doNotCall = 'none';
				const { parameters } = nodeOf(workflow, 'Get numbers and recent calls');
				nodeOf(workflow, 'Get the do-not-call list').parameters.dataTableId =
					parameters.dataTableId;
			});
			const { n8n } = campaign;
			await campaign.doNotCall('+15550100', '+15550101');
			const database = new DatabaseSync(join(n8n.userFolder, '.n8n', 'database.sqlite'), {
				timeout: 30_000,
			});
			t.after(() => database.close());
			const [list] = database
				.prepare("SELECT id FROM data_table WHERE name = 'VoiceAgent do not call'")
				.all();
			const table = `"data_table_user_${String(list?.id)}"`;
			database.exec(`ALTER TABLE ${table} RENAME TO away`);
			const { status } = await campaign.turn();
			database.exec(`ALTER TABLE away RENAME TO ${table}`);
			assert.equal(status, 'error');
			assert.deepEqual(campaign.dialed, []);
			const called = (await campaign.rows()).filter(({ calledAt }) => calledAt !== null);
			assert.deepEqual(
				called.map(({ number }) => number),
				[former.number],
			);
		});

		test("n8n's Retry of an execution that was killed with saved progress dials nobody again", async (t) => {
			const rows = [{ number: '+1 555 01-00', zone: 'UTC' }];
			const campaign = await getCampaign().setUp(t, rows, {}, (workflow) => {
				workflow.settings = { ...workflow.settings, saveExecutionProgress: true };
			});
			campaign.control.addFault({ ...endpoint, carryOut: true, fault: { kind: 'silent' } });
			await campaign.publish();
			await until(() => campaign.dialed.length === 1);
			await killAndStart();
			await campaign.unpublish();
			const { n8n } = campaign;
			const retried = await retry(n8n, (await campaign.executions())[0]);
			assert.equal((await n8n.execution(retried)).mode, 'retry');
			assert.deepEqual(campaign.dialed, ['+15550100']);
			const [{ number, status } = {}] = await campaign.rows();
			assert.deepEqual([number, status], ['+15550100', 'unclear']);
		});

		test('Place Once per Key holds in every execution, and without it a Retry places no call', async (t) => {
			const { n8n, stack, control } = await getCampaign().setUp(t, []);
			const call = async (options: object) => {
				const make = { resource: 'call', operation: 'make', to: '+15550100', options };
				const workflow = inARow('Call', [manualTrigger(), voiceAgent(make)]);
				const id = await n8n.importWorkflow(workflow, stack.credentials);
				return async () => await n8n.run(id, { trigger: 'Start' });
			};
			const once = await call({ placeOnce: 'order 1' });
			succeeded(await once());
			assert.match(String((await once()).error?.message), /'order 1'.* was used before$/);

			control.addFault({ ...endpoint, carryOut: true, fault: { kind: 'hangUp' } });
			const { id, status } = await (await call({}))();
			assert.equal(status, 'error');
			const { error } = await n8n.execution(await retry(n8n, id));
			assert.match(String(error?.message), /may have been placed before this Retry/);
			assert.equal(control.calls().length, 2);
		});

		test('a call of a sub-workflow that its caller retries is placed once: it needs a claim or a key', async (t) => {
			const { n8n, stack, control } = await getCampaign().setUp(t, []);
			const passthrough = { inputSource: 'passthrough' };
			const begin = baseNode('Begin', 'executeWorkflowTrigger', 1.1, passthrough);
			const subWorkflow = async (name: string, node: WorkflowNode) => {
				const id = await n8n.importWorkflow(inARow(name, [begin, node]), stack.credentials);
				await n8n.activate(id);
				t.after(async () => await n8n.deactivate(id));
				const workflowId = { __rl: true, mode: 'id', value: id };
				return baseNode(name, 'executeWorkflow', 1.2, { workflowId });
			};
			/** Two levels up. */
			const caller = async (options: object) => {
				const make = { resource: 'call', operation: 'make', to: '+15550100', options };
				const between = await subWorkflow('Between', await subWorkflow('Call', voiceAgent(make)));
				const workflow = inARow('Caller', [manualTrigger(), between]);
				return await n8n.importWorkflow(workflow, stack.credentials);
			};
			const withoutKey = await n8n.run(await caller({}), { trigger: 'Start' });
			assert.match(String(withoutKey.error?.message), /another workflow has started this one/);
			assert.equal(control.calls().length, 0);

			control.addFault({ ...endpoint, carryOut: true, fault: { kind: 'status', status: 502 } });
			const first = await n8n.run(await caller({ placeOnce: 'order 1' }), { trigger: 'Start' });
			assert.match(String(first.error?.message), /may have been placed/);
			const { error } = await n8n.execution(await retry(n8n, first.id));
			assert.match(String(error?.message), /'order 1'.* was used before/);
			assert.equal(control.calls().length, 1);
		});

		test('two executions at the same time share the numbers', async (t) => {
			const rows = Array.from({ length: 8 }, (_, index) => ({
				number: `+1555010${index}`,
				zone: 'UTC',
			}));
			const campaign = await getCampaign().setUp(t, rows);
			const waiting = async () =>
				(await campaign.rows()).filter(({ calledAt }) => calledAt === null).length;
			for (let turn = 0; turn < 20 && (await waiting()) > 0; turn += 1) {
				const turns = [campaign.turn(), campaign.turn(), campaign.turn()];
				(await Promise.all(turns)).forEach(succeeded);
			}
			assert.deepEqual(campaign.dialed.sort(), rows.map(({ number }) => number).sort());
		});
	});
}
