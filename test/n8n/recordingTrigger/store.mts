/** What the Recording Trigger does if n8n loses what it has stored, or cannot store anything. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { DAY, guidsOf, HOUR, outputOf, serviceFor } from './waiting.mts';

export function storeSuite(getN8n: () => N8n): void {
	suite('what n8n stores', { concurrency: true }, () => {
		const sql = (statement: string) => {
			const database = new DatabaseSync(join(getN8n().userFolder, '.n8n', 'database.sqlite'));
			try {
				database.exec(`PRAGMA busy_timeout = 10000; ${statement}`);
			} finally {
				database.close();
			}
		};
		test('the history is lost: no execution too early, and the next one after the pause', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guid = await service.add(DAY);
			const id = await service.activate();
			await service.executions(id, 1);
			for (let attempt = 2; attempt <= 3; attempt++) {
				await service.control.advanceClock(6 * HOUR);
				await service.check(id);
				await service.executions(id, attempt);
			}
			await getN8n().deactivate(id);
			sql(`UPDATE workflow_entity SET staticData = NULL WHERE id = '${id}'`);
			await getN8n().activate(id);
			await service.executions(id, 3);
			await service.control.advanceClock(6 * HOUR);
			await service.check(id);
			assert.equal(guidsOf(await service.executions(id, 4)).at(-1), guid);
		});

		test('n8n cannot store executions: a failed execution says so, and they start as soon as it can', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guids = [await service.add(2 * DAY), await service.add(DAY)];
			const id = await service.importWorkflow();
			// Failures that are reported have no such key.
			sql(`CREATE TRIGGER full_${id} BEFORE INSERT ON execution_entity
				WHEN NEW.workflowId = '${id}' AND NEW.deduplicationKey IS NOT NULL
				BEGIN SELECT RAISE(ABORT, 'disk is full'); END`);
			t.after(async () => await getN8n().deactivate(id));
			await getN8n().activate(id);
			const [failed] = await getN8n().waitForExecutions({ workflowId: id, count: 1 });
			assert.match(
				String(failed?.error?.message),
				/could not start the workflow for a recording: .*disk is full/,
			);
			assert.match(String(failed?.error?.description), /next check tries again/);

			sql(`DROP TRIGGER full_${id}`);
			const [, ...done] = await getN8n().waitForExecutions({ workflowId: id, count: 3 });
			// The first one may have failed while n8n could store the second one again.
			assert.deepEqual(guidsOf(done).toSorted(), guids.toSorted());
			assert.deepEqual(
				done.map((execution) => outputOf(execution).attempt),
				[1, 1],
			);
			// n8n has stored that too.
			await service.executions(id, 3);
		});
	});
}
