/** A call is placed once, whatever n8n executes again. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { baseNode, inARow, manualTrigger, voiceAgent } from '../../../harness/flow.mts';
import type { N8n, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { retry, serviceOf, succeeded } from '../suite.mts';

const endpoint = { match: { endpoint: 'makeCall' } } as const;

export function placeOnceSuite(getN8n: () => N8n): void {
	suite('a call that n8n executes again', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);
		const callsBefore = () => {
			const { control } = stack.emulator;
			const before = control.calls().length;
			return () => control.calls().length - before;
		};

		test('Place Once per Key holds in every execution, and without it a Retry places no call', async () => {
			const { n8n, emulator } = stack;
			const placed = callsBefore();
			const call = async (options: object) => {
				const make = { resource: 'call', operation: 'make', to: '+15550100', options };
				const workflow = inARow('Call', [manualTrigger(), voiceAgent(make)]);
				const id = await n8n.importWorkflow(workflow, stack.credentials);
				return async () => await n8n.run(id, { trigger: 'Start' });
			};
			const once = await call({ placeOnce: 'order 1' });
			succeeded(await once());
			assert.match(String((await once()).error?.message), /'order 1'.* was used before$/);

			emulator.control.addFault({ ...endpoint, carryOut: true, fault: { kind: 'hangUp' } });
			const { id, status } = await (await call({}))();
			assert.equal(status, 'error');
			const { error } = await n8n.execution(await retry(n8n, id));
			assert.match(String(error?.message), /may have been placed before this Retry/);
			assert.equal(placed(), 2);
		});

		test('a call of a sub-workflow that its caller retries is placed once: it needs a claim or a key', async (t) => {
			const { n8n, emulator } = stack;
			const placed = callsBefore();
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
			assert.equal(placed(), 0);

			const fault = { kind: 'status', status: 502 } as const;
			emulator.control.addFault({ ...endpoint, carryOut: true, fault });
			const first = await n8n.run(await caller({ placeOnce: 'order 1' }), { trigger: 'Start' });
			assert.match(String(first.error?.message), /may have been placed/);
			const { error } = await n8n.execution(await retry(n8n, first.id));
			assert.match(String(error?.message), /'order 1'.* was used before/);
			assert.equal(placed(), 1);
		});
	});
}
