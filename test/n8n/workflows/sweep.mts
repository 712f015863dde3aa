/** The sweep: what it archives, and what it reports. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';

import { inARow } from '../../../harness/flow.mts';
import type { N8n, Workflow } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { nodeOf, readWorkflow, SWEEP_TRIGGER } from '../../../harness/workflows.mts';
import { messages, purgeAfterListing, setUpSweeps, type SweepSetup } from './sweepSetup.mts';

/** With a service of its own in an n8n that others use too. */
export function sweepSuite(getHost: () => { n8n: N8n; folder: string }): void {
	suite('workflow: sweep-before-purge', { concurrency: 1 }, () => {
		let setup: SweepSetup;
		before(async () => {
			setup = await setUpSweeps(getHost());
		});
		after(async () => await setup?.stop());
		afterEach(async () => await setup.clear());

		test('archives what is still listed, the oldest first [faults 47, 48]', async () => {
			const guids: Record<number, string> = {};
			for (const days of [1, 6.5, 3, 0.5]) {
				guids[days] = await setup.waiting(days, days > 2 ? PASSWORD : undefined);
			}
			const executions = await setup.sweep(4);
			assert.deepEqual(
				executions.map(({ status, error }) => error?.message ?? status),
				executions.map(() => 'success'),
			);
			for (const sessionGuid of Object.values(guids)) await setup.assertArchived(sessionGuid);
			assert.deepEqual(
				executions.map((run) => run.items(SWEEP_TRIGGER)[0]?.json.sessionGuid),
				[6.5, 3, 1, 0.5].map((days) => guids[days]),
			);
		});

		test('one that fails is reported and stays; the others are archived', async () => {
			const spoilt = await setup.waiting(3, PASSWORD);
			const good = await setup.waiting(2, PASSWORD);
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			const executions = await setup.sweep(2);
			await setup.assertArchived(good);
			assert.equal(setup.ledger(spoilt).state, 'stored');
			const text = messages(executions);
			assert.match(text, new RegExp(`The recording ${spoilt} is not archived`));
			assert.match(text, /The recording cannot be decrypted/);
			assert.doesNotMatch(text, /ALARM|LOST/);
		});

		test('one that is purged before its turn, and is not archived, is reported as lost [fault 48]', async () => {
			const lost = await setup.waiting(6.9);
			await purgeAfterListing(setup, lost);
			const [execution] = await setup.sweep(1);
			assert.equal(execution?.status, 'error');
			assert.match(
				messages([execution]),
				new RegExp(
					`LOST[^]*${lost} is not archived. It was still listed by the service, but was gone`,
				),
			);
		});

		test('an archive workflow that does not say what became of a recording is a failure', async () => {
			const guids = [await setup.waiting(3), await setup.waiting(2)];
			const silent = await setup.n8n.importWorkflow(silentWorkflow());
			await setup.n8n.activate(silent);
			const executions = await setup.sweep(2, silent);
			for (const sessionGuid of guids) {
				assert.match(
					messages(executions),
					new RegExp(`${sessionGuid} is not archived[^]*did not say what became of it`),
				);
			}
			assert.doesNotMatch(messages(executions), /ALARM|LOST/);
		});

		test('one that another run has archived in the meantime is not', async () => {
			const archived = await setup.waiting(2);
			const content = 'archived by another run';
			const file = { sha256: createHash('sha256').update(content).digest('hex') };
			const path = join(setup.archive.folder, `call_${archived}_1`);
			await writeFile(`${path}.opus`, content);
			await writeFile(`${path}.json`, JSON.stringify({ sessionGuid: archived, file }));
			await purgeAfterListing(setup, archived);
			const [execution] = await setup.sweep(1);
			assert.equal(execution?.status, 'success', execution?.error?.message);
		});
	});
}

/** An archive workflow that ends without an item. */
function silentWorkflow(): Workflow {
	const trigger = nodeOf(readWorkflow('archive-to-folder'), 'When a sweep finds a recording');
	const nothing = {
		name: 'Nothing',
		type: 'n8n-nodes-base.limit',
		typeVersion: 1,
		parameters: { maxItems: 0 },
	};
	return inARow('Silent archive', [trigger, nothing]);
}
