/** The four nodes of the README. */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { CALL_END, publishArchive } from '../archived.mts';
import { serviceOf, succeeded, type ArchiveHost } from '../suite.mts';

const UPLOAD = 'Upload recording to Google Drive';

/** @param getHost an n8n, and the archive in Google Drive */
export function fourNodesSuite(getHost: () => ArchiveHost): void {
	suite('an archive of four nodes', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		let workflowId: string;
		before(async () => {
			const { archive } = getHost();
			const workflow = readWorkflow('archive-in-four-nodes');
			const { folderId } = nodeOf(archive.configured(), UPLOAD).parameters;
			nodeOf(workflow, UPLOAD).parameters.folderId = folderId;
			workflowId = await publishArchive(stack, workflow, archive.credentials);
		});

		const executions = async (sessionGuid: string, count: number) =>
			await executionsFor(stack.n8n, { workflowId, trigger: CALL_END, sessionGuid, count });

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

		test('ends quietly without a recording, and waits for a late one', async () => {
			const { control } = stack.emulator;
			control.setRecordingDelay(3_000);
			for (const recordCall of [true, false]) {
				control.setDefaultInstructions({ recordCall });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 1 });
				await control.completedCall(sessionGuid);
				const [execution] = await executions(sessionGuid, 1);
				assert.equal(succeeded(execution).nodes.length, recordCall ? 4 : 2);
			}
			control.setRecordingDelay(0);
		});
	});
}
