/** Two processes of n8n that check the same service, on one database. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { byGuid, voiceAgent } from '../../../harness/flow.mts';
import { packedPackage, startN8n, type Json, type N8n } from '../../../harness/n8n/n8n.mts';
import {
	missingServer,
	startPostgres,
	type PostgresServer,
} from '../../../harness/standIns/servers.mts';
import {
	addWaitingService,
	guidsOf,
	HOUR,
	LIST,
	ONE_CONNECTION,
	type WaitingService,
} from './waiting.mts';

const download = voiceAgent({
	resource: 'recording',
	operation: 'download',
	recording: byGuid(),
	decrypt: 'never',
});

export function twoProcessesSuite(): void {
	const skip = missingServer('PostgreSQL');
	suite('two processes of n8n on one database', { skip, concurrency: 1 }, () => {
		let service: WaitingService;
		let database: PostgresServer;
		const processes: N8n[] = [];
		/** Attempts to start a second execution for a recording. */
		const refused: string[] = [];

		const start = async () => {
			const n8n = await startN8n({
				packages: [packedPackage()],
				env: {
					...database.env,
					...ONE_CONNECTION,
					N8N_ENCRYPTION_KEY: 'the same in both processes',
				},
				log: (line) => {
					if (line.includes('duplicate deduplication key')) refused.push(line);
				},
			});
			processes.push(n8n);
			return n8n;
		};

		before(async () => {
			database = await startPostgres();
		});
		after(async () => {
			await service?.stop();
			await Promise.all(processes.map((n8n) => n8n.stop()));
			await database?.stop();
		});

		test('each recording is handed out once, whichever process sees it first [fault 50]', async () => {
			const first = await start();
			service = await addWaitingService(() => first);
			const id = await service.activate([download]);
			await start();

			const guids: Json[] = [];
			// The oldest first, in case a check comes between them.
			for (let thirds = 19; thirds >= 0; thirds--) guids.push(await service.add(thirds * 8 * HOUR));
			// Each of them checks once a minute, at its own second.
			await service.nextChecks(3);
			await sleep(2_000);
			const executions = await first.waitForExecutions({ workflowId: id, count: guids.length });
			const ids = executions.map((execution) => execution.id);
			assert.equal(new Set(ids).size, ids.length, `n8n lists an execution twice: ${ids.join()}`);
			// On a busy machine, n8n may begin two of them in another order.
			assert.deepEqual(guidsOf(executions).toSorted(), guids.toSorted());
			// Not only by what n8n has recorded, but by what the executions did.
			const downloads = service.control
				.requests()
				.flatMap(({ path }) => (path.startsWith(`${LIST}/`) ? [path.slice(LIST.length + 1)] : []));
			assert.deepEqual(downloads.toSorted(), guids.toSorted());
			assert.ok(refused.length > 0, 'the other process tried nothing');
		});
	});
}
