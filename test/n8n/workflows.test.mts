/**
 * The workflows of this repository. All suites share one n8n, whose start takes longer than most of
 * them. Each has a service of its own, so they run side by side.
 *
 * `--test-name-pattern=sweep-before-purge` runs one of them alone.
 */
import { after, suite } from 'node:test';

import {
	archiveNames,
	startArchive,
	type Archive,
	type ArchiveName,
} from '../../harness/standIns/archives.mts';
import { accountsSuite } from './workflows/accounts.mts';
import { afterArchivingSuite } from './workflows/afterArchiving.mts';
import { archiveSuite } from './workflows/archive.mts';
import { decryptFolderSuite } from './workflows/decryptFolder.mts';
import { errorFieldsSuite } from './workflows/errorFields.mts';
import { failureNoticeSuite } from './workflows/failureNotice.mts';
import { fileSuites } from './workflows/files.mts';
import { fourNodesSuite } from './workflows/fourNodes.mts';
import { nextVersionsTest } from './workflows/nextVersions.mts';
import { objectLockSuite } from './workflows/objectLock.mts';
import { otherStorageSuite } from './workflows/otherStorage.mts';
import { proofSuite } from './workflows/proof.mts';
import { proofRetriesSuite } from './workflows/proofRetries.mts';
import { recordExistingAgentSuite } from './workflows/recordExistingAgent.mts';
import { recordingPolicySuite } from './workflows/recordingPolicy.mts';
import { rescueSuite } from './workflows/rescue.mts';
import { sweepSuite } from './workflows/sweep.mts';
import { unfilledSuite } from './workflows/unfilled.mts';
import { hostOf } from './suite.mts';

suite('workflows', { concurrency: 4 }, () => {
	const archives = new Map<ArchiveName, Archive>();
	const host = hostOf(async (folder) => {
		for (const name of archiveNames) archives.set(name, await startArchive[name](folder));
		const settings = [...archives.values()].map((archive) => archive.n8n);
		return {
			env: Object.assign({}, ...settings.map(({ env }) => env)) as Record<string, string>,
			allowedPaths: settings.flatMap(({ allowedPaths = [] }) => allowedPaths),
		};
	});
	after(async () => {
		for (const archive of archives.values()) await archive.close();
	});
	const getHost = () => host;
	const getN8n = () => host.n8n;

	for (const name of archiveNames) {
		const getArchiveHost = () => ({ ...host, archive: archives.get(name) as Archive });
		// One after the other, because the second one orders faults of the same archive.
		suite(name, { concurrency: 1 }, () => {
			archiveSuite(name, getArchiveHost);
			if (name !== 'archive-to-google-drive') return;
			fourNodesSuite(getArchiveHost);
			proofSuite(getArchiveHost);
		});
	}
	unfilledSuite(getHost);
	sweepSuite(getHost);
	afterArchivingSuite(getHost);
	objectLockSuite(getN8n);
	otherStorageSuite(getHost);
	accountsSuite(getHost);
	errorFieldsSuite(getHost);
	failureNoticeSuite(getHost);
	recordingPolicySuite(getN8n);
	recordExistingAgentSuite(getN8n);
	decryptFolderSuite(getHost);
	rescueSuite(getHost);
	proofRetriesSuite(getHost);
	suite('workflow files', { concurrency: 1 }, () => {
		fileSuites(getN8n);
		nextVersionsTest(getN8n);
	});
});
