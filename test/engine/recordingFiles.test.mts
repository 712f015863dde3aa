import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { startEngine, type Engine } from '../../harness/engine/engine.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { failure } from './outcome.mts';

/** Files that the service may store, whatever the specification calls them. */
suite('recording files', () => {
	let engine: Engine;
	before(async () => {
		engine = await startEngine();
	});
	after(async () => await engine?.stop());

	const latin1 = (text: string) => Buffer.from(text, 'latin1');
	const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

	interface Settings {
		password?: string;
		decrypt?: string;
		options?: Record<string, unknown>;
		passwords?: string[];
	}

	/** Stores this file at the service and downloads it, or else has it decrypted from an item. */
	async function run(
		operation: 'download' | 'decrypt',
		content: Uint8Array,
		{ password, decrypt = 'automatic', options = {}, passwords }: Settings = {},
	) {
		const { sessionGuid } = await engine.emulator.control.addRecording({ content, password });
		engine.emulator.control.clearLogs();
		const download = {
			resource: 'recording',
			operation: 'download',
			recording: byGuid(),
			decrypt: operation === 'decrypt' ? 'never' : decrypt,
			options,
		};
		const type = 'n8n-nodes-voiceagent.voiceAgent';
		const fetchFirst = { name: 'Fetch', type, typeVersion: 1, parameters: download };
		const [current, ...previous] = passwords ?? [];
		const execution = await engine.runNode({
			...(operation === 'download'
				? { parameters: download }
				: { parameters: { resource: 'recording', operation }, before: [fetchFirst] }),
			items: [{ sessionGuid }],
			settings: { onError: 'continueRegularOutput' },
			...(current !== undefined && {
				credentials: {
					voiceAgentRecordingPasswordApi: await engine.n8n.createCredential({
						name: `Passwords ${sessionGuid}`,
						type: 'voiceAgentRecordingPasswordApi',
						data: {
							password: current,
							previous: { entries: previous.map((one) => ({ password: one })) },
						},
					}),
				},
			}),
		});
		const [item] = execution.items(NODE);
		const file = item?.binary?.data;
		return {
			json: item?.json ?? {},
			problem: failure(execution),
			stored: file && sha256(await engine.n8n.binary(file)),
			downloads: engine.emulator.control.requests().length,
		};
	}

	const audio = randomBytes(40_000);
	const opusHead = `OggS\0\x06${'\0'.repeat(20)}\x01\x13OpusHead\x01\x01${'\0'.repeat(9)}`;

	for (const decrypt of ['automatic', 'always']) {
		test(`random bytes, Decrypt = ${decrypt}: the tag decides, the error says what it may be`, async () => {
			const { problem, stored } = await run('download', audio, { decrypt });
			assert.match(
				problem,
				/^wrongPasswordOrAltered: .*password.*unknown kind.*'Decrypt' .*'Never'/,
			);
			assert.equal(stored, undefined);
		});
	}

	test('random bytes, Decrypt = never: all bytes are kept, as .enc', async () => {
		const { json, problem, stored } = await run('download', audio, { decrypt: 'never' });
		assert.equal(stored, sha256(audio), problem);
		assert.deepEqual([json.format, json.encrypted], ['enc', true]);
	});

	for (const [operation, attempts] of [
		['download', 3],
		['decrypt', 1],
	] as const) {
		test(`${operation}, a plaintext that is not audio: the third password opens it`, async () => {
			const { json, problem, stored, downloads } = await run(operation, audio, {
				password: 'third',
				passwords: ['first', 'second', 'third', 'fourth'],
			});
			assert.equal(stored, sha256(audio), problem);
			assert.equal(json.passwordIndex, 2);
			assert.equal(downloads, attempts);
		});
	}

	suite('a recording that the service is still writing', () => {
		const wav = Buffer.concat([
			latin1('RIFF\x24\x10\0\0WAVEfmt \x10\0\0\0'),
			Buffer.alloc(16, 1),
			latin1('data\0\x10\0\0'),
			Buffer.alloc(4096, 1),
		]);
		const cases: Array<[string, Buffer, RegExp]> = [
			['WAV', wav.subarray(0, 3_000), /^recordingIncomplete: .*: it has 3000 of 4140 bytes/],
			['Ogg', latin1(opusHead.replace('\x06', '\x02')), /^recordingIncomplete: .*last page/],
		];
		for (const [name, content, expected] of cases) {
			test(`${name}: refused, although all announced bytes arrived`, async () => {
				const { problem, stored, downloads } = await run('download', content);
				assert.match(problem, expected);
				assert.equal(stored, undefined);
				assert.equal(downloads, 1);
			});
		}

		test('waited for', async () => {
			const { control } = engine.emulator;
			control.addFault({
				match: { endpoint: 'downloadRecording' },
				times: 2,
				fault: {
					kind: 'status',
					status: 200,
					contentType: 'audio/wav',
					body: wav.subarray(0, 2_000).toString('latin1'),
				},
			});
			const options = { waitUntilAvailable: 60 };
			const { problem, stored } = await run('download', wav, { options });
			assert.equal(stored, sha256(wav), problem);
		});
	});
});
