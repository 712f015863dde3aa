/**
 * n8n is killed in the middle of a campaign and restarted, at moments that a seed decides. Nobody
 * is dialed twice. `CAMPAIGN_KILLS=20` sets the number of kills, and `CAMPAIGN_SEED=1` the seed.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../../../harness/until.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import { generator } from '../../soak/plan.mts';
import type { Campaign } from './campaign.mts';

const KILLS = Number(process.env.CAMPAIGN_KILLS ?? 2);
const SEED = Number(process.env.CAMPAIGN_SEED ?? Math.floor(Math.random() * 2 ** 31));
const COUNT = 12 * KILLS;

export function killsSuite(getCampaign: () => Campaign, killAndStart: () => Promise<void>): void {
	suite('killed and started again', { concurrency: 1 }, () => {
		test('it goes on with the others, and dials nobody twice [promise 4]', async (t) => {
			const rows = Array.from({ length: COUNT }, (_, index) => ({
				number: `+15550${100 + index}`,
				zone: 'UTC',
			}));
			const campaign = await getCampaign().setUp(t, rows, {}, (workflow) => {
				// More often than its user would, so that executions overlap, too.
				nodeOf(workflow, 'Every minute').parameters.rule = {
					interval: [{ field: 'seconds', secondsInterval: 2 }],
				};
			});
			const { control } = campaign;
			t.diagnostic(`seed ${SEED}`);
			const random = generator(SEED);
			const arrived = () =>
				control.requests().filter(({ path }) => path.endsWith('/makecall')).length;
			const killAfter = async (calls: number, ms = 0) => {
				await until(() => arrived() >= calls);
				await sleep(ms);
				await killAndStart();
			};
			// The call is placed, but n8n does not live to see the answer.
			control.addFault({
				match: { endpoint: 'makeCall' },
				skip: 3,
				carryOut: true,
				fault: { kind: 'silent' },
			});
			await campaign.publish();
			await killAfter(4);
			// While an answer comes in and is noted, the next row is claimed, or rows are chosen.
			for (let kill = 1; kill < KILLS; kill++) {
				await killAfter(arrived() + 1 + Math.floor(random() * 4), random() * 1000);
			}
			await until(async () => (await campaign.rows()).every(({ calledAt }) => calledAt !== null));
			await campaign.unpublish();
			await campaign.isOver();

			const { dialed } = campaign;
			assert.deepEqual([...new Set(dialed)], dialed, 'somebody was dialed twice');
			for (const { number, status } of await campaign.rows()) {
				// Those that were claimed when n8n was killed stay unclear, dialed or not.
				if (status !== 'unclear') assert.equal(status, 'called');
				if (status === 'called') assert.ok(dialed.includes(String(number)));
			}
			const statuses = (await campaign.rows()).map(({ status }) => status);
			assert.equal(statuses[3], 'unclear');
			assert.ok(statuses.filter((status) => status === 'called').length > COUNT / 2);
		});
	});
}
