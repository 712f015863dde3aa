/**
 * The ledger of calls: who writes it, what it is read for, and that nothing depends on it. All
 * suites share one n8n.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { createLedger, LEDGER } from '../../harness/ledger.mts';
import { readWorkflow } from '../../harness/workflows.mts';
import { keepSuite } from './ledger/keep.mts';
import { rescueLedgerSuite } from './ledger/rescue.mts';
import { pagesSuite } from './ledger/pages.mts';
import { policySuite } from './ledger/policy.mts';
import { forgetCallerSuite } from './ledger/forgetCaller.mts';
import { triggersSuite } from './ledger/triggers.mts';
import { hostWithDrive } from './ledger/store.mts';
import { sweepsSuite } from './ledger/sweeps.mts';
import { verifyArchiveSuite } from './ledger/verifyArchive.mts';
import { dailyReportSuite } from './ledger/dailyReport.mts';
import { similarTable, succeeded } from './suite.mts';

suite('ledger', { concurrency: 1 }, () => {
	const { host, getHost, getArchiveHost } = hostWithDrive();
	const getN8n = () => host.n8n;

	suite('workflow: create-ledger', { concurrency: 1 }, () => {
		test('creates the data table, and leaves one that exists as it is', async () => {
			const { n8n } = host;
			assert.equal(await n8n.dataTable(LEDGER), undefined);
			const ledger = await createLedger(n8n);
			await ledger.insert({ recordingKey: 'call-1', bytes: 7 });
			const id = await n8n.importWorkflow(readWorkflow('create-ledger'));
			succeeded(await n8n.run(id, { trigger: 'When you execute it' }));
			const [row] = await ledger.rows();
			assert.equal(row?.bytes, 7);
			const { id: _id, ...columns } = row;
			// What a person looks for comes first.
			const first = ['status', 'endedAt', 'to', 'from', 'file', 'recordingKey', 'sessionGuid'];
			assert.deepEqual(Object.keys(columns).slice(0, 7), first);
			await ledger.remove();
		});

		for (const name of [`${LEDGER} (old)`, 'my voiceagent days']) {
			test(`creates nothing while there is a table "${name}", and names it`, async (t) => {
				const { n8n } = host;
				await similarTable(t, n8n, name, { status: 'string' });
				const id = await n8n.importWorkflow(readWorkflow('create-ledger'));
				const { error } = await n8n.run(id, { trigger: 'When you execute it' });
				const message = String(error?.message);
				assert.ok(message.startsWith('Rename these') && message.endsWith(`: ${name}`), message);
				assert.equal(await n8n.dataTable(LEDGER), undefined);
			});
		}
	});

	sweepsSuite(getHost);
	triggersSuite(getHost);
	keepSuite(getHost);
	policySuite(getN8n);
	rescueLedgerSuite(getHost);
	dailyReportSuite(getN8n);
	forgetCallerSuite(getArchiveHost);
	pagesSuite(getArchiveHost);
	verifyArchiveSuite(getArchiveHost);
});
