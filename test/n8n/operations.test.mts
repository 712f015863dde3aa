import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { before, suite, test } from 'node:test';

import { startEngine } from '../../harness/engine/engine.mts';
import { baseNode, inARow, manualTrigger, voiceAgent } from '../../harness/flow.mts';
import { parseFlatted } from '../../harness/n8n/execution.mts';
import type { BinaryFile, Credential, Execution } from '../../harness/n8n/n8n.mts';
import {
	byGuid,
	NODE,
	PASSWORD,
	startStack,
	type NodeRun,
	type Stack,
} from '../../harness/stack.mts';
import { accountData } from '../../harness/serviceAccess.mts';
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { credentialsSuite } from './operations/credentials.mts';
import { shared, succeeded } from './suite.mts';

const GONE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const recordingRun = (operation: string, sessionGuid: string, settings = {}): NodeRun => ({
	parameters: { resource: 'recording', operation, recording: byGuid(), requireProof: false },
	items: [{ sessionGuid }],
	settings,
});

/** A node that downloads the recording without decrypting it. */
const fetchSealed = voiceAgent(
	{ resource: 'recording', operation: 'download', recording: byGuid(), decrypt: 'never' },
	{ name: 'Fetch' },
);

suite('the node, as a user has it', () => {
	const stack = shared(startStack);
	const engine = shared(startEngine);
	/** For the engine: the service that the whole n8n uses, too. */
	let voiceAgentApi: Credential;
	before(async () => {
		voiceAgentApi = await engine.n8n.createCredential({
			name: 'VoiceAgent',
			type: 'voiceAgentApi',
			data: accountData(stack.emulator.url),
		});
	});

	testFiles(() => stack, 'filesystem');
	credentialsSuite(() => stack);

	const add = async (password?: string) =>
		(await stack.emulator.control.addRecording({ password })).sessionGuid;

	// Most tests of the operations run in n8n's engine alone. These show that it is the same there.
	suite('each operation; n8n records of it what its engine alone records', () => {
		const twice = { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 };
		const call = { specifyBody: 'json', jsonBody: '={{ { to: $json.to } }}' };
		const cases: Array<[string, () => NodeRun | Promise<NodeRun>, (execution: Execution) => void]> =
			[
				[
					'Download',
					async () => recordingRun('download', await add(PASSWORD)),
					(execution) => {
						const [item] = execution.items(NODE);
						assert.equal(item?.json.format, 'opus', execution.error?.message);
						assert.deepEqual(item.pairedItem, { item: 0 });
					},
				],
				[
					'Download, with the error output',
					() => recordingRun('download', GONE, { onError: 'continueErrorOutput' }),
					(execution) =>
						assert.match(String(execution.items(NODE, 1)[0]?.json.error), /^The recording is gone/),
				],
				[
					'Download, with Retry On Fail',
					() => recordingRun('download', GONE, twice),
					(execution) => assert.equal(execution.status, 'error'),
				],
				[
					'Delete',
					async () => recordingRun('delete', await add()),
					(execution) => assert.equal(execution.items(NODE)[0]?.json.deleted, true),
				],
				[
					'Get Many',
					() => ({ parameters: { resource: 'recording', operation: 'getMany', limit: 1 } }),
					(execution) => assert.equal(execution.items(NODE).length, 1),
				],
				[
					'Make',
					() => ({
						parameters: { resource: 'call', operation: 'make', ...call },
						items: [{ to: '+15550100' }],
					}),
					(execution) => {
						const { sessionGuid } = execution.items(NODE)[0]?.json ?? {};
						assert.equal(stack.emulator.control.call(String(sessionGuid)).to, '+15550100');
					},
				],
			];
		for (const [name, run, check] of cases) {
			test(name, async () => {
				const whole = await stack.runNode(await run());
				check(whole);
				const alone = await engine.runNode({ ...(await run()), credentials: { voiceAgentApi } });
				check(alone);
				assert.equal(alone.status, whole.status);
				assert.deepEqual(comparable(alone), comparable(whole));
			});
		}
	});

	/** What n8n has recorded, without what differs from one execution or instance to the next. */
	function comparable({ raw }: Execution): unknown {
		const volatile = /^(id|stack|timestamp|startTime|executionTime|resumeToken|runtimeData)$/;
		const text = JSON.stringify(parseFlatted(raw), (key, value: unknown) =>
			volatile.test(key) ? undefined : value,
		);
		const neutral = text
			.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(GUID)')
			.replaceAll(/"\(GUID\)":"\d+"/g, '"(GUID)":"(execution)"')
			.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
			.replaceAll(/\b[0-9a-f]{64}\b/g, '(SHA-256)')
			.replaceAll(/"[\w+/]{43}="/g, '"(SHA-256 in Base64)"');
		return JSON.parse(neutral);
	}

	// Its output is not compared with the engine's: the time that is left differs each time.
	test('Check says how many recordings the service lists', async () => {
		await stack.emulator.control.addRecording();
		const execution = await stack.runNode({
			parameters: { resource: 'connection', operation: 'check' },
		});
		const { message } = execution.items(NODE)[0]?.json ?? {};
		assert.match(String(message), /accepts the API key and lists recordings: \d+/);
	});

	test('a loop dials in each of its rounds', async () => {
		const { control } = stack.emulator;
		const numbers = ['+15550101', '+15550102', '+15550103'];
		const before = control.calls().length;
		const loop = baseNode('Loop', 'splitInBatches', 3, { batchSize: 1 });
		const jsonBody = '={{ JSON.stringify({ to: $json.to }) }}';
		const make = { resource: 'call', operation: 'make', specifyBody: 'json', jsonBody };
		const workflow = inARow('Loop', [manualTrigger(), loop, voiceAgent(make, { name: NODE })], {
			pinData: { Start: numbers.map((to) => ({ json: { to } })) },
		});
		Object.assign(workflow.connections, {
			Loop: { main: [[], [{ node: NODE, type: 'main', index: 0 }]] },
			[NODE]: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
		});
		const id = await stack.n8n.importWorkflow(workflow, stack.credentials);
		succeeded(await stack.n8n.run(id, { trigger: 'Start' }));
		const calls = control.calls().slice(before);
		assert.deepEqual(
			calls.map(({ to }) => to),
			numbers,
		);
	});
});

suite('the node, with files in the database', () => {
	const stack = shared(async () => await startStack({ n8n: { binaryMode: 'database' } }));
	testFiles(() => stack, 'database');
});

/** What the node does with files, wherever n8n keeps them. */
function testFiles(stackOf: () => Stack, storage: 'filesystem' | 'database'): void {
	const add = async () =>
		await stackOf().emulator.control.addRecording({ format: 'wav', password: PASSWORD });

	async function outputFile(execution: Execution): Promise<Buffer> {
		const [item] = execution.items(NODE);
		const { _files } = (item?.json ?? {}) as { _files?: Record<string, BinaryFile> };
		const file = item?.binary?.data ?? _files?.data;
		assert.ok(file, `no file: ${execution.error?.message}`);
		return await stackOf().n8n.binary(file);
	}

	// In the combined mode, n8n keeps the files of an item in its JSON, under `_files`.
	const inputs = { separate: 'data', combined: '_files.data' };
	for (const [items, inputBinaryField] of Object.entries(inputs)) {
		test(`Download, then Decrypt, files in the ${storage}, items ${items}`, async () => {
			const recording = await add();
			const execution = await stackOf().runNode({
				before: [fetchSealed],
				parameters: {
					resource: 'recording',
					operation: 'decrypt',
					inputBinaryField,
					options: { outputFileName: 'call {sessionGuid}.{extension}' },
				},
				items: [{ sessionGuid: recording.sessionGuid }],
				workflowSettings: { binaryMode: items },
			});
			assert.equal(sha256(await outputFile(succeeded(execution))), recording.plainSha256);
			const json = execution.items(NODE)[0]?.json;
			assert.equal(json?.fileName, `call ${recording.sessionGuid}.wav`);
			assert.equal((await filesOf(execution)).length > 0, storage === 'filesystem');
		});
	}

	test(`a download that fails leaves no file (${storage})`, async () => {
		const { sessionGuid } = await add();
		await stackOf().emulator.control.tamper(sessionGuid, { flipBitAt: 1000 });
		const execution = await stackOf().runNode(recordingRun('download', sessionGuid));
		assert.match(String(execution.error?.message), /^The recording cannot be decrypted/);
		assert.deepEqual(execution.items(NODE), []);
		assert.deepEqual(await filesOf(execution), []);
	});

	/** Files that n8n keeps for an execution; none if they are in the database. */
	async function filesOf(execution: Execution): Promise<string[]> {
		const files = await readdir(stackOf().n8n.userFolder, { recursive: true });
		return files.filter((file) => file.includes(`executions/${execution.id}/binary_data/`));
	}
}
