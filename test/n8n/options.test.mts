import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, before, suite, test } from 'node:test';

import type { BinaryFile, Execution } from '../../harness/n8n/n8n.mts';
import { API_KEY, byGuid, NODE, PASSWORD, startStack, type Stack } from '../../harness/stack.mts';

const digest = (algorithm: string, bytes: Uint8Array) =>
	createHash(algorithm).update(bytes).digest('hex');

/** A node that downloads the recording without decrypting it. */
const fetchSealed = {
	name: 'Fetch',
	type: 'n8n-nodes-voiceagent.voiceAgent',
	typeVersion: 1,
	parameters: {
		resource: 'recording',
		operation: 'download',
		recording: byGuid(),
		decrypt: 'never',
	},
};

suite('binary mode database, and options that no other test sets', () => {
	let stack: Stack;
	before(async () => {
		stack = await startStack({ n8n: { binaryMode: 'database' } });
	});
	after(async () => await stack?.stop());
	afterEach(() => stack.emulator.control.clearFaults());

	async function outputFile(execution: Execution): Promise<Buffer> {
		const [item] = execution.items(NODE);
		const { _files } = (item?.json ?? {}) as { _files?: Record<string, BinaryFile> };
		const file = item?.binary?.data ?? _files?.data;
		assert.ok(file, `no file: ${execution.error?.message}`);
		return await stack.n8n.binary(file);
	}

	// In the combined mode, n8n keeps the files of an item in its JSON, under `_files`.
	const inputs = { separate: 'data', combined: '_files.data' };
	for (const [binaryMode, inputBinaryField] of Object.entries(inputs)) {
		test(`Download, then Decrypt, files in the database, items ${binaryMode}`, async () => {
			const recording = await stack.emulator.control.addRecording({
				format: 'wav',
				password: PASSWORD,
			});
			const execution = await stack.runNode({
				before: [fetchSealed],
				parameters: {
					resource: 'recording',
					operation: 'decrypt',
					inputBinaryField,
					options: {
						outputExtension: 'wave',
						outputFileName: 'call {sessionGuid}.{extension}',
						includeMd5: true,
						itemsAtOnce: 2,
					},
				},
				items: [{ sessionGuid: recording.sessionGuid }],
				workflowSettings: { binaryMode },
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			const file = await outputFile(execution);
			assert.equal(digest('sha256', file), recording.plainSha256);
			const json = execution.items(NODE)[0]?.json;
			assert.equal(json?.md5, digest('md5', file));
			assert.equal(json?.fileName, `call ${recording.sessionGuid}.wave`);
		});
	}

	test('Decrypt: the name of the input file is made one that an output file can bear', async () => {
		const { sessionGuid, plainSha256 } = await stack.emulator.control.addRecording({
			format: 'wav',
			password: PASSWORD,
		});
		for (const [name, expected] of [
			['2026-11-20 12:30.enc', '2026-11-20 12_30.wav'],
			[`{${sessionGuid}}.opus`, `{${sessionGuid}}.wav`],
		]) {
			// Only a Code node gives a file any name.
			const rename = {
				name: 'Rename',
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: {
					jsCode: `const [item] = $input.all(); item.binary.data.fileName = ${JSON.stringify(name)}; return [{ json: {}, binary: item.binary }];`,
				},
			};
			const execution = await stack.runNode({
				before: [fetchSealed, rename],
				parameters: { resource: 'recording', operation: 'decrypt' },
				items: [{ sessionGuid }],
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			const json = execution.items(NODE)[0]?.json;
			assert.equal(json?.fileName, expected);
			assert.equal(json?.sha256, plainSha256);
		}
	});

	suite('what cannot be used is refused by name, and nothing is sent', () => {
		const getMany = (parameters: object) => ({
			resource: 'recording',
			operation: 'getMany',
			...parameters,
		});
		const getWith = (options: object) => getMany({ returnAll: true, options });
		const download = (parameters: object) => ({
			resource: 'recording',
			operation: 'download',
			recording: byGuid('3f2504e0-4f89-41d3-9a0c-0305e82c3301'),
			...parameters,
		});
		const make = (value: string) => ({
			resource: 'call',
			operation: 'make',
			specifyBody: 'fields',
			fields: {
				field: [
					{ name: 'from', value: '+15550101' },
					{ name: 'to', value },
				],
			},
		});
		const hours = /: 'Expiring Within \(Hours\)' must be a number from 0$/;
		const limit = /: 'Limit' must be a whole number from 1$/;
		const cases: Array<[parameters: Record<string, unknown>, message: RegExp]> = [
			[getWith({ expiringWithin: '={{ "48 hours" }}' }), hours],
			[getWith({ expiringWithin: '={{ null }}' }), hours],
			[getWith({ expiringWithin: '={{ $json.nothing }}' }), hours],
			[getWith({ expiringWithin: -1 }), hours],
			[getMany({ limit: 0 }), limit],
			[getMany({ limit: '={{ -1 }}' }), limit],
			[getMany({ limit: '={{ 1.5 }}' }), limit],
			[getMany({ limit: '={{ null }}' }), limit],
			[getMany({ returnAll: '={{ "false" }}' }), /: 'Return All' must be true or false$/],
			[getWith({ callEndField: '={{ null }}' }), /: 'Call End Field' must be text$/],
			[getWith({ sessionGuidField: '={{ ["x"] }}' }), /: 'Session GUID Field' must be text$/],
			[
				getWith({ query: { parameter: [{ name: 'from', value: '={{ $json.nothing }}' }] } }),
				/: 'Value' in 'Query Parameters' must be text$/,
			],
			[
				download({ decrypt: '={{ "Always" }}' }),
				/: 'Decrypt' must be one of: always, automatic, never$/,
			],
			[
				download({ options: { outputExtension: '={{ {} }}' } }),
				/: 'Output Extension' must be text$/,
			],
			[
				download({ options: { maxSize: '={{ "1 GB" }}' } }),
				/: 'Max Size \(MB\)' must be a number from 0$/,
			],
			[make('={{ $json.nothing }}'), /: the field 'to' in 'Fields' has no value$/],
		];
		for (const [parameters, message] of cases) {
			test(JSON.stringify(parameters), async () => {
				stack.emulator.control.clearLogs();
				const execution = await stack.runNode({ parameters });
				assert.equal(execution.status, 'error');
				const error = execution.nodeError(NODE);
				assert.match(String(error?.message), message);
				assert.match(String(error?.description), /^Correct the parameter named in the message/);
				assert.deepEqual(stack.emulator.control.requests(), []);
			});
		}
	});

	test('numbers may come as text, and text as a number', async () => {
		await stack.emulator.control.addRecording();
		await stack.emulator.control.addRecording();
		stack.emulator.control.clearLogs();
		const execution = await stack.runNode({
			parameters: {
				resource: 'recording',
				operation: 'getMany',
				limit: '={{ "1" }}',
				options: {
					expiringWithin: '={{ "1000" }}',
					query: { parameter: [{ name: '={{ 5 }}', value: '={{ 7 }}' }] },
				},
			},
		});
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.equal(execution.items(NODE).length, 1);
		assert.match(String(stack.emulator.control.requests()[0]?.path), /recordings/);
	});

	test('what an expression hides need not be usable', async () => {
		const execution = await stack.runNode({
			parameters: {
				resource: 'recording',
				operation: 'getMany',
				returnAll: '={{ true }}',
				limit: '={{ $json.nothing }}',
			},
		});
		assert.equal(execution.status, 'success', execution.error?.message);
	});

	test('Get Many: fields that the user names', async () => {
		const { sessionGuid } = await stack.emulator.control.addRecording({ durationSeconds: 60 });
		const run = async (options: Record<string, unknown>) =>
			(
				await stack.runNode({
					parameters: { resource: 'recording', operation: 'getMany', simple: false, options },
				})
			)
				.items(NODE)
				.map(({ json }) => json);
		const named = await run({ sessionGuidField: 'sessionGuid', callEndField: 'startedAt' });
		const one = named.find((json) => json.sessionGuid === sessionGuid);
		assert.equal(one?.callEndedAt, (one?.recording as { startedAt?: string }).startedAt);
		const [missing] = await run({ sessionGuidField: 'no.such', callEndField: 'no.such' });
		assert.equal(missing?.sessionGuid, null);
		assert.equal(missing?.callEndedAt, null);
	});

	test('Make: the destination is in the field that the user names', async () => {
		const run = async (from: string) =>
			await stack.runNode({
				parameters: {
					resource: 'call',
					operation: 'make',
					specifyBody: 'json',
					jsonBody: JSON.stringify({ to: '+15550100', from }),
					options: { allowedDestinations: '+1999*', destinationField: 'from' },
				},
			});
		assert.equal((await run('+19990100')).status, 'success');
		const refused = await run('+15550100');
		assert.match(String(refused.nodeError(NODE)?.message), /not among the Allowed Destinations/);
	});

	test("each item has the credential that an expression in it makes of the item's data", async () => {
		const { control } = stack.emulator;
		const voiceAgentApi = await stack.n8n.createCredential({
			name: 'By item',
			type: 'voiceAgentApi',
			data: { baseUrl: stack.emulator.url, apiKey: '={{ $json.key }}' },
		});
		for (const operation of ['download', 'delete']) {
			const recordings = [await control.addRecording(), await control.addRecording()];
			const [foreign = '', own = ''] = recordings.map(({ sessionGuid }) => sessionGuid);
			for (const keys of [
				['another-key', API_KEY],
				[API_KEY, 'another-key'],
			]) {
				const isOwnFirst = keys[0] === API_KEY;
				const guids = isOwnFirst ? [own, foreign] : [foreign, own];
				const execution = await stack.runNode({
					parameters: { resource: 'recording', operation, recording: byGuid() },
					items: keys.map((key, index) => ({ key, sessionGuid: String(guids[index]) })),
					settings: { onError: 'continueRegularOutput' },
					credentials: { voiceAgentApi },
				});
				const reasons = execution
					.items(NODE)
					.map(({ json }) => (json.details as { reason?: string } | undefined)?.reason);
				assert.deepEqual(
					reasons,
					keys.map((key) => (key === API_KEY ? undefined : 'unauthorized')),
				);
			}
			assert.equal(stack.ledger(foreign).state, 'stored');
		}
	});

	suite('Wait Until Available tells apart', () => {
		async function waitFor(meanwhile: (sessionGuid: string) => Promise<unknown>) {
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording();
			control.addFault({
				match: { endpoint: 'downloadRecording' },
				fault: { kind: 'notReady', seconds: 600 },
			});
			const waiting = stack.runNode({
				parameters: {
					resource: 'recording',
					operation: 'download',
					recording: byGuid(),
					options: { waitUntilAvailable: 6 },
				},
				items: [{ sessionGuid }],
			});
			await meanwhile(sessionGuid);
			return String((await waiting).nodeError(NODE)?.message);
		}

		test('a recording that is listed but not ready', async () => {
			assert.match(await waitFor(async () => undefined), /^The recording is not ready yet/);
		});

		test('a recording that was there and is gone', async () => {
			const message = await waitFor(async (sessionGuid) => {
				await new Promise((resolve) => setTimeout(resolve, 3_000));
				await fetch(`${stack.emulator.url}/api/customer/recordings/${sessionGuid}`, {
					method: 'DELETE',
					headers: { Token: API_KEY },
				});
			});
			assert.match(message, /^The recording is gone/);
		});
	});
});
