/**
 * The VoiceAgent Recording Trigger: what it still knows after n8n was killed, and what it does
 * beside another process of n8n.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { twoProcessesSuite } from './recordingTrigger/twoProcesses.mts';
import {
	addWaitingService,
	DAY,
	guidsOf,
	HOUR,
	ONE_CONNECTION,
	outputOf,
} from './recordingTrigger/waiting.mts';
import { restartableN8n } from './restartable.mts';

suite('trigger: recordings waiting', { concurrency: 2 }, () => {
	suite('one n8n', { concurrency: 1 }, () => {
		const { getN8n, killAndStart } = restartableN8n(() => ({ env: ONE_CONNECTION }));

		test('an n8n that was down catches up, oldest first, and repeats nothing too early [faults 46, 47]', async (t) => {
			const service = await addWaitingService(getN8n);
			t.after(service.stop);
			const known = await service.add(DAY);
			const id = await service.activate();
			await service.executions(id, 1);
			const missed: string[] = [];
			await killAndStart({}, async () => {
				// One call ended before n8n was killed, two while it was down.
				await service.control.advanceClock(3 * HOUR);
				for (const hours of [3, 2]) missed.push(await service.add(hours * HOUR));
			});
			const executions = await service.executions(id, 3);
			assert.deepEqual(guidsOf(executions), [known, ...missed]);
			// The history is there too: the next attempt is the second one, in time.
			await service.control.advanceClock(3 * HOUR);
			await service.check(id);
			const again = (await service.executions(id, 4)).at(-1);
			assert.deepEqual([outputOf(again).sessionGuid, outputOf(again).attempt], [known, 2]);
		});
	});

	twoProcessesSuite();
});
