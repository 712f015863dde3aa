/** The archive that a user builds by hand from four nodes, as docs/customizing.md says. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { byGuid, inARow, voiceAgent, voiceAgentTrigger } from '../../../harness/flow.mts';
import type { Credential, N8n } from '../../../harness/n8n/n8n.mts';
import { addService, PASSWORD, type Stack } from '../../../harness/stack.mts';
import type { Archive } from '../../../harness/standIns/archives.mts';
import { nodeOf } from '../../../harness/workflows.mts';

const TRIGGER = 'When a call ends';

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
			const { options: _, ...upload } = nodeOf(
				archive.configured(),
				'Upload recording to Google Drive',
			).parameters;
			const workflow = inARow('Four nodes', [
				voiceAgentTrigger({ event: 'callEnd' }, TRIGGER),
				voiceAgent(
					{
						resource: 'recording',
						operation: 'download',
						recording: byGuid(),
						options: { ifNoRecording: 'end', waitUntilAvailable: 2 },
					},
					{ name: 'Download' },
				),
				{
					name: 'Upload',
					type: 'n8n-nodes-base.googleDrive',
					typeVersion: 3,
					parameters: { ...upload, options: { simplifyOutput: false } },
				},
				voiceAgent(
					{
						resource: 'recording',
						operation: 'delete',
						recording: byGuid("={{ $('Download').item.json.sessionGuid }}"),
						requireProof: true,
						archiveChecksum: '={{ $json.sha256Checksum }}',
						archiveSize: '={{ $json.size }}',
					},
					{ name: 'Delete' },
				),
			]);
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

		test('deletes nothing if an upload goes wrong', async () => {
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording();
			await archive.spoil('alter', `${sessionGuid}.opus`);
			await control.sendCallEnd(sessionGuid);
			const [execution] = await executions(sessionGuid, 1);
			assert.equal(execution?.status, 'error');
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
		});
	});
}
