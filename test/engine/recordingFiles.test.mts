import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';

import { voiceAgent } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { apiCredential, sharedEngine } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { failure } from './outcome.mts';

const engine = await sharedEngine();

/** Files that the service may store, whatever the specification calls them. */
suite('recording files', () => {
	const latin1 = (text: string) => Buffer.from(text, 'latin1');
	const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

	interface Settings {
		password?: string;
		options?: Record<string, unknown>;
		passwords?: [current: string, ...previous: string[]];
	}

	/** Stores this file at the service and downloads it, or else has it decrypted from an item. */
	async function run(
		operation: 'download' | 'decrypt',
		content: Uint8Array,
		{ password, options = {}, passwords }: Settings = {},
	) {
		const { sessionGuid } = await engine.emulator.control.addRecording({ content, password });
		engine.emulator.control.clearLogs();
		const sealed = voiceAgent(inRecording('download', { decrypt: 'never' }), { name: 'Fetch' });
		const names = [
			'recordingPassword',
			'previousPassword1',
			'previousPassword2',
			'previousPassword3',
		];
		const named = (passwords ?? [PASSWORD]).map((one, index) => [String(names[index]), one]);
		const fields = Object.fromEntries(named) as Record<string, string>;
		const voiceAgentApi = await apiCredential(engine, fields);
		const execution = await engine.runNode({
			parameters: inRecording(operation, { options }),
			before: operation === 'decrypt' ? [sealed] : [],
			items: [{ sessionGuid }],
			settings: { onError: 'continueRegularOutput' },
			credentials: { voiceAgentApi },
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

	test('random bytes are refused by their tag, and the error says what they may be', async () => {
		const { problem, stored } = await run('download', audio);
		assert.match(
			problem,
			/^wrongPasswordOrAltered: .*password.*unknown file.*'Decrypt' .*'Keep Encrypted'/,
		);
		assert.equal(stored, undefined);
	});

	for (const [operation, attempts] of [
		['download', 3],
		// The node that keeps the file checks its tag, and so do its attempts.
		['decrypt', 3],
	] as const) {
		test(`${operation} opens what is not audio with the third password, after two others`, async () => {
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

		test('is refused, although all announced bytes arrived', async () => {
			const { problem, stored, downloads } = await run('download', wav.subarray(0, 3_000));
			assert.match(problem, /^recordingIncomplete: .*: it has 3000 of 4140 bytes/);
			assert.equal(stored, undefined);
			assert.equal(downloads, 1);
		});

		test('is waited for', async () => {
			const { control } = engine.emulator;
			const body = wav.subarray(0, 2_000).toString('latin1');
			const fault = { kind: 'status', status: 200, contentType: 'audio/wav', body } as const;
			control.addFault({ match: { endpoint: 'downloadRecording' }, times: 2, fault });
			const options = { waitUntilAvailable: 60 };
			const { problem, stored } = await run('download', wav, { options });
			assert.equal(stored, sha256(wav), problem);
		});
	});
});
