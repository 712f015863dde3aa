/** What the archive workflows enter in the ledger, and what a sweep reads from it. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { createLedger, entered } from '../../../harness/ledger.mts';
import type { Credential, DataTable, N8n } from '../../../harness/n8n/n8n.mts';
import { addService, PASSWORD, type Stack } from '../../../harness/stack.mts';
import {
	folderArchive,
	googleDriveArchive,
	s3Archive,
	sftpArchive,
	type Archive,
} from '../../../harness/standIns/archives.mts';
import type { GoogleDrive } from '../../../harness/standIns/googleDrive.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import { sweepOfOne } from '../workflows/sweepOfOne.mts';

const TRIGGER = 'When a call ends';

export function archivesSuite(
	getHost: () => { n8n: N8n; folder: string; drive: GoogleDrive },
): void {
	const archives: Array<[name: string, start: () => Promise<Archive>]> = [
		['Google Drive', async () => await googleDriveArchive(getHost().drive)],
		['S3', async () => await s3Archive()],
		['SFTP', async () => await sftpArchive()],
		['Folder', async () => await folderArchive(getHost().folder)],
	];
	for (const [name, start] of archives) {
		suite(`archive workflow: ${name}`, { concurrency: 1 }, () => {
			let archive: Archive;
			let stack: Stack;
			let ledger: DataTable;
			let workflowId: string;
			const credentials: Record<string, Credential> = {};
			before(async () => {
				archive = await start();
				stack = await addService(getHost().n8n);
				const { n8n, emulator } = stack;
				ledger = await createLedger(n8n);
				Object.assign(credentials, stack.credentials);
				for (const one of archive.credentials) {
					credentials[one.type] = await n8n.createCredential(one);
				}
				const workflow = archive.configured();
				// As its user does, after the ledger was created.
				nodeOf(workflow, 'Note the call in the ledger').disabled = false;
				workflowId = await n8n.importWorkflow(workflow, credentials);
				await n8n.activate(workflowId);
				emulator.control.setWebhooks({ callEnd: await n8n.webhookUrl(workflowId, TRIGGER) });
			});
			after(async () => {
				await stack?.stop();
				await ledger?.remove();
				if (name !== 'Google Drive') await archive?.close();
			});

			const rowOf = async (sessionGuid: string) => {
				const rows = (await ledger.rows()).filter((row) => row.sessionGuid === sessionGuid);
				assert.equal(rows.length, 1);
				return entered(rows[0] as (typeof rows)[number]);
			};

			/** What the archive workflow tells a sweep. */
			const swept = async (sessionGuid: string, callEndedAt: string) =>
				await sweepOfOne(stack.n8n, credentials, workflowId, { sessionGuid, callEndedAt });

			test('a call is entered when it is archived, and stays so when a sweep asks again', async () => {
				const { control } = stack.emulator;
				const { sessionGuid, plainSha256, plainBytes } = await control.addRecording({
					password: PASSWORD,
				});
				await control.sendCallEnd(sessionGuid);
				const query = { workflowId, trigger: TRIGGER, sessionGuid, count: 1 };
				const [execution] = await executionsFor(stack.n8n, query);
				assert.equal(execution?.status, 'success', execution?.error?.message);
				const row = await rowOf(sessionGuid);
				const { endedAt, archivedAt, deletedAt, file, ...others } = row;
				assert.deepEqual(others, {
					sessionGuid,
					archive: name,
					kept: false,
					bytes: plainBytes,
					sha256: plainSha256,
				});
				for (const time of [endedAt, archivedAt, deletedAt]) {
					assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 120_000, String(time));
				}
				const stored = (await archive.files()).map((one) => one.name);
				assert.ok(stored.includes(String(file).split('/').at(-1) ?? ''), String(file));

				const { endedAt: callEndedAt } = stack.ledger(sessionGuid);
				const told = await swept(sessionGuid, callEndedAt);
				assert.ok(told?.archivedAt, JSON.stringify(told));
				const later = await rowOf(sessionGuid);
				assert.deepEqual([later.file, later.sha256, later.bytes], [file, plainSha256, plainBytes]);
				assert.ok(later.archivedAt && later.deletedAt, JSON.stringify(later));
			});

			test('a call without a recording is entered as not archived', async () => {
				const sessionGuid = '0e8f6d6e-1111-4222-8333-444455556666';
				const told = await swept(sessionGuid, new Date().toISOString());
				assert.equal(told?.sessionGuid, sessionGuid);
				assert.equal(told.archivedAt, null);
				assert.deepEqual(Object.keys(await rowOf(sessionGuid)).sort(), [
					'endedAt',
					'kept',
					'sessionGuid',
				]);
			});
		});
	}
}
