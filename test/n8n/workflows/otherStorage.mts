/** archive-to-s3, changed as its note says: to storage that is not S3. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import type { Workflow } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { startWebDav } from '../../../harness/standIns/webDav.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { assertArchived, CALL_END, publishArchive } from '../archived.mts';
import { serviceOf, shared, succeeded, type Host } from '../suite.mts';

const UPLOAD = 'Upload recording to S3';
const READ = 'Read recording back from S3';

/** Changes URL and Authentication, and leaves folders out of the names. */
function toStorage(workflow: Workflow, url: string): Workflow {
	for (const [name, fileName] of [
		[UPLOAD, '$json.fileName'],
		[READ, "$('Download recording').item.json.fileName"],
	] as const) {
		const { parameters } = nodeOf(workflow, name);
		parameters.url = `=${url}{{ ${fileName}.urlEncode() }}`;
		parameters.authentication = 'genericCredentialType';
		parameters.genericAuthType = 'httpBasicAuth';
	}
	const { options } = nodeOf(workflow, 'Download recording').parameters as {
		options: { outputFileName: string };
	};
	options.outputFileName = options.outputFileName.replace('/', '_');
	return workflow;
}

export function otherStorageSuite(getHost: () => Host): void {
	suite('workflow: archive-to-s3, with WebDAV', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		const storage = shared(startWebDav);

		test('archives there and deletes', async () => {
			const workflow = toStorage(readWorkflow('archive-to-s3'), storage.url);
			const workflowId = await publishArchive(stack, workflow, [storage.credential]);
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording({ password: PASSWORD });
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId, trigger: CALL_END, sessionGuid, count: 1 };
			succeeded((await executionsFor(stack.n8n, query))[0]);
			assertArchived(storage.files(), stack.ledger(sessionGuid));
		});

		test('fails and deletes nothing where a name has a folder that the storage lacks', async () => {
			const workflow = toStorage(readWorkflow('archive-to-s3'), `${storage.url}folder/`);
			const workflowId = await publishArchive(stack, workflow);
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording();
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId, trigger: CALL_END, sessionGuid, count: 1 };
			const [execution] = await executionsFor(stack.n8n, query);
			assert.equal(execution?.status, 'error');
			assert.match(
				String(execution.error?.message),
				/invalid or could not be processed by the service/,
			);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
		});
	});
}
