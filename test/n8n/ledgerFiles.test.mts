/**
 * What is made of an archive and its ledger: kept encrypted, rebuilt, transcribed, exported. All
 * suites share one n8n.
 */
import { suite } from 'node:test';

import { keptEncryptedSuite } from './ledger/keptEncrypted.mts';
import { rebuildLedgerSuite } from './ledger/rebuildLedger.mts';
import { hostWithDrive } from './ledger/store.mts';
import { transcribeSuite } from './ledger/transcribe.mts';
import { exportCallerSuite } from './ledger/exportCaller.mts';

suite('ledger and files', { concurrency: 1 }, () => {
	const { getHost, getArchiveHost } = hostWithDrive();
	keptEncryptedSuite(getHost);
	rebuildLedgerSuite(getArchiveHost);
	transcribeSuite(getHost);
	exportCallerSuite(getHost);
});
