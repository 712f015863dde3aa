/** Few calls in queue mode, while a worker is killed and Redis is restarted. `npm run test:queue` takes more of both. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { missingServer } from '../../harness/standIns/servers.mts';
import { archiveInQueueMode, makeQueuePlan, type QueueResult } from '../queue/run.mts';
import { judgeQueue } from '../queue/verdict.mts';

suite(
	'queue mode: two workers',
	{
		concurrency: 1,
		skip: missingServer('PostgreSQL', 'Redis'),
	},
	() => {
		let result: QueueResult;

		test('30 calls end while a worker is killed and Redis is restarted, and each recording is archived', async (t) => {
			const plan = makeQueuePlan({ calls: 30, seed: 1 }, ['kill a worker', 'restart Redis']);
			result = await archiveInQueueMode(plan, (line) => t.diagnostic(line));
			const faults = judgeQueue(result).checks.flatMap(({ what, faults: found }) =>
				found.map((fault) => `${what}: ${fault}`),
			);
			assert.deepEqual(faults, []);
		});

		test('the verdict is not good if the sweep has not archived what the killed worker had begun', () => {
			const { sessionGuid } = result.cutOff;
			const files = result.files.filter(({ name }) => !name.includes(sessionGuid));
			const { checks } = judgeQueue({ ...result, files });
			assert.deepEqual(checks.at(-1)?.faults.length, 1);
		});
	},
);
