/** Recordings that are archived and kept at the service: archived once, whoever asks how often. */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { rowOf } from '../../../harness/ledger.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { succeeded, type Host } from '../suite.mts';
import { sweepWithLedger } from './sweepWithLedger.mts';

export function keepSuite(getHost: () => Host): void {
	suite('recordings are kept at the service', { concurrency: 1 }, () => {
		const { ledger, setup } = sweepWithLedger(getHost, {
			archive(workflow) {
				const { options } = nodeOf(workflow, 'Delete recording from service').parameters;
				Object.assign(options as object, { keepRecording: true });
			},
			sweep(workflow) {
				nodeOf(workflow, 'Skip recordings kept at the service').disabled = false;
			},
		});

		const copies = async (sessionGuid: string) =>
			(await setup.archive.files()).filter(
				({ name }) => name.includes(sessionGuid) && name.endsWith('.opus'),
			).length;

		async function assertKept(sessionGuid: string): Promise<void> {
			const row = await rowOf(ledger, sessionGuid, ({ archivedAt }) => !!archivedAt);
			assert.equal(row.deletedAt, undefined);
			assert.equal(row.kept, true);
			assert.equal(row.sha256, setup.ledger(sessionGuid).plainSha256);
			assert.ok(String(row.file).includes(sessionGuid));
			assert.equal(setup.ledger(sessionGuid).state, 'stored');
			assert.equal(await copies(sessionGuid), 1);
		}

		test('a sweep archives each recording once, and tries one that fails until it succeeds', async () => {
			const { control } = setup.emulator;
			const archived = await setup.waiting(3, PASSWORD);
			await control.sendCallEnd(archived);
			await assertKept(archived);
			const missed = await setup.waiting(2);
			const spoilt = await setup.waiting(1, PASSWORD);
			await control.tamper(spoilt, { flipBitAt: 100 });
			const downloads = async () => {
				control.clearLogs();
				await setup.sweep(3);
				return [...new Set(setup.downloads())].sort();
			};
			assert.deepEqual(await downloads(), [missed, spoilt].sort());
			await assertKept(missed);
			// The next sweep is a new one, as in a second n8n, or one that has lost its history.
			assert.deepEqual(await downloads(), [spoilt]);
			await control.tamper(spoilt, { flipBitAt: 100 });
			assert.deepEqual(await downloads(), [spoilt]);
			assert.deepEqual(await downloads(), []);
			for (const sessionGuid of [archived, missed, spoilt]) await assertKept(sessionGuid);
		});

		const sweep = async () => succeeded((await setup.sweep(1))[0]);

		test('a recording whose archived file is gone is archived again by hand, once that is noticed', async () => {
			const sessionGuid = await setup.waiting(1);
			await sweep();
			await assertKept(sessionGuid);
			await Promise.all(
				(await readdir(setup.archive.folder)).map(
					async (name) => await rm(join(setup.archive.folder, name)),
				),
			);
			const verify = readWorkflow('verify-archive');
			// As its user does with archives that are not used.
			const others = /\.(?:httpRequest|googleDrive|sftp|ftp)$/;
			for (const node of verify.nodes) if (others.test(node.type)) node.disabled = true;
			const id = await setup.n8n.importWorkflow(verify);
			const verified = await setup.n8n.run(id, { trigger: 'Every night' });
			assert.match(String(verified.error?.message), /is missing/);
			// As its user does then, by "set mock data".
			const trigger = 'When a sweep finds a recording';
			const pinData = { [trigger]: [{ json: { sessionGuid } }] };
			await setup.n8n.rest('PATCH', `/rest/workflows/${setup.archiveId}`, { pinData });
			succeeded(await setup.n8n.run(setup.archiveId, { trigger }));
			await assertKept(sessionGuid);
		});

		test('a recording that was deleted but is listed again is archived again', async () => {
			const sessionGuid = await setup.waiting(1);
			const time = new Date().toISOString();
			await ledger.insert({
				recordingKey: sessionGuid,
				archivedAt: time,
				deletedAt: time,
				kept: false,
			});
			for (const _time of [1, 2]) await sweep();
			await assertKept(sessionGuid);
		});
	});
}
