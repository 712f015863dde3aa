/** What an error workflow gets about the recording that an execution has failed with. */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';

import { baseNode, byGuid, failing, inARow, voiceAgent } from '../../../harness/flow.mts';
import type { Json, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { serviceOf, type Host } from '../suite.mts';

const ERROR_TRIGGER = 'When a workflow fails';
const GUID = '{3F2504E0-4F89-41D3-9A0C-0305E82C3301}';
const KEPT_UNTIL = '2026-12-04T10:42:36.565Z';
const RECORDING = {
	sessionGuid: GUID,
	recordingKey: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
	keptUntil: KEPT_UNTIL,
};

/** What n8n's Error Trigger outputs. */
interface Report {
	execution: {
		error: { context: { metadata?: Record<string, Json> } };
		executionContext: Record<string, Json>;
	};
}

/** @param getHost an n8n */
export function errorFieldsSuite(getHost: () => Pick<Host, 'n8n'>): void {
	suite('an error workflow gets fields', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		let errorWorkflow: string;
		let reported = 0;
		before(async () => {
			const workflow = inARow('Errors', [baseNode(ERROR_TRIGGER, 'errorTrigger', 1)]);
			errorWorkflow = await stack.n8n.importWorkflow(workflow);
			await stack.n8n.activate(errorWorkflow);
		});

		const publish = async (nodes: WorkflowNode[]): Promise<string> => {
			const settings = { executionOrder: 'v1', errorWorkflow };
			const id = await stack.n8n.importWorkflow(
				inARow('Fails', nodes, { settings }) as Workflow,
				stack.credentials,
			);
			await stack.n8n.activate(id);
			return id;
		};

		/** Starts a workflow of these nodes, and returns what is reported then. */
		async function reports(nodes: WorkflowNode[], count = 1): Promise<Report['execution'][]> {
			const path = crypto.randomUUID();
			const webhook = baseNode('Webhook', 'webhook', 2, { path, httpMethod: 'POST' });
			await publish([{ ...webhook, webhookId: path }, ...nodes]);
			await fetch(`${stack.n8n.url}/webhook/${path}`, { method: 'POST' });
			const wanted = { workflowId: errorWorkflow, count: reported + count };
			const all = await stack.n8n.waitForExecutions(wanted);
			const found = all.slice(reported);
			reported = all.length;
			return found.map((one) => {
				const [item] = one.items(ERROR_TRIGGER);
				return (item?.json as unknown as Report).execution;
			});
		}

		const item = (...guids: string[]) =>
			baseNode('Item', 'code', 2, {
				jsCode: `return ${JSON.stringify(guids)}.map((sessionGuid) => ({ json: { sessionGuid, keptUntil: '${KEPT_UNTIL}' } }));`,
			});
		const download = () => {
			const parameters = { resource: 'recording', operation: 'download', recording: byGuid() };
			return voiceAgent(parameters, { name: 'Download' });
		};
		const trigger = () =>
			baseNode('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });

		test('of an error of ours, also if a sub-workflow failed with it', async () => {
			const metadata = { reason: 'recordingGone', ...RECORDING };
			const [own] = await reports([item(GUID), download()]);
			assert.deepEqual(own?.error.context.metadata, metadata);
			assert.partialDeepStrictEqual(own?.executionContext, RECORDING);

			const workflowId = { __rl: true, mode: 'id', value: await publish([trigger(), download()]) };
			const inputs = { mappingMode: 'defineBelow', value: {}, matchingColumns: [], schema: [] };
			const call = { workflowId, workflowInputs: inputs, options: { waitForSubWorkflow: true } };
			const both = await reports([item(GUID), baseNode('Call', 'executeWorkflow', 1.3, call)], 2);
			for (const { error } of both) assert.deepEqual(error.context.metadata, metadata);
		});

		test('of the recording that was downloaded, if another node fails', async () => {
			const { control } = stack.emulator;
			await control.addRecording({ sessionGuid: GUID });
			const { sessionGuid: second } = await control.addRecording();
			const [one] = await reports([item(GUID), download(), failing('The disk is full')]);
			assert.equal(one?.error.context.metadata, undefined);
			assert.partialDeepStrictEqual(one?.executionContext, RECORDING);
			// Of several recordings, none is named: it could be the wrong one.
			const [several] = await reports([
				item(GUID, second),
				download(),
				failing('The disk is full'),
			]);
			const none = { sessionGuid: null, recordingKey: null, keptUntil: null };
			assert.partialDeepStrictEqual(several?.executionContext, none);
		});
	});
}
