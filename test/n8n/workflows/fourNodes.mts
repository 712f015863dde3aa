/** The four nodes of the README. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import type { Credential, N8n } from '../../../harness/n8n/n8n.mts';
import { addService, PASSWORD, type Stack } from '../../../harness/stack.mts';
import type { Archive } from '../../../harness/standIns/archives.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';

const TRIGGER = 'When a call ends';
const UPLOAD = 'Upload recording to Google Drive';

/** @param getHost an n8n, and the archive in Google Drive */
export function fourNodesSuite(getHost: () => { n8n: N8n; archive: Archive }): void {
	suite('an archive of four nodes', { concurrency: 1 }, () => {
		let archive: Archive;
		let stack: Stack;
		let workflowId: string;

		before(async () => {
			const host = getHost();
			archive = host.archive;
			stack = await addService(host.n8n);
			const credentials: Record<string, Credential> = { ...stack.credentials };
			for (const credential of archive.credentials) {
				credentials[credential.type] = await host.n8n.createCredential(credential);
			}
			const workflow = readWorkflow('archive-in-four-nodes');
			const { folderId } = nodeOf(archive.configured(), UPLOAD).parameters;
			nodeOf(workflow, UPLOAD).parameters.folderId = folderId;
			workflowId = await host.n8n.importWorkflow(workflow, credentials);
			await host.n8n.activate(workflowId);
			const callEnd = await host.n8n.webhookUrl(workflowId, TRIGGER);
			stack.emulator.control.setWebhooks({ callEnd });
		});
		after(async () => await stack?.stop());

		const executions = async (sessionGuid: string, count: number) =>
			await executionsFor(stack.n8n, { workflowId, trigger: TRIGGER, sessionGuid, count });

		test('archives a call once, also if its webhook is delivered three times', async () => {
			const { control } = stack.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording({ password: PASSWORD });
			await Promise.all([1, 2, 3].map(async () => await control.sendCallEnd(sessionGuid)));
			const all = await executions(sessionGuid, 3);
			assert.deepEqual(
				all.map(({ status, error }) => error?.message ?? status),
				['success', 'success', 'success'],
			);
			const files = (await archive.files()).filter(({ name }) => name.includes(sessionGuid));
			assert.deepEqual(
				files.map(({ content }) => createHash('sha256').update(content).digest('hex')),
				[plainSha256],
			);
			assert.equal(stack.ledger(sessionGuid).state, 'deleted');
		});

		test('ends quietly without a recording, and waits for a late one', async () => {
			const { control } = stack.emulator;
			control.setRecordingDelay(3_000);
			for (const recordCall of [true, false]) {
				control.setDefaultInstructions({ recordCall });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 1 });
				await control.completedCall(sessionGuid);
				const [execution] = await executions(sessionGuid, 1);
				assert.equal(execution?.status, 'success', execution?.error?.message);
				assert.equal(execution.nodes.length, recordCall ? 4 : 2);
			}
			control.setRecordingDelay(0);
		});
	});
}
