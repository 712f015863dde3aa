/** Few calls in queue mode, while a worker is killed and Redis is restarted. `npm run test:queue` takes more of both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { missingServer } from '../../harness/standIns/servers.mts';
import { archiveInQueueMode, makeQueuePlan } from '../queue/run.mts';
import { faultsOf } from '../soak/verdict.mts';

const skip = missingServer('PostgreSQL', 'Redis');

test(
	'queue mode: 30 calls end while a worker is killed and Redis is restarted, and each recording is archived',
	{
		skip,
	},
	async (t) => {
		const plan = makeQueuePlan({ calls: 30, seed: 1 }, ['kill a worker', 'restart Redis']);
		const result = await archiveInQueueMode(plan, (line) => t.diagnostic(line));
		assert.deepEqual(faultsOf(result), []);
	},
);
