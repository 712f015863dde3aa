/** The ledger of calls: who writes it, what it is read for, and that nothing depends on it. One n8n for all suites. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { createLedger, LEDGER } from '../../harness/ledger.mts';
import { packedPackage, startN8n, type N8n } from '../../harness/n8n/n8n.mts';
import { readWorkflow } from '../../harness/workflows.mts';
import { startGoogleDrive, type GoogleDrive } from '../../harness/standIns/googleDrive.mts';
import { keepSuite } from './ledger/keep.mts';
import { rescueLedgerSuite } from './ledger/rescue.mts';
import { pagesSuite } from './ledger/pages.mts';
import { policySuite } from './ledger/policy.mts';
import { forgetCallerSuite } from './ledger/forgetCaller.mts';
import { sweepsSuite } from './ledger/sweeps.mts';
import { transcribeSuite } from './ledger/transcribe.mts';
import { verifyArchiveSuite } from './ledger/verifyArchive.mts';
import { dailyReportSuite } from './ledger/dailyReport.mts';

suite('ledger', { concurrency: 1 }, () => {
	let n8n: N8n;
	let folder: string;
	let drive: GoogleDrive;
	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-ledger-'));
		drive = await startGoogleDrive();
		n8n = await startN8n({
			packages: [packedPackage()],
			env: drive.env,
			allowedPaths: [folder],
		});
	});
	after(async () => {
		await n8n?.stop();
		await drive?.close();
		await rm(folder, { recursive: true, force: true });
	});

	suite('workflow: create-ledger', { concurrency: 1 }, () => {
		test('creates the data table, and leaves one that exists as it is', async () => {
			assert.equal(await n8n.dataTable(LEDGER), undefined);
			const ledger = await createLedger(n8n);
			await ledger.insert({ sessionGuid: 'call-1', bytes: 7 });
			const id = await n8n.importWorkflow(readWorkflow('create-ledger'));
			const again = await n8n.run(id, { trigger: 'When you execute it' });
			assert.equal(again.status, 'success', again.error?.message);
			const [row] = await ledger.rows();
			assert.equal(row?.bytes, 7);
			const { id: _id, ...columns } = row;
			// What a person looks for comes first.
			const first = ['status', 'endedAt', 'number', 'file', 'sessionGuid'];
			assert.deepEqual(Object.keys(columns).slice(0, 5), first);
			await ledger.remove();
		});
	});

	sweepsSuite(() => ({ n8n, folder }));
	keepSuite(() => ({ n8n, folder }));
	policySuite(() => n8n);
	rescueLedgerSuite(() => ({ n8n, folder }));
	dailyReportSuite(() => n8n);
	forgetCallerSuite(() => n8n);
	pagesSuite(() => ({ n8n, folder, drive }));
	verifyArchiveSuite(() => ({ n8n, folder, drive }));
	transcribeSuite(() => ({ n8n, folder, drive }));
});
