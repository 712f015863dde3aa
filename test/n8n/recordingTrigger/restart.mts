/** What the Recording Trigger still knows after n8n was killed. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { DAY, guidsOf, HOUR, outputOf, serviceFor } from './waiting.mts';

/** An n8n that can be stopped and started again with the same data. */
export interface Host {
	readonly n8n: N8n;
	start(): Promise<void>;
	stop(how: { kill: boolean }): Promise<void>;
}

export function restartSuite(host: Host): void {
	suite('restart of n8n', { concurrency: 1 }, () => {
		test('an n8n that was killed and down catches up, the oldest first, and repeats nothing too early [faults 46, 47]', async (t) => {
			const service = await serviceFor(t, () => host.n8n);
			const known = await service.add(DAY);
			const id = await service.activate();
			await service.executions(id, 1);
			await host.stop({ kill: true });
			// One call ended before n8n was killed, two while it was down.
			await service.control.advanceClock(3 * HOUR);
			const missed = [await service.add(3 * HOUR), await service.add(2 * HOUR)];
			await host.start();
			const executions = await service.executions(id, 3);
			assert.deepEqual(guidsOf(executions), [known, ...missed]);
			// The history is there too: the next attempt is the second one, in time.
			await service.control.advanceClock(3 * HOUR);
			await service.check(id);
			const again = (await service.executions(id, 4)).at(-1);
			assert.deepEqual([outputOf(again).sessionGuid, outputOf(again).attempt], [known, 2]);
		});
	});
}
