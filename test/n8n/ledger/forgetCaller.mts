/** forget-caller: what it shows first, what it removes, and what stays. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { keyOf, LEDGER } from '../../../harness/ledger.mts';
import type { Row } from '../../../harness/n8n/n8n.mts';
import { startS3 } from '../../../harness/standIns/s3.mts';
import { nodeOf, readWorkflow, withSettings } from '../../../harness/workflows.mts';
import { ledgerOf, serviceOf, shared, similarTable, succeeded } from '../suite.mts';
import type { ArchiveHost } from './store.mts';

const BUCKET = 'call-recordings';
const NUMBER = '+49 30 5550123';
/** A row of the ledger about this call. */
const rowOf = (recordingKey: string, row: Row): Row => ({
	sessionGuid: recordingKey.toUpperCase(),
	recordingKey,
	...row,
});

export function forgetCallerSuite(getHost: () => ArchiveHost): void {
	suite('workflow: forget-caller', { concurrency: 1 }, () => {
		const getN8n = () => getHost().n8n;
		const usual = shared(async () => await startS3(BUCKET));
		const stack = serviceOf(getN8n);
		const ledger = ledgerOf(getN8n);

		async function forget(values: Record<string, string | number | boolean>, s3 = usual) {
			const workflow = withSettings(readWorkflow('forget-caller'), values);
			nodeOf(workflow, 'Delete the files from S3').parameters.url =
				`=${s3.url}{{ encodeURIComponent($json.file) }}`;
			for (const { name, type } of workflow.nodes) {
				if (type.endsWith('.ftp')) nodeOf(workflow, name).disabled = true;
			}
			const aws = await stack.n8n.createCredential(s3.credential);
			const { drive } = getHost();
			const googleDriveOAuth2Api = await stack.n8n.createCredential(drive.oauthCredential());
			const credentials = { ...stack.credentials, aws, googleDriveOAuth2Api };
			// Else n8n forgets it before the test has read it.
			workflow.settings = { ...workflow.settings, saveManualExecutions: true };
			const id = await stack.n8n.importWorkflow(workflow, credentials);
			const execution = await stack.n8n.run(id, { trigger: 'When you execute it' });
			return succeeded(execution).items('Report what goes')[0]?.json as Record<string, string[]>;
		}
		const remaining = async () =>
			(await ledger.rows()).map(({ recordingKey }) => String(recordingKey)).sort();

		test('shows and then removes what a number has, except on hold, and what is too old', async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording({ to: NUMBER });
			const other = await stack.emulator.control.addRecording({ to: '+49 30 55501234' });
			const row = { archive: 'S3', archivedAt: new Date().toISOString(), to: '+49305550123' };
			const old = { ...row, to: '+1', endedAt: '2025-01-01T00:00:00.000Z' };
			await ledger.insert(
				rowOf('call-1', { ...row, file: 'a/1.opus' }),
				rowOf('call-2', { ...row, file: 'a/2.opus', to: '0049 30 5550123', hold: true }),
				rowOf('call-3', { ...row, file: '/calls/3.opus', archive: 'Folder' }),
				rowOf('call-4', { ...row, file: 'a/4.opus', to: '+493055501234' }),
				rowOf('call-5', { ...old, file: 'a/5.opus' }),
				rowOf('call-6', { ...old, file: 'a/6.opus', hold: true }),
			);
			const names = [
				'1.opus',
				'1.json',
				'1.transcript.txt',
				...[2, 4, 5, 6].map((call) => `${call}.opus`),
			];
			for (const name of names) await usual.put(`a/${name}`, Buffer.from('x'));
			const files = async () => (await usual.objects()).map(({ key }) => key).sort();
			const before = await files();

			const shown = await forget({ number: NUMBER });
			assert.ok(shown.wouldRemove?.includes('S3: a/1.opus (call call-1)'));
			assert.ok(shown.wouldRemove?.some((line) => line.startsWith(`Service: ${sessionGuid}`)));
			assert.ok(shown.removeByHand?.includes('Folder: /calls/3.json (call call-3)'));
			assert.ok(shown.onHold?.includes('S3: a/2.opus (call call-2)'));
			assert.doesNotMatch(JSON.stringify(shown), /call-[456]/);
			assert.deepEqual([await files(), (await remaining()).length], [before, 6]);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');

			const done = await forget({ number: NUMBER, reallyRemove: true });
			assert.deepEqual(done.problems, []);
			assert.ok(done.removed?.includes('Ledger: its row (call call-1)'));
			assert.deepEqual(
				await files(),
				before.filter((name) => !name.includes('/1.')),
			);
			assert.deepEqual(await remaining(), ['call-2', 'call-3', 'call-4', 'call-5', 'call-6']);
			assert.equal(stack.ledger(sessionGuid).state, 'deleted');
			assert.equal(stack.ledger(other.sessionGuid).state, 'stored');

			await forget({ number: NUMBER, reallyRemove: true, folderFilesAreGone: true });
			await forget({ olderThanDays: 90, reallyRemove: true });
			assert.deepEqual(await remaining(), ['call-2', 'call-4', 'call-6']);
			assert.deepEqual(await files(), ['a/2.opus', 'a/4.opus', 'a/6.opus']);
		});

		test('another table with a similar name is not taken for the ledger', async (t) => {
			await ledger.insert(rowOf('call-9', { to: '+4930199', archive: 'S3', hold: true }));
			const columns = { recordingKey: 'string', to: 'string', file: 'string' } as const;
			for (const name of ['VoiceAgent calls (old)', 'VOICEAGENT CALLS']) {
				const other = await similarTable(t, stack.n8n, name, columns);
				await other.insert({ recordingKey: 'call-9', to: '+4930199' });
				const done = await forget({ number: '+4930199', reallyRemove: true });
				assert.deepEqual(done.onHold, ['Ledger: its row (call call-9)']);
				assert.equal((await other.rows()).length, 1);
			}
			assert.ok((await remaining()).includes('call-9'));
		});

		test('a recording that the service does not delete is not called removed', async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording({ from: '+4930177' });
			const call = keyOf(sessionGuid);
			await ledger.insert(rowOf(call, { to: '+49409', from: '+49 30 177' }));
			const { control } = stack.emulator;
			const fault = { kind: 'status', status: 403 } as const;
			control.addFault({ match: { method: 'DELETE' }, times: 'always', fault });
			const values = { number: '+49 30177', reallyRemove: true };
			const refused = await forget(values);
			assert.deepEqual(refused.removed, []);
			assert.match(String(refused.problems), /^Service: .* \(call /);
			assert.equal(refused.notRemoved?.length, 2);
			assert.ok((await remaining()).includes(call));
			control.clearFaults();
			const done = await forget(values);
			assert.deepEqual([done.removed?.length, done.notRemoved], [2, []]);
			assert.equal(stack.ledger(sessionGuid).state, 'deleted');
			assert.equal((await remaining()).includes(call), false);
		});

		test('what may be the same telephone is shown, and stays', async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording({ to: '030 5550188' });
			const done = await forget({ number: '+49305550188', reallyRemove: true });
			const line = `Unclear: 030 5550188 (call ${keyOf(sessionGuid)})`;
			assert.deepEqual([done.unclear, done.removed], [[line], []]);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
			await forget({ number: '030 5550188', reallyRemove: true });
			assert.equal(stack.ledger(sessionGuid).state, 'deleted');
		});

		test('without the ledger, nothing is removed', async (t) => {
			const { sessionGuid } = await stack.emulator.control.addRecording({ to: '+49305550166' });
			const { id } = await stack.n8n.rest<{ id: string }>('GET', '/rest/projects/personal');
			const path = `/rest/projects/${id}/data-tables`;
			const { data } = await stack.n8n.rest<{ data: Array<{ id: string; name: string }> }>(
				'GET',
				path,
			);
			const table = `${path}/${data.find(({ name }) => name === LEDGER)?.id}`;
			await stack.n8n.rest('PATCH', table, { name: 'VoiceAgent calls of last year' });
			t.after(async () => await stack.n8n.rest('PATCH', table, { name: LEDGER }));
			await assert.rejects(
				forget({ number: '+49305550166', reallyRemove: true }),
				/VoiceAgent calls \(execute create-ledger\)/,
			);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
		});

		test('in Google Drive, the files of the call go, and none of another call with the same name', async () => {
			const { drive } = getHost();
			const add = (name: string, sessionGuid?: string) =>
				drive.addFile(name, Buffer.from('x'), sessionGuid ? { properties: { sessionGuid } } : {});
			add('moved.opus', 'call-11');
			add('11.opus', 'call-12');
			add('11.transcript.txt');
			add('12.opus');
			const row = { archive: 'Google Drive', archivedAt: '2026-01-01T00:00:00.000Z' };
			await ledger.insert(
				rowOf('call-11', { ...row, to: '+4930111', file: '11.opus' }),
				rowOf('call-12', { ...row, to: '+4930112', file: '12.opus' }),
				rowOf('call-13', { ...row, to: '+4930112', file: '12.opus', hold: true }),
			);
			const done = await forget({ number: '+4930111', reallyRemove: true });
			assert.deepEqual([done.problems, done.notRemoved], [[], []]);
			assert.equal((await remaining()).includes('call-11'), false);
			const names = () => drive.files().map(({ name }) => name);
			assert.deepEqual(names(), ['11.opus', '12.opus']);
			const shared = await forget({ number: '+4930112', reallyRemove: true });
			assert.match(String(shared.notRemoved), /12\.opus .* also the file of call call-13/);
			assert.ok((await remaining()).includes('call-12'));
			assert.deepEqual(names(), ['11.opus', '12.opus']);
		});

		test('rows stay if the bucket keeps versions, because the files are still there', async (t) => {
			const s3 = await startS3(BUCKET, 30);
			t.after(s3.close);
			const row = { archive: 'S3', archivedAt: '2026-01-01T00:00:00.000Z', to: '+8' };
			await ledger.insert(rowOf('call-8', { ...row, file: 'a/8.opus' }));
			const done = await forget({ number: '+8', reallyRemove: true }, s3);
			const kept = 'S3: the bucket keeps earlier versions of the files (call call-8)';
			assert.deepEqual(done.problems, [kept]);
			assert.ok(done.notRemoved?.includes('S3: a/8.opus (call call-8)'), JSON.stringify(done));
			assert.ok((await remaining()).includes('call-8'));
		});

		test('rows of an archive that refuses stay, and the report names them', async () => {
			const row = { archive: 'SFTP', archivedAt: '2026-01-01T00:00:00.000Z', to: '+7' };
			await ledger.insert(rowOf('call-7', { ...row, file: '/7.opus' }));
			const done = await forget({ number: '+7', reallyRemove: true });
			assert.ok(done.notRemoved?.includes('Ledger: its row (call call-7)'), JSON.stringify(done));
			assert.ok((await remaining()).includes('call-7'));
		});
	});
}
