/** What rescue-before-purge and decrypt-folder enter in the ledger. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { entered, rowOf } from '../../../harness/ledger.mts';
import type { Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { accountData, PASSWORD } from '../../../harness/serviceAccess.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { chatOf, ledgerOf, serviceOf, succeeded, type Host } from '../suite.mts';
import { configuredDecryptFolder } from '../workflows/decryptFolder.mts';
import { configuredRescue, TRIGGER } from '../workflows/rescue.mts';
import { messages, setUpSweeps } from '../workflows/sweepSetup.mts';

const DAY = 24 * 3_600_000;

export function rescueLedgerSuite(getHost: () => Host): void {
	suite('ledger: rescued recordings', { concurrency: 1 }, () => {
		const chat = chatOf();
		const stack = serviceOf(() => getHost().n8n);
		const ledger = ledgerOf(() => getHost().n8n);

		test('a recording is entered as rescued, and as archived once it is opened', async () => {
			const { n8n, credentials, emulator } = stack;
			const folder = await mkdtemp(join(getHost().folder, 'rescue-'));
			const endedAt = new Date(emulator.control.now() - 5.5 * DAY).toISOString();
			const { sessionGuid, plainSha256, plainBytes } = await emulator.control.addRecording({
				endedAt,
				to: '+4930123',
				password: PASSWORD,
			});
			const run = async (workflow: Workflow, note: string, trigger: string, password: string) => {
				// As its user does, after the ledger was created.
				nodeOf(workflow, note).disabled = false;
				const voiceAgentApi = await n8n.createCredential({
					name: password,
					type: 'voiceAgentApi',
					data: { ...accountData(emulator.url), recordingPassword: password },
				});
				const id = await n8n.importWorkflow(workflow, { ...credentials, voiceAgentApi });
				succeeded(await n8n.run(id, { trigger }));
				const rows = await ledger.rows();
				assert.equal(rows.length, 1);
				return entered(rows[0] as (typeof rows)[number]);
			};
			const rescue = configuredRescue(folder, chat.url);
			const row = await run(rescue, 'Note the rescue in the ledger', TRIGGER, PASSWORD);
			const { rescuedAt, ...others } = row;
			assert.deepEqual(others, {
				recordingKey: sessionGuid.toLowerCase(),
				sessionGuid,
				endedAt,
				status: 'rescued',
				to: '+4930123',
			});
			assert.ok(Math.abs(Date.parse(String(rescuedAt)) - Date.now()) < 300_000);
			await chat.noticeWith(sessionGuid, folder);

			const decrypt = configuredDecryptFolder(folder);
			const note = 'Note the recording in the ledger';
			const opened = await run(decrypt, note, 'When you execute it', PASSWORD);
			assert.equal(opened.rescuedAt, rescuedAt);
			assert.ok(opened.archivedAt);
			assert.deepEqual(
				[opened.status, opened.archive, opened.bytes, opened.sha256],
				['archived', 'Folder', plainBytes, plainSha256],
			);
			assert.equal((await readFile(String(opened.file))).length, plainBytes);
		});

		test('a picture instead of a recording is kept, but it is no rescue: the report goes on', async () => {
			const { n8n, credentials, emulator } = stack;
			const folder = await mkdtemp(join(getHost().folder, 'picture-'));
			const content = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(62)]);
			const endedAt = new Date(emulator.control.now() - 5.5 * DAY).toISOString();
			const { sessionGuid } = await emulator.control.addRecording({ endedAt, content });
			const rescue = configuredRescue(folder, chat.url);
			nodeOf(rescue, 'Note the rescue in the ledger').disabled = false;
			const id = await n8n.importWorkflow(rescue, credentials);
			const execution = await n8n.run(id, { trigger: TRIGGER });
			assert.equal(execution.status, 'error');
			assert.match(String(execution.error?.message), new RegExp(`${sessionGuid}.*${folder}`));
			const kept = (await readdir(folder)).find(
				(name) => name.startsWith(sessionGuid) && name.endsWith('.enc'),
			);
			assert.deepEqual(await readFile(join(folder, String(kept))), content);

			const isNoted = (await ledger.rows()).some((row) => row.sessionGuid === sessionGuid);
			assert.equal(isNoted, false);
			const report = readWorkflow('report-and-status');
			nodeOf(report, 'Post the report to your chat').parameters.url = chat.url;
			const reportId = await n8n.importWorkflow(report, credentials);
			succeeded(await n8n.run(reportId, { trigger: 'Every morning' }));
			assert.match(
				String(chat.messages.at(-1)),
				new RegExp(
					`ALARM[^]*Purged within 48 hours: [^]*- .*: purged in .* \\(call ${sessionGuid}`,
				),
			);
		});

		test('a file that is not verified has a notice of its own, and the sweep still gives alarm', async () => {
			const { folder } = getHost();
			const setup = await setUpSweeps({ n8n: stack.n8n, folder });
			try {
				const altered = await setup.waiting(5.5, PASSWORD);
				await setup.emulator.control.tamper(altered, { flipBitAt: 100 });
				await setup.sweep(1);
				await setup.noticeWith('ALARM', altered);
				const rescue = configuredRescue(await mkdtemp(join(folder, 'altered-')), chat.url);
				rescue.settings = { ...rescue.settings, errorWorkflow: setup.noticeId };
				const id = await stack.n8n.importWorkflow(rescue, setup.credentials);
				await stack.n8n.activate(id);
				const text = await setup.noticeWith('Not rescued, so look at it', altered, 'altered-');
				assert.match(text, /wrong password, or the file was altered/);
				await stack.n8n.deactivate(id);
				const isNoted = (row: Row) => /^Not rescued/.test(String(row.lastError));
				const { rescuedAt, archivedAt } = await rowOf(ledger, altered, isNoted);
				assert.deepEqual([rescuedAt, archivedAt], [undefined, undefined]);
				assert.match(messages(await setup.sweep(1)), new RegExp(`^ALARM.* ${altered} `));
			} finally {
				await setup.stop();
			}
		});

		test('nothing is lost while an archive is down for six days', async () => {
			const { folder } = getHost();
			const rescueFolder = await mkdtemp(join(folder, 'second-'));
			const setup = await setUpSweeps({ n8n: stack.n8n, folder });
			const { control } = setup.emulator;
			try {
				const old = await setup.waiting(1.5, PASSWORD);
				await rename(setup.archive.folder, `${setup.archive.folder}-down`);
				for (const _day of [1, 2, 3, 4]) {
					control.advanceClock(DAY);
					assert.match(messages(await setup.sweep(1)), new RegExp(`${old} is not archived`));
				}
				const young = await setup.waiting(0.1, PASSWORD);
				const rescue = configuredRescue(rescueFolder, chat.url);
				const id = await stack.n8n.importWorkflow(rescue, setup.credentials);
				succeeded(await stack.n8n.run(id, { trigger: TRIGGER }));
				control.advanceClock(2 * DAY);
				assert.equal(setup.ledger(old).state, 'purged');
				await rename(`${setup.archive.folder}-down`, setup.archive.folder);
				await setup.sweep(1);
				await setup.assertArchived(young);

				const opener = configuredDecryptFolder(rescueFolder);
				const decryptId = await stack.n8n.importWorkflow(opener, setup.credentials);
				const opened = await stack.n8n.run(decryptId, { trigger: 'When you execute it' });
				const [item] = opened.items('Write recordings to folder');
				const content = await readFile(String(item?.json.fileName));
				assert.equal(sha256(content), setup.ledger(old).plainSha256);
			} finally {
				await setup.stop();
			}
		});
	});
}
