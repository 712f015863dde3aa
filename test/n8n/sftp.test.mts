/** What n8n's own FTP node does with an SFTP server: what an archive over SFTP has to count on. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';

import { executionsFor } from '../../harness/executions.mts';
import { inARow } from '../../harness/flow.mts';
import {
	startN8n,
	type Credential,
	type Execution,
	type N8n,
	type WorkflowNode,
} from '../../harness/n8n/n8n.mts';
import { PASSWORD, startStack, type Stack } from '../../harness/stack.mts';
import { missingOpenSsh, startOpenSsh, type OpenSsh } from '../../harness/standIns/openSsh.mts';
import { startSftp, type Sftp } from '../../harness/standIns/sftp.mts';
import { nodeOf, readWorkflow } from '../../harness/workflows.mts';
import { sweepOfOne } from './workflows/sweepOfOne.mts';

suite("n8n's FTP node with SFTP", { concurrency: 1 }, () => {
	let n8n: N8n;
	let sftp: Sftp;
	let credential: Credential;
	before(async () => {
		sftp = await startSftp();
		n8n = await startN8n();
		credential = await n8n.createCredential(sftp.credential);
	});
	after(async () => {
		await n8n?.stop();
		await sftp?.close();
	});
	afterEach(() => sftp.requests.splice(0));

	const start: WorkflowNode = {
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		parameters: {},
	};
	const content = 'x'.repeat(100_000);
	const file: WorkflowNode = {
		name: 'File',
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: {
			operation: 'toText',
			sourceProperty: 'text',
			options: { fileName: 'a.opus' },
		},
	};
	const text: WorkflowNode = {
		name: 'Text',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ text: content }), options: {} },
	};

	async function run(
		parameters: Record<string, unknown>,
		settings: Record<string, unknown> = {},
	): Promise<Execution> {
		const ftp: WorkflowNode = {
			name: 'SFTP',
			type: 'n8n-nodes-base.ftp',
			typeVersion: 1.1,
			parameters: { protocol: 'sftp', ...parameters },
			...settings,
		};
		const workflow = inARow(`SFTP ${JSON.stringify(parameters)}`, [start, text, file, ftp]);
		const id = await n8n.importWorkflow(workflow, { sftp: credential });
		return await n8n.run(id, { trigger: 'Start' });
	}
	const upload = async (path: string) =>
		await run({ operation: 'upload', path, binaryData: true, binaryPropertyName: 'data' });
	const stored = async (path: string) =>
		(await sftp.files()).find(({ name }) => name === path)?.content.toString();

	test('upload makes the folders, and keeps the item with its file', async () => {
		const execution = await upload('/new/folder/a.opus');
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.equal(await stored('new/folder/a.opus'), content);
		assert.ok(execution.items('SFTP')[0]?.binary?.data);
	});

	test('upload onto a file empties it when it is opened: a failure leaves none of it', async () => {
		await sftp.write('/b.opus', 'the recording');
		sftp.addFault({ on: 'upload', kind: 'truncate' });
		const execution = await upload('/b.opus');
		assert.equal(execution.status, 'success', 'the node does not look');
		assert.equal((await stored('b.opus'))?.length, content.length / 2);
		assert.deepEqual(sftp.requests, ['OPEN w /b.opus', 'CLOSE /b.opus']);
	});

	test('an upload that the server refuses in the end fails, and its file stays there', async () => {
		sftp.addFault({ on: 'upload', kind: 'status', status: 500 });
		const execution = await upload('/c.opus');
		assert.equal(execution.status, 'error');
		assert.equal(await stored('c.opus'), content);
	});

	test('rename gives a file its final name, and refuses to replace another one', async () => {
		await sftp.write('/d.part', 'new');
		const rename = { operation: 'rename', oldPath: '/d.part', newPath: '/final/d.opus' };
		const first = await run({ ...rename, options: { createDirectories: true } });
		assert.equal(first.status, 'success', first.error?.message);
		assert.deepEqual(first.items('SFTP')[0]?.json, { success: true });
		assert.equal(await stored('final/d.opus'), 'new');

		await sftp.write('/d.part', 'second');
		const second = await run(rename);
		assert.equal(second.status, 'error');
		assert.equal(await stored('final/d.opus'), 'new');
		assert.equal(await stored('d.part'), 'second');
	});

	test('a rename whose answer is lost is a failure, though it was carried out', async () => {
		await sftp.write('/e.part', 'new');
		sftp.addFault({ on: 'rename', kind: 'loseAnswer' });
		const execution = await run({ operation: 'rename', oldPath: '/e.part', newPath: '/e.opus' });
		assert.equal(execution.status, 'error');
		assert.equal(await stored('e.opus'), 'new');
	});

	test('download brings the file; one that is missing is an error', async () => {
		await sftp.write('/f.opus', 'the recording');
		const download = { operation: 'download', binaryPropertyName: 'data' };
		const execution = await run({ ...download, path: '/f.opus' });
		const [item] = execution.items('SFTP');
		assert.ok(item?.binary?.data);
		assert.equal((await n8n.binary(item.binary.data)).toString(), 'the recording');

		const missing = await run(
			{ ...download, path: '/missing.opus' },
			{ onError: 'continueRegularOutput' },
		);
		assert.match(String(missing.items('SFTP')[0]?.json.error), /No such file/);
	});

	test('list names files with their sizes; a folder that is missing is an error', async () => {
		await sftp.write('/listed/g.opus', 'the recording');
		const execution = await run({ operation: 'list', path: '/listed', recursive: false });
		assert.deepEqual(
			execution.items('SFTP').map(({ json }) => [json.name, json.path, json.size, json.type]),
			[['g.opus', '/listed/g.opus', 13, '-']],
		);
		const missing = await run({ operation: 'list', path: '/no-folder', recursive: false });
		assert.equal(missing.status, 'error');
	});
});

/** The stand-in keeps to the protocol; this is the server that most people have. */
suite('archive-to-sftp with an OpenSSH server', { skip: missingOpenSsh() }, () => {
	const TRIGGER = 'When a call ends';
	let stack: Stack;
	let server: OpenSsh;
	let workflowId: string;
	let credentials: Record<string, Credential>;
	before(async () => {
		server = await startOpenSsh();
		stack = await startStack();
		const { n8n } = stack;
		credentials = {
			...stack.credentials,
			sftp: await n8n.createCredential(server.credential),
		};
		const workflow = readWorkflow('archive-to-sftp');
		nodeOf(workflow, 'Upload recording by SFTP').parameters.path =
			`=${server.folder}/archive/{{ $json.fileName }}`;
		workflowId = await n8n.importWorkflow(workflow, credentials);
		await n8n.activate(workflowId);
		stack.emulator.control.setWebhooks({ callEnd: await n8n.webhookUrl(workflowId, TRIGGER) });
	});
	after(async () => {
		await stack?.stop();
		await server?.close();
	});

	/** SHA-256 of what lies there of a session, without the metadata. */
	const stored = async (sessionGuid: string) =>
		(await server.files())
			.filter(({ name }) => name.includes(sessionGuid) && !name.endsWith('.json'))
			.map(({ content: bytes }) => createHash('sha256').update(bytes).digest('hex'));
	const executions = async (sessionGuid: string, count: number) =>
		await executionsFor(stack.n8n, { workflowId, trigger: TRIGGER, sessionGuid, count });
	const swept = async (sessionGuid: string) =>
		await sweepOfOne(stack.n8n, credentials, workflowId, {
			sessionGuid,
			callEndedAt: new Date().toISOString(),
		});

	test('a call is archived, a second delivery ends quietly, and a sweep finds the file', async () => {
		const { control } = stack.emulator;
		const recording = { password: PASSWORD, format: 'wav', sizeBytes: 1_000_000 } as const;
		const { sessionGuid, plainSha256 } = await control.addRecording(recording);
		for (const count of [1, 2]) {
			// The service knows it no more the second time.
			await control.sendCallEnd(sessionGuid, { event: 'CallEnd', sessionGuid });
			const execution = (await executions(sessionGuid, count)).at(-1);
			assert.equal(execution?.status, 'success', execution?.error?.message);
		}
		assert.deepEqual(await stored(sessionGuid), [plainSha256]);
		assert.equal(stack.ledger(sessionGuid).state, 'deleted');
		assert.equal((await swept(sessionGuid)).archived, true);
	});

	test('a folder that takes no file: nothing is deleted, and the sweep archives it later', async () => {
		const { control } = stack.emulator;
		const { sessionGuid, plainSha256 } = await control.addRecording();
		// A file in the place of the folder: root may write everywhere.
		const folder = join(server.folder, 'archive');
		await rename(folder, `${folder}.away`);
		await writeFile(folder, '');
		await control.sendCallEnd(sessionGuid);
		const [execution] = await executions(sessionGuid, 1);
		assert.equal(execution?.status, 'error');
		assert.equal(stack.ledger(sessionGuid).state, 'stored');
		await rm(folder);
		await rename(`${folder}.away`, folder);
		assert.equal((await swept(sessionGuid)).archived, true);
		assert.deepEqual(await stored(sessionGuid), [plainSha256]);
		assert.equal(stack.ledger(sessionGuid).state, 'deleted');
	});
});
