import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { AddRecordingOptions } from '../../emulator/src/index.mts';
import { startEngine, type Engine } from '../../harness/engine/engine.mts';
import type { BinaryFile, Execution } from '../../harness/n8n/n8n.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { assertFailed } from './outcome.mts';

/** A node that downloads the recording; the one under test gets its file. */
const fetchFirst = (parameters = {}) => ({
	name: 'Fetch',
	type: 'n8n-nodes-voiceagent.voiceAgent',
	typeVersion: 1,
	parameters: { resource: 'recording', operation: 'download', recording: byGuid(), ...parameters },
});

/** Files below a folder that this process has open, on Linux. */
async function openFilesIn(folder: string): Promise<string[]> {
	const descriptors = await readdir('/proc/self/fd');
	const paths = await Promise.all(
		descriptors.map(async (one) => await readlink(`/proc/self/fd/${one}`).catch(() => '')),
	);
	return paths.filter((path) => path.startsWith(folder));
}

const digest = (algorithm: string, bytes: Uint8Array) =>
	createHash(algorithm).update(bytes).digest('hex');

for (const binaryMode of ['filesystem', 'default'] as const) {
	suite(`Decrypt, binary mode ${binaryMode}`, () => {
		let engine: Engine;
		before(async () => {
			engine = await startEngine({ binaryMode });
		});
		after(async () => await engine?.stop());

		const add = async (options: AddRecordingOptions) =>
			await engine.emulator.control.addRecording({ durationSeconds: 1, ...options });

		async function outputFile(execution: Execution, field = 'data'): Promise<Buffer> {
			const [item] = execution.items(NODE);
			const { _files } = (item?.json ?? {}) as { _files?: Record<string, BinaryFile> };
			const file = item?.binary?.[field] ?? _files?.[field];
			assert.ok(file, `no file: ${execution.error?.message}`);
			return await engine.n8n.binary(file);
		}

		test('Download, never decrypted, then Decrypt from another field', async () => {
			const recording = await add({ format: 'mp3', password: PASSWORD });
			const execution = await engine.runNode({
				before: [fetchFirst({ decrypt: 'never', binaryPropertyName: 'sealed' })],
				parameters: {
					resource: 'recording',
					operation: 'decrypt',
					inputBinaryField: 'sealed',
					binaryPropertyName: 'opened',
				},
				items: [{ sessionGuid: recording.sessionGuid }],
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			const [sealed] = execution.items('Fetch');
			assert.deepEqual(sealed?.json, {
				sessionGuid: recording.sessionGuid,
				fileName: `${recording.sessionGuid}.enc`,
				format: 'enc',
				mimeType: 'application/octet-stream',
				bytes: recording.storedBytes,
				sha256: recording.storedSha256,
				encrypted: true,
				decrypted: false,
			});
			const [opened] = execution.items(NODE);
			assert.deepEqual(opened?.json, {
				sessionGuid: recording.sessionGuid,
				fileName: `${recording.sessionGuid}.mp3`,
				format: 'mp3',
				mimeType: 'audio/mpeg',
				bytes: recording.plainBytes,
				sha256: recording.plainSha256,
				encrypted: false,
				decrypted: true,
				passwordIndex: 0,
			});
			assert.deepEqual(Object.keys(opened?.binary ?? {}), ['opened']);
			assert.equal(digest('sha256', await outputFile(execution, 'opened')), recording.plainSha256);
		});

		test('Decrypt: a file that is not encrypted, and a field without a file', async () => {
			const recording = await add({ format: 'wav' });
			const run = async (inputBinaryField: string) =>
				await engine.runNode({
					before: [fetchFirst()],
					parameters: { resource: 'recording', operation: 'decrypt', inputBinaryField },
					items: [{ sessionGuid: recording.sessionGuid }],
				});
			assertFailed(await run('data'), /^This is not an encrypted recording/);
			assertFailed(await run('nothing'), /no binary field 'nothing'/);
		});

		const isLinux = process.platform === 'linux';
		test('Decrypt: a file that is refused is closed', { skip: !isLinux }, async () => {
			// More than is read at first.
			const recording = await add({ format: 'wav', durationSeconds: 300 });
			const execution = await engine.runNode({
				before: [fetchFirst()],
				parameters: { resource: 'recording', operation: 'decrypt' },
				items: [{ sessionGuid: recording.sessionGuid }],
			});
			assertFailed(execution, /^This is not an encrypted recording/);
			const deadline = Date.now() + 10_000;
			while ((await openFilesIn(engine.n8n.userFolder)).length > 0) {
				assert.ok(Date.now() < deadline, 'still open after ten seconds');
				await sleep(20);
			}
		});

		test('Decrypt without a password credential is told what Decrypt can do', async () => {
			const { sessionGuid } = await add({ password: PASSWORD });
			const execution = await engine.runNode({
				before: [fetchFirst({ decrypt: 'never' })],
				parameters: { resource: 'recording', operation: 'decrypt' },
				items: [{ sessionGuid }],
				credentials: { voiceAgentRecordingPasswordApi: undefined as never },
			});
			assertFailed(
				execution,
				/^The recording is encrypted, and no password is available/,
				/^Select a VoiceAgent Recording Password API credential in this node\. The operation Download can also/,
			);
		});
	});
}
