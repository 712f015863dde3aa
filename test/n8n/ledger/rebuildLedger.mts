/** rebuild-ledger: the ledger comes back from the metadata files of each archive. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { createLedger, entered, rowOf } from '../../../harness/ledger.mts';
import type { DataTable, Execution, Row } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { missingOpenSsh } from '../../../harness/standIns/sftp.mts';
import { archiveToFolder, nodeOf, readWorkflow, withLedger } from '../../../harness/workflows.mts';
import { publishArchive } from '../archived.mts';
import { serviceOf, succeeded } from '../suite.mts';
import { archives, archivesOf, type ArchiveHost } from './store.mts';

type ArchiveName = (typeof archives)[number];

/** What the ledger knows of a recording, and its metadata file too. */
const KNOWN = ['recordingKey', 'sessionGuid', 'to', 'from', 'endedAt', 'bytes', 'sha256'] as const;
const CALLS = 7;

export function rebuildLedgerSuite(getHost: () => ArchiveHost): void {
	suite('workflow: rebuild-ledger', { concurrency: 1, skip: missingOpenSsh() }, () => {
		const getN8n = () => getHost().n8n;
		const stack = serviceOf(getN8n);
		const all = archivesOf(getHost);
		/** The rows as the archive workflow has written them, by the key of the recording. */
		const written = new Map<string, Row>();
		/** Its files, by name. */
		const files = new Map<string, Buffer>();
		let folder: string;
		let driveFolder: string;
		let ledger: DataTable;

		before(async () => {
			// Other suites have files in that of the host.
			folder = join(getHost().folder, 'rebuilt');
			await mkdir(folder, { recursive: true });
			driveFolder = getHost().drive.addFolder('Calls');
			ledger = await createLedger(getN8n());
			await publishArchive(stack, withLedger(archiveToFolder(folder)));
			const { control } = stack.emulator;
			for (let call = 0; call < CALLS; call++) {
				const numbers = { to: `+1555010${call}`, from: '+15550199' };
				const { sessionGuid } = await control.addRecording({ ...numbers, password: PASSWORD });
				await control.sendCallEnd(sessionGuid);
				const row = await rowOf(ledger, sessionGuid, ({ deletedAt }) => !!deletedAt);
				written.set(String(row.recordingKey), row);
			}
			for (const name of await readdir(folder)) {
				files.set(name, await readFile(join(folder, name)));
			}
			assert.equal(files.size, 2 * CALLS);
		});

		after(async () => await ledger.remove());

		/** Imports the workflow as the user of one archive sets it up. */
		async function imported(archive: ArchiveName, where = folder): Promise<string> {
			const workflow = readWorkflow('rebuild-ledger');
			const names: Record<ArchiveName, [list: string, read: string]> = {
				Folder: ['List pages of the folder', 'Read files from the folder'],
				SFTP: ['List files by SFTP', 'Read files by SFTP'],
				S3: ['List files in S3', 'Read files from S3'],
				'Google Drive': ['List files in Google Drive', 'Read files from Google Drive'],
			};
			const [list, read] = names[archive].map((name) => nodeOf(workflow, name));
			for (const node of [list, read]) if (node) node.disabled = false;
			const enter = (node = list, name = '', value = '') => {
				if (node) node.parameters[name] = value;
			};
			if (archive === 'Folder') enter(read, 'fileSelector', `=${where}/{{ $json.file }}`);
			if (archive === 'SFTP') enter(list, 'path', all.sftp.folder);
			if (archive === 'S3') {
				enter(list, 'url', all.s3.url.replace(/\/$/, ''));
				enter(read, 'url', all.s3FileUrl);
				// S3 lists a thousand at a time.
				enter(list, 'jsonQuery', JSON.stringify({ service: 's3', 'max-keys': 3 }));
			}
			if (archive === 'Google Drive') {
				const folderId = { __rl: true, mode: 'id', value: driveFolder };
				if (list) list.parameters.filter = { folderId };
			}
			const id = await getN8n().importWorkflow(workflow, {
				...stack.credentials,
				...all.credentials,
			});
			await getN8n().activate(id);
			return id;
		}
		const run = async (id: string) => await getN8n().run(id, { trigger: 'When you execute it' });
		const report = (execution: Execution) => {
			const [item] = execution.items('Report what was entered');
			return item?.json as {
				added: number;
				corrected: number;
				same: number;
				problems: string[];
				calls: Row[];
			};
		};
		const counts = (execution: Execution) => {
			const { added, corrected, same, problems } = report(execution);
			return [added, corrected, same, problems.length];
		};
		/** An empty ledger, as in a new n8n. */
		async function lose(): Promise<void> {
			await ledger.remove();
			ledger = await createLedger(getN8n());
		}
		const rows = async () => (await ledger.rows()).map(entered);
		const known = (row: Row | undefined) => KNOWN.map((name) => row?.[name]);

		for (const archive of archives) {
			test(`${archive}: all rows come back as they were, and a second run writes nothing`, async () => {
				const places = new Map<string, string>();
				for (const [name, content] of files) {
					if (archive === 'Folder') {
						places.set(name, join(folder, name));
					} else if (archive === 'Google Drive') {
						const mimeType = name.endsWith('.json') ? 'application/json' : 'audio/ogg';
						getHost().drive.addFile(name, content, { mimeType, parents: [driveFolder] });
						places.set(name, name);
					} else {
						places.set(name, await all.store[archive](name, content));
					}
				}
				await lose();
				const id = await imported(archive);
				const first = succeeded(await run(id));
				assert.deepEqual(counts(first), [CALLS, 0, 0, 0]);
				const rebuilt = await rows();
				assert.equal(rebuilt.length, CALLS);
				for (const row of rebuilt) {
					const old = written.get(String(row.recordingKey));
					assert.deepEqual(known(row), known(old));
					const name = String(old?.file).split('/').at(-1) ?? '';
					assert.deepEqual([row.archive, row.file], [archive, places.get(name)]);
					assert.equal(row.status, 'archived');
					assert.ok(row.archivedAt);
				}
				const again = succeeded(await run(id));
				assert.deepEqual(counts(again), [0, 0, CALLS, 0]);
				assert.deepEqual(await rows(), rebuilt);
			});
		}

		test('verify-archive finds all of it whole afterwards', async () => {
			await lose();
			succeeded(await run(await imported('Folder')));
			const verify = readWorkflow('verify-archive');
			nodeOf(verify, 'Download the file from S3').parameters.url = all.s3FileUrl;
			const id = await getN8n().importWorkflow(verify, all.credentials);
			succeeded(await getN8n().run(id, { trigger: 'Every night' }));
			for (const { verification } of await rows()) assert.equal(verification, 'whole');
		});

		test('a lost call whose recording is there is corrected, and the rest of the row stays', async () => {
			await lose();
			const [lost, gaps, right] = [...written.values()];
			assert.ok(lost && gaps && right);
			const time = new Date().toISOString();
			const state = {
				status: 'lost',
				lostAt: time,
				failedAt: time,
				lastError: 'purged',
				hold: true,
			};
			const { recordingKey = '' } = lost;
			await ledger.insert({ recordingKey, ...state });
			assert.ok(gaps.to);
			const withoutNumber = Object.fromEntries(
				Object.entries(gaps).filter(([name]) => name !== 'to'),
			);
			await ledger.insert({ ...withoutNumber, verification: 'whole' } as Row, {
				...right,
				hold: true,
			});
			const id = await imported('Folder');
			assert.deepEqual(counts(succeeded(await run(id))), [CALLS - 3, 2, 1, 0]);
			const byKey = new Map((await rows()).map((row) => [row.recordingKey, row]));
			const found = byKey.get(recordingKey);
			assert.deepEqual(known(found), known(lost));
			assert.deepEqual([found?.status, found?.hold], ['archived', true]);
			assert.deepEqual([found?.lostAt, found?.lastError], [undefined, undefined]);
			assert.deepEqual(byKey.get(gaps.recordingKey), { ...gaps, verification: 'whole' });
			assert.deepEqual(byKey.get(right.recordingKey), { ...right, hold: true });
		});

		test('what differs, cannot be read or has another version is named, and written nowhere', async () => {
			await lose();
			const [other] = [...written.values()];
			await ledger.insert({ ...other, sha256: 'f'.repeat(64) });
			const damaged = join(getHost().folder, `damaged-${randomUUID()}`);
			await cp(folder, damaged, { recursive: true });
			const names = (await readdir(damaged)).filter((name) => name.endsWith('.json'));
			const newer = names.find((name) => !name.includes(String(other?.recordingKey))) ?? '';
			const text = String(files.get(newer));
			await writeFile(join(damaged, newer), text.replace(/"version": ?1/, '"version":2'));
			await writeFile(join(damaged, 'cut.json'), text.slice(0, 40));
			await writeFile(join(damaged, 'transcript.json'), '{"text":"hello"}');
			const execution = await run(await imported('Folder', damaged));
			assert.equal(execution.status, 'error');
			const { added, problems } = report(execution);
			assert.equal(added, CALLS - 2);
			assert.equal(problems.length, 3, problems.join('\n'));
			for (const part of ['the ledger has the checksum ffff', newer, 'cut.json']) {
				assert.ok(String(execution.error?.message).includes(part), part);
			}
			await rm(damaged, { recursive: true });
		});
	});
}
