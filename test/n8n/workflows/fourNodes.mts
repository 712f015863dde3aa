/** The four nodes of the README, with the sweep beside them. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import type { Execution, Workflow } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { until } from '../../../harness/until.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { CALL_END, publishArchive } from '../archived.mts';
import { deleteRecording, retry, serviceOf, succeeded, type ArchiveHost } from '../suite.mts';

const SWEEP = 'When a recording is waiting';
const HOUR = 3_600_000;
const UPLOAD = 'Upload recording to Google Drive';

/** @param getHost an n8n, and the archive in Google Drive */
export function fourNodesSuite(getHost: () => ArchiveHost): void {
	suite('an archive of four nodes', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		let workflowId: string;
		before(async () => {
			const { archive } = getHost();
			workflowId = await publishArchive(stack, configured(), archive.credentials);
		});
		after(async () => await stack.n8n.deactivate(workflowId));

		/** With the folder of the archive. */
		function configured(): Workflow {
			const workflow = readWorkflow('archive-in-four-nodes');
			const { folderId } = nodeOf(getHost().archive.configured(), UPLOAD).parameters;
			nodeOf(workflow, UPLOAD).parameters.folderId = folderId;
			return workflow;
		}

		const executions = async (sessionGuid: string, count: number, trigger = CALL_END) =>
			await executionsFor(stack.n8n, { workflowId, trigger, sessionGuid, count });

		/** A sweep looks as soon as the workflow is published. */
		async function sweep(): Promise<void> {
			await stack.n8n.deactivate(workflowId);
			await stack.n8n.activate(workflowId);
		}

		test('archives a call once, also if its webhook is delivered three times', async () => {
			const { control } = stack.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording({ password: PASSWORD });
			await Promise.all([1, 2, 3].map(async () => await control.sendCallEnd(sessionGuid)));
			(await executions(sessionGuid, 3)).forEach(succeeded);
			const files = await getHost().archive.files();
			const own = files.filter(({ name }) => name.includes(sessionGuid));
			assert.deepEqual(
				own.map(({ content }) => sha256(content)),
				[plainSha256],
			);
			assert.equal(stack.ledger(sessionGuid).state, 'deleted');
		});

		test('ends without a recording, says so, and waits for a late one', async () => {
			const { control } = stack.emulator;
			control.setRecordingDelay(3_000);
			for (const recordCall of [true, false]) {
				control.setDefaultInstructions({ recordCall });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 1 });
				await control.completedCall(sessionGuid);
				const [execution] = await executions(sessionGuid, 1);
				assert.equal(succeeded(execution).nodes.length, recordCall ? 4 : 2);
				const said = execution?.hints('Download recording').join();
				assert.match(String(said), recordCall ? /^$/ : /says that the call was not recorded/);
			}
			control.setRecordingDelay(0);
		});

		suite('with a wait of two seconds, and a sweep of all ages', { concurrency: 1 }, () => {
			before(async () => {
				await stack.n8n.deactivate(workflowId);
				const { archive } = getHost();
				const workflow = configured();
				nodeOf(workflow, 'Download recording').parameters.options = { waitUntilAvailable: 2 };
				nodeOf(workflow, SWEEP).parameters.options = { minimumAge: 0, tryAgainAfter: 0.01 };
				workflowId = await publishArchive(stack, workflow, archive.credentials);
			});

			test('a recording that comes later fails, and a Retry archives it', async () => {
				const { control } = stack.emulator;
				control.setDefaultInstructions({ recordCall: true });
				control.setRecordingDelay(20_000);
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 1 });
				await control.completedCall(sessionGuid);
				const [failed] = await executions(sessionGuid, 1);
				assert.match(String(failed?.error?.message), /not ready yet: 'recorded' in the payload/);
				const metadata = failed?.error?.context?.metadata as Record<string, unknown>;
				assert.equal(metadata.reason, 'recordingNotReady');
				assert.equal(metadata.recordingKey, sessionGuid);
				await until(() => control.recordings().some((one) => one.sessionGuid === sessionGuid));
				succeeded(await stack.n8n.execution(await retry(stack.n8n, failed?.id)));
				assert.equal(stack.ledger(sessionGuid).state, 'deleted');
				control.setRecordingDelay(0);
			});

			test('what no webhook reported is archived, and a webhook that comes later ends quietly', async () => {
				const { control } = stack.emulator;
				// The service's clock is that of its Date header, which has whole seconds.
				const endedAt = new Date(control.now() - 60_000).toISOString();
				const { sessionGuid } = await control.addRecording({ password: PASSWORD, endedAt });
				await sweep();
				await until(() => stack.ledger(sessionGuid).state === 'deleted');
				const files = await getHost().archive.files();
				assert.ok(files.some(({ name }) => name.includes(sessionGuid)));
				const payload = { event: 'CallEnd', sessionGuid, recorded: true };
				await control.sendCallEnd(sessionGuid, payload);
				const [late] = await executions(sessionGuid, 1);
				assert.equal(succeeded(late).nodes.length, 2);
				const said = late?.hints('Download recording').join();
				assert.match(String(said), /archived or deleted before/);
			});

			suite('a recording of which only the upload failed', { concurrency: 1 }, () => {
				async function failsToUpload(endedAt: string): Promise<string> {
					const { control } = stack.emulator;
					const { sessionGuid } = await control.addRecording({ password: PASSWORD, endedAt });
					await getHost().archive.spoil('refuse', `${sessionGuid}.opus`);
					return sessionGuid;
				}
				const isLost = (execution: Execution | undefined) => {
					const { reason } = (execution?.error?.context?.metadata ?? {}) as { reason?: string };
					assert.equal(reason, 'recordingLost', execution?.error?.message);
				};

				test('is lost, also to a repeated webhook, if someone deletes it [fault 48]', async () => {
					const { control } = stack.emulator;
					const sessionGuid = await failsToUpload(new Date(control.now()).toISOString());
					await control.sendCallEnd(sessionGuid);
					const [failed] = await executions(sessionGuid, 1);
					assert.equal(failed?.nodes.at(-1), UPLOAD);
					await deleteRecording(stack, sessionGuid);
					const payload = { event: 'CallEnd', sessionGuid, recorded: true };
					await control.sendCallEnd(sessionGuid, payload);
					isLost((await executions(sessionGuid, 2))[1]);
				});

				test('is lost if it is purged between the sweep and its download [fault 48]', async () => {
					const { control } = stack.emulator;
					const minutesLeft = 30 * 60_000;
					const endedAt = new Date(control.now() - 7 * 24 * HOUR + minutesLeft).toISOString();
					const sessionGuid = await failsToUpload(endedAt);
					await sweep();
					const [failed] = await executions(sessionGuid, 1, SWEEP);
					assert.equal(failed?.nodes.at(-1), UPLOAD);
					await control.advanceClock(60_000);
					// Download tries again after this, and the recording is purged until then.
					const match = { endpoint: 'downloadRecording', sessionGuid } as const;
					control.addFault({ match, times: 3, fault: { kind: 'status', status: 503 } });
					await sweep();
					await until(() => control.requests().some(({ status }) => status === 503));
					await control.advanceClock(HOUR);
					const [, second] = await executions(sessionGuid, 2, SWEEP);
					assert.equal(second?.items(SWEEP)[0]?.json.event, 'recordingWaiting');
					isLost(second);
				});
			});
		});
	});
}
