import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';

import type {
	AddedRecording,
	AddRecordingOptions,
	RecordingFormat,
} from '../../emulator/src/index.mts';
import type { Execution, Item, Json } from '../../harness/n8n/n8n.mts';
import { API_KEY, byGuid, NODE, PASSWORD, startStack, type Stack } from '../../harness/stack.mts';

const MIME_TYPES = { opus: 'audio/ogg', mp3: 'audio/mpeg', wav: 'audio/wav' } as const;
const FORMATS = Object.keys(MIME_TYPES) as RecordingFormat[];

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const download = (parameters: Record<string, unknown> = {}) => ({
	resource: 'recording',
	operation: 'download',
	recording: byGuid(),
	...parameters,
});

for (const binaryMode of ['filesystem', 'default'] as const) {
	suite(`recordings, binary mode ${binaryMode}`, () => {
		let stack: Stack;
		before(async () => {
			stack = await startStack({ n8n: { binaryMode } });
		});
		after(async () => await stack?.stop());

		const add = async (options: AddRecordingOptions = {}) =>
			await stack.emulator.control.addRecording(options);

		/** The file in the first output item. */
		async function outputFile(execution: Execution, field = 'data'): Promise<Buffer> {
			const file = execution.items(NODE)[0]?.binary?.[field];
			assert.ok(file, `no file in field ${field}: ${execution.error?.message}`);
			return await stack.n8n.binary(file);
		}

		for (const format of FORMATS) {
			for (const password of [undefined, PASSWORD]) {
				test(`Download: ${format}, ${password ? 'encrypted' : 'plain'}`, async () => {
					const recording = await add({ format, password });
					const execution = await stack.runNode({
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
						fileName,
						format,
						mimeType,
						bytes: recording.plainBytes,
						sha256: recording.plainSha256,
						encrypted: password !== undefined,
						...(password !== undefined && { passwordIndex: 0 }),
					});
					assert.deepEqual(item?.pairedItem, { item: 0 });
					const file = item?.binary?.data;
					assert.equal(file?.fileName, fileName);
					assert.equal(file?.mimeType, mimeType);
					assert.equal(sha256(await outputFile(execution)), recording.plainSha256);
					// Proves that filesOf() looks at the right place where other tests expect nothing.
					const files = await filesOf(execution);
					assert.equal(files.length > 0, binaryMode === 'filesystem');
				});
			}
		}

		test('Download, never decrypted, then Decrypt from another field', async () => {
			const recording = await add({ format: 'mp3', password: PASSWORD });
			const fetched = {
				name: 'Fetch',
				type: 'n8n-nodes-voiceagent.voiceAgent',
				typeVersion: 1,
				parameters: download({ decrypt: 'never', binaryPropertyName: 'sealed' }),
			};
			const execution = await stack.runNode({
				before: [fetched],
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
			});
			const [opened] = execution.items(NODE);
			assert.deepEqual(opened?.json, {
				sessionGuid: recording.sessionGuid,
				fileName: `${recording.sessionGuid}.mp3`,
				format: 'mp3',
				mimeType: 'audio/mpeg',
				bytes: recording.plainBytes,
				sha256: recording.plainSha256,
				encrypted: true,
				passwordIndex: 0,
			});
			assert.deepEqual(Object.keys(opened?.binary ?? {}), ['opened']);
			assert.equal(sha256(await outputFile(execution, 'opened')), recording.plainSha256);
		});

		test('Decrypt: a file that is not encrypted, and a field without a file', async () => {
			const recording = await add({ format: 'wav' });
			const fetched = {
				name: 'Fetch',
				type: 'n8n-nodes-voiceagent.voiceAgent',
				typeVersion: 1,
				parameters: download(),
			};
			const run = async (inputBinaryField: string) =>
				await stack.runNode({
					before: [fetched],
					parameters: { resource: 'recording', operation: 'decrypt', inputBinaryField },
					items: [{ sessionGuid: recording.sessionGuid }],
				});
			assertFailed(await run('data'), /^This is not an encrypted recording/);
			assertFailed(await run('nothing'), /no binary field 'nothing'/);
		});

		test('Output Extension overrides format, MIME type and name', async () => {
			const recording = await add({ format: 'opus' });
			const execution = await stack.runNode({
				parameters: download({ options: { outputExtension: '.OGG' } }),
				items: [{ sessionGuid: recording.sessionGuid }],
			});
			const [item] = execution.items(NODE);
			assert.equal(item?.json.fileName, `${recording.sessionGuid}.ogg`);
			assert.equal(item?.json.format, 'ogg');
			assert.equal(item?.json.sha256, recording.plainSha256);
		});

		test('a recording chosen by URL; of the URL only the GUID is used', async () => {
			const recording = await add();
			const value = `https://elsewhere.example.com/api/customer/recordings/${recording.sessionGuid}?a=b`;
			const execution = await stack.runNode({
				parameters: download({ recording: { __rl: true, mode: 'url', value } }),
			});
			assert.equal(execution.items(NODE)[0]?.json.sha256, recording.plainSha256);
		});

		test('51: a previous password still decrypts, and is told by its index only', async () => {
			const recording = await add({ format: 'mp3', password: 'the former one' });
			const rotated = await stack.n8n.createCredential({
				name: 'Rotated',
				type: 'voiceAgentRecordingPasswordApi',
				data: {
					password: PASSWORD,
					previous: { entries: [{ password: 'older' }, { password: 'the former one' }] },
				},
			});
			const execution = await stack.runNode({
				parameters: download(),
				credentials: { voiceAgentRecordingPasswordApi: rotated },
				items: [{ sessionGuid: recording.sessionGuid }],
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.equal(sha256(await outputFile(execution)), recording.plainSha256);
			assert.equal(execution.items(NODE)[0]?.json.passwordIndex, 2);
			assert.ok(!execution.raw.includes('the former one'));
		});

		test('Output File Name and MD5', async () => {
			const recording = await add({ format: 'mp3', password: PASSWORD });
			const execution = await stack.runNode({
				parameters: download({
					options: {
						outputFileName: '={{ $json.phone }} {sessionGuid}.{format}.{extension}',
						includeMd5: true,
					},
				}),
				items: [{ sessionGuid: recording.sessionGuid, phone: '+15550100' }],
			});
			const [item] = execution.items(NODE);
			const fileName = `+15550100 ${recording.sessionGuid}.mp3.mp3`;
			assert.equal(item?.json.fileName, fileName);
			assert.equal(item?.binary?.data?.fileName, fileName);
			const md5 = createHash('md5')
				.update(await outputFile(execution))
				.digest('hex');
			assert.equal(item?.json.md5, md5);
		});

		suite('what must fail, fails without an output', () => {
			const cases: Array<{
				name: string;
				prepare: () => Promise<string>;
				parameters?: Record<string, unknown>;
				message: RegExp;
				description: RegExp;
			}> = [
				{
					name: '22: wrong password',
					prepare: async () => (await add({ password: 'another one' })).sessionGuid,
					message: /^The recording cannot be decrypted: wrong password, or the file was altered$/,
					description: /Previous Passwords/,
				},
				{
					name: '21: altered file',
					prepare: async () => {
						const { sessionGuid } = await add({ password: PASSWORD });
						await stack.emulator.control.tamper(sessionGuid, { flipBitAt: 1000 });
						return sessionGuid;
					},
					message: /^The recording cannot be decrypted: wrong password, or the file was altered$/,
					description: /the file is damaged/,
				},
				{
					name: '20: file cut short at the service',
					prepare: async () => {
						const { sessionGuid, storedBytes } = await add({ password: PASSWORD });
						await stack.emulator.control.tamper(sessionGuid, { truncateTo: storedBytes - 1 });
						return sessionGuid;
					},
					message: /^The recording cannot be decrypted/,
					description: /the file is damaged/,
				},
				{
					name: '11: gone recording',
					prepare: async () => '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
					message: /^The recording is gone: deleted, or purged 7 days after the call ended/,
					description: /Check the session GUID/,
				},
				{
					name: 'plain recording where decryption is demanded',
					prepare: async () => (await add()).sessionGuid,
					parameters: { decrypt: 'always' },
					message: /^This is not an encrypted recording/,
					description: /without a password/,
				},
				{
					name: '27: file larger than the cap',
					prepare: async () => (await add({ format: 'wav', sizeBytes: 3_000_000 })).sessionGuid,
					parameters: { options: { maxSize: 2 } },
					message: /^The answer of the service is too large: more than 2097152 bytes/,
					description: /'Max Size'/,
				},
				{
					name: 'an output name that leads elsewhere',
					prepare: async () => (await add()).sessionGuid,
					parameters: { options: { outputFileName: '../{name}' } },
					message: /'Output File Name' must be a file name/,
					description: /parameter named in the message/,
				},
				{
					name: '34: traversal in the GUID',
					prepare: async () => '../../control/log1',
					message: /^The session GUID cannot be used/,
					description: /CallEnd/,
				},
			];
			for (const { name, prepare, parameters, message, description } of cases) {
				test(name, async () => {
					const sessionGuid = await prepare();
					const execution = await stack.runNode({
						parameters: download(parameters),
						items: [{ sessionGuid }],
					});
					assertFailed(execution, message, description);
					assert.deepEqual(execution.items(NODE), []);
					assert.deepEqual(await filesOf(execution), []);
				});
			}

			test('encrypted, and no password credential is selected', async () => {
				const { sessionGuid } = await add({ password: PASSWORD });
				const workflow = await stack.runNode({
					parameters: download(),
					items: [{ sessionGuid }],
					credentials: { voiceAgentRecordingPasswordApi: undefined as never },
				});
				assertFailed(workflow, /^The recording is encrypted, and no password is available/);
			});

			test('Decrypt without a password credential is told what Decrypt can do', async () => {
				const { sessionGuid } = await add({ password: PASSWORD });
				const execution = await stack.runNode({
					before: [
						{
							name: 'Fetch',
							type: 'n8n-nodes-voiceagent.voiceAgent',
							typeVersion: 1,
							parameters: download({ decrypt: 'never' }),
						},
					],
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

		/** Files that n8n keeps for an execution; none in memory mode. */
		async function filesOf(execution: Execution): Promise<string[]> {
			const files = await readdir(stack.n8n.userFolder, { recursive: true });
			return files.filter((file) => file.includes(`executions/${execution.id}/binary_data/`));
		}

		test('two items of which one fails, with Continue On Fail', async () => {
			const good = await add({ password: PASSWORD });
			const bad = await add({ password: 'another one' });
			const execution = await stack.runNode({
				parameters: download(),
				items: [{ sessionGuid: bad.sessionGuid }, { sessionGuid: good.sessionGuid }],
				settings: { onError: 'continueRegularOutput' },
			});
			assert.equal(execution.status, 'success');
			const [failed, succeeded] = execution.items(NODE);
			assert.equal(
				failed?.json.error,
				'The recording cannot be decrypted: wrong password, or the file was altered',
			);
			assert.deepEqual(failed?.pairedItem, { item: 0 });
			assert.equal(failed?.binary, undefined);
			assert.equal(succeeded?.json.sha256, good.plainSha256);
			assert.deepEqual(succeeded?.pairedItem, { item: 1 });
		});

		test('the same with the error output', async () => {
			const good = await add({ password: PASSWORD });
			const execution = await stack.runNode({
				parameters: download(),
				items: [{ sessionGuid: 'gone-0000-0000' }, { sessionGuid: good.sessionGuid }],
				settings: { onError: 'continueErrorOutput' },
			});
			assert.equal(execution.items(NODE, 0).length, 1);
			const [failed] = execution.items(NODE, 1);
			assert.match(String(failed?.json.error), /^The recording is gone/);
			assert.equal((failed?.json.details as { reason?: string }).reason, 'recordingGone');
			assert.equal(failed?.json.sessionGuid, 'gone-0000-0000');
		});

		for (const itemsAtOnce of [1, 8]) {
			test(`20 items, ${itemsAtOnce} at once, come out in the order they came in`, async () => {
				const recordings: AddedRecording[] = [];
				for (let index = 0; index < 20; index++) {
					recordings.push(await add(index % 2 ? { password: PASSWORD } : {}));
				}
				const execution = await stack.runNode({
					parameters: download({ options: { itemsAtOnce } }),
					items: recordings.map(({ sessionGuid }) => ({ sessionGuid })),
				});
				assert.deepEqual(
					execution.items(NODE).map(({ json }) => json.sha256),
					recordings.map(({ plainSha256 }) => plainSha256),
				);
				assert.deepEqual(
					execution.items(NODE).map(({ pairedItem }) => pairedItem),
					recordings.map((_recording, item) => ({ item })),
				);
			});
		}

		test('Items at Once out of range is refused by name', async () => {
			const execution = await stack.runNode({
				parameters: download({ options: { itemsAtOnce: 0 } }),
				items: [{ sessionGuid: 'gone-0000-0000' }],
			});
			assertFailed(execution, /: 'Items at Once' must be a whole number from 1 to 32$/);
		});

		test('41: neither the key nor a password is in what n8n records', async () => {
			const { sessionGuid } = await add({ password: PASSWORD });
			for (const parameters of [download(), download({ recording: byGuid('gone-0000-0000') })]) {
				const execution = await stack.runNode({ parameters, items: [{ sessionGuid }] });
				for (const secret of [API_KEY, PASSWORD]) {
					for (const encoding of ['utf8', 'base64', 'hex'] as const) {
						const written = Buffer.from(secret).toString(encoding);
						assert.ok(!execution.raw.includes(written), `${encoding} of a secret`);
						assert.ok(!stack.n8n.logTail(10_000).includes(written), `${encoding} in the log`);
					}
				}
			}
		});
	});
}

suite('the other operations', () => {
	let stack: Stack;
	before(async () => {
		stack = await startStack();
	});
	after(async () => await stack?.stop());

	async function getMany(parameters: Record<string, unknown>): Promise<Item[]> {
		const execution = await stack.runNode({
			parameters: { resource: 'recording', operation: 'getMany', ...parameters },
		});
		assert.equal(execution.status, 'success', execution.error?.message);
		return execution.items(NODE);
	}

	test('Get Many: Return All, Limit, Simplify, and the record untouched', async () => {
		const added: string[] = [];
		for (let index = 0; index < 3; index++) {
			added.push((await stack.emulator.control.addRecording()).sessionGuid);
		}
		const listed = await fetch(`${stack.emulator.url}/api/customer/recordings`, {
			headers: { Token: API_KEY },
		});
		const records = (await listed.json()) as Array<Record<string, Json>>;

		const all = await getMany({ returnAll: true, simple: false });
		assert.deepEqual(all.map(({ json }) => json.sessionGuid).sort(), added.sort());
		assert.deepEqual(
			all.map(({ json }) => json.recording),
			records,
		);
		for (const [index, { json }] of all.entries()) {
			const ended = Date.parse(String(records[index]?.endedAt));
			assert.equal(json.callEndedAt, new Date(ended).toISOString());
			assert.equal(json.retentionEndsAt, new Date(ended + 7 * 86_400_000).toISOString());
			assert.equal(json.hoursLeft, 168);
		}

		const [simple] = await getMany({ limit: 2 });
		assert.equal((await getMany({ limit: 2 })).length, 2);
		assert.equal(simple?.json.recording, undefined);
		assert.equal(simple?.json.format, 'opus');
	});

	test('49: Expiring Within counts by the clock of the service', async () => {
		const { control } = stack.emulator;
		const daysAgo = (days: number) => new Date(control.now() - days * 86_400_000).toISOString();
		const old = await control.addRecording({ endedAt: daysAgo(6) });
		await control.addRecording({ endedAt: daysAgo(1) });
		const expiring = async () =>
			(await getMany({ returnAll: true, options: { expiringWithin: 30 } })).map(
				({ json }) => json.sessionGuid,
			);
		assert.deepEqual(await expiring(), [old.sessionGuid]);
		await control.advanceClock(-4 * 86_400_000);
		assert.deepEqual(await expiring(), []);
		await control.advanceClock(4 * 86_400_000);
	});

	test('Get Many: query parameters are sent along', async () => {
		stack.emulator.control.clearLogs();
		const parameter = [{ name: 'from', value: '2026-11-01' }];
		await stack.runNode({
			parameters: {
				resource: 'recording',
				operation: 'getMany',
				options: { query: { parameter } },
			},
		});
		const [request] = stack.emulator.control.requests();
		assert.equal(request?.path, '/api/customer/recordings?from=2026-11-01');
	});

	test('Delete; and once more, which is no failure unless it should be one', async () => {
		const { sessionGuid } = await stack.emulator.control.addRecording();
		const remove = async (options = {}) =>
			await stack.runNode({
				parameters: { resource: 'recording', operation: 'delete', recording: byGuid(), options },
				items: [{ sessionGuid }],
			});
		assert.deepEqual((await remove()).items(NODE)[0]?.json, { sessionGuid, deleted: true });
		assert.equal(stateOf(sessionGuid), 'deleted');
		assert.deepEqual((await remove()).items(NODE)[0]?.json, {
			sessionGuid,
			deleted: true,
			alreadyGone: true,
		});
		assertFailed(await remove({ ifGone: 'fail' }), /^The recording is gone/);
	});

	const stateOf = (sessionGuid: string) =>
		stack.emulator.control.recordings().find((recording) => recording.sessionGuid === sessionGuid)
			?.state;

	test('Delete with proof: only if checksum and size agree', async () => {
		const { sessionGuid, plainSha256, plainBytes } = await stack.emulator.control.addRecording();
		const remove = async (archiveChecksum: string, archiveSize: number) =>
			await stack.runNode({
				parameters: {
					resource: 'recording',
					operation: 'delete',
					recording: byGuid(),
					requireProof: true,
					downloadChecksum: plainSha256,
					downloadSize: plainBytes,
					archiveChecksum,
					archiveSize,
				},
				items: [{ sessionGuid }],
			});
		const other = '0'.repeat(64);
		assertFailed(
			await remove(other, plainBytes),
			new RegExp(`not deleted.*checksum ${plainSha256} of the download, ${other} in the archive`),
		);
		assertFailed(
			await remove(plainSha256, plainBytes - 1),
			new RegExp(
				`not deleted.*size ${plainBytes} of the download, ${plainBytes - 1} in the archive`,
			),
		);
		assertFailed(
			await remove('none', plainBytes),
			/'Checksum in Archive' is not an MD5 or SHA-256/,
		);
		assert.equal(stateOf(sessionGuid), 'stored');
		const done = await remove(`"${plainSha256.toUpperCase()}"`, plainBytes);
		assert.equal(done.items(NODE)[0]?.json.deleted, true);
		assert.equal(stateOf(sessionGuid), 'deleted');
	});

	suite('Download: Wait Until Available', () => {
		const wait = async (sessionGuid: string, waitUntilAvailable: number) =>
			await stack.runNode({
				parameters: download({ options: { waitUntilAvailable } }),
				items: [{ sessionGuid }],
			});

		test('30: CallEnd before the recording is ready', async () => {
			const sessionGuid = crypto.randomUUID();
			const waiting = wait(sessionGuid, 30);
			await new Promise((resolve) => setTimeout(resolve, 2_000));
			const { plainSha256 } = await stack.emulator.control.addRecording({ sessionGuid });
			assert.equal((await waiting).items(NODE)[0]?.json.sha256, plainSha256);
		});

		test('a call that was never recorded', async () => {
			assertFailed(
				await wait(crypto.randomUUID(), 2),
				/^The service lists no recording for this session/,
				/recordCall/,
			);
		});
	});

	test('the list of recordings to choose from, with a filter', async () => {
		const { sessionGuid } = await stack.emulator.control.addRecording({ format: 'wav' });
		const search = async (filter: string) =>
			await stack.n8n.rest<{ results: Array<{ name: string; value: string }> }>(
				'POST',
				'/rest/dynamic-node-parameters/resource-locator-results',
				{
					path: 'parameters.recording',
					methodName: 'searchRecordings',
					filter,
					nodeTypeAndVersion: { name: 'n8n-nodes-voiceagent.voiceAgent', version: 1 },
					currentNodeParameters: { resource: 'recording', operation: 'download' },
					credentials: stack.credentials,
				},
			);
		const { results } = await search(sessionGuid.slice(0, 8).toUpperCase());
		assert.deepEqual(
			results.map(({ value }) => value),
			[sessionGuid],
		);
		assert.deepEqual((await search('nothing like this')).results, []);
	});

	const details: Array<[string, Record<string, unknown>]> = [
		[
			'fields',
			{
				specifyBody: 'fields',
				fields: {
					field: [
						{ name: 'to', value: '={{ $json.phone }}' },
						{ name: 'durationSeconds', value: '={{ 2 }}' },
					],
				},
			},
		],
		[
			'JSON',
			{ specifyBody: 'json', jsonBody: '={ "to": "{{ $json.phone }}", "durationSeconds": 2 }' },
		],
	];
	for (const [name, parameters] of details) {
		test(`Make, from ${name}: the call is placed once and the answer is passed through`, async () => {
			stack.emulator.control.clearLogs();
			const before = stack.emulator.control.calls().length;
			const execution = await stack.runNode({
				parameters: { resource: 'call', operation: 'make', ...parameters },
				items: [{ phone: '+15550100' }],
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			const calls = stack.emulator.control.calls().slice(before);
			assert.equal(calls.length, 1);
			assert.equal(calls[0]?.to, '+15550100');
			assert.equal(calls[0]?.durationSeconds, 2);
			assert.equal(execution.items(NODE)[0]?.json.sessionGuid, calls[0]?.sessionGuid);
			const [request] = stack.emulator.control.requests();
			assert.equal(`${request?.method} ${request?.path}`, 'POST /api/customer/makecall');
		});
	}

	const makeCall = async (to: string[], options: Record<string, unknown> = {}) =>
		await stack.runNode({
			parameters: {
				resource: 'call',
				operation: 'make',
				specifyBody: 'json',
				jsonBody: '={{ { to: $json.to, durationSeconds: 1 } }}',
				options,
			},
			items: to.map((one) => ({ to: one })),
			settings: { onError: 'continueRegularOutput' },
		});

	test('Make, from the form of the service: fields with types, marks and choices', async () => {
		const { fields } = await callForm('/swagger/v1/swagger.json');
		const to = fields.find(({ id }) => id === 'to');
		assert.equal(to?.required, true);
		assert.equal(to?.type, 'string');
		assert.equal(fields.find(({ id }) => id === 'durationSeconds')?.type, 'number');

		const before = stack.emulator.control.calls().length;
		const execution = await stack.runNode({
			parameters: {
				resource: 'call',
				operation: 'make',
				specifyBody: 'service',
				serviceFields: {
					mappingMode: 'defineBelow',
					value: { to: '+15550100', durationSeconds: 2, from: null },
				},
			},
		});
		assert.equal(execution.status, 'success', execution.error?.message);
		const [call] = stack.emulator.control.calls().slice(before);
		assert.equal(call?.to, '+15550100');
		assert.equal(call?.durationSeconds, 2);
	});

	test('Make: a document that cannot be read is explained, with the other ways', async () => {
		const { fields, emptyFieldsNotice } = await callForm('/nowhere.json');
		assert.deepEqual(fields, []);
		assert.match(String(emptyFieldsNotice), /404.*'Using Fields Below' or 'Using JSON'/);
	});

	interface CallForm {
		fields: Array<{ id: string; type: string; required: boolean }>;
		emptyFieldsNotice?: string;
	}

	/** What the editor asks for to draw the form. */
	async function callForm(apiDocumentPath: string): Promise<CallForm> {
		const voiceAgentApi = await stack.n8n.createCredential({
			name: `Document ${apiDocumentPath}`,
			type: 'voiceAgentApi',
			data: { baseUrl: stack.emulator.url, apiKey: API_KEY, apiDocumentPath },
		});
		return await stack.n8n.rest<CallForm>(
			'POST',
			'/rest/dynamic-node-parameters/resource-mapper-fields',
			{
				path: 'parameters.serviceFields',
				methodName: 'getCallFields',
				nodeTypeAndVersion: { name: 'n8n-nodes-voiceagent.voiceAgent', version: 1 },
				currentNodeParameters: { resource: 'call', operation: 'make', specifyBody: 'service' },
				credentials: { voiceAgentApi },
			},
		);
	}

	test('Make: Allowed Destinations', async () => {
		const before = stack.emulator.control.calls().length;
		const execution = await makeCall(['+15550100', '+4930123456'], {
			allowedDestinations: '+1555*',
		});
		const [placed, refused] = execution.items(NODE);
		assert.equal(placed?.json.error, undefined);
		assert.equal(
			refused?.json.error,
			'The call was not placed: +4930123456 is not among the Allowed Destinations',
		);
		assert.equal(stack.emulator.control.calls().length, before + 1);
	});

	const withoutGuard: Array<[string, string, RegExp]> = [
		['allowedDestinations', '={{ $json.nothing }}', /'Allowed Destinations' must be text/],
		['allowedDestinations', '={{ null }}', /'Allowed Destinations' must be text/],
		['allowedDestinations', '={{ ["+*"] }}', /'Allowed Destinations' must be text/],
		['destinationField', '={{ $json.nothing }}', /'Destination Field' must be text/],
		['maxCalls', '={{ $json.nothing }}', /'Max Calls per Run' must be a whole number/],
		['maxCalls', '={{ null }}', /'Max Calls per Run' must be a whole number/],
		['maxCalls', '={{ "one" }}', /'Max Calls per Run' must be a whole number/],
	];
	for (const [option, expression, message] of withoutGuard) {
		test(`Make: no call with ${option} ${expression}`, async () => {
			stack.emulator.control.clearLogs();
			const execution = await makeCall(['+15550100'], {
				allowedDestinations: '+*',
				[option]: expression,
			});
			assert.match(String(execution.items(NODE)[0]?.json.error), message);
			assert.deepEqual(stack.emulator.control.requests(), []);
		});
	}

	test('Make: Max Calls per Run refuses before the first call', async () => {
		const before = stack.emulator.control.calls().length;
		const execution = await makeCall(['+15550100', '+15550101'], { maxCalls: 1 });
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => json.error),
			Array(2).fill(
				'The call was not placed: 2 calls in one execution are more than the Max Calls per Run of 1',
			),
		);
		assert.equal(stack.emulator.control.calls().length, before);
		await makeCall(['+15550100'], { maxCalls: 1 });
		assert.equal(stack.emulator.control.calls().length, before + 1);
	});

	test('Make: what the service says about a refused request is shown', async () => {
		const execution = await stack.runNode({
			parameters: {
				resource: 'call',
				operation: 'make',
				specifyBody: 'json',
				jsonBody: '{"telephone":"+15550100"}',
			},
		});
		assertFailed(execution, /^The service rejected the request/, /The service says: .*telephone/);
	});

	test('SMS: today it says that the service does not offer it yet', async () => {
		stack.emulator.control.clearLogs();
		const execution = await stack.runNode({
			parameters: {
				resource: 'sms',
				operation: 'send',
				specifyBody: 'json',
				jsonBody: '{"to":"+15550100","text":"Hello"}',
			},
		});
		assertFailed(
			execution,
			/^Sending SMS is not yet available from the service/,
			/Nothing was sent/,
		);
		const sent = stack.emulator.control.requests();
		assert.deepEqual(
			sent.map(({ method, path }) => `${method} ${path}`),
			['POST /api/customer/sms'],
		);
	});

	test('the header is Token, letter for letter, with no other authentication', async () => {
		stack.emulator.control.clearLogs();
		await stack.runNode({ parameters: { resource: 'recording', operation: 'getMany' } });
		const [request, ...others] = stack.emulator.control.requests();
		assert.equal(others.length, 0);
		const authentication = request?.rawHeaders.filter(([name = '']) =>
			/^(token|authorization|cookie|x-api-key)$/i.test(name),
		);
		assert.deepEqual(authentication, [['Token', API_KEY]]);
	});

	const refusals: Array<[string, string, RegExp]> = [
		['10: a wrong key', 'wrong-key', /^The service does not accept the API key \(401\)/],
		[
			'10: a key without permission',
			'demo-key-no-permission',
			/^The API key lacks permission for this action \(403\)/,
		],
	];
	for (const [name, apiKey, message] of refusals) {
		test(`${name} is not tried twice and not shown`, async () => {
			const credential = await stack.n8n.createCredential({
				name,
				type: 'voiceAgentApi',
				data: { baseUrl: stack.emulator.url, apiKey },
			});
			stack.emulator.control.clearLogs();
			const execution = await stack.runNode({
				parameters: { resource: 'recording', operation: 'getMany' },
				credentials: { voiceAgentApi: credential },
			});
			assertFailed(execution, message);
			assert.ok(!execution.raw.includes(apiKey));
			assert.equal(stack.emulator.control.requests().length, 1);
		});
	}
});

function assertFailed(execution: Execution, message: RegExp, description?: RegExp): void {
	assert.equal(execution.status, 'error');
	const error = execution.nodeError(NODE);
	assert.match(String(error?.message), message);
	if (description) assert.match(String(error?.description), description);
}
