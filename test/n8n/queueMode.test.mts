import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { AddRecordingOptions, Delivery } from '../../emulator/src/index.mts';
import { startFleet, type Fleet } from '../../harness/fleet.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { readWorkflow, sweepInto } from '../../harness/workflows.mts';
import { folderArchive } from '../../harness/standIns/archives.mts';
import { missingServer } from '../../harness/standIns/servers.mts';
import { PASSWORD, type Stack } from '../../harness/stack.mts';
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { until } from '../../harness/until.mts';
import { assertArchived, CALL_END } from './archived.mts';
import { compose, environmentOf } from './compose.mts';
import { deleteRecording, shared, succeeded } from './suite.mts';
import { proofRetriesSuite } from './workflows/proofRetries.mts';

const DAY = 24 * 3_600_000;
/** The default deadline of the trigger, which recording-policy keeps. */
const DEADLINE_MS = 5_000;
const LIST = '/api/customer/recordings';

suite(
	'queue mode: main, a webhook process and a worker, with the environment of compose.queue.yml',
	{ skip: missingServer('PostgreSQL', 'Redis') },
	() => {
		const archive = shared(folderArchive);
		let storage: string;
		let fleet: Fleet;
		let stack: Stack;
		let archiveId: string;
		let policyId: string;
		/** What the processes printed; all workers of this file print to the same entry. */
		const log = { main: '', webhook: '', worker: '' };
		/** Executions of the archive workflow that were looked at already. */
		let looked = 0;

		before(async () => {
			storage = await mkdtemp(join(tmpdir(), 'voiceagent-storage-'));
			const { services } = await compose('compose.queue.yml');
			const folders = { '/archive': archive.folder, '/home/node/.n8n/data': storage };
			fleet = await startFleet({
				env: environmentOf(services.main, folders),
				log(line, process) {
					log[process.split(' ')[0] as keyof typeof log] += `${line}\n`;
				},
			});
			stack = fleet.stack;
			const { n8n, credentials } = stack;
			archiveId = await n8n.importWorkflow(archive.configured(), credentials);
			policyId = await n8n.importWorkflow(readWorkflow('recording-policy'), credentials);
			for (const id of [archiveId, policyId]) await n8n.activate(id);
		});
		after(async () => {
			await fleet?.stop();
			await rm(storage, { recursive: true, force: true });
		});
		afterEach(() => {
			const { control } = stack.emulator;
			control.setWebhooks({ callStart: null, callEnd: null });
			control.clearFaults();
			control.clearLogs();
		});

		const callEnd = async () => await fleet.webhookUrl(archiveId, CALL_END);
		const callStart = async () => await fleet.webhookUrl(policyId, 'When a call starts');

		async function addRecordings(recordings: AddRecordingOptions[]): Promise<string[]> {
			const { control } = stack.emulator;
			const added = await Promise.all(recordings.map((one) => control.addRecording(one)));
			return added.map(({ sessionGuid }) => sessionGuid);
		}

		/** Ends the calls of these recordings at the same moment. */
		async function endCalls(sessionGuids: string[]): Promise<void> {
			const { control } = stack.emulator;
			const deliveries = await Promise.all(sessionGuids.map((one) => control.sendCallEnd(one)));
			assert.deepEqual(
				deliveries.map(({ status, replyBody }) => [status, JSON.parse(String(replyBody))]),
				sessionGuids.map((sessionGuid) => [200, { received: true, sessionGuid }]),
			);
		}

		/** Places a call, and returns the answer to its CallStart. */
		async function startCall(to: string): Promise<{ sessionGuid: string; answer: Delivery }> {
			const { control } = stack.emulator;
			const { sessionGuid } = control.placeCall({
				to,
				durationSeconds: 2,
				metadata: { consent: true },
			});
			await control.completedCall(sessionGuid);
			const answer = control
				.deliveries()
				.find((one) => one.event === 'CallStart' && one.sessionGuid === sessionGuid);
			assert.ok(answer);
			return { sessionGuid, answer };
		}

		function assertInstructions({ status, replyBody }: Delivery, block: object): void {
			assert.deepEqual(
				[status, JSON.parse(String(replyBody))],
				[200, { Service_Instructions: block }],
			);
		}

		async function nextExecutionsOfArchive(count: number): Promise<Execution[]> {
			const from = looked;
			looked += count;
			const executions = await stack.n8n.waitForExecutions({
				workflowId: archiveId,
				count: looked,
			});
			assert.equal(executions.length, looked, 'executions that should not be');
			return executions.slice(from);
		}

		/** Asserts that the executions succeeded, and that the worker ran them for this process. */
		async function assertRanInWorker(
			executions: Execution[],
			enqueuedBy: 'main' | 'webhook',
		): Promise<void> {
			for (const { id } of executions.map(succeeded)) {
				await until(() => log[enqueuedBy].includes(`Enqueued execution ${id} (`));
				await until(() => log.worker.includes(`Worker finished execution ${id} (`));
			}
		}

		/**
		 * Asserts that the archive has each recording byte for byte, with its metadata beside it, and
		 * that the service was asked once to delete it.
		 */
		async function assertArchivedOnce(sessionGuids: string[]): Promise<void> {
			const files = await archive.files();
			const { control } = stack.emulator;
			const deletes = control.requests().filter(({ method }) => method === 'DELETE');
			for (const sessionGuid of sessionGuids) {
				assert.equal(assertArchived(files, stack.ledger(sessionGuid)).length, 2);
			}
			assert.deepEqual(
				deletes.map(({ path }) => path).toSorted(),
				sessionGuids.map((sessionGuid) => `${LIST}/${sessionGuid}`).toSorted(),
			);
		}

		test('main leaves the production webhooks to the webhook process', async () => {
			const address = await stack.n8n.webhookUrl(archiveId, CALL_END);
			const answer = await fetch(address, { method: 'POST', body: '{}' });
			assert.equal(answer.status, 404);
		});

		test('a call is answered from the worker, recorded as the answer says, and archived', async () => {
			const { emulator, n8n } = stack;
			emulator.control.setWebhooks({ callStart: await callStart(), callEnd: await callEnd() });
			const throughRedis = await fleet.redis.watch();
			const { sessionGuid, answer } = await startCall('+15550100');
			assertInstructions(answer, {
				recordCall: true,
				recordCallFormat: 'opus',
				recordCallPassword: PASSWORD,
			});
			// The process that got the webhook adds the password.
			const passed = throughRedis();
			assert.match(passed, /recordCallFormat/);
			assert.ok(!passed.includes(PASSWORD));
			const answered = await n8n.waitForExecutions({ workflowId: policyId, count: 1 });
			await assertRanInWorker(answered, 'webhook');
			assert.equal(answered[0]?.items('Record and encrypt')[0]?.json.responded, true);

			assert.equal(stack.ledger(sessionGuid).encrypted, true);
			const executions = await nextExecutionsOfArchive(1);
			await assertRanInWorker(executions, 'webhook');
			await assertArchivedOnce([sessionGuid]);
			// Main shows the file of the worker, because they share the folder.
			const file = executions[0]?.items('Download recording')[0]?.binary?.data;
			assert.match(String(file?.id), /^filesystem/);
			const { plainSha256 } = stack.ledger(sessionGuid);
			assert.equal(file && sha256(await n8n.binary(file)), plainSha256);
		});

		test('without a worker, CallStart is answered with the fallback, and no CallEnd is lost', async () => {
			const { emulator, n8n } = stack;
			const long = { format: 'wav', password: PASSWORD, sizeBytes: 7_000_000 } as const;
			const guids = await addRecordings([long, { format: 'mp3' }]);
			await fleet.workers[0]?.stop();
			try {
				emulator.control.setWebhooks({ callEnd: await callEnd() });
				await endCalls(guids);
				emulator.control.setWebhooks({ callStart: await callStart(), callEnd: null });
				const { answer } = await startCall('+15550100');
				assertInstructions(answer, { recordCall: false });
				// There is no worker yet, so only the deadline can have answered.
				assert.ok(answer.durationMs > 0.9 * DEADLINE_MS, `${answer.durationMs} ms`);
				assert.ok(guids.every((sessionGuid) => stack.ledger(sessionGuid).state === 'stored'));
			} finally {
				await fleet.start('worker');
			}
			await assertRanInWorker(await nextExecutionsOfArchive(guids.length), 'webhook');
			await assertArchivedOnce(guids);

			// The execution for the call was not lost either, and says that it came too late.
			const [, late] = await n8n.waitForExecutions({ workflowId: policyId, count: 2 });
			assert.ok(late);
			await assertRanInWorker([late], 'webhook');
			assert.equal(late.items('Record and encrypt')[0]?.json.responded, false);
		});

		test('a sweep hands each recording that was left to the worker, and once', async () => {
			const { emulator, credentials, n8n } = stack;
			const { control } = emulator;
			const daysAgo = (days: number) => new Date(control.now() - days * DAY).toISOString();
			const guids = await addRecordings([
				{ endedAt: daysAgo(6.5), password: PASSWORD },
				{ endedAt: daysAgo(3) },
				{ endedAt: daysAgo(1), password: PASSWORD, format: 'wav' },
			]);
			/** Checks that the trigger has made so far. */
			const checks = () => control.requests().filter(({ path }) => path === LIST).length;
			control.addFault({
				match: { endpoint: 'downloadRecording' },
				times: guids.length,
				fault: { kind: 'delay', ms: 3_000 },
			});
			const sweepId = await n8n.importWorkflow(sweepInto(archiveId), credentials);
			// Published again, the trigger checks while the recordings are still being archived.
			for (const count of [1, 2, 3]) {
				await n8n.activate(sweepId);
				await until(() => checks() >= count);
				await sleep(1_000);
				await n8n.deactivate(sweepId);
			}

			const executions = await n8n.waitForExecutions({ workflowId: sweepId, count: guids.length });
			assert.deepEqual(
				executions
					.map((one) => String(one.items('When a recording is waiting')[0]?.json.sessionGuid))
					.toSorted(),
				guids.toSorted(),
			);
			await assertRanInWorker(executions, 'main');
			await assertArchivedOnce(guids);
		});

		test('the code of a workflow runs in the worker: a sweep says why a recording is not archived', async (t) => {
			const { emulator, credentials, n8n } = stack;
			const endedAt = new Date(emulator.control.now() - DAY).toISOString();
			const [sessionGuid = ''] = await addRecordings([{ endedAt, password: 'of another account' }]);
			t.after(async () => await deleteRecording(stack, sessionGuid));
			const sweepId = await n8n.importWorkflow(sweepInto(archiveId), credentials);
			await n8n.activate(sweepId);
			const [sweep] = await n8n.waitForExecutions({ workflowId: sweepId, count: 1 });
			await n8n.deactivate(sweepId);
			assert.ok(sweep);
			await until(() => log.main.includes(`Enqueued execution ${sweep.id} (`));
			const [described] = sweep.items('Describe the failure');
			assert.equal(described?.json.sessionGuid, sessionGuid);
			assert.equal(described?.json.status, 'failed');
			assert.match(String(sweep.error?.message), /is not archived after attempt 1/);
		});

		proofRetriesSuite(
			() => ({ n8n: stack.n8n, folder: archive.folder }),
			async (id, node) => await fleet.webhookUrl(id, node),
		);
	},
);
