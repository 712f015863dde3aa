/** The sweep: what it archives, and what it reports. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { baseNode, inARow } from '../../../harness/flow.mts';
import type { Workflow } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { nodeOf, readWorkflow, SWEEP_TRIGGER, sweepInto } from '../../../harness/workflows.mts';
import { succeeded, type Host } from '../suite.mts';
import { messages, goneAfterListing, sweepsOf } from './sweepSetup.mts';

/** With a service of its own in an n8n that others use too. */
export function sweepSuite(getHost: () => Host): void {
	suite('workflow: sweep-before-purge', { concurrency: 1 }, () => {
		const setup = sweepsOf(getHost);

		test('archives what is still listed, the oldest first [faults 47, 48] [promise 2]', async () => {
			const guids: Record<number, string> = {};
			for (const days of [1, 6.5, 3, 0.5]) {
				guids[days] = await setup.waiting(days, days > 2 ? PASSWORD : undefined);
			}
			const executions = await setup.sweep(4);
			executions.forEach(succeeded);
			for (const sessionGuid of Object.values(guids)) await setup.assertArchived(sessionGuid);
			assert.deepEqual(
				executions.map((run) => run.items(SWEEP_TRIGGER)[0]?.json.sessionGuid),
				[6.5, 3, 1, 0.5].map((days) => guids[days]),
			);
		});

		test('by hand, one execution archives what waits, and reports what fails', async () => {
			const spoilt = await setup.waiting(3, PASSWORD);
			const good = [await setup.waiting(2, PASSWORD), await setup.waiting(1)];
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			const id = await setup.n8n.importWorkflow(sweepInto(setup.archiveId), setup.credentials);
			const execution = await setup.n8n.run(id, { trigger: SWEEP_TRIGGER });
			const report = new RegExp(`^The recording ${spoilt} is not archived.*cannot be decrypted`);
			assert.match(messages([execution]), report);
			assert.equal(setup.ledger(spoilt).state, 'stored');
			for (const sessionGuid of good) await setup.assertArchived(sessionGuid);
		});

		test('what was archived can be checked without n8n, by the command of the documentation', async () => {
			for (const days of [1, 2]) await setup.waiting(days);
			await setup.sweep(2);
			const page = readFileSync('docs/customizing.md', 'utf8');
			const [, command] = /```shell\n(find [^`]+)```/.exec(page) ?? [];
			const check = () => spawnSync('sh', ['-c', String(command)], { cwd: setup.archive.folder });
			const whole = check();
			assert.equal(whole.status, 0, String(whole.stderr));
			const [first = ''] = String(whole.stdout).split(': OK\n');
			appendFileSync(join(setup.archive.folder, first), 'x');
			assert.match(String(check().stdout), /: FAILED$/m);
		});

		// The service keeps recordings for 7 days.
		for (const [days, name, isLost] of [
			[6.99, 'a recording that is purged before its turn is reported as lost [fault 48]', true],
			[6.9, 'a recording that another execution has archived meanwhile is not reported', false],
		] as const) {
			test(name, async () => {
				const gone = await setup.waiting(days);
				await goneAfterListing(setup, gone);
				const [execution] = await setup.sweep(1);
				if (!isLost) return void succeeded(execution);
				assert.equal(execution?.status, 'error');
				assert.match(
					messages([execution]),
					new RegExp(`^LOST: the recording ${gone} is not archived. It was gone when it was to be`),
				);
			});
		}

		test('it is a failure if an archive workflow does not say what became of a recording', async () => {
			const guids = [await setup.waiting(3), await setup.waiting(6.99)];
			const silent = await setup.n8n.importWorkflow(silentWorkflow());
			await setup.n8n.activate(silent);
			const executions = await setup.sweep(2, silent);
			for (const sessionGuid of guids) {
				assert.match(
					messages(executions),
					new RegExp(`${sessionGuid} is not archived[^]*did not say what became of it`),
				);
			}
			assert.doesNotMatch(messages(executions), /LOST/);
		});
	});
}

/** An archive workflow that ends without an item. */
function silentWorkflow(): Workflow {
	const trigger = nodeOf(readWorkflow('archive-to-folder'), 'When a sweep finds a recording');
	return inARow('Silent archive', [trigger, baseNode('Nothing', 'limit', 1, { maxItems: 0 })]);
}
