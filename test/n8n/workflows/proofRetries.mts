/**
 * How old a proof is after n8n's Retry, after a Retry of a Retry and in a single step, with and
 * without saved progress.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';

import { baseNode, byGuid, inARow, voiceAgent, voiceAgentTrigger } from '../../../harness/flow.mts';
import { listen } from '../../../harness/listen.mts';
import { parseFlatted } from '../../../harness/n8n/execution.mts';
import type { Execution, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { CALL_END } from '../archived.mts';
import { retry, serviceOf, shared, type Host } from '../suite.mts';

const OUTDATED = /^The recording was not deleted: the proof is from an earlier execution: 'Read'/;
/** The item that Download has output, whatever n8n has made of it since. */
const GUID = "={{ $('Download').item.json.sessionGuid }}";

/** The node takes these characters of a path for a pattern. */
const asPattern = (path: string) => path.replaceAll(/[\\*?{}]/g, '\\$&');

/** What the editor sends when it executes a single step. */
const runDataOf = ({ raw }: Execution) =>
	parseFlatted<{ resultData: { runData: Record<string, unknown> } }>(raw).resultData.runData;

/**
 * @param getHost an n8n, and a folder that its Read/Write Files node may use
 * @param webhookUrl where n8n answers a webhook; in queue mode, another process does
 */
export function proofRetriesSuite(
	getHost: () => Pick<Host, 'n8n' | 'folder'>,
	webhookUrl = async (id: string, node: string) => await getHost().n8n.webhookUrl(id, node),
): void {
	suite('how old a proof is', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		let folder: string;
		/** The gates that let nothing through: the node fails, as one that writes a ledger does. */
		const closed = new Set<string>();
		const gates = createServer(({ url = '' }, response) => {
			response.statusCode = closed.has(url.slice(1)) ? 500 : 200;
			response.end('{}');
		});
		const gateServer = shared(async () => await listen(gates));

		before(async () => {
			folder = await mkdtemp(join(getHost().folder, 'proof-age-'));
		});

		const gate = (name: string) =>
			baseNode(name, 'httpRequest', 4.2, {
				url: `http://127.0.0.1:${gateServer.port}/${name}`,
				options: {},
			});
		const about = { resource: 'recording' };
		const download = (name: string) =>
			voiceAgent({ ...about, operation: 'download', recording: byGuid(GUID) }, { name });
		const archiving = (...between: WorkflowNode[]): WorkflowNode[] => [
			voiceAgentTrigger({ event: 'callEnd', options: {} }, CALL_END),
			voiceAgent({ ...about, operation: 'download', recording: byGuid() }, { name: 'Download' }),
			baseNode('Write', 'readWriteFile', 1.1, {
				operation: 'write',
				fileName: `=${folder}/{{ $json.sessionGuid }}`,
			}),
			...between,
			voiceAgent({ ...about, operation: 'delete', recording: byGuid(GUID) }, { name: 'Delete' }),
		];
		const read = () =>
			baseNode('Read', 'readWriteFile', 1.1, {
				operation: 'read',
				fileSelector: `=${asPattern(folder)}/{{ $('Download').item.json.sessionGuid }}`,
			});

		/** Archives a recording for the first time. */
		async function first(nodes: WorkflowNode[], settings: object = {}) {
			const { n8n, emulator, credentials } = stack;
			const id = await n8n.importWorkflow(inARow('age', nodes, { settings }), credentials);
			await n8n.activate(id);
			emulator.control.setWebhooks({ callEnd: await webhookUrl(id, CALL_END) });
			const { sessionGuid } = await emulator.control.addRecording({ format: 'wav' });
			await emulator.control.sendCallEnd(sessionGuid);
			const [execution] = await n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.ok(execution);
			return { id, sessionGuid, execution };
		}

		const again = async ({ id }: Execution) =>
			await stack.n8n.execution(await retry(stack.n8n, id));
		const stateOf = (sessionGuid: string) => stack.ledger(sessionGuid).state;
		const emptyArchive = async () => {
			await rm(folder, { recursive: true });
			await mkdir(folder);
		};

		for (const saveExecutionProgress of [false, true]) {
			const settings = { saveExecutionProgress };
			const when = saveExecutionProgress ? 'with saved progress' : 'without saved progress';

			test(`a Retry of a Retry deletes nothing if the file is gone by then, ${when} [promise 1]`, async () => {
				closed.add('BeforeRead').add('Ledger');
				const nodes = archiving(gate('BeforeRead'), read(), gate('Ledger'));
				const { sessionGuid, execution } = await first(nodes, settings);
				assert.equal(execution.error?.name, 'NodeApiError', 'the read-back has not run yet');
				closed.delete('BeforeRead');
				const second = await again(execution);
				assert.ok(second.nodes.includes('Read') && second.status === 'error');
				closed.delete('Ledger');
				await emptyArchive();
				const third = await again(second);
				assert.match(String(third.error?.message), OUTDATED);
				assert.equal(stateOf(sessionGuid), 'stored');
			});

			test(`a Retry of a second Download that has failed deletes nothing, ${when}`, async () => {
				const { control } = stack.emulator;
				const match = { endpoint: 'downloadRecording' } as const;
				closed.add('Gate');
				const nodes = archiving(read(), gate('Gate'), download('Again'));
				const { sessionGuid, execution } = await first(nodes, settings);
				control.addFault({ match, fault: { kind: 'status', status: 403 } });
				closed.delete('Gate');
				const second = await again(execution);
				assert.match(String(second.error?.message), /lacks permission/);
				await emptyArchive();
				const third = await again(second);
				assert.match(String(third.error?.message), OUTDATED);
				assert.equal(stateOf(sessionGuid), 'stored');
			});

			const outcome = saveExecutionProgress ? 'stored' : 'deleted';
			test(`the recording is ${outcome} after a Retry that downloads and archives anew, ${when}`, async () => {
				const match = { endpoint: 'downloadRecording' } as const;
				stack.emulator.control.addFault({ match, fault: { kind: 'status', status: 403 } });
				const { sessionGuid, execution } = await first(archiving(read()), settings);
				assert.equal(execution.status, 'error');
				const { status, error } = await again(execution);
				assert.equal(status === 'success', !saveExecutionProgress, error?.message);
				assert.equal(stateOf(sessionGuid), outcome);
			});
		}

		test('a Retry after the folder was repaired goes on to archive and delete', async () => {
			await rm(folder, { recursive: true });
			const { sessionGuid, execution } = await first(archiving(read()));
			assert.equal(execution.nodes.at(-1), 'Write');
			await mkdir(folder);
			const second = await again(execution);
			assert.equal(second.status, 'success', second.error?.message);
			assert.ok((await readdir(folder)).includes(sessionGuid));
			assert.equal(stateOf(sessionGuid), 'deleted');
		});

		test('with saved progress, a Retry deletes nothing: it may have inherited its proof', async () => {
			closed.add('BeforeRead');
			const nodes = archiving(gate('BeforeRead'), read());
			const { sessionGuid, execution } = await first(nodes, { saveExecutionProgress: true });
			closed.delete('BeforeRead');
			const { error } = await again(execution);
			assert.match(String(error?.message), OUTDATED);
			assert.match(String(error?.description), /progress.*let a sweep/);
			assert.equal(stateOf(sessionGuid), 'stored');
		});

		test('a single step in the editor deletes nothing: it goes on with an earlier proof', async () => {
			closed.add('Ledger');
			const { id, sessionGuid, execution } = await first(archiving(read(), gate('Ledger')));
			closed.delete('Ledger');
			const { Ledger: _failed, ...runData } = runDataOf(execution);
			const { executionId } = await stack.n8n.rest<{ executionId: string }>(
				'POST',
				`/rest/workflows/${id}/run`,
				{
					workflowId: id,
					runData,
					dirtyNodeNames: [],
					destinationNode: { nodeName: 'Delete', mode: 'inclusive' },
				},
			);
			const step = await stack.n8n.execution(executionId);
			assert.match(String(step.error?.message), OUTDATED);
			assert.equal(stateOf(sessionGuid), 'stored');
		});
	});
}
