/**
 * The workflows of this repository. All suites share one n8n, whose start takes longer than most of them. Each
 * has a service of its own, so they run side by side. One of them alone: `--test-name-pattern=sweep-before-purge`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite } from 'node:test';

import { packedPackage, startN8n, type N8n } from '../../harness/n8n/n8n.mts';
import {
	archiveNames,
	startArchive,
	type Archive,
	type ArchiveName,
} from '../../harness/standIns/archives.mts';
import { accountsSuite } from './workflows/accounts.mts';
import { archiveSuite } from './workflows/archive.mts';
import { decryptFolderSuite } from './workflows/decryptFolder.mts';
import { failureNoticeSuite } from './workflows/failureNotice.mts';
import { fileSuites } from './workflows/files.mts';
import { fourNodesSuite } from './workflows/fourNodes.mts';
import { nextVersionsTest } from './workflows/nextVersions.mts';
import { objectLockSuite } from './workflows/objectLock.mts';
import { proofSuite } from './workflows/proof.mts';
import { recordingPolicySuite } from './workflows/recordingPolicy.mts';
import { rescueSuite } from './workflows/rescue.mts';
import { sweepSuite } from './workflows/sweep.mts';

suite('workflows', { concurrency: 4 }, () => {
	let n8n: N8n;
	/** The Read/Write Files node may use this folder. */
	let folder: string;
	const archives = new Map<ArchiveName, Archive>();

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-workflows-'));
		for (const name of archiveNames) archives.set(name, await startArchive[name](folder));
		const settings = [...archives.values()].map((archive) => archive.n8n);
		n8n = await startN8n({
			packages: [packedPackage()],
			env: Object.assign({}, ...settings.map(({ env }) => env)) as Record<string, string>,
			allowedPaths: [folder, ...settings.flatMap(({ allowedPaths = [] }) => allowedPaths)],
		});
	});
	after(async () => {
		await n8n?.stop();
		for (const archive of archives.values()) await archive.close();
		await rm(folder, { recursive: true, force: true });
	});

	for (const name of archiveNames) {
		const getHost = () => ({ n8n, archive: archives.get(name) as Archive });
		// One after the other, because the second one orders faults of the same archive.
		suite(name, { concurrency: 1 }, () => {
			archiveSuite(name, getHost);
			if (name !== 'archive-to-google-drive') return;
			fourNodesSuite(getHost);
			proofSuite(() => ({ ...getHost(), folder }));
		});
	}
	sweepSuite(() => ({ n8n, folder }));
	objectLockSuite(() => n8n);
	accountsSuite(() => ({ n8n, folder }));
	failureNoticeSuite(() => ({ n8n, folder }));
	recordingPolicySuite(() => n8n);
	decryptFolderSuite(() => ({ n8n, folder }));
	rescueSuite(() => ({ n8n, folder }));
	suite('workflow files', { concurrency: 1 }, () => {
		fileSuites(() => n8n);
		nextVersionsTest(() => n8n);
	});
});
