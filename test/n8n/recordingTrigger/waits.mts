/** The Recording Trigger in n8n: what starts. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { assertAsShown } from '../../docs/shownOutput.mts';
import { DAY, guidsOf, HOUR, outputOf, serviceFor } from './waiting.mts';

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
	});
}
