import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { startEngine, type Engine } from '../../harness/engine/engine.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
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
	const behind = (head: string) => Buffer.concat([latin1(head), audio]);
	/** MPEG-2 Layer III, 32 kbit/s, 16 kHz: 144 bytes a frame. */
	const mp3 = Buffer.concat(
		Array<Buffer>(50).fill(Buffer.concat([Buffer.from('fff34800', 'hex'), Buffer.alloc(140, 7)])),
	);
	const opusHead = `OggS\0\x06${'\0'.repeat(20)}\x01\x13OpusHead\x01\x01${'\0'.repeat(9)}`;
	const webm = `\x1aE\xdf\xa3\x87\x42\x82\x84webm\x18S\x80g\x01${'\xff'.repeat(7)}`;

	const containers: Array<[string, Buffer, string, string]> = [
		['Opus in Ogg', latin1(opusHead), 'opus', 'audio/ogg'],
		['Opus in WebM', behind(webm), 'webm', 'audio/webm'],
		['MP3', mp3, 'mp3', 'audio/mpeg'],
		['MP3 with a tag', behind('ID3\x04\0\0\0\0\0\0'), 'mp3', 'audio/mpeg'],
	];
	for (const [name, content, format, mimeType] of containers) {
		for (const password of [undefined, PASSWORD]) {
			test(`${name}, ${password ? 'encrypted' : 'plain'}`, async () => {
				const { json, problem, stored } = await run('download', content, { password });
				assert.equal(stored, sha256(content), problem);
				const { fileName, ...others } = json;
				assert.match(String(fileName), new RegExp(`^[\\w-]+\\.${format}$`));
				assert.deepEqual(
					[others.format, others.mimeType, others.decrypted, others.incomplete],
					[format, mimeType, password !== undefined, undefined],
				);
			});
		}
	}

	suite('what is not recognized', () => {
		const structured = Buffer.concat([latin1('TELE'), Buffer.alloc(120), audio]);

		for (const decrypt of ['automatic', 'never']) {
			test(`Decrypt = ${decrypt}: space that is not written to yet is not ready`, async () => {
				const { problem } = await run('download', Buffer.alloc(50_000), { decrypt });
				assert.match(problem, /^recordingNotReady: /);
			});
		}

		for (const [name, content] of [
			['random bytes', audio],
			['audio of an unknown kind', structured],
		] as const) {
			for (const decrypt of ['automatic', 'always']) {
				test(`${name}, Decrypt = ${decrypt}: the tag decides, the error says what it may be`, async () => {
					const { problem, stored } = await run('download', content, { decrypt });
					assert.match(
						problem,
						/^wrongPasswordOrAltered: .*password.*unknown kind.*'Decrypt' .*'Never'/,
					);
					assert.equal(stored, undefined);
				});
			}

			test(`${name}, Decrypt = never: all bytes are kept, as .enc`, async () => {
				const { json, problem, stored } = await run('download', content, { decrypt: 'never' });
				assert.equal(stored, sha256(content), problem);
				assert.deepEqual([json.format, json.encrypted], ['enc', true]);
			});
		}

		test('its plaintext keeps its bytes', async () => {
			const { json, problem, stored } = await run('download', structured, { password: PASSWORD });
			assert.equal(stored, sha256(structured), problem);
			assert.deepEqual([json.format, json.encrypted, json.decrypted], ['unknown', false, true]);
		});
	});

	suite('several passwords, and a plaintext that is not audio', () => {
		for (const [name, content, attempts] of [
			['large', audio, 3],
			['small', audio.subarray(0, 500), 1],
			['empty', Buffer.alloc(0), 1],
		] as const) {
			for (const operation of ['download', 'decrypt'] as const) {
				test(`${operation}, ${name}: the third password opens it`, async () => {
					const { json, problem, stored, downloads } = await run(operation, content, {
						password: 'third',
						passwords: ['first', 'second', 'third', 'fourth'],
					});
					assert.equal(stored, sha256(content), problem);
					assert.equal(json.passwordIndex, 2);
					assert.equal(downloads, operation === 'download' ? attempts : 1);
				});
			}
		}

		test('none opens it', async () => {
			const { problem, stored } = await run('download', audio, {
				password: 'another one',
				passwords: ['first', 'second'],
			});
			assert.match(problem, /^wrongPasswordOrAltered: /);
			assert.equal(stored, undefined);
		});
	});

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

			test(`${name}, encrypted: the tag says that the service has ended it`, async () => {
				const { problem, stored } = await run('download', content, { password: PASSWORD });
				assert.equal(stored, sha256(content), problem);
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
