/** What goes wrong around an archive: nothing is lost, nothing is deleted early, and there is one file, or at most two. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import type { Credential, Execution, N8n } from '../../../harness/n8n/n8n.mts';
import { addService, PASSWORD, type Stack } from '../../../harness/stack.mts';
import { damaged } from '../../../harness/standIns/archiveFaults.mts';
import type { Archive } from '../../../harness/standIns/archives.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import { sweepOfOne } from './sweepOfOne.mts';

const TRIGGER = 'When a call ends';

export function experimentsSuite(
	name: string,
	getHost: () => { n8n: N8n; archive: Archive },
): void {
	suite(`experiments: ${name}`, { concurrency: 1 }, () => {
		let archive: Archive;
		let stack: Stack;
		let credentials: Record<string, Credential>;
		/** As imported, and with names that a test knows beforehand. */
		let usual: string;
		let withPlainNames: string;
		before(async () => {
			const host = getHost();
			archive = host.archive;
			stack = await addService(host.n8n);
			credentials = { ...stack.credentials };
			for (const one of archive.credentials) {
				credentials[one.type] = await host.n8n.createCredential(one);
			}
			usual = await published();
			withPlainNames = await published('{sessionGuid}.{extension}');
		});
		after(async () => await stack?.stop());

		async function published(outputFileName?: string): Promise<string> {
			const { n8n } = stack;
			const workflow = archive.configured();
			const { options } = nodeOf(workflow, 'Download recording').parameters;
			Object.assign(options as object, {
				waitUntilAvailable: 2,
				...(outputFileName && { outputFileName }),
			});
			const id = await n8n.importWorkflow(workflow, credentials);
			await n8n.activate(id);
			return id;
		}

		async function callEnds(workflowId: string, sessionGuid: string): Promise<void> {
			const { control } = stack.emulator;
			control.setWebhooks({ callEnd: await stack.n8n.webhookUrl(workflowId, TRIGGER) });
			await control.sendCallEnd(sessionGuid, { event: 'CallEnd', sessionGuid });
		}
		const executions = async (workflowId: string, sessionGuid: string, count = 1) =>
			await executionsFor(stack.n8n, { workflowId, trigger: TRIGGER, sessionGuid, count });

		async function archives(workflowId: string, sessionGuid: string): Promise<Execution> {
			await callEnds(workflowId, sessionGuid);
			const [execution] = await executions(workflowId, sessionGuid);
			assert.equal(execution?.status, 'success', execution?.error?.message);
			return execution;
		}
		const swept = async (workflowId: string, sessionGuid: string) =>
			await sweepOfOne(stack.n8n, credentials, workflowId, {
				sessionGuid,
				callEndedAt: new Date(Date.now() - 3_600_000).toISOString(),
			});

		/** The recordings of a session in the archive. */
		const stored = async (sessionGuid: string) =>
			(await archive.files())
				.filter((file) => file.name.includes(sessionGuid) && !file.name.endsWith('.json'))
				.map((file) => ({
					name: file.name,
					sha256: createHash('sha256').update(file.content).digest('hex'),
				}));
		/** Deleted only if it is whole in the archive. */
		async function assertNothingLost(sessionGuid: string): Promise<void> {
			const { state, plainSha256 } = stack.ledger(sessionGuid);
			if (state !== 'deleted') return;
			assert.ok((await stored(sessionGuid)).some(({ sha256 }) => sha256 === plainSha256));
		}
		async function assertArchived(sessionGuid: string): Promise<void> {
			const { state, plainSha256 } = stack.ledger(sessionGuid);
			assert.deepEqual(
				(await stored(sessionGuid)).map(({ sha256 }) => sha256),
				[plainSha256],
			);
			assert.equal(state, 'deleted');
		}

		for (const [what, cut] of [
			['an empty file', () => Buffer.alloc(0)],
			['a cut file', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
			['a file of the right size with other content', (whole: Buffer) => damaged(whole, 'corrupt')],
		] as Array<[string, (whole: Buffer) => Buffer]>) {
			test(`${what} of exactly that name does not count as archived, and is repaired`, async () => {
				const { control } = stack.emulator;
				// What the archive has of another call, cut, under the name and with the metadata of this one.
				const former = await control.addRecording({ password: PASSWORD });
				await archives(withPlainNames, former.sessionGuid);
				const files = await archive.files();
				const contentOf = (extension: string) =>
					files.find((file) => file.name === `${former.sessionGuid}.${extension}`)
						?.content as Buffer;
				const sessionGuid = randomUUID();
				const metadata = String(contentOf('json')).replaceAll(former.sessionGuid, sessionGuid);
				const sha256 = former.plainSha256;
				await archive.place(`${sessionGuid}.opus`, cut(contentOf('opus')), { sessionGuid, sha256 });
				await archive.place(`${sessionGuid}.json`, Buffer.from(metadata), { sessionGuid });
				assert.equal((await swept(withPlainNames, sessionGuid)).archived, false);

				await control.addRecording({ sessionGuid, password: PASSWORD });
				await archives(withPlainNames, sessionGuid);
				const { state, plainSha256 } = stack.ledger(sessionGuid);
				assert.equal(state, 'deleted');
				const contents = (await stored(sessionGuid)).map((file) => file.sha256);
				assert.equal(contents.at(-1), plainSha256);
				assert.equal((await swept(withPlainNames, sessionGuid)).archived, true);
			});
		}

		test('a folder of exactly that name does not count as archived, and nothing is deleted early', async () => {
			const { control } = stack.emulator;
			const sessionGuid = randomUUID();
			for (const extension of ['opus', 'json']) {
				await archive.placeFolder(`${sessionGuid}.${extension}`);
			}
			assert.equal((await swept(withPlainNames, sessionGuid)).archived, false);

			await control.addRecording({ sessionGuid, password: PASSWORD });
			await callEnds(withPlainNames, sessionGuid);
			const [execution] = await executions(withPlainNames, sessionGuid);
			const { state } = stack.ledger(sessionGuid);
			// Where a name is a folder's or a file's, but not both, the execution fails and says why.
			const isDeleted = ['archive-to-google-drive', 'archive-to-s3'].includes(name);
			assert.deepEqual(
				[execution?.status, state],
				isDeleted ? ['success', 'deleted'] : ['error', 'stored'],
				execution?.error?.message,
			);
			await assertNothingLost(sessionGuid);
			// With names that are new to the archive, the next execution archives it.
			const next = isDeleted ? withPlainNames : usual;
			assert.equal((await swept(next, sessionGuid)).archived, true);
			await assertNothingLost(sessionGuid);
			assert.equal(stack.ledger(sessionGuid).state, 'deleted');
		});

		test('a recording that comes after Download has stopped waiting is archived by the sweep', async () => {
			const { control } = stack.emulator;
			const sessionGuid = randomUUID();
			const execution = await archives(usual, sessionGuid);
			const [outcome] = execution.items('Delete recording from service');
			assert.equal(outcome?.json.archived, false);
			await control.addRecording({ sessionGuid, password: PASSWORD });
			assert.equal((await swept(usual, sessionGuid)).archived, true);
			await assertArchived(sessionGuid);
		});

		test('a delete that was carried out, but never answered, counts as deleted', async () => {
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording({ password: PASSWORD });
			const fault = control.addFault({
				match: { endpoint: 'deleteRecording', sessionGuid },
				carryOut: true,
				times: 'always',
				fault: { kind: 'hangUp' },
			});
			const execution = await archives(usual, sessionGuid);
			const [outcome] = execution.items('Delete recording from service');
			assert.deepEqual([outcome?.json.deleted, outcome?.json.archived], [true, true]);
			control.removeFault(fault.id);
			await assertArchived(sessionGuid);
			assert.equal((await swept(usual, sessionGuid)).archived, true);
		});
	});
}
