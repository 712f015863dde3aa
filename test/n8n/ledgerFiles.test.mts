/**
 * What is made of an archive and its ledger: kept encrypted, rebuilt, transcribed, exported. All
 * suites share one n8n.
 */
import { suite } from 'node:test';

import { startGoogleDrive } from '../../harness/standIns/googleDrive.mts';
import { keptEncryptedSuite } from './ledger/keptEncrypted.mts';
import { rebuildLedgerSuite } from './ledger/rebuildLedger.mts';
import { transcribeSuite } from './ledger/transcribe.mts';
import { exportCallerSuite } from './ledger/exportCaller.mts';
import { hostOf, shared } from './suite.mts';

suite('ledger and files', { concurrency: 1 }, () => {
	const drive = shared(startGoogleDrive);
	// n8n deletes what it does not save within seconds, and not each quarter of an hour.
	const deletion = { EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '0.05' };
	const host = hostOf(async () => ({ env: { ...drive.env, ...deletion } }));
	const getHost = () => host;
	const getArchiveHost = () => ({ ...host, drive });

	keptEncryptedSuite(getHost);
	rebuildLedgerSuite(getArchiveHost);
	transcribeSuite(getHost);
	exportCallerSuite(getHost);
});
