/** The Recording Trigger in n8n: what starts, when n8n says so, and what a failure shows. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { assertNoSecret } from '../../../harness/secrets.mts';
import { API_KEY } from '../../../harness/stack.mts';
import { assertAsShown } from '../../docs/shownOutput.mts';
import { DAY, guidsOf, HOUR, outputOf, serviceFor, TRIGGER } from './waiting.mts';

export function waitsSuite(getN8n: () => N8n): void {
	suite('recordings wait', { concurrency: true }, () => {
		test('each starts one execution, the oldest first, and one that is new follows within the interval', async (t) => {
			const service = await serviceFor(t, getN8n);
			service.control.setShapes({ listOrder: 'newestFirst' });
			const [young, old, middle] = [
				await service.add(HOUR),
				await service.add(6 * DAY),
				await service.add(3 * DAY),
			];
			const workflowId = await service.activate();
			const first = await getN8n().waitForExecutions({ workflowId, count: 3 });
			assert.deepEqual(guidsOf(first), [old, middle, young]);
			assert.ok(first.every(({ status, mode }) => status === 'success' && mode === 'trigger'));
			assertAsShown('VoiceAgent Recording Trigger', outputOf(first[0]));

			const later = await service.add(0);
			// Checks come when it is published, and then once a minute.
			await service.nextChecks(1);
			const executions = await getN8n().waitForExecutions({ workflowId, count: 4 });
			assert.deepEqual(guidsOf(executions), [old, middle, young, later]);
			assert.equal(service.checks().length, 2);
		});

		test('the service fails: one failed execution says so, and then it goes on', async (t) => {
			const service = await serviceFor(t, getN8n);
			const fault = { kind: 'status', status: 401 } as const;
			service.control.addFault({ times: 'always', fault });
			const workflowId = await service.activate();
			const [failed] = await getN8n().waitForExecutions({ workflowId, count: 1 });
			assert.equal(failed?.status, 'error');
			assert.match(String(failed.error?.message), /does not accept the API key \(401\)/);
			assert.ok(String(failed.error?.description).length > 20, 'what to do');
			await assertNoSecret(failed.raw, API_KEY);
			const guid = await service.add(DAY);
			// The same failure is not reported again and again.
			await service.nextChecks(1);
			assert.equal((await getN8n().waitForExecutions({ workflowId, count: 1 })).length, 1);
			service.control.clearFaults();
			const executions = await getN8n().waitForExecutions({ workflowId, count: 2 });
			assert.equal(outputOf(executions[1]).sessionGuid, guid);
		});

		test('by hand: what is waiting at the moment, also again', async (t) => {
			const service = await serviceFor(t, getN8n);
			const id = await service.importWorkflow();
			const byHand = async () => await getN8n().run(id, { trigger: TRIGGER, destination: TRIGGER });
			const none = await byHand();
			assert.equal(none.error?.message, 'No recording is waiting');
			assert.match(String(none.error?.description), /lists no recordings/);
			const guids = [await service.add(2 * DAY), await service.add(DAY)];
			for (let turn = 0; turn < 2; turn++) {
				const execution = await byHand();
				assert.equal(execution.status, 'success', execution.error?.message);
				const found = execution.items(TRIGGER).map(({ json }) => json);
				assert.deepEqual(
					found.map(({ sessionGuid, attempt }) => [sessionGuid, attempt]),
					guids.map((guid) => [guid, 1]),
				);
			}
		});
	});
}
