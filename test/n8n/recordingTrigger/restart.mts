/** What the Recording Trigger still knows after n8n was stopped or killed. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { DAY, guidsOf, HOUR, outputOf, recordingNode, serviceFor } from './waiting.mts';

/** An n8n that can be stopped and started again with the same data. */
export interface Host {
	readonly n8n: N8n;
	start(): Promise<void>;
	stop(how?: { kill: boolean }): Promise<void>;
}

export function restartSuite(host: Host): void {
	suite('restart of n8n', { concurrency: 1 }, () => {
		test('an n8n that was down catches up, the oldest first, and repeats nothing [fault 47]', async (t) => {
			const service = await serviceFor(t, () => host.n8n);
			const known = await service.add(DAY);
			const id = await service.activate();
			await service.executions(id, 1);
			await host.stop();
			// One call ended before n8n went down, two while it was down.
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

		test('n8n is killed during a download: the recording is handed out again and nothing is lost [fault 46]', async (t) => {
			const service = await serviceFor(t, () => host.n8n);
			const guid = await service.add(DAY, { format: 'wav', sizeBytes: 200_000 });
			service.control.addFault({
				match: { endpoint: 'downloadRecording' },
				fault: { kind: 'slow', bytesPerInterval: 1000, intervalMs: 500 },
			});
			const id = await service.activate({}, [recordingNode('download'), recordingNode('delete')]);
			const isDownloading = () =>
				service.control.requests().some(({ path }) => path.endsWith(guid));
			const deadline = Date.now() + 120_000;
			while (!isDownloading() && Date.now() < deadline) await sleep(50);
			assert.ok(isDownloading());
			await host.stop({ kill: true });
			await host.start();
			await service.check(id);
			const stored = () =>
				service.control.recordings().find(({ sessionGuid }) => sessionGuid === guid)?.state;
			assert.equal(stored(), 'stored');
			await service.control.advanceClock(6 * HOUR);
			await service.check(id);
			const executions = await host.n8n.waitForExecutions({ workflowId: id, count: 2 });
			const last = executions.at(-1);
			assert.equal(last?.status, 'success', last?.error?.message);
			assert.equal(stored(), 'deleted');
			assert.equal(executions.length, 2);
		});
	});
}
