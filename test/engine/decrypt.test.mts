import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { AddRecordingOptions } from '../../emulator/src/index.mts';
import { startEngine, type Engine } from '../../harness/engine/engine.mts';
import { voiceAgent } from '../../harness/flow.mts';
import { NODE, type NodeRun } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { apiCredential } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';

/** A node that downloads the recording; the one under test gets its file. */
const fetchFirst = (parameters = {}) =>
	voiceAgent(inRecording('download', parameters), { name: 'Fetch' });

/** Files below a folder that this process has open, on Linux. */
async function openFilesIn(folder: string): Promise<string[]> {
	const descriptors = await readdir('/proc/self/fd');
	const paths = await Promise.all(
		descriptors.map(async (one) => await readlink(`/proc/self/fd/${one}`).catch(() => '')),
	);
	return paths.filter((path) => path.startsWith(folder));
}

const inBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

let engine: Engine;

for (const binaryMode of ['default', 'filesystem'] as const) {
	suite(`Decrypt, binary mode ${binaryMode}`, () => {
		before(async () => {
			engine = await startEngine({ binaryMode });
		});
		after(async () => await engine?.stop());

		test('Decrypt opens what Download has kept encrypted, from and into other fields', async () => {
			const { control } = engine.emulator;
			const recording = await control.addRecording({ format: 'mp3', password: PASSWORD });
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
				recordingKey: recording.sessionGuid,
				...{ to: null, from: null, endedAt: null, keptUntil: null },
				fileName: `${recording.sessionGuid}.enc`,
				format: 'enc',
				mimeType: 'application/octet-stream',
				bytes: recording.storedBytes,
				sha256: recording.storedSha256,
				sha256Base64: inBase64(recording.storedSha256),
				encrypted: true,
				decrypted: false,
				verified: true,
				passwordIndex: 0,
				plainSha256: recording.plainSha256,
			});
			const [opened] = execution.items(NODE);
			assert.deepEqual(opened?.json, {
				sessionGuid: recording.sessionGuid,
				recordingKey: recording.sessionGuid,
				fileName: `${recording.sessionGuid}.mp3`,
				format: 'mp3',
				mimeType: 'audio/mpeg',
				bytes: recording.plainBytes,
				sha256: recording.plainSha256,
				sha256Base64: inBase64(recording.plainSha256),
				encrypted: false,
				decrypted: true,
				verified: true,
				passwordIndex: 0,
			});
			assert.deepEqual(Object.keys(opened?.binary ?? {}), ['opened']);
			const file = opened?.binary?.opened;
			assert.ok(file);
			const content = await engine.n8n.binary(file);
			assert.equal(createHash('sha256').update(content).digest('hex'), recording.plainSha256);
		});

		if (binaryMode === 'filesystem') refusals();
	});
}

/** What must fail, wherever files are kept. */
function refusals(): void {
	const decrypt = async (
		recording: AddRecordingOptions,
		first: object = {},
		more: Partial<NodeRun> & { field?: string } = {},
	) => {
		const { sessionGuid } = await engine.emulator.control.addRecording(recording);
		const inputBinaryField = more.field ?? 'data';
		return await engine.runNode({
			before: [fetchFirst(first)],
			parameters: { resource: 'recording', operation: 'decrypt', inputBinaryField },
			items: [{ sessionGuid }],
			...more,
		});
	};

	test('a file that is not encrypted is refused, and a field without a file', async () => {
		assertFailed(await decrypt({ format: 'wav' }), /^This is not an encrypted recording/);
		assertFailed(await decrypt({}, {}, { field: 'nothing' }), /no binary field 'nothing'/);
	});

	const isLinux = process.platform === 'linux';
	test('a file that is refused is closed', { skip: !isLinux }, async () => {
		// More than is read at first.
		const execution = await decrypt({ format: 'wav', durationSeconds: 300 });
		assertFailed(execution, /^This is not an encrypted recording/);
		const deadline = Date.now() + 10_000;
		while ((await openFilesIn(engine.n8n.userFolder)).length > 0) {
			assert.ok(Date.now() < deadline, 'still open after ten seconds');
			await sleep(20);
		}
	});

	test('without a password in the account, the error says where to enter it', async () => {
		const { sessionGuid } = await engine.emulator.control.addRecording({ password: PASSWORD });
		const recordingPassword = '';
		const voiceAgentApi = await apiCredential(engine, { recordingPassword });
		const credential = "'Recording Password' in the VoiceAgent API credential of this node";
		for (const first of [{ decrypt: 'never' }, { decrypt: 'always' }]) {
			const execution = await engine.runNode({
				before: first.decrypt === 'never' ? [fetchFirst(first)] : [],
				parameters: inRecording(first.decrypt === 'never' ? 'decrypt' : 'download'),
				items: [{ sessionGuid }],
				credentials: { voiceAgentApi },
			});
			assertFailed(
				execution,
				/^The recording is encrypted, and no password is available/,
				new RegExp(`^Enter it as ${credential}\\. The operation Download can also`),
			);
		}
	});
}
