/**
 * What must work in every supported version of n8n. `npm run test:compat -- <version>` runs it in
 * that version. Each of these tests is a row of the table, and so is each suite of
 * test/n8n/agent.test.mts.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { executionsFor } from '../../harness/executions.mts';
import { inARow, recordingTrigger, voiceAgent, voiceAgentTrigger } from '../../harness/flow.mts';
import { isolatedEnvironment } from '../../harness/n8n/environment.mts';
import {
	packedPackage,
	startN8n,
	type Credential,
	type Execution,
	type N8n,
} from '../../harness/n8n/n8n.mts';
import { freePort } from '../../harness/n8n/ports.mts';
import { n8nCommand, nodeOfN8n } from '../../harness/n8n/installation.mts';
import { addService, byGuid, NODE, PASSWORD, type Stack } from '../../harness/stack.mts';
import { folderArchive, s3Archive, type Archive } from '../../harness/standIns/archives.mts';
import { nodeOf, readWorkflow, WORKFLOW_FOLDERS, workflowNames } from '../../harness/workflows.mts';
import { assertInstructions, LONG_DEADLINE, publish, respond } from '../n8n/trigger/published.mts';
import { nextVersionsTest } from '../n8n/workflows/nextVersions.mts';
import { messages, setUpSweeps, type SweepSetup } from '../n8n/workflows/sweepSetup.mts';

const GONE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const runFile = promisify(execFile);

suite('in this version of n8n', { concurrency: 1 }, () => {
	let n8n: N8n;
	let stack: Stack;
	let folder: string;
	let sweeps: SweepSetup;
	const archives: Record<string, Archive> = {};

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-compat-'));
		archives['archive-to-folder'] = await folderArchive(folder);
		archives['archive-to-s3'] = await s3Archive();
		n8n = await startN8n({
			packages: [packedPackage()],
			allowedPaths: [folder],
			editor: true,
			// The default since 2.0.
			binaryMode: 'filesystem',
		});
		stack = await addService(n8n);
	});
	after(async () => {
		await sweeps?.stop();
		await stack?.stop();
		await n8n?.stop();
		for (const archive of Object.values(archives)) await archive.close();
		await rm(folder, { recursive: true, force: true });
	});

	const recording = async (operation: string, sessionGuid: string, settings = {}) =>
		await stack.runNode({
			parameters: { resource: 'recording', operation, recording: byGuid(), requireProof: false },
			items: [{ sessionGuid }],
			settings,
		});
	const json = (execution: Execution) => {
		const [item] = execution.items(NODE);
		assert.ok(item, execution.error?.message);
		return item.json;
	};
	const add = async (password?: string) =>
		await stack.emulator.control.addRecording({ password, format: 'wav' });

	test('Credentials are tested', async () => {
		const { id } = stack.credentials.voiceAgentApi;
		const type = 'voiceAgentApi';
		assert.equal((await n8n.testCredential({ id, type })).status, 'OK');
		const data = { baseUrl: stack.emulator.url, apiKey: 'wrong' };
		assert.equal((await n8n.testCredential({ id, type, data })).status, 'Error');
	});

	test('Make, Check Connection, Get Many', async () => {
		const body = { specifyBody: 'json', jsonBody: '{ "to": "+15550100" }' };
		const call = await stack.runNode({
			parameters: { resource: 'call', operation: 'make', ...body },
		});
		assert.match(String(json(call).sessionGuid), /^[0-9a-f-]{36}$/);
		const check = await stack.runNode({
			parameters: { resource: 'connection', operation: 'check' },
		});
		assert.equal(check.status, 'success', check.error?.message);
		const { sessionGuid } = await add();
		const list = await stack.runNode({
			parameters: { resource: 'recording', operation: 'getMany', returnAll: true },
		});
		assert.equal(list.status, 'success', list.error?.message);
		assert.ok(list.items(NODE).some((item) => item.json.sessionGuid === sessionGuid));
	});

	test('Download, Decrypt, Delete', async () => {
		const { sessionGuid, plainSha256 } = await add(PASSWORD);
		assert.equal(json(await recording('download', sessionGuid)).sha256, plainSha256);
		const sealed = { resource: 'recording', operation: 'download', decrypt: 'never' };
		const decrypted = await stack.runNode({
			before: [voiceAgent({ ...sealed, recording: byGuid() }, { name: 'Fetch' })],
			parameters: { resource: 'recording', operation: 'decrypt', inputBinaryField: 'data' },
			items: [{ sessionGuid }],
		});
		assert.equal(json(decrypted).sha256, plainSha256);
		assert.equal(json(await recording('delete', sessionGuid)).deleted, true);
	});

	test('A failed item goes to the error output, with its reason', async () => {
		const execution = await recording('download', GONE, { onError: 'continueErrorOutput' });
		assert.deepEqual(execution.items(NODE), []);
		const [failed] = execution.items(NODE, 1);
		assert.match(String(failed?.json.error), /^The recording is gone/);
		assert.equal((failed?.json.details as { reason?: string }).reason, 'recordingGone');
	});

	test('A recording that cannot be decrypted leaves nothing in n8n’s storage', async () => {
		const { control } = stack.emulator;
		const files = async () => {
			const all = await readdir(n8n.userFolder, { recursive: true });
			return all.filter((file) => /\/binary_data\/./.test(file)).length;
		};
		const before = await files();
		const large = { format: 'wav', password: PASSWORD, sizeBytes: 3_000_000 } as const;
		const { sessionGuid } = await control.addRecording(large);
		await control.tamper(sessionGuid, { flipBitAt: -1000 });
		const execution = await recording('download', sessionGuid);
		assert.match(String(execution.error?.message), /^The recording cannot be decrypted/);
		assert.equal(await files(), before);
	});

	test('Call End starts the workflow; a wrong secret does not', async () => {
		const workflow = inARow('Call End', [voiceAgentTrigger({ event: 'callEnd' })]);
		const workflowId = await n8n.importWorkflow(workflow, stack.credentials);
		await n8n.activate(workflowId);
		const url = await n8n.webhookUrl(workflowId, 'VoiceAgent Trigger');
		const body = JSON.stringify({ event: 'CallEnd', sessionGuid: GONE });
		const headers = { 'content-type': 'application/json' };
		assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 401);
		stack.emulator.control.setWebhooks({ callEnd: url });
		const { sessionGuid } = await add();
		await stack.emulator.control.sendCallEnd(sessionGuid);
		const [execution] = await n8n.waitForExecutions({ workflowId, count: 1 });
		assert.equal(execution?.items('VoiceAgent Trigger')[0]?.json.sessionGuid, sessionGuid);
	});

	test('Call Start is answered immediately and by Respond', async () => {
		const wanted = { recordCall: true, recordCallFormat: 'wav' };
		const atOnce = await publish(stack, wanted);
		assertInstructions(await atOnce.call(), wanted);
		const byOperation = await publish(stack, { respond: 'responseNode', options: LONG_DEADLINE }, [
			respond({ ...wanted, encryptRecording: true }),
		]);
		assertInstructions(await byOperation.call(), { ...wanted, recordCallPassword: PASSWORD });
	});

	test('Expressions in the fields of Call Start read the request', async () => {
		const byExpression = { recordCall: '={{ $json.body.to.startsWith("+1") }}' };
		const workflow = await publish(stack, byExpression);
		assertInstructions(await workflow.call(), { recordCall: true, recordCallFormat: 'opus' });
	});

	const failedCheck =
		'A check of the Recording Trigger that fails starts the error workflow once, with the reason';
	test(failedCheck, async () => {
		const service = await addService(n8n);
		service.emulator.control.addFault({ times: 'always', fault: { kind: 'html' } });
		const errorTrigger = {
			name: 'On error',
			type: 'n8n-nodes-base.errorTrigger',
			typeVersion: 1,
			parameters: {},
		};
		const errorWorkflow = await n8n.importWorkflow(inARow('Errors', [errorTrigger]));
		await n8n.activate(errorWorkflow);
		const trigger = recordingTrigger({ minutesBetweenChecks: 1, options: { minimumAge: 0 } });
		const failing = inARow('Failing', [trigger], { settings: { errorWorkflow } });
		const workflowId = await n8n.importWorkflow(failing, service.credentials);
		await n8n.activate(workflowId);
		const checks = () => service.emulator.control.requests().length;
		for (const wanted = checks() + 3; checks() < wanted; ) await sleep(200);
		const executions = await n8n.waitForExecutions({ workflowId: errorWorkflow, count: 1 });
		await n8n.deactivate(workflowId);
		await service.stop();
		assert.equal(executions.length, 1);
		const notice = JSON.stringify(executions[0]?.items('On error')[0]?.json);
		assert.match(notice, /web page instead of data/);
	});

	for (const name of ['archive-to-folder', 'archive-to-s3']) {
		test(`${name} archives a call and deletes its recording`, async () => {
			const archive = archives[name] ?? assert.fail();
			const service = await addService(n8n);
			const { control } = service.emulator;
			const credentials: Record<string, Credential> = { ...service.credentials };
			for (const credential of archive.credentials) {
				credentials[credential.type] = await n8n.createCredential(credential);
			}
			const workflow = archive.configured();
			// As the editor does when it imports a workflow.
			nodeOf(workflow, 'When a call ends').webhookId = randomUUID();
			const workflowId = await n8n.importWorkflow(workflow, credentials);
			await n8n.activate(workflowId);
			control.setWebhooks({ callEnd: await n8n.webhookUrl(workflowId, 'When a call ends') });
			control.setDefaultInstructions({ recordCall: true, recordCallPassword: PASSWORD });
			const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
			await control.completedCall(sessionGuid);
			const [execution] = await executionsFor(n8n, {
				workflowId,
				trigger: 'When a call ends',
				sessionGuid,
				count: 1,
			});
			assert.equal(execution?.status, 'success', execution?.error?.message);
			assert.equal(service.ledger(sessionGuid).state, 'deleted');
			const files = (await archive.files()).filter((file) => file.name.includes(sessionGuid));
			assert.equal(files.length, 2, 'the recording and its metadata');
			await service.stop();
		});
	}

	const sweep = 'sweep-before-purge archives listed recordings, and reports those that cannot be decrypted';
	test(sweep, async () => {
		sweeps = await setUpSweeps({ n8n, folder });
		const spoilt = await sweeps.waiting(3, PASSWORD);
		const good = await sweeps.waiting(1, PASSWORD);
		await sweeps.emulator.control.tamper(spoilt, { flipBitAt: 100 });
		const executions = await sweeps.sweep(2);
		await sweeps.assertArchived(good);
		assert.equal(sweeps.ledger(spoilt).state, 'stored');
		assert.match(messages(executions), new RegExp(`The recording ${spoilt} is not archived`));
	});

	nextVersionsTest(() => n8n);

	test('The editor has each version of a node that the workflow files use', async () => {
		type Description = { name: string; version: number | number[] };
		const response = await n8n.fetch('GET', '/types/nodes.json');
		const known = ((await response.json()) as Description[]).flatMap(({ name, version }) =>
			[version].flat().map((one) => `${name} ${one}`),
		);
		const unknown = workflowNames
			.flatMap((name) => readWorkflow(name).nodes)
			.map(({ type, typeVersion }) => `${type} ${typeVersion}`)
			.filter((node) => !known.includes(node));
		assert.deepEqual([...new Set(unknown)], []);
	});

	test('The workflow files are imported on the command line', async () => {
		const env = {
			...isolatedEnvironment(),
			N8N_USER_FOLDER: await mkdtemp(join(folder, 'cli-')),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		};
		const imported = [];
		for (const input of WORKFLOW_FOLDERS) {
			const args = [n8nCommand, 'import:workflow', '--separate', `--input=${input}`];
			const { stdout } = await runFile(nodeOfN8n, args, { env });
			imported.push(/imported (\d+) workflows/.exec(stdout)?.[1]);
		}
		const sum = imported.reduce((total, count) => total + Number(count), 0);
		assert.equal(sum, workflowNames.length);
	});
});
