/** What the sweep and the failure notice enter in the ledger. */
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { createLedger, rowOf } from '../../../harness/ledger.mts';
import type { DataTable, N8n } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import {
	messages,
	purgeAfterListing,
	setUpSweeps,
	type SweepSetup,
} from '../workflows/sweepSetup.mts';

export function sweepsSuite(getHost: () => { n8n: N8n; folder: string }): void {
	suite('what was not archived', { concurrency: 1 }, () => {
		let setup: SweepSetup;
		let ledger: DataTable;
		before(async () => {
			ledger = await createLedger(getHost().n8n);
			setup = await setUpSweeps(getHost(), {
				archive(workflow) {
					nodeOf(workflow, 'Note the call in the ledger').disabled = false;
				},
			});
		});
		after(async () => {
			await setup?.stop();
			await ledger?.remove();
		});
		afterEach(async () => await setup.clear());

		test('a recording that is purged before its turn is entered as lost', async () => {
			const lost = await setup.waiting(6.9);
			await purgeAfterListing(setup, lost);
			await setup.sweep(1);
			const row = await rowOf(ledger, lost, ({ lostAt }) => lostAt !== undefined);
			assert.ok(Math.abs(Date.parse(String(row.lostAt)) - Date.now()) < 600_000);
			assert.match(String(row.lastError), /was gone when it was to be archived/);
			assert.equal(row.endedAt, setup.ledger(lost).endedAt);
			assert.equal(row.archivedAt, undefined);
		});

		test('a recording that was rescued is no alarm', async () => {
			const [rescued, urgent] = [
				await setup.waiting(5.5, PASSWORD),
				await setup.waiting(5.2, PASSWORD),
			];
			const row = { sessionGuid: rescued.toLowerCase(), rescuedAt: new Date().toISOString() };
			await ledger.insert(row);
			for (const one of [rescued, urgent]) {
				await setup.emulator.control.tamper(one, { flipBitAt: 100 });
			}
			const both = messages(await setup.sweep(2));
			assert.match(both, /^ALARM/m);
			assert.match(both, new RegExp(`${urgent} is not archived`));
			assert.match(both, new RegExp(`${rescued} (?:could not be|is rescued, but not) archived`));
			await setup.noticeWith('*Archive call recordings', `Recording at risk: ${urgent}`);
			await setup.noticeWith('*Sweep', `Recording at risk: ${urgent}`);

			// Without the other one.
			await setup.emulator.control.tamper(urgent, { flipBitAt: 100 });
			await setup.sweep(2);
			const alone = messages(await setup.sweep(1));
			assert.ok(alone.includes(rescued) && !/ALARM|LOST/.test(alone), alone);
			// Three failures of the archive workflow, and as many of the sweep: the chat is left in peace.
			const about = await executionsFor(setup.n8n, {
				workflowId: setup.noticeId,
				trigger: 'Write the notice',
				sessionGuid: rescued,
				count: 6,
			});
			assert.deepEqual(
				about.flatMap((one) => one.items('Post the notice to your chat')),
				[],
			);
		});

		test('a recording that cannot be archived is entered with the reason, until it is', async () => {
			const spoilt = await setup.waiting(3, PASSWORD);
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			await setup.sweep(1);
			const row = await rowOf(ledger, spoilt, ({ lastError }) => lastError !== undefined);
			assert.match(String(row.lastError), /^The recording cannot be decrypted/);
			assert.equal(row.lostAt, undefined);
			// Each of the two workflows reports its own failure, but it is one attempt.
			await setup.noticeWith('*Archive call recordings', spoilt);
			await setup.noticeWith('*Sweep', spoilt);
			assert.equal((await rowOf(ledger, spoilt)).attempts, 1);
			await setup.sweep(1);
			await rowOf(ledger, spoilt, ({ attempts }) => attempts === 2);
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			await setup.sweep(1);
			const archived = await rowOf(ledger, spoilt, ({ archivedAt }) => archivedAt !== undefined);
			await setup.assertArchived(spoilt);
			assert.equal(archived.lastError, undefined);
		});

		test('a call whose webhook could not be archived is entered with attempts and reason', async () => {
			const { n8n, emulator } = setup;
			const sessionGuid = await setup.waiting(1, PASSWORD);
			await emulator.control.tamper(sessionGuid, { flipBitAt: 100 });
			const callEnd = await n8n.webhookUrl(setup.archiveId, 'When a call ends');
			emulator.control.setWebhooks({ callEnd });
			await emulator.control.sendCallEnd(sessionGuid);
			const row = await rowOf(ledger, sessionGuid, ({ attempts }) => attempts === 1);
			assert.match(String(row.lastError), /^The recording cannot be decrypted/);
			for (const secret of [PASSWORD, 'demo-key']) {
				assert.ok(!JSON.stringify(row).includes(secret));
			}
		});

		test('failures that name no recording share one row', async () => {
			const before = (await ledger.rows()).filter(({ sessionGuid }) => sessionGuid === '');
			const { control } = setup.emulator;
			const fault = { kind: 'status', status: 401 } as const;
			control.addFault({ match: { endpoint: 'listRecordings' }, times: 'always', fault });
			await setup.sweep(1);
			await setup.noticeWith('The failure names no recording');
			const row = await rowOf(ledger, '');
			assert.match(String(row.lastError), /does not accept the API key/);
			assert.ok(Number(row.attempts) > Number(before[0]?.attempts ?? 0));
		});
	});
}
