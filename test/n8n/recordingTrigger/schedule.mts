/** When the Recording Trigger checks. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n, Workflow } from '../../../harness/n8n/n8n.mts';
import { DAY, EVERY_MINUTE, EVERY_SECOND, HOUR, outputOf, serviceFor } from './waiting.mts';

export function scheduleSuite(getN8n: () => N8n): void {
	suite('schedule', { concurrency: true }, () => {
		test('every minute by the interval, and once at the start', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guid = await service.add(DAY);
			const id = await service.activate({}, { schedule: EVERY_MINUTE });
			const [first] = await getN8n().waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(outputOf(first).sessionGuid, guid);
			const start = Date.parse(String(service.checks()[0]?.time));
			const later = await service.add(DAY);
			const executions = await getN8n().waitForExecutions({ workflowId: id, count: 2 });
			assert.equal(outputOf(executions[1]).sessionGuid, later);
			const next = Date.parse(String(service.checks()[1]?.time));
			// Not every second, say.
			assert.ok(next - start >= 20_000, `${next - start} ms`);
		});

		test('a check never overlaps itself, and one slow answer does not stop it', async (t) => {
			const service = await serviceFor(t, getN8n);
			await service.add(DAY);
			service.control.addFault({ times: 3, fault: { kind: 'delay', ms: 2500 } });
			const id = await service.activate();
			await service.executions(id, 1);
			const checks = service.checks();
			for (const [index, { time, durationMs }] of checks.slice(0, -1).entries()) {
				const end = Date.parse(time) + Number(durationMs);
				assert.ok(Date.parse(String(checks[index + 1]?.time)) >= end - 50, 'two at a time');
			}
		});

		test('publishing again, with another name of the node, does not start anything again', async (t) => {
			const service = await serviceFor(t, getN8n);
			await service.add(DAY);
			const id = await service.activate();
			await service.executions(id, 1);
			await getN8n().deactivate(id);
			type Stored = { versionId: string; nodes: Workflow['nodes']; connections: object };
			const { versionId, nodes } = await getN8n().rest<Stored>('GET', `/rest/workflows/${id}`);
			await getN8n().rest('PATCH', `/rest/workflows/${id}`, {
				versionId,
				nodes: nodes.map((node) => ({ ...node, name: 'Another name' })),
				connections: {},
			});
			await getN8n().activate(id);
			await service.executions(id, 1);
			await service.control.advanceClock(6 * HOUR);
			const executions = await service.executions(id, 2);
			assert.equal(executions[1]?.items('Another name')[0]?.json.attempt, 2);
		});

		test('an invalid cron expression: the workflow cannot be published', async (t) => {
			const service = await serviceFor(t, getN8n);
			const id = await service.importWorkflow(
				{},
				{ schedule: { ...EVERY_SECOND, cronExpression: 'now and then' } },
			);
			await assert.rejects(getN8n().activate(id), /cron expression cannot be used/);
			await getN8n().deactivate(id);
		});
	});
}
