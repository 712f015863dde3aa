/** The archive over SFTP with the server that most people have; the stand-in only keeps to the protocol. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../harness/executions.mts';
import type { Credential } from '../../harness/n8n/n8n.mts';
import { PASSWORD, startStack, type Stack } from '../../harness/stack.mts';
import { missingOpenSsh, startOpenSsh, type OpenSsh } from '../../harness/standIns/openSsh.mts';
import { nodeOf, readWorkflow } from '../../harness/workflows.mts';
import { sweepOfOne } from './workflows/sweepOfOne.mts';

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

	test('a call is archived, and a second delivery ends quietly', async () => {
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
