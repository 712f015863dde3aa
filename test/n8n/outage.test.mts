/** n8n is down for days while calls end. `npm run soak -- --outage` does the same with 200 calls. */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';

import { outagesWith, survive, type Survived } from '../soak/outage.mts';

suite('outage', { concurrency: 1 }, () => {
	let short: Survived | undefined;
	let long: Survived | undefined;
	before(async () => {
		[long, short] = await survive(outagesWith(30), () => {});
	});

	test('of 48 hours: everything is archived, the oldest first [fault 47]', () => {
		assert.deepEqual(short, { archived: 30, purged: [], faults: [] });
	});

	test('of 6.9 days: what was purged is reported as lost by name, everything else is archived [fault 48]', () => {
		assert.deepEqual(long?.faults, []);
		// Three before n8n was back, and six that were listed but not yet downloaded: five of them in the first check.
		assert.deepEqual([long.purged.length, long.archived], [9, 24]);
	});
});
