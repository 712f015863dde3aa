import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createEmulator, type FaultRule } from '../../emulator/src/index.mts';
import type { Credential, Execution } from '../../harness/n8n/n8n.mts';
import { API_KEY, byGuid, NODE, PASSWORD, startStack, type Stack } from '../../harness/stack.mts';

type Fault = FaultRule['fault'];

suite('faults of the service, on real sockets', () => {
	let stack: Stack;
	before(async () => {
		stack = await startStack();
	});
	after(async () => await stack?.stop());
	afterEach(() => stack.emulator.control.clearFaults());

	/** A recording, and nothing of it but its beginning: audio that nobody asked a part of. */
	const part: Fault = {
		kind: 'status',
		status: 206,
		contentType: 'audio/wav',
		body: 'RIFF....WAVEfmt ',
	};

	const requests = (method: string) =>
		stack.emulator.control.requests().filter((request) => request.method === method);

	/** One download under a fault, and what the service saw of it. */
	async function download(
		fault: Fault,
		{ times = 1, password = undefined as string | undefined, options = {} } = {},
	) {
		const { control } = stack.emulator;
		const recording = await control.addRecording({ format: 'wav', password });
		control.clearLogs();
		control.addFault({ match: { endpoint: 'downloadRecording' }, times, fault });
		const execution = await stack.runNode({
			parameters: { resource: 'recording', operation: 'download', recording: byGuid(), options },
			items: [{ sessionGuid: recording.sessionGuid }],
		});
		assert.equal(requests('DELETE').length, 0);
		assert.ok(!execution.raw.includes(API_KEY), 'the key is in the execution');
		return { execution, recording, attempts: requests('GET').length };
	}

	function assertRefused(execution: Execution, message: RegExp): void {
		assert.equal(execution.status, 'error');
		assert.match(String(execution.nodeError(NODE)?.message), message);
		assert.deepEqual(execution.items(NODE), []);
	}

	const passing: Array<[string, Fault, number, string?]> = [
		['1: connection dropped mid-body, with a length', { kind: 'drop', afterBytes: 1000 }, 1],
		['1: the same, chunked', { kind: 'drop', afterBytes: 1000, chunked: true }, 1],
		['1: hung up without an answer', { kind: 'hangUp' }, 1],
		[
			'2: truncated at the end of the connection, encrypted',
			{ kind: 'closeDelimited', atBytes: 1000 },
			1,
			PASSWORD,
		],
		['2: the same, plain', { kind: 'closeDelimited', atBytes: 1000 }, 1],
		['3: Content-Length too long', { kind: 'wrongLength', delta: 10 }, 1],
		['8: 500, twice', { kind: 'status', status: 500 }, 2],
		['2: a part that nobody asked for', part, 1],
		['9: 503 with Retry-After in seconds', { kind: 'status', status: 503, retryAfter: 1 }, 1],
		['9: 429 with a date', { kind: 'status', status: 429, retryAfterDate: 1 }, 1],
		['9: 429 with a negative Retry-After', { kind: 'status', status: 429, retryAfter: -5 }, 1],
	];
	for (const [name, fault, times, password] of passing) {
		test(`${name}: downloaded again`, async () => {
			const { execution, recording, attempts } = await download(fault, { times, password });
			assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
			assert.equal(execution.items(NODE)[0]?.json.sha256, recording.plainSha256);
			assert.equal(attempts, times + 1);
		});
	}

	const lasting: Array<[string, Fault, RegExp, object?]> = [
		['6: endless body', { kind: 'endless' }, /too large/, { maxSize: 2 }],
		['7: gzip bomb', { kind: 'gzipBomb', bytes: 50_000_000 }, /too large/, { maxSize: 2 }],
		[
			'5: one byte at a time',
			{ kind: 'slow', bytesPerInterval: 1, intervalMs: 100 },
			/took too long/,
			{ maxDuration: 2 },
		],
		['10: 401', { kind: 'status', status: 401 }, /does not accept the API key/],
		['10: 403', { kind: 'status', status: 403 }, /lacks permission/],
		['11: 404', { kind: 'status', status: 404 }, /recording is gone/],
		['11: 410', { kind: 'status', status: 410 }, /recording is gone/],
		['13: a web page with 200', { kind: 'html' }, /not a recording/],
		[
			'13: JSON with 200',
			{ kind: 'status', status: 200, body: { error: 'try again later, please' } },
			/not a recording/,
		],
		['14: 200 without a body', { kind: 'empty' }, /not a recording/],
		['14: 204', { kind: 'empty', status: 204 }, /not ready yet/],
	];
	for (const [name, fault, message, options = {}] of lasting) {
		test(`${name}: refused at once`, async () => {
			const { execution, attempts } = await download(fault, { times: 9, options });
			assertRefused(execution, message);
			assert.equal(attempts, 1);
		});
	}

	test('3: Content-Length too short, encrypted: refused', async () => {
		const { execution } = await download(
			{ kind: 'wrongLength', delta: -10 },
			{ times: 9, password: PASSWORD },
		);
		assertRefused(execution, /cannot be decrypted/);
	});

	test('2: truncated each time: refused in the end', async () => {
		const { execution, attempts } = await download(
			{ kind: 'closeDelimited', atBytes: 1000 },
			{ times: 9, password: PASSWORD },
		);
		assertRefused(execution, /cannot be decrypted/);
		assert.equal(attempts, 4);
	});

	test('2: a part each time: refused in the end', async () => {
		const { execution, attempts } = await download(part, { times: 9 });
		assertRefused(execution, /^Only a part of the recording arrived/);
		assert.equal(attempts, 4);
	});

	suite('3: behind a proxy that compresses although nobody asked, and announces the length', () => {
		/** The next answer ends after half of what was announced. */
		let cutNext = false;
		let attempts = 0;
		const proxy = createServer(async (request, response) => {
			attempts += 1;
			const answer = await fetch(`${stack.emulator.url}${request.url}`, {
				headers: { Token: API_KEY },
			});
			const body = gzipSync(await answer.bytes());
			response.writeHead(answer.status, {
				'content-type': answer.headers.get('content-type') ?? '',
				'content-encoding': 'gzip',
				'content-length': body.length,
			});
			if (cutNext) {
				cutNext = false;
				response.write(body.subarray(0, body.length / 2), () => response.socket?.destroySoon());
			} else {
				response.end(body);
			}
		});
		let voiceAgentApi: Credential;
		before(async () => {
			await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
			const { port } = proxy.address() as AddressInfo;
			voiceAgentApi = await stack.n8n.createCredential({
				name: 'Behind a proxy',
				type: 'voiceAgentApi',
				data: { baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY },
			});
		});
		after(() => proxy.close());

		for (const operation of ['getMany', 'download']) {
			// What is encrypted only grows by compression, and audio of the emulator shrinks.
			for (const password of [undefined, PASSWORD]) {
				for (const cut of [false, true]) {
					const how = `${password ? 'encrypted' : 'plain'}${cut ? ', cut off at first' : ''}`;
					test(`${operation}, ${how}`, async () => {
						const { control } = stack.emulator;
						const recording = await control.addRecording({ format: 'wav', password });
						attempts = 0;
						cutNext = cut;
						const execution = await stack.runNode({
							parameters: {
								resource: 'recording',
								operation,
								recording: byGuid(),
								returnAll: true,
							},
							items: [{ sessionGuid: recording.sessionGuid }],
							credentials: { voiceAgentApi },
						});
						assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
						const items = execution.items(NODE).map(({ json }) => json);
						const item = items.find(({ sessionGuid }) => sessionGuid === recording.sessionGuid);
						assert.ok(item);
						if (operation === 'download') assert.equal(item.sha256, recording.plainSha256);
						assert.equal(attempts, cut ? 2 : 1);
					});
				}
			}
		}
	});

	test('2: plain, ends at the same byte again: taken as it is', async () => {
		const fault = { kind: 'closeDelimited', atBytes: 1000 } as const;
		const { execution, attempts } = await download(fault, { times: 9 });
		assert.equal(execution.items(NODE)[0]?.json.bytes, 1000);
		assert.equal(attempts, 2);
	});

	test('8: 500 each time: refused in the end', async () => {
		const { execution, attempts } = await download({ kind: 'status', status: 500 }, { times: 9 });
		assertRefused(execution, /failed to process the request/);
		assert.equal(attempts, 4);
	});

	test('12: 404 on delete counts as deleted', async () => {
		const { control } = stack.emulator;
		const { sessionGuid } = await control.addRecording();
		control.addFault({
			match: { endpoint: 'deleteRecording' },
			fault: { kind: 'status', status: 404 },
		});
		const execution = await stack.runNode({
			parameters: { resource: 'recording', operation: 'delete', recording: byGuid() },
			items: [{ sessionGuid }],
		});
		assert.equal(execution.items(NODE)[0]?.json.alreadyGone, true);
	});

	test('12: a web page with 404 on delete does not while the recording is listed', async () => {
		const { control } = stack.emulator;
		const { sessionGuid } = await control.addRecording();
		control.addFault({
			match: { endpoint: 'deleteRecording' },
			fault: { kind: 'html', status: 404 },
		});
		const execution = await stack.runNode({
			parameters: { resource: 'recording', operation: 'delete', recording: byGuid() },
			items: [{ sessionGuid }],
		});
		assertRefused(execution, /answered with a web page/);
	});

	for (const where of ['another host', 'plain http']) {
		test(`${where === 'plain http' ? '16' : '15'}: a redirect to ${where} is not followed`, async () => {
			const seen: unknown[] = [];
			const other = createServer((request, response) => {
				seen.push(request.rawHeaders);
				response.end('{}');
			}).listen(0, '127.0.0.1');
			await new Promise((resolve) => other.once('listening', resolve));
			const { port } = other.address() as AddressInfo;
			const { execution } = await download({
				kind: 'redirect',
				to: `http://localhost:${port}/api/customer/recordings`,
			});
			other.close();
			assertRefused(execution, /redirected the request to another address/);
			assert.deepEqual(seen, []);
		});
	}

	test('42: a key that the service echoes is not shown', async () => {
		for (const status of [500, 400]) {
			const { execution } = await download({ kind: 'echoToken', status }, { times: 9 });
			assert.equal(execution.status, 'error');
		}
	});

	test('Make, 429: one request, no repetition', async () => {
		const { control } = stack.emulator;
		control.clearLogs();
		control.addFault({
			match: { endpoint: 'makeCall' },
			times: 9,
			fault: { kind: 'status', status: 429, retryAfter: 1 },
		});
		const execution = await stack.runNode({
			parameters: {
				resource: 'call',
				operation: 'make',
				specifyBody: 'json',
				jsonBody: '{"to":"+15550100"}',
			},
		});
		assertRefused(execution, /too many requests/);
		assert.equal(requests('POST').length, 1);
	});

	/** Runs an operation that sends a POST once for each number, with three tries. */
	async function withRetries(
		operation: object,
		numbers: string[],
		settings = {},
	): Promise<Execution> {
		return await stack.runNode({
			parameters: {
				...operation,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify({ to: $json.to }) }}',
			},
			items: numbers.map((to) => ({ to })),
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100, ...settings },
		});
	}

	const unclearMessages: Array<[string, Fault]> = [
		['no answer', { kind: 'hangUp' }],
		['500', { kind: 'status', status: 500 }],
	];
	for (const [name, fault] of unclearMessages) {
		test(`under Retry On Fail, a message that was answered with ${name} is not sent again`, async () => {
			const { control } = stack.emulator;
			control.clearLogs();
			control.setShapes({ sms: '200' });
			control.addFault({ match: { endpoint: 'sendSms' }, skip: 1, carryOut: true, fault });
			const numbers = ['+15550101', '+15550102', '+15550103'];
			const execution = await withRetries({ resource: 'sms', operation: 'send' }, numbers);
			assertRefused(execution, /the message may have been sent/);
			assert.equal(requests('POST').length, 2);
		});
	}

	suite('Make under Retry On Fail', () => {
		/** Runs Make once for each number, with three tries. */
		async function callAll(numbers: string[], options = {}, settings = {}) {
			const { control } = stack.emulator;
			const before = control.calls().length;
			const execution = await withRetries(
				{ resource: 'call', operation: 'make', options },
				numbers,
				settings,
			);
			const dialled = control.calls().slice(before);
			return { execution, dialled: dialled.map(({ to }) => to) };
		}
		const numbers = ['+15550101', '+15550102', '+15550103'];

		// What the message says after "the call may have been placed", and what the description adds.
		const unclear: Array<[string, Fault, RegExp, RegExp]> = [
			['no answer', { kind: 'hangUp' }, /^$/, /connection failed before the service answered/],
			['an answer cut off', { kind: 'drop', afterBytes: 5 }, /^$/, /not be read: .* was lost\.$/],
			['a web page', { kind: 'html' }, /^$/, /not be read: .* web page instead of data\.$/],
			[
				'a compressed answer that is none',
				{ kind: 'headers', set: { 'content-encoding': 'gzip' } },
				/^$/,
				/could not be read/,
			],
			[
				'too large an answer',
				{ kind: 'wrongLength', delta: 100_000_000 },
				/^$/,
				/not be read: .* is too large/,
			],
			[
				'a redirect',
				{ kind: 'redirect', status: 303, to: '/api/customer/calls/1' },
				/status 303$/,
				/redirected .* Enter the final address as Base URL/,
			],
			['408', { kind: 'status', status: 408 }, /status 408$/, /before you place it again/],
			['500', { kind: 'status', status: 500 }, /status 500$/, /before you place it again/],
			[
				'503 and Retry-After',
				{ kind: 'status', status: 503, retryAfter: 1 },
				/status 503$/,
				/before you place it again/,
			],
		];
		for (const [name, fault, detail, description] of unclear) {
			test(`a call that was answered with ${name} is not dialled again, nor are those before it`, async () => {
				stack.emulator.control.addFault({
					match: { endpoint: 'makeCall' },
					skip: 1,
					carryOut: true,
					fault,
				});
				const { execution, dialled } = await callAll(numbers);
				assert.deepEqual(dialled, numbers.slice(0, 2));
				assertRefused(execution, /the call may have been placed/);
				const error = execution.nodeError(NODE);
				assert.match(String(error?.message).replace(/^.* may have been placed/, ''), detail);
				assert.match(String(error?.description), description);
			});
		}

		test('a call that the service refused for now is dialled by the next try', async () => {
			stack.emulator.control.addFault({
				match: { endpoint: 'makeCall' },
				skip: 1,
				fault: { kind: 'status', status: 429 },
			});
			const { execution, dialled } = await callAll(numbers);
			assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
			assert.deepEqual(dialled, numbers);
			assert.equal(new Set(execution.items(NODE).map(({ json }) => json.sessionGuid)).size, 3);
		});

		for (const onError of ['stopWorkflow', 'continueRegularOutput']) {
			test(`Max Calls per Run does not count a call that the service refused, with ${onError}`, async () => {
				stack.emulator.control.addFault({
					match: { endpoint: 'makeCall' },
					fault: { kind: 'status', status: 429 },
				});
				const { execution, dialled } = await callAll(numbers, { maxCalls: 3 }, { onError });
				assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
				assert.deepEqual(
					execution.items(NODE).map(({ json }) => json.error),
					numbers.map(() => undefined),
				);
				assert.deepEqual([...dialled].sort(), numbers);
			});
		}

		test('a loop dials in each of its rounds', async () => {
			const { control } = stack.emulator;
			const before = control.calls().length;
			const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
				name,
				type,
				typeVersion,
				parameters: { ...parameters },
				id: name,
				position: [0, 0],
			});
			const id = await stack.n8n.importWorkflow(
				{
					name: 'Loop',
					nodes: [
						node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
						node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 1, options: {} }),
						node(NODE, 'n8n-nodes-voiceagent.voiceAgent', 1, {
							resource: 'call',
							operation: 'make',
							specifyBody: 'json',
							jsonBody: '={{ JSON.stringify({ to: $json.to }) }}',
						}),
					],
					connections: {
						Start: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
						Loop: { main: [[], [{ node: NODE, type: 'main', index: 0 }]] },
						[NODE]: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
					},
					pinData: { Start: numbers.map((to) => ({ json: { to } })) },
				},
				stack.credentials,
			);
			const execution = await stack.n8n.run(id, { trigger: 'Start' });
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.deepEqual(
				control
					.calls()
					.slice(before)
					.map(({ to }) => to),
				numbers,
			);
		});
	});

	for (const certificate of ['selfSigned', 'expired', 'wrongName'] as const) {
		test(`17: a certificate that cannot be trusted: ${certificate}`, async () => {
			const emulator = await createEmulator({ https: { certificate } });
			const voiceAgentApi = await stack.n8n.createCredential({
				name: certificate,
				type: 'voiceAgentApi',
				data: { baseUrl: emulator.httpsUrl, apiKey: API_KEY },
			});
			const execution = await stack.runNode({
				parameters: { resource: 'recording', operation: 'getMany' },
				credentials: { voiceAgentApi },
			});
			assertRefused(execution, /No secure connection to the service/);
			assert.equal(emulator.control.requests().length, 0);
			await emulator.close();
		});
	}
});
