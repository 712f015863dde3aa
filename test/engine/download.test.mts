import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';

import type {
	AddedRecording,
	AddRecordingOptions,
	RecordingFormat,
} from '../../emulator/src/index.mts';
import { startEngine, type Engine } from '../../harness/engine/engine.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { assertNoSecret } from '../../harness/secrets.mts';
import { API_KEY, PASSWORD } from '../../harness/serviceAccess.mts';
import { apiCredential } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';

const MIME_TYPES = { opus: 'audio/ogg', mp3: 'audio/mpeg', wav: 'audio/wav' } as const;
const FORMATS = Object.keys(MIME_TYPES) as RecordingFormat[];

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const download = (parameters: object = {}) => inRecording('download', parameters);

for (const binaryMode of ['filesystem', 'default'] as const) {
	suite(`Download, binary mode ${binaryMode}`, () => {
		let engine: Engine;
		before(async () => {
			engine = await startEngine({ binaryMode });
		});
		after(async () => await engine?.stop());

		const add = async (options: AddRecordingOptions = {}) =>
			await engine.emulator.control.addRecording({ durationSeconds: 1, ...options });

		/** The file in the first output item. */
		async function outputFile(execution: Execution, field = 'data'): Promise<Buffer> {
			const file = execution.items(NODE)[0]?.binary?.[field];
			assert.ok(file, `no file in field ${field}: ${execution.error?.message}`);
			return await engine.n8n.binary(file);
		}

		for (const format of FORMATS) {
			for (const password of [undefined, PASSWORD]) {
				test(`outputs a recording as ${format}, ${password ? 'encrypted' : 'plain'} at the service`, async () => {
					const recording = await add({ format, password, durationSeconds: 5 });
					const execution = await engine.runNode({
						parameters: download(),
						items: [{ sessionGuid: recording.sessionGuid }],
					});
					assert.equal(execution.status, 'success', execution.error?.message);
					const [item, ...others] = execution.items(NODE);
					assert.equal(others.length, 0);
					const fileName = `${recording.sessionGuid}.${format}`;
					const mimeType = MIME_TYPES[format];
					assert.deepEqual(item?.json, {
						sessionGuid: recording.sessionGuid,
						recordingKey: recording.sessionGuid,
						...{ to: null, from: null, endedAt: null, keptUntil: null },
						fileName,
						format,
						mimeType,
						bytes: recording.plainBytes,
						sha256: recording.plainSha256,
						sha256Base64: Buffer.from(recording.plainSha256, 'hex').toString('base64'),
						encrypted: false,
						decrypted: password !== undefined,
						verified: true,
						...(password !== undefined && { passwordIndex: 0 }),
					});
					assert.deepEqual(item?.pairedItem, { item: 0 });
					const file = item?.binary?.data;
					assert.equal(file?.fileName, fileName);
					assert.equal(file?.mimeType, mimeType);
					assert.equal(sha256(await outputFile(execution)), recording.plainSha256);
					// Other tests expect no files, so this one shows that filesOf() finds them.
					const files = await filesOf(execution);
					assert.equal(files.length > 0, binaryMode === 'filesystem');
				});
			}
		}

		test('uses only the session GUID of a URL', async () => {
			const recording = await add();
			const path = `/api/customer/recordings/${recording.sessionGuid}`;
			const value = `https://elsewhere.example.com${path}?a=b`;
			const execution = await engine.runNode({
				parameters: download({ recording: { __rl: true, mode: 'url', value } }),
			});
			assert.equal(execution.items(NODE)[0]?.json.sha256, recording.plainSha256);
		});

		test('still decrypts with a previous password, and outputs only its index [fault 51]', async () => {
			const recording = await add({ format: 'mp3', password: 'the former one' });
			const rotated = await apiCredential(engine, {
				previousPassword1: 'older',
				previousPassword2: 'the former one',
			});
			const execution = await engine.runNode({
				parameters: download(),
				credentials: { voiceAgentApi: rotated },
				items: [{ sessionGuid: recording.sessionGuid }],
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.equal(sha256(await outputFile(execution)), recording.plainSha256);
			assert.equal(execution.items(NODE)[0]?.json.passwordIndex, 2);
			assert.ok(!execution.raw.includes('the former one'));
		});

		for (const [name, recording, options, message, description] of [
			[
				'wrong password [fault 22]',
				{ password: 'another one' },
				{},
				/^The recording cannot be decrypted: wrong password, or the file was altered$/,
				/'Previous Password'/,
			],
			[
				'file larger than the cap [fault 27]',
				{ format: 'wav', durationSeconds: 100 },
				{ maxSize: 2 },
				/^The answer of the service is too large: more than 2097152 bytes/,
				/'Max Size \(MB\)'/,
			],
		] as const) {
			test(`fails without an output: ${name}`, async () => {
				const { sessionGuid } = await add(recording);
				const execution = await engine.runNode({
					parameters: download({ options }),
					items: [{ sessionGuid }],
				});
				assertFailed(execution, message, description);
				assert.deepEqual(await filesOf(execution), []);
			});
		}

		/** Files that n8n keeps for an execution; none in memory mode. */
		async function filesOf(execution: Execution): Promise<string[]> {
			const files = await readdir(engine.n8n.userFolder, { recursive: true });
			return files.filter((file) => file.includes(`executions/${execution.id}/binary_data/`));
		}

		test('outputs an item that fails on the error output, and others as usual', async () => {
			const good = await add({ password: PASSWORD });
			const execution = await engine.runNode({
				parameters: download(),
				items: [{ sessionGuid: 'gone-0000-0000' }, { sessionGuid: good.sessionGuid }],
				settings: { onError: 'continueErrorOutput' },
			});
			const [succeeded, ...more] = execution.items(NODE, 0);
			assert.deepEqual(more, []);
			assert.equal(succeeded?.json.sha256, good.plainSha256);
			assert.deepEqual(succeeded?.pairedItem, { item: 1 });
			const [failed] = execution.items(NODE, 1);
			assert.match(String(failed?.json.error), /^The recording is gone/);
			assert.equal((failed?.json.details as { reason?: string }).reason, 'recordingGone');
			assert.equal(failed?.json.sessionGuid, 'gone-0000-0000');
		});

		test('outputs 20 items in the order of its input', async () => {
			const recordings: AddedRecording[] = [];
			for (let index = 0; index < 20; index++) {
				recordings.push(await add({ format: 'wav', password: index % 2 ? PASSWORD : undefined }));
			}
			const execution = await engine.runNode({
				parameters: download(),
				items: recordings.map(({ sessionGuid }) => ({ sessionGuid })),
			});
			assert.deepEqual(
				execution.items(NODE).map(({ json, pairedItem }) => [json.sha256, pairedItem]),
				recordings.map(({ plainSha256 }, item) => [plainSha256, { item }]),
			);
		});

		test('leaves neither key nor password in what n8n records [fault 41]', async () => {
			const { sessionGuid } = await add({ password: PASSWORD });
			for (const parameters of [download(), download({ recording: byGuid('gone-0000-0000') })]) {
				const execution = await engine.runNode({ parameters, items: [{ sessionGuid }] });
				await assertNoSecret(execution.raw, API_KEY, PASSWORD);
			}
		});
	});
}
