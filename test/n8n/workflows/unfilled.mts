/** archive-to-folder as it is imported, before its user has entered a folder. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { readWorkflow } from '../../../harness/workflows.mts';
import { CALL_END, publishArchive } from '../archived.mts';
import { serviceOf, type Host } from '../suite.mts';

export function unfilledSuite(getHost: () => Pick<Host, 'n8n'>): void {
	suite('archive-to-folder without a folder', () => {
		const stack = serviceOf(() => getHost().n8n);

		test('fails with a reason that names the problem, and deletes nothing', async () => {
			const { control } = stack.emulator;
			const workflowId = await publishArchive(stack, readWorkflow('archive-to-folder'));
			const { sessionGuid } = await control.addRecording();
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId, trigger: CALL_END, sessionGuid, count: 1 };
			const [execution] = await executionsFor(stack.n8n, query);
			assert.equal(execution?.status, 'error');
			// The remedies of failure-notice know both.
			assert.match(
				String(execution.error?.message),
				/Access to the file is not allowed|The file or directory does not exist/,
			);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
		});
	});
}
