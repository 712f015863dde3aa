/** What the sweep and the failure notice enter in the ledger. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { createLedger, keyOf, rowOf } from '../../../harness/ledger.mts';
import type { Row } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { sweepOfOne } from '../workflows/sweepOfOne.mts';
import { goneAfterListing, messages } from '../workflows/sweepSetup.mts';
import { succeeded, type Host } from '../suite.mts';
import { sweepWithLedger } from './sweepWithLedger.mts';

const POST = 'Post the notice to your chat';

export function sweepsSuite(getHost: () => Host): void {
	suite('what was not archived', { concurrency: 1 }, () => {
		const { ledger, setup } = sweepWithLedger(getHost);

		test('a recording that is purged before its turn is entered as lost', async () => {
			const lost = await setup.waiting(6.99);
			await goneAfterListing(setup, lost);
			await setup.sweep(1);
			const row = await rowOf(ledger, lost, ({ lostAt }) => lostAt !== undefined);
			assert.ok(Math.abs(Date.parse(String(row.lostAt)) - Date.now()) < 600_000);
			assert.match(String(row.lastError), /was gone when it was to be archived/);
			assert.equal(row.endedAt, setup.ledger(lost).endedAt);
			assert.equal(row.archivedAt, undefined);
		});

		test('a recording that the ledger has as archived is not lost, and its row stays', async () => {
			const sessionGuid = await setup.waiting(6.99);
			const recordingKey = keyOf(sessionGuid);
			const row = { recordingKey, archivedAt: new Date().toISOString(), file: 'call.opus' };
			await ledger.insert(row);
			await goneAfterListing(setup, sessionGuid);
			succeeded((await setup.sweep(1))[0]);
			assert.deepEqual(await rowOf(ledger, sessionGuid), { ...row, sessionGuid });
		});

		test('a call without a recording is not entered', async () => {
			const { archiveId } = setup;
			const sessionGuid = '0e8f6d6e-1111-4222-8333-444455556666';
			const endedAt = new Date().toISOString();
			const keptUntil = new Date(Date.now() + 7 * 24 * 3_600_000).toISOString();
			const recording = { sessionGuid, endedAt, keptUntil, hoursLeft: 168 };
			assert.deepEqual(await sweepOfOne(setup, archiveId, recording), {});
			// Nor if the service does not say that there is none.
			const { control } = setup.emulator;
			const fault = { kind: 'status', status: 403 } as const;
			control.addFault({ match: { endpoint: 'downloadRecording' }, times: 'always', fault });
			await control.sendCallEnd(sessionGuid, { event: 'CallEnd', sessionGuid });
			await setup.noticeWith(sessionGuid);
			const rows = await ledger.rows();
			assert.deepEqual(
				rows.filter((row) => row.recordingKey === sessionGuid),
				[],
			);
		});

		test('a recording that was rescued is no alarm', async () => {
			const rescued = await setup.waiting(5.5, PASSWORD);
			const urgent = await setup.waiting(5.2, PASSWORD);
			const row = { recordingKey: keyOf(rescued), rescuedAt: new Date().toISOString() };
			await ledger.insert(row);
			for (const one of [rescued, urgent]) {
				await setup.emulator.control.tamper(one, { flipBitAt: 100 });
			}
			const both = messages(await setup.sweep(2));
			assert.match(both, /^ALARM/m);
			assert.match(both, new RegExp(`${urgent} is not archived`));
			assert.match(both, new RegExp(`${rescued} (?:could not be|is rescued, but not) archived`));
			await setup.noticeWith('*sweep-before-purge', `call ${urgent}, kept by the service`);

			// Without the other one.
			await setup.emulator.control.tamper(urgent, { flipBitAt: 100 });
			await setup.sweep(2);
			const alone = messages(await setup.sweep(1));
			assert.ok(alone.includes(rescued) && !/ALARM|LOST/.test(alone), alone);
			// Three failures of the archive workflow, and as many of the sweep, make one notice. They
			// make two if two failed at the same moment: n8n compares and notes in two steps.
			const about = await executionsFor(setup.n8n, {
				workflowId: setup.noticeId,
				trigger: 'Write the notice',
				sessionGuid: rescued,
				count: 6,
			});
			assert.ok([1, 2].includes(about.flatMap((one) => one.items(POST)).length));
		});

		test('who was called and who called are entered, as text', async () => {
			const { control } = setup.emulator;
			const { endedAt } = setup.ledger(await setup.waiting(1));
			const numbers = { to: '+4930555', from: '+49 (40) 555' };
			const { sessionGuid } = await control.addRecording({ ...numbers, endedAt: String(endedAt) });
			await setup.sweep(2);
			const isArchived = ({ archivedAt }: Row) => !!archivedAt;
			const row = await rowOf(ledger, sessionGuid, isArchived);
			assert.deepEqual([row.to, row.from], [numbers.to, numbers.from]);

			const other = await control.addRecording({ endedAt: String(endedAt) });
			// As the trigger outputs it: the number that it has found, whatever the record has.
			const recording = {
				sessionGuid: other.sessionGuid,
				to: null,
				from: numbers.from,
				endedAt: String(endedAt),
				recording: { from: { phoneNumber: numbers.from, name: 'Jane' } },
			};
			await sweepOfOne(setup, setup.archiveId, recording);
			const nested = await rowOf(ledger, other.sessionGuid, isArchived);
			assert.deepEqual([nested.to ?? null, nested.from], [null, numbers.from]);
		});

		test('what was stored is entered before the service deletes it', async () => {
			const { control } = setup.emulator;
			const sessionGuid = await setup.waiting(1);
			const match = { endpoint: 'deleteRecording', sessionGuid } as const;
			control.addFault({ match, times: 'always', fault: { kind: 'status', status: 403 } });
			await setup.sweep(1);
			const row = await rowOf(ledger, sessionGuid, ({ failedAt }) => !!failedAt);
			assert.match(String(row.file), new RegExp(`${sessionGuid}.*\\.opus$`, 'i'));
			assert.deepEqual([row.archivedAt, row.deletedAt], [undefined, undefined]);
			control.clearFaults();
			await setup.sweep(1);
			const archived = await rowOf(ledger, sessionGuid, ({ deletedAt }) => !!deletedAt);
			assert.deepEqual([archived.sha256, archived.bytes], [row.sha256, row.bytes]);
		});

		test('without its ledger, nothing is deleted, and the failure names it', async () => {
			const sessionGuid = await setup.waiting(1);
			await ledger.remove();
			const failures = messages(await setup.sweep(1));
			Object.assign(ledger, await createLedger(getHost().n8n));
			assert.match(failures, /VoiceAgent calls/);
			assert.equal(setup.ledger(sessionGuid).state, 'stored');
			await setup.sweep(1);
			await rowOf(ledger, sessionGuid, ({ deletedAt }) => !!deletedAt);
		});

		test('a recording that cannot be archived is entered with the reason, until it is', async () => {
			const spoilt = await setup.waiting(3, PASSWORD);
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			await setup.sweep(1);
			const row = await rowOf(ledger, spoilt, ({ lastError }) => lastError !== undefined);
			assert.match(String(row.lastError), /^The recording cannot be decrypted/);
			assert.equal(row.lostAt, undefined);
			// Each of the two workflows fails, but it is one attempt.
			await setup.noticeWith('*sweep-before-purge', spoilt);
			assert.equal((await rowOf(ledger, spoilt)).attempts, 1);
			await setup.sweep(1);
			await rowOf(ledger, spoilt, ({ attempts }) => attempts === 2);
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			await setup.sweep(1);
			const archived = await rowOf(ledger, spoilt, ({ archivedAt }) => !!archivedAt);
			await setup.assertArchived(spoilt);
			assert.equal(archived.lastError, undefined);
			const { n8n, noticeId } = setup;
			const late = async () =>
				(await n8n.run(noticeId, { trigger: 'Every 5 minutes' }))
					.items(POST)
					.flatMap(({ json }) => json);
			await late();
			const over = await setup.noticeWith('*It is over:*', spoilt);
			assert.ok(over.includes(String(archived.file)), over);
			assert.deepEqual(await late(), []);
			assert.equal(setup.notices.filter((one) => one.includes(`call ${spoilt}, kept`)).length, 1);
		});

		test('failures that name no recording make one notice a day, and no row', async () => {
			const { control } = setup.emulator;
			const fault = { kind: 'status', status: 401 } as const;
			control.addFault({ match: { endpoint: 'listRecordings' }, times: 'always', fault });
			for (const _time of [1, 2]) await setup.sweep(1);
			await setup.noticeWith('The failure names no recording');
			const query = { workflowId: setup.noticeId, trigger: 'Write the notice' };
			const both = await executionsFor(setup.n8n, { ...query, sessionGuid: '', count: 2 });
			assert.equal(both.flatMap((one) => one.items(POST)).length, 1);
			const rows = await ledger.rows();
			assert.deepEqual(
				rows.map(({ recordingKey }) => recordingKey).filter((one) => !one),
				[],
			);
		});

		test('an error of an overlapping execution does not stay on an archived row', async () => {
			const sessionGuid = await setup.waiting(3, PASSWORD);
			const row = { recordingKey: keyOf(sessionGuid), status: 'archived', file: 'call.opus' };
			await ledger.insert({ ...row, archivedAt: new Date().toISOString() });
			await setup.emulator.control.tamper(sessionGuid, { flipBitAt: 100 });
			await setup.sweep(1);
			await setup.noticeWith('*sweep-before-purge', sessionGuid);
			// The end of the call is no error: a notice may add it.
			const { archivedAt, endedAt: _end, ...entered } = await rowOf(ledger, sessionGuid);
			assert.deepEqual([Boolean(archivedAt), entered], [true, { ...row, sessionGuid }]);
		});
	});
}
