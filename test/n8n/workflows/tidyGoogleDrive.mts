/** tidy-google-drive: which copies it moves to the bin, and what it leaves alone. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import type { Credential, N8n } from '../../../harness/n8n/n8n.mts';
import { addService, PASSWORD, type Stack } from '../../../harness/stack.mts';
import { googleDriveArchive } from '../../../harness/standIns/archives.mts';
import type { DriveFile, GoogleDrive } from '../../../harness/standIns/googleDrive.mts';
import { readWorkflow } from '../../../harness/workflows.mts';

const TRIGGER = 'When a call ends';

export function tidyGoogleDriveSuite(getHost: () => { n8n: N8n; drive: GoogleDrive }): void {
	suite('workflow: tidy-google-drive', { concurrency: 1 }, () => {
		let drive: GoogleDrive;
		let n8n: N8n;
		let stack: Stack;
		const credentials: Record<string, Credential> = {};
		/** What the archive workflow stores: a recording and its metadata. */
		let archived: DriveFile[];
		before(async () => {
			({ drive, n8n } = getHost());
			stack = await addService(n8n);
			const { control } = stack.emulator;
			const archive = await googleDriveArchive(drive);
			Object.assign(credentials, stack.credentials);
			for (const one of archive.credentials) {
				credentials[one.type] = await n8n.createCredential(one);
			}
			const workflowId = await n8n.importWorkflow(archive.configured(), credentials);
			await n8n.activate(workflowId);
			control.setWebhooks({ callEnd: await n8n.webhookUrl(workflowId, TRIGGER) });
			const { sessionGuid } = await control.addRecording({ password: PASSWORD });
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId, trigger: TRIGGER, sessionGuid, count: 1 };
			const [execution] = await executionsFor(n8n, query);
			assert.equal(execution?.status, 'success', execution?.error?.message);
			archived = drive.files().filter(({ name }) => name.includes(sessionGuid));
			assert.equal(archived.length, 2);
		});
		after(async () => await stack?.stop());

		interface Report {
			text: string;
			moved: number;
			failed: number;
		}
		async function tidied(): Promise<Report> {
			const id = await n8n.importWorkflow(readWorkflow('tidy-google-drive'), credentials);
			const execution = await n8n.run(id, { trigger: 'Every week' });
			assert.equal(execution.status, 'success', execution.error?.message);
			const [item, ...more] = execution.items('Write the report');
			assert.deepEqual(more, []);
			return item?.json as unknown as Report;
		}

		let folder: string;
		let minutes = 0;
		interface Changes {
			of?: 'metadata';
			call?: string;
			content?: Buffer;
			name?: string;
			in?: string;
			properties?: Record<string, string>;
		}
		/** A file as the archive workflow stores it, each one younger than the one before. */
		function stored({ of, call, content, name, in: parent = folder, properties }: Changes): string {
			const isWanted = (file: DriveFile) => file.name.endsWith('.json') === (of === 'metadata');
			const original = archived.find(isWanted) as DriveFile;
			const own = original.more.properties as Record<string, string>;
			minutes += 1;
			return drive.addFile(name ?? original.name, content ?? original.content, {
				parents: [parent],
				createdTime: new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString(),
				properties: properties ?? { ...own, ...(call && { sessionGuid: call }) },
			});
		}
		const cut = () =>
			(archived.find(({ name }) => !name.endsWith('.json')) as DriveFile).content.subarray(0, 500);
		const isInBin = (id: string) => drive.files().find((file) => file.id === id)?.trashed;

		// Which files are there, oldest first, and which of them go.
		const cases: Array<[what: string, files: (call: string) => string[], go: number[]]> = [
			[
				'a recording and its metadata twice: the younger ones go',
				(call) => [
					stored({ call }),
					stored({ call, of: 'metadata' }),
					stored({ call }),
					stored({ call, of: 'metadata' }),
				],
				[2, 3],
			],
			[
				'a cut and an empty file before the whole one: both go',
				(call) => [
					stored({ call, content: cut() }),
					stored({ call, content: Buffer.alloc(0) }),
					stored({ call }),
				],
				[0, 1],
			],
			[
				'the copies have different names: metadata of the same name stays',
				(call) => [
					stored({ call, of: 'metadata', name: 'b.json' }),
					stored({ call, name: 'a.opus' }),
					stored({ call, name: 'b.opus' }),
					stored({ call, of: 'metadata', name: 'a.json' }),
				],
				[0, 2],
			],
			[
				'cut metadata goes if whole metadata stays, else not',
				(call) => [
					stored({ call }),
					stored({ call, of: 'metadata', content: Buffer.from('{') }),
					stored({ call, of: 'metadata' }),
				],
				[1],
			],
			['one of each', (call) => [stored({ call }), stored({ call, of: 'metadata' })], []],
			[
				'files that the archive workflow did not store',
				(call) => [
					stored({ properties: {} }),
					stored({ properties: {} }),
					stored({ properties: { archivedBy: 'n8n-nodes-voiceagent', sessionGuid: call } }),
					stored({ properties: { archivedBy: 'n8n-nodes-voiceagent', sessionGuid: call } }),
				],
				[],
			],
		];
		const leftAlone: Array<[what: string, files: (call: string) => string[], why: string]> = [
			[
				'only cut files',
				(call) => [stored({ call, content: cut() }), stored({ call, content: cut() })],
				'no recording is whole',
			],
			[
				'a cut file, with the whole one in another folder',
				(call) => [
					stored({ call, in: drive.addFolder('Another') }),
					stored({ call, content: cut() }),
				],
				'no recording is whole',
			],
			[
				'two recordings that differ',
				(call) => [
					stored({ call }),
					stored({
						call,
						properties: {
							archivedBy: 'n8n-nodes-voiceagent',
							sessionGuid: call,
							sha256: 'f'.repeat(64),
						},
					}),
				],
				'the recordings differ',
			],
			[
				'cut metadata only',
				(call) => [
					stored({ call }),
					stored({ call, of: 'metadata', content: Buffer.from('{') }),
					stored({ call, of: 'metadata', content: Buffer.from('{') }),
				],
				'no metadata file is whole',
			],
		];
		for (const [what, files, go] of cases) {
			test(what, async () => {
				folder = drive.addFolder(what);
				const call = randomUUID();
				const ids = files(call);
				const { text } = await tidied();
				assert.deepEqual(
					ids.map(isInBin),
					ids.map((_, index) => go.includes(index)),
					text,
				);
				assert.equal(text.split(call).length - 1, go.length, text);
				// The next execution finds nothing more to move.
				assert.match((await tidied()).text, /Moved to the bin: 0\./);
			});
		}
		for (const [what, files, why] of leftAlone) {
			test(`${what}: all stay, and the report says so`, async () => {
				folder = drive.addFolder(what);
				const call = randomUUID();
				const ids = files(call);
				const { text } = await tidied();
				assert.deepEqual(ids.filter(isInBin), []);
				assert.ok(text.includes(`- ${call}: ${why}`), text);
			});
		}

		test('a whole file in the bin is none that stays', async () => {
			folder = drive.addFolder('Bin');
			const call = randomUUID();
			const ids = [stored({ call }), stored({ call })];
			await tidied();
			const kept = drive.files().find(({ id }) => id === ids[0]) as DriveFile;
			kept.content = Buffer.alloc(0);
			kept.sha256Checksum = 'e3b0c442';
			assert.ok((await tidied()).text.includes(`- ${call}: no recording is whole`));
			assert.deepEqual(ids.map(isInBin), [false, true]);
		});

		test('a file that cannot be moved is named, and moved by the next execution', async () => {
			folder = drive.addFolder('Refused');
			const call = randomUUID();
			const ids = [stored({ call }), stored({ call }), stored({ call })];
			drive.addFault({ on: 'update', kind: 'status', status: 403 });
			const { moved, failed, text } = await tidied();
			assert.deepEqual([moved, failed], [1, 1]);
			assert.match(text, /Could not be moved: 1\..*\n- .*opus: \S/);
			assert.equal((await tidied()).moved, 1);
			assert.deepEqual(ids.map(isInBin), [false, true, true]);
		});

		test('without a credential, it cannot be published', async () => {
			const id = await n8n.importWorkflow(readWorkflow('tidy-google-drive'));
			await assert.rejects(n8n.activate(id), /Find archived files in Google Drive/);
		});

		test('nothing is deleted for good', () => {
			assert.deepEqual(
				drive.requests().filter(({ method }) => method === 'DELETE'),
				[],
			);
		});

		test('if nothing is archived, it says so', async () => {
			drive.clear();
			const { text } = await tidied();
			assert.equal(text, 'Archived files in Google Drive: 0. Moved to the bin: 0.');
		});
	});
}
