/**
 * verify-archive: what it says of files that are whole, altered, missing or out of reach, in each
 * archive.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, before, beforeEach, suite, test } from 'node:test';

import { createLedger, rowOf } from '../../../harness/ledger.mts';
import type { DataTable, Row, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { missingOpenSsh } from '../../../harness/standIns/sftp.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { succeeded } from '../suite.mts';
import { archives, archivesOf, type ArchiveHost } from './store.mts';

type NodeOf = (name: string) => WorkflowNode;

export function verifyArchiveSuite(getHost: () => ArchiveHost): void {
	suite('workflow: verify-archive', { concurrency: 1, skip: missingOpenSsh() }, () => {
		const all = archivesOf(getHost);
		let ledger: DataTable;
		let workflowId: string;
		before(async () => {
			workflowId = await imported();
		});
		beforeEach(async () => {
			ledger = await createLedger(getHost().n8n);
		});
		afterEach(async () => await ledger.remove());

		/** @param change what else the user does to the workflow */
		async function imported(change = (_nodeOf: NodeOf): void => {}, more = {}): Promise<string> {
			const workflow = readWorkflow('verify-archive');
			nodeOf(workflow, 'Download the file from S3').parameters.url = all.s3FileUrl;
			change((name) => nodeOf(workflow, name));
			return await getHost().n8n.importWorkflow(workflow, { ...all.credentials, ...more });
		}

		const run = async (id = workflowId) => await getHost().n8n.run(id, { trigger: 'Every night' });

		/** The credential of an SFTP server that refuses connections. */
		async function refusing() {
			const data = { ...all.sftp.credential.data, port: 1 };
			return { sftp: await getHost().n8n.createCredential({ ...all.sftp.credential, data }) };
		}

		/** Enters a recording in the ledger, archived with this content. */
		async function archived(archive: string, file: string, content: string, more: Row = {}) {
			const recordingKey = randomUUID();
			await ledger.insert({
				recordingKey,
				sessionGuid: recordingKey.toUpperCase(),
				archive,
				file,
				archivedAt: new Date().toISOString(),
				bytes: Buffer.byteLength(content),
				sha256: sha256(content),
				...more,
			});
			return recordingKey;
		}

		/**
		 * A content that is nearly always checked again. A night checks files whose checksums come
		 * after a random one, and this one, which begins with ffff, comes after 65,535 of 65,536.
		 */
		function checkedAtRandom(): string {
			let content = 'a';
			while (!sha256(content).startsWith('ffff')) content = randomUUID();
			return content;
		}

		const entry = async (sessionGuid: string) => await rowOf(ledger, sessionGuid);

		test('nothing is done with a ledger without archived recordings', async () => {
			await ledger.insert({ recordingKey: randomUUID(), recordingRequested: true });
			const execution = succeeded(await run());
			assert.ok(!execution.nodes.includes('Switch by archive'));
		});

		test('files that are whole are noted as whole, in every archive', async () => {
			const guids: string[] = [];
			for (const archive of archives) {
				const name = `it's {${randomUUID()}}.opus`.replace(/[{}]/g, '');
				guids.push(await archived(archive, await all.store[archive](name, archive), archive));
			}
			succeeded(await run());
			for (const guid of guids) {
				const { verification, verifiedAt, bytes } = await entry(guid);
				assert.equal(verification, 'whole');
				assert.ok(Date.now() - Date.parse(String(verifiedAt)) < 600_000);
				assert.ok(bytes, 'what the ledger knew is still there');
			}
		});

		test('files that are altered or missing are named, and the others are noted as whole', async () => {
			const problems: string[] = [];
			for (const archive of archives) {
				const altered = await all.store[archive](`${randomUUID()}.opus`, 'cut');
				const guid = await archived(archive, altered, 'whole recording');
				problems.push(`${archive}: ${altered} is altered (call ${guid})`);
				const missing = altered.replace(/[^/]+$/, `${randomUUID()}.opus`);
				problems.push(
					`${archive}: ${missing} is missing (call ${await archived(archive, missing, 'x')})`,
				);
			}
			const other = await archived('Tape', '7', 'x', { verification: 'whole' });
			const reason = 'this workflow reads no files from Tape';
			problems.push(`Tape: 7 is not readable: ${reason} (call ${other})`);
			const unnamed = await archived('', '8', 'x');
			problems.push(`: 8 is not readable: its row does not name the archive (call ${unnamed})`);
			const name = `${randomUUID()}.opus`;
			const whole = await archived('Folder', await all.store.Folder(name, 'fine'), 'fine');

			const execution = await run();
			assert.equal(execution.status, 'error');
			assert.deepEqual(String(execution.error?.message).split('\n').sort(), problems.sort());
			assert.equal((await entry(whole)).verification, 'whole');
			assert.equal((await entry(other)).verification, 'whole', 'as before');
			const verifications = (await ledger.rows()).map(({ verification }) => verification).sort();
			assert.deepEqual(
				verifications,
				[
					...archives.map(() => 'altered'),
					...archives.map(() => 'missing'),
					null,
					'whole',
					'whole',
				].sort(),
			);
		});

		for (const archive of archives) {
			test(`each file is called missing if everything is gone from ${archive}`, async () => {
				const at = (await all.store[archive](`${randomUUID()}.opus`, 'other')).replace(
					/[^/]+$/,
					'',
				);
				const gone = [1, 2, 3].map((index) => `${at}gone-${index}.opus`);
				for (const file of gone) await archived(archive, file, 'x');
				const { error } = await run();
				for (const file of gone)
					assert.ok(error?.message.includes(`${file} is missing`), error?.message);
				for (const row of await ledger.rows()) assert.equal(row.status, 'missing');
			});
		}

		test('what the ledger knows stays if an archive refuses connections, or has no node', async () => {
			const known = { verification: 'whole', verifiedAt: '2026-01-01T00:00:00.000Z', kept: true };
			const content = checkedAtRandom();
			for (const file of ['/a.opus', '/b.opus']) await archived('SFTP', file, content, known);
			await archived('S3', 'c.opus', content, known);
			await archived('Google Drive', 'd.opus', content);
			const isOff = (node: NodeOf) => {
				node('Download the file from S3').disabled = true;
				node('Find the file in Google Drive').disabled = true;
			};
			const { error } = await run(await imported(isOff, await refusing()));
			const lines = String(error?.message).split('\n').sort();
			const said = [
				String.raw`^Google Drive: d\.opus is not readable: .*`,
				'S3: c.*',
				'SFTP: /a.*',
				'SFTP: /b.* is not readable: ',
			];
			assert.match(lines.join('\n'), new RegExp(said.join('\n')));
			const rows = await ledger.rows();
			for (const { archivedAt, readError } of rows) assert.ok(archivedAt && readError);
			for (const row of rows.slice(0, 3)) assert.deepEqual({ ...row, ...known }, row);
		});

		test('a file that was stored, but not noted as archived, is checked after a day', async () => {
			const file = await all.store.Folder(`${randomUUID()}.opus`, 'fine');
			const stored = await archived('Folder', file, 'fine', { archivedAt: null });
			const missing = await archived('Folder', `${file}.none`, 'x', { archivedAt: null });
			succeeded(await run());
			assert.equal((await entry(stored)).archivedAt, undefined);
			const later = await imported((node) => {
				const { parameters } = node('Pick the files to check');
				parameters.jsCode = String(parameters.jsCode).replace('> 24 *', '> 0 *');
			});
			const execution = await run(later);
			assert.match(String(execution.error?.message), /^Folder: .*\.none is missing \(call .*\)$/);
			const row = await entry(stored);
			assert.deepEqual([row.status, !!row.archivedAt], ['archived', true]);
			assert.equal((await entry(missing)).archivedAt, undefined);
		});

		test('a file with a name of braces is read as itself', async () => {
			const name = `{ok,altered}-${randomUUID()}.wav`;
			await all.store.Folder(name.replace('{ok,altered}', 'ok'), 'fine');
			const guid = await archived('Folder', await all.store.Folder(name, 'other'), 'fine');
			assert.match(String((await run()).error?.message), /\.wav is altered/);
			assert.equal((await entry(guid)).status, 'altered');
		});

		test('files that cannot be read do not keep others from their turn', async () => {
			for (let index = 0; index < 20; index++) await archived('SFTP', `/${index}.opus`, 'x');
			const file = await all.store.Folder(`${randomUUID()}.opus`, 'cut');
			const guid = await archived('Folder', file, 'whole recording');
			const id = await imported(undefined, await refusing());
			for (const _night of [1, 2]) await run(id);
			assert.equal((await entry(guid)).verification, 'altered');
		});

		test('of several files of one name in Google Drive, one that is whole suffices', async () => {
			const name = `${randomUUID()}.opus`;
			for (const content of ['cut', 'whole recording', 'cut']) {
				getHost().drive.addFile(name, Buffer.from(content));
			}
			const guid = await archived('Google Drive', name, 'whole recording');
			succeeded(await run());
			const { verification, cutCopies } = await entry(guid);
			assert.equal(verification, 'whole');
			assert.equal(String(cutCopies).split(', ').length, 2, 'for somebody to remove');
		});

		test('a file that was renamed in Google Drive is found by its checksum', async () => {
			const content = 'renamed recording';
			const more = { properties: { sha256: sha256(content) } };
			getHost().drive.addFile('renamed.opus', Buffer.from(content), more);
			const guid = await archived('Google Drive', `${randomUUID()}.opus`, content);
			succeeded(await run());
			assert.equal((await entry(guid)).verification, 'whole');
		});

		test('a file without a checksum is not called missing', async () => {
			const name = `${randomUUID()}.opus`;
			// As a folder, or a document of Google, has none.
			const mimeType = 'application/vnd.google-apps.folder';
			getHost().drive.addFile(name, Buffer.from('x'), { mimeType });
			const guid = await archived('Google Drive', name, 'x');
			assert.match(String((await run()).error?.message), /is not readable: .* no checksum of it/);
			assert.equal((await entry(guid)).verification, undefined);
		});

		test('a bucket that is missing is not a missing file', async () => {
			const guid = await archived('S3', 'calls/1.opus', 'x');
			const id = await imported((node) => {
				const { parameters } = node('Download the file from S3');
				parameters.url = String(parameters.url).replace('call-recordings', 'call-recording');
			});
			assert.match(String((await run(id)).error?.message), /is not readable: .*NoSuchBucket/);
			assert.equal((await entry(guid)).verification, undefined);
		});

		test('the next night tries again what an archive has not answered', async () => {
			const key = await all.store.S3(`${randomUUID()}.opus`, 'fine');
			const guid = await archived('S3', key, 'fine');
			all.s3.addFault({ on: 'download', kind: 'status', status: 403 });
			const execution = await run();
			assert.equal(execution.status, 'error');
			assert.match(String(execution.error?.message), /^S3: \S+ is not readable: /);
			assert.equal((await entry(guid)).verifiedAt, undefined);
			succeeded(await run());
			assert.equal((await entry(guid)).verification, 'whole');
		});

		test('all that was never checked is checked within some nights', async () => {
			getHost().drive.addFile('never.opus', Buffer.from('a'));
			for (let index = 0; index < 25; index++) await archived('Google Drive', 'never.opus', 'a');
			const unchecked = async () =>
				(await ledger.rows()).filter(({ verifiedAt }) => verifiedAt === null).length;
			succeeded(await run());
			assert.ok((await unchecked()) <= 5);
			succeeded(await run());
			assert.equal(await unchecked(), 0);
		});

		test('what was checked comes up again at random', async () => {
			const content = checkedAtRandom();
			const verifiedAt = '2026-01-01T00:00:00.000Z';
			const guid = await archived('Google Drive', 'again.opus', content, {
				verifiedAt,
				verification: 'whole',
			});
			const execution = await run();
			assert.match(String(execution.error?.message), /again\.opus is missing/);
			const checked = await entry(guid);
			assert.equal(checked.verification, 'missing');
			assert.notEqual(checked.verifiedAt, verifiedAt);
		});
	});
}
