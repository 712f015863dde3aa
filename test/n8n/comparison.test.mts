/** Proves each row of docs/comparison.md: both ways under the same condition. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { FaultRule } from '../../emulator/src/index.mts';
import type { Credential, Execution, Item, Json, WorkflowNode } from '../../harness/n8n/n8n.mts';
import {
	codeNode,
	DECRYPT,
	httpRequest,
	importFlow,
	tokenHeader,
} from '../bench/handBuiltFlow.mts';
import {
	API_KEY,
	byGuid,
	chain,
	NODE,
	PASSWORD,
	startStack,
	WEBHOOK_HEADER,
	WEBHOOK_SECRET,
	type Stack,
} from '../../harness/stack.mts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'comparison.md');
const RECORDINGS = '/api/customer/recordings';
const FORMER_PASSWORD = 'the password of last year';
const EVERY_SECOND = '* * * * * *';
const FILE = { response: { response: { responseFormat: 'file' } } };
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };

suite('what a hand-built flow does differently', () => {
	let stack: Stack;
	let token: Credential;
	before(async () => {
		// As a user who builds the flow by hand must have it.
		const env = { NODE_FUNCTION_ALLOW_BUILTIN: 'crypto' };
		stack = await startStack({ n8n: { env }, emulator: { webhookTimeoutMs: 2500 } });
		token = await tokenHeader(stack);
	});
	after(async () => await stack?.stop());
	afterEach(() => {
		stack.emulator.control.clearFaults();
		stack.emulator.control.resetShapes();
	});

	// The first column of the page, and what proves the other two.
	const proofs: Array<[situation: string, proof: () => Promise<void>]> = [
		[
			'An encrypted recording in n8n as installed',
			async () => {
				const asInstalled = await startStack();
				try {
					const { emulator, n8n } = asInstalled;
					const { sessionGuid } = await emulator.control.addRecording({ password: PASSWORD });
					const crypto = await n8n.createCredential({
						name: 'Passphrase',
						type: 'crypto',
						data: { encryptionPassphrase: PASSWORD },
					});
					const header = await tokenHeader(asInstalled);
					const runHere = async (...nodes: WorkflowNode[]) =>
						await run(nodes, [{ sessionGuid }], asInstalled);

					const code = await runHere(httpRequest(asInstalled, header), codeNode(DECRYPT));
					assert.match(failure(code), /Module 'crypto' is disallowed/);
					const webCrypto = await runHere(codeNode('return [{ json: { is: typeof crypto } }]'));
					assert.equal(outputOf(webCrypto)[0]?.json.is, 'undefined');
					const cryptoNode = await runHere(
						httpRequest(asInstalled, header),
						codeNode(`const file = await this.helpers.getBinaryDataBuffer(0, 'data');
return [{ json: { file: file.toString('base64') } }];`),
						{
							name: 'Crypto',
							type: 'n8n-nodes-base.crypto',
							typeVersion: 2,
							credentials: { crypto },
							parameters: {
								action: 'decrypt',
								mode: 'symmetric',
								cipher: 'aes-256-gcm',
								value: '={{ $json.file }}',
							},
						},
					);
					assert.match(failure(cryptoNode), /Unsupported ciphertext version/);
					const own = await runHere(ownNode('download'));
					assert.equal(outputOf(own)[0]?.json.encrypted, true);
				} finally {
					await asInstalled.stop();
				}
			},
		],
		[
			'A recording of many megabytes',
			async () => {
				const growth = async (sizeBytes: number, ...nodes: WorkflowNode[]) => {
					const { n8n } = stack;
					const recording = await add({ format: 'wav', sizeBytes, password: PASSWORD });
					const before = n8n.memory().rssBytes;
					let most = before;
					const look = setInterval(() => (most = Math.max(most, n8n.memory().rssBytes)), 100);
					try {
						const [item] = outputOf(await run(nodes, [recording]));
						assert.ok(Number(item?.binary?.data?.bytes) >= sizeBytes * 0.99);
					} finally {
						clearInterval(look);
					}
					return most - before;
				};
				// Ours first: memory that a run has freed is not given back at once, and would hide the growth of the next.
				const own = await growth(150_000_000, ownNode('download'));
				assert.ok(own < 150_000_000, `${own} bytes`);
				const handBuilt = await growth(16_000_000, get({ options: FILE }), codeNode(DECRYPT));
				assert.ok(handBuilt > 160_000_000, `${handBuilt} bytes`);
			},
		],
		[
			'The password of the recordings',
			async () => {
				const { n8n } = stack;
				const [recording, older] = [
					await add({ password: PASSWORD }),
					await add({ password: FORMER_PASSWORD }),
				];
				const whereReadable = async (...nodes: WorkflowNode[]) => {
					const execution = await run(nodes, [recording]);
					assert.equal(execution.status, 'success', execution.error?.message);
					const stored = await Promise.all([
						n8n.rest('GET', `/rest/workflows/${execution.workflowId}`),
						n8n.rest('GET', `/rest/executions/${execution.id}`),
					]);
					return stored.map((record) => JSON.stringify(record).includes(PASSWORD));
				};
				assert.deepEqual(await whereReadable(get(), codeNode(DECRYPT)), [true, true]);
				assert.deepEqual(await whereReadable(ownNode('download')), [false, false]);
				const elsewhere = await run([
					codeNode(`let env = 'readable';
try { $env.HOME } catch (error) { env = error.message }
return [{ json: { env, credentials: typeof this.getCredentials } }];`),
				]);
				assert.deepEqual(outputOf(elsewhere)[0]?.json, {
					env: 'access to env vars denied',
					credentials: 'undefined',
				});

				const handBuilt = await run([get(), codeNode(DECRYPT)], [older]);
				assert.match(failure(handBuilt), /unable to authenticate data/);
				const voiceAgentRecordingPasswordApi = await n8n.createCredential({
					name: 'Password that was changed',
					type: 'voiceAgentRecordingPasswordApi',
					data: { password: PASSWORD, previous: { entries: [{ password: FORMER_PASSWORD }] } },
				});
				const credentials = { ...stack.credentials, voiceAgentRecordingPasswordApi };
				const own = await run([ownNode('download')], [older], { ...stack, credentials });
				assert.equal(outputOf(own)[0]?.json.passwordIndex, 1);
			},
		],
		[
			'A web page, JSON or nothing with status 200',
			async () => {
				for (const fault of [
					{ kind: 'html' },
					{ kind: 'status', status: 200, body: { error: 'try again later' } },
					{ kind: 'empty' },
				] as Array<FaultRule['fault']>) {
					const outcome = async (...nodes: WorkflowNode[]) => {
						const recording = await add({ format: 'wav' });
						const execution = await during(
							{ match: { endpoint: 'downloadRecording' }, fault },
							() => run(nodes, [recording]),
						);
						return { status: execution.status, recording: stateOf(recording) };
					};
					assert.deepEqual(await outcome(get(), remove()), {
						status: 'success',
						recording: 'deleted',
					});
					assert.deepEqual(await outcome(ownNode('download'), ownNode('delete')), {
						status: 'error',
						recording: 'stored',
					});
				}
			},
		],
		[
			'An encrypted download that ends early',
			async () => {
				const recording = await add({ format: 'wav', password: PASSWORD });
				const early = async (...nodes: WorkflowNode[]) =>
					await during(
						{
							match: { endpoint: 'downloadRecording' },
							fault: { kind: 'closeDelimited', atBytes: 1000 },
						},
						() => run(nodes, [recording]),
					);
				const handBuilt = await early(get({}, RETRY), codeNode(DECRYPT, RETRY));
				assert.match(failure(handBuilt), /unable to authenticate data/);
				assert.equal(requests('GET').length, 1);
				const own = await early(ownNode('download'));
				assert.equal(own.status, 'success', own.error?.message);
				assert.equal(requests('GET').length, 2);
			},
		],
		[
			'A plain WAV or Opus recording that ends early without an announced length',
			async () => {
				for (const format of ['wav', 'opus'] as const) {
					const recording = await stack.emulator.control.addRecording({ format });
					const cut = (times: number) =>
						({
							match: { endpoint: 'downloadRecording' },
							times,
							fault: { kind: 'closeDelimited', atBytes: 1000 },
						}) as const;
					const download = async (node: WorkflowNode) =>
						outputOf(await run([node], [{ sessionGuid: recording.sessionGuid }]))[0]?.binary?.data
							?.bytes;
					assert.equal(await during(cut(1), async () => await download(get())), 1000);
					const own = ownNode('download');
					assert.equal(await during(cut(1), async () => await download(own)), recording.plainBytes);
					assert.equal(await during(cut(2), async () => await download(own)), 1000);
				}
			},
		],
		[
			'A recording that is not there yet',
			async () => {
				const late = async (seconds: number, node: WorkflowNode) => {
					const recording = await add({ format: 'wav' });
					stack.emulator.control.addFault({
						match: { endpoint: 'downloadRecording', sessionGuid: recording.sessionGuid },
						fault: { kind: 'notReady', seconds },
					});
					const execution = await run([node], [recording]);
					const times = requests('GET', `${RECORDINGS}/${recording.sessionGuid}`).map(({ time }) =>
						Date.parse(time),
					);
					return { status: execution.status, times };
				};
				stack.emulator.control.clearLogs();
				const [mostTries, longestPause, own] = await Promise.all([
					late(60, get({}, { retryOnFail: true, maxTries: 50, waitBetweenTries: 500 })),
					late(60, get({}, { retryOnFail: true, maxTries: 2, waitBetweenTries: 60_000 })),
					late(7, ownNode('download', { waitUntilAvailable: 60 })),
				]);
				assert.equal(mostTries.status, 'error');
				assert.equal(mostTries.times.length, 5);
				assert.equal(longestPause.status, 'error');
				const [first = NaN, second = NaN] = longestPause.times;
				assert.ok(second - first < 8000, `${second - first} ms`);
				assert.equal(own.status, 'success');
			},
		],
		[
			'Status 429 or 503 with Retry-After',
			async () => {
				for (const status of [429, 503]) {
					const pause = async (node: WorkflowNode) => {
						const recording = await add({ format: 'wav' });
						const execution = await during(
							{
								match: { endpoint: 'downloadRecording' },
								fault: { kind: 'status', status, retryAfter: 3 },
							},
							() => run([node], [recording]),
						);
						assert.equal(execution.status, 'success', execution.error?.message);
						const [first, second] = requests('GET').map(({ time }) => Date.parse(time));
						return Number(second) - Number(first);
					};
					const handBuilt = await pause(get({}, RETRY));
					assert.ok(handBuilt < 2900, `${handBuilt} ms`);
					const own = await pause(ownNode('download'));
					assert.ok(own >= 2900, `${own} ms`);
				}
			},
		],
		[
			'Many recordings in one run',
			async () => {
				const many = async (node: WorkflowNode) => {
					const recordings: Array<{ sessionGuid: string }> = [];
					for (let index = 0; index < 8; index++) recordings.push(await add({ format: 'wav' }));
					const { sessionGuid } = recordings[5] ?? {};
					stack.emulator.control.addFault({
						match: { endpoint: 'downloadRecording', sessionGuid },
						fault: { kind: 'status', status: 500 },
					});
					const execution = await during(
						{
							match: { endpoint: 'downloadRecording' },
							times: 99,
							fault: { kind: 'delay', ms: 1000 },
						},
						() => run([node], recordings),
					);
					assert.deepEqual(
						outputOf(execution).map(({ json }) => json.sessionGuid),
						recordings.map((recording) => recording.sessionGuid),
					);
					return { requests: requests('GET').length, atOnce: mostAtOnce() };
				};
				const handBuilt = await many(get({}, RETRY));
				assert.equal(handBuilt.requests, 16);
				assert.equal(handBuilt.atOnce, 8);
				const batching = { batch: { batchSize: 1, batchInterval: 300 } };
				const spaced = await many(get({ options: { ...FILE, batching } }, RETRY));
				assert.equal(spaced.requests, 16);
				assert.ok(spaced.atOnce < 8, `${spaced.atOnce} at once`);
				const own = await many(ownNode('download'));
				assert.equal(own.requests, 9);
				assert.ok(own.atOnce <= 4, `${own.atOnce} at once`);
			},
		],
		[
			'An answer that does not end',
			async () => {
				const tiny = await add({ content: Buffer.from(`OggS${'.'.repeat(36)}`) });
				const timed = async (node: WorkflowNode) => {
					const execution = await run([node], [tiny]);
					return { execution, ms: execution.nodeTimeMs(node.name) };
				};
				await during(
					{
						match: { endpoint: 'downloadRecording' },
						times: 2,
						fault: { kind: 'slow', bytesPerInterval: 1, intervalMs: 100 },
					},
					async () => {
						const [handBuilt, own] = await Promise.all([
							timed(get({ options: { ...FILE, timeout: 1000 } })),
							timed(ownNode('download', { maxDuration: 1 })),
						]);
						assert.equal(handBuilt.execution.status, 'success');
						assert.ok(handBuilt.ms > 3000, `${handBuilt.ms} ms`);
						assert.match(failure(own.execution), /took too long/);
						assert.ok(own.ms < 3000, `${own.ms} ms`);
					},
				);

				const recording = await add({ format: 'wav' });
				await during(
					{
						match: { endpoint: 'downloadRecording' },
						times: 2,
						fault: { kind: 'gzipBomb', bytes: 50_000_000 },
					},
					async () => {
						const handBuilt = await run([get()], [recording]);
						assert.equal(outputOf(handBuilt)[0]?.binary?.data?.bytes, 50_000_000);
						const own = await run([ownNode('download', { maxSize: 2 })], [recording]);
						assert.match(failure(own), /too large/);
					},
				);
			},
		],
		[
			'A redirect to another host',
			async () => {
				const seen: string[][] = [];
				const other = createServer((request, response) => {
					seen.push(request.rawHeaders);
					response.end('OggS of somebody else');
				}).listen(0, '127.0.0.1');
				await new Promise((resolve) => other.once('listening', resolve));
				const { port } = other.address() as AddressInfo;
				const recording = await add({ format: 'wav' });
				const redirected = async (node: WorkflowNode) => {
					seen.length = 0;
					return await during(
						{
							match: { endpoint: 'downloadRecording' },
							times: 9,
							fault: { kind: 'redirect', to: `http://localhost:${port}/` },
						},
						() => run([node], [recording]),
					);
				};
				try {
					const handBuilt = await redirected(get());
					assert.equal(handBuilt.status, 'success');
					assert.equal(seen.length, 1);
					assert.ok(seen[0]?.includes(API_KEY));

					const notFollowed = { ...FILE, redirect: { redirect: { followRedirects: false } } };
					assert.equal((await redirected(get({ options: notFollowed }))).status, 'error');
					assert.equal(seen.length, 0);
					const httpHeaderAuth = await stack.n8n.createCredential({
						name: 'Token header for one host',
						type: 'httpHeaderAuth',
						data: {
							name: 'Token',
							value: API_KEY,
							allowedHttpRequestDomains: 'domains',
							allowedDomains: '127.0.0.1',
						},
					});
					const restricted = await redirected(get({}, { credentials: { httpHeaderAuth } }));
					assert.equal(restricted.status, 'error');
					assert.equal(seen.length, 0);

					const own = await redirected(ownNode('download'));
					assert.match(failure(own), /redirected the request to another address/);
					assert.equal(seen.length, 0);
				} finally {
					other.close();
				}
			},
		],
		[
			'A service that does not tell the format',
			async () => {
				stack.emulator.control.setShapes({ contentType: 'octet-stream', fileName: 'absent' });
				const recording = await add({ format: 'wav' });
				const file = async (node: WorkflowNode) => {
					const { fileName, mimeType } =
						outputOf(await run([node], [recording]))[0]?.binary?.data ?? {};
					return { fileName, mimeType };
				};
				assert.deepEqual(await file(get()), {
					fileName: recording.sessionGuid,
					mimeType: 'application/octet-stream',
				});
				assert.deepEqual(await file(ownNode('download')), {
					fileName: `${recording.sessionGuid}.wav`,
					mimeType: 'audio/wav',
				});
			},
		],
		[
			'The API key in execution records',
			async () => {
				const recording = await add({ format: 'wav' });
				const holdsKey = async (node: WorkflowNode, status: Execution['status']) => {
					const execution = await run([node], [recording]);
					assert.equal(execution.status, status);
					return execution.raw.includes(API_KEY);
				};
				assert.equal(await holdsKey(get(), 'success'), true);
				assert.equal(await holdsKey(ownNode('download'), 'success'), false);
				await during(
					{
						match: { endpoint: 'downloadRecording' },
						times: 9,
						fault: { kind: 'echoToken', status: 400 },
					},
					async () => {
						assert.equal(await holdsKey(get(), 'error'), true);
						assert.equal(await holdsKey(ownNode('download'), 'error'), false);
					},
				);
			},
		],
		[
			'CallStart while the workflow fails or is slow',
			async () => {
				const { control } = stack.emulator;
				const failing = {
					name: 'Fail',
					type: 'n8n-nodes-base.stopAndError',
					typeVersion: 1,
					parameters: { errorMessage: 'broken' },
				};
				const slow = {
					name: 'Wait',
					type: 'n8n-nodes-base.wait',
					typeVersion: 1.1,
					parameters: { resume: 'timeInterval', amount: 4, unit: 'seconds' },
				};
				const callWith = async (first: WorkflowNode, ...others: WorkflowNode[]) => {
					const callStart = await publish(first, ...others);
					control.clearLogs();
					control.setWebhooks({ callStart: callStart.url });
					const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 2 });
					const { recorded } = await control.completedCall(sessionGuid);
					control.setWebhooks({ callStart: null });
					return { recorded, status: control.deliveries()[0]?.status };
				};
				const byHand = async (...between: WorkflowNode[]) =>
					await callWith(await webhook({ responseMode: 'responseNode' }), ...between, {
						name: 'Respond to Webhook',
						type: 'n8n-nodes-base.respondToWebhook',
						typeVersion: 1.5,
						parameters: {
							respondWith: 'json',
							responseBody: '{"Service_Instructions":{"recordCall":true}}',
							options: {},
						},
					});
				const own = async (...between: WorkflowNode[]) =>
					await callWith(
						trigger({
							event: 'callStart',
							respond: 'responseNode',
							recordCall: true,
							options: { deadlineSeconds: 1 },
						}),
						...between,
						voiceAgent({ resource: 'callStart', operation: 'respond', recordCall: true }),
					);

				const answered = { recorded: true, status: 200 };
				assert.deepEqual(await byHand(), answered);
				assert.deepEqual(await byHand(failing), { recorded: false, status: 500 });
				assert.deepEqual(await byHand(slow), { recorded: false, status: null });
				for (const between of [[], [failing], [slow]]) {
					assert.deepEqual(await own(...between), answered);
				}
			},
		],
		[
			'A session GUID that is two dots',
			async () => {
				const sent = { sessionGuid: '..' };
				const encoded = `=${stack.emulator.url}${RECORDINGS}/{{ encodeURIComponent($json.sessionGuid) }}`;
				assert.equal((await post(await publish(await webhook()), sent)).status, 200);
				for (const method of ['GET', 'DELETE']) {
					stack.emulator.control.clearLogs();
					await run([get({ method, url: encoded })], [sent]);
					assert.deepEqual(
						requests(method).map(({ path }) => path),
						['/api/customer/'],
					);
				}

				assert.equal((await post(await publish(trigger({ event: 'callEnd' })), sent)).status, 400);
				stack.emulator.control.clearLogs();
				for (const operation of ['download', 'delete'] as const) {
					const own = await run([ownNode(operation)], [sent]);
					assert.match(failure(own), /session GUID cannot be used/);
				}
				assert.deepEqual(stack.emulator.control.requests(), []);
			},
		],
		[
			'A call that is placed while its answer is lost',
			async () => {
				const { control } = stack.emulator;
				const call = async (node: WorkflowNode) => {
					const before = control.calls().length;
					const execution = await during(
						{ match: { endpoint: 'makeCall' }, carryOut: true, fault: { kind: 'hangUp' } },
						() => run([node]),
					);
					return { execution, calls: control.calls().length - before };
				};
				const jsonBody = '{"to":"+15550100"}';
				const byHand = {
					method: 'POST',
					url: `${stack.emulator.url}/api/customer/makecall`,
					sendBody: true,
					specifyBody: 'json',
					jsonBody,
					options: {},
				};
				assert.equal((await call(get(byHand, RETRY))).calls, 2);
				assert.match(failure((await call(get(byHand))).execution), /You can retry the request/);

				const make = { resource: 'call', operation: 'make', specifyBody: 'json', jsonBody };
				const own = await call(voiceAgent(make));
				assert.equal(own.calls, 1);
				assert.match(failure(own.execution), /the call may have been placed/);
				const retried = await call(voiceAgent(make, RETRY));
				assert.equal(retried.calls, 1);
				assert.match(failure(retried.execution), /the call may have been placed/);
			},
		],
		[
			'A recording that no webhook reported',
			async () => {
				await emptyService();
				const recording = await add({ format: 'wav' });
				const path = `${RECORDINGS}/${recording.sessionGuid}`;
				/** How often the recording is downloaded while the list is looked at four times. */
				const downloads = async (...nodes: WorkflowNode[]) => {
					stack.emulator.control.clearLogs();
					const { workflowId } = await publish(...nodes);
					const deadline = Date.now() + 30_000;
					while (requests('GET', RECORDINGS).length < 4) {
						assert.ok(Date.now() < deadline, 'the list is not looked at any more');
						await sleep(100);
					}
					await stack.n8n.deactivate(workflowId);
					await sleep(500);
					return requests('GET', path).length;
				};
				const handBuilt = await downloads(
					{
						name: 'Schedule Trigger',
						type: 'n8n-nodes-base.scheduleTrigger',
						typeVersion: 1.2,
						parameters: {
							rule: { interval: [{ field: 'cronExpression', expression: EVERY_SECOND }] },
						},
					},
					{ ...get({ url: `${stack.emulator.url}${RECORDINGS}`, options: {} }), name: 'List' },
					get(),
				);
				assert.ok(handBuilt >= 3, `${handBuilt} downloads`);
				const own = await downloads(
					{
						name: 'Recordings waiting',
						type: 'n8n-nodes-voiceagent.voiceAgentRecordingTrigger',
						typeVersion: 1,
						parameters: {
							checkInterval: 'cronExpression',
							cronExpression: EVERY_SECOND,
							options: { minimumAge: 0 },
						},
					},
					ownNode('download'),
				);
				assert.equal(own, 1);
			},
		],
		[
			'A list whose shape is not known',
			async () => {
				await emptyService();
				const guids: string[] = [];
				for (let index = 0; index < 3; index++) guids.push((await add()).sessionGuid);
				const shapes = ['nextUrl', 'cursor', 'pageNumber', 'offset', 'linkHeader'] as const;
				for (const paging of shapes) {
					stack.emulator.control.setShapes({ list: 'paged', paging, pageSize: 2 });
					const list = { url: `${stack.emulator.url}${RECORDINGS}`, options: {} };
					const handBuilt = outputOf(await run([get(list)]));
					// The first page: two items where it is an array, otherwise one that holds both.
					const { data, items = data } = handBuilt[0]?.json ?? {};
					const page = paging === 'linkHeader' ? handBuilt : items;
					assert.equal((page as Json[]).length, 2);
					assert.equal(handBuilt.length, paging === 'linkHeader' ? 2 : 1);
					const own = await run([voiceAgent({ resource: 'recording', operation: 'getMany' })]);
					assert.deepEqual(
						outputOf(own)
							.map(({ json }) => json.sessionGuid)
							.sort(),
						[...guids].sort(),
					);
				}
			},
		],
		[
			'Deleting a recording that is already gone',
			async () => {
				const twice = async (node: WorkflowNode) => {
					const recording = await add();
					assert.equal((await run([node], [recording])).status, 'success');
					stack.emulator.control.clearLogs();
					return await run([node], [recording]);
				};
				assert.equal((await twice(remove(RETRY))).status, 'error');
				assert.equal(requests('DELETE').length, 3);
				assert.equal(outputOf(await twice(ownNode('delete')))[0]?.json.alreadyGone, true);
				assert.equal((await twice(ownNode('delete', { ifGone: 'fail' }))).status, 'error');
			},
		],
		[
			'An altered recording or a wrong password',
			async () => {
				const altered = await add({ format: 'wav', password: PASSWORD });
				await stack.emulator.control.tamper(altered.sessionGuid, { flipBitAt: 100 });
				const other = await add({ format: 'wav', password: FORMER_PASSWORD });
				for (const recording of [altered, other]) {
					const handBuilt = await run([get(), codeNode(DECRYPT)], [recording]);
					assert.match(failure(handBuilt), /unable to authenticate data/);
					assert.deepEqual(handBuilt.items('Code'), []);
					const own = await run([ownNode('download')], [recording]);
					assert.match(failure(own), /cannot be decrypted/);
					assert.deepEqual(own.items('download'), []);
				}
			},
		],
		[
			'A download shorter than announced',
			async () => {
				const recording = await add({ format: 'wav' });
				await during(
					{
						match: { endpoint: 'downloadRecording' },
						times: 9,
						fault: { kind: 'wrongLength', delta: 10 },
					},
					async () => {
						for (const node of [get(), ownNode('download')]) {
							const execution = await run([node], [recording]);
							assert.notEqual(failure(execution), '');
							assert.deepEqual(execution.items(node.name), []);
						}
					},
				);
			},
		],
		[
			'A plain MP3 that ends early without an announced length',
			async () => {
				const recording = await add({ format: 'mp3' });
				await during(
					{
						match: { endpoint: 'downloadRecording' },
						times: 9,
						fault: { kind: 'closeDelimited', atBytes: 1000 },
					},
					async () => {
						for (const node of [get(), ownNode('download')]) {
							const [item] = outputOf(await run([node], [recording]));
							assert.equal(item?.binary?.data?.bytes, 1000);
						}
					},
				);
			},
		],
		[
			'A webhook without the secret',
			async () => {
				for (const node of [await webhook(), trigger({ event: 'callEnd' })]) {
					const flow = await publish(node);
					const refused = await post(flow, { sessionGuid: randomUUID() }, 'another secret');
					assert.ok([401, 403].includes(refused.status), `${refused.status}`);
					const accepted = await post(flow, { sessionGuid: randomUUID() });
					assert.equal(accepted.status, 200);
					const { workflowId } = flow;
					// Only the accepted one has started a run.
					assert.equal((await stack.n8n.waitForExecutions({ workflowId, count: 1 })).length, 1);
				}
			},
		],
	];

	test('each row of docs/comparison.md is proven below, and nothing else', () => {
		assert.deepEqual(
			situationsOn(readFileSync(PAGE, 'utf8')),
			proofs.map(([situation]) => situation),
		);
	});

	for (const [situation, proof] of proofs) test(situation, proof);

	/** Runs a flow by hand, with these items. */
	async function run(
		nodes: WorkflowNode[],
		items: Array<Record<string, Json>> = [{}],
		on: Stack = stack,
	): Promise<Execution> {
		const { workflowId } = await importFlow(on, items, nodes);
		return await on.n8n.run(workflowId, { trigger: 'Start' });
	}

	/** Publishes a flow that begins with a trigger. */
	async function publish(...nodes: WorkflowNode[]): Promise<{ workflowId: string; url: string }> {
		const { n8n } = stack;
		const [first] = nodes;
		const workflowId = await n8n.importWorkflow(
			{
				name: `Flow of ${nodes.map(({ name }) => name).join(', ')}`,
				nodes: nodes.map((node, index) => ({
					...node,
					id: randomUUID(),
					position: [index * 220, 0],
				})),
				connections: chain(nodes.map(({ name }) => name)),
			},
			stack.credentials,
		);
		await n8n.activate(workflowId);
		const url = first?.webhookId === undefined ? '' : await n8n.webhookUrl(workflowId, first.name);
		return { workflowId, url };
	}

	async function post(
		{ url }: { url: string },
		body: unknown,
		secret: string = WEBHOOK_SECRET,
	): Promise<Response> {
		return await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', [WEBHOOK_HEADER]: secret },
			body: JSON.stringify(body),
		});
	}

	/** HTTP Request, which downloads the recording of an item unless the parameters say otherwise. */
	function get(
		parameters: Record<string, unknown> = {},
		settings: Record<string, unknown> = {},
	): WorkflowNode {
		return httpRequest(stack, token, parameters, settings);
	}

	function remove(settings: Record<string, unknown> = {}): WorkflowNode {
		return get({ method: 'DELETE', options: {} }, { ...settings, name: 'Delete' });
	}

	async function webhook(parameters: Record<string, unknown> = {}): Promise<WorkflowNode> {
		const httpHeaderAuth = await stack.n8n.createCredential({
			name: 'Webhook secret as a header',
			type: 'httpHeaderAuth',
			data: { name: WEBHOOK_HEADER, value: WEBHOOK_SECRET },
		});
		return {
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2.1,
			webhookId: randomUUID(),
			credentials: { httpHeaderAuth },
			parameters: {
				httpMethod: 'POST',
				path: randomUUID(),
				authentication: 'headerAuth',
				options: {},
				...parameters,
			},
		};
	}

	/** What the service has received since the logs were cleared. */
	function requests(method: string, path?: string) {
		return stack.emulator.control
			.requests()
			.filter((one) => one.method === method && (path === undefined || one.path === path));
	}

	/** How many requests were under way at the same moment. */
	function mostAtOnce(): number {
		const spans = requests('GET').map(({ time, durationMs }) => {
			const start = Date.parse(time);
			return { start, end: start + (durationMs ?? 0) };
		});
		return Math.max(
			...spans.map(
				({ start }) => spans.filter((one) => one.start <= start && start < one.end).length,
			),
		);
	}

	/** Does something while the service has a fault, with its logs cleared before. */
	async function during<T>(rule: FaultRule, action: () => Promise<T>): Promise<T> {
		const { control } = stack.emulator;
		control.clearLogs();
		const { id } = control.addFault(rule);
		try {
			return await action();
		} finally {
			control.removeFault(id);
		}
	}

	async function add(
		options: Parameters<Stack['emulator']['control']['addRecording']>[0] = {},
	): Promise<{ sessionGuid: string }> {
		const { sessionGuid } = await stack.emulator.control.addRecording(options);
		return { sessionGuid };
	}

	function stateOf({ sessionGuid }: { sessionGuid: string }) {
		return stack.emulator.control.recordings().find((one) => one.sessionGuid === sessionGuid)
			?.state;
	}

	/** Takes away what other tests have left. */
	async function emptyService(): Promise<void> {
		for (const { sessionGuid, state } of stack.emulator.control.recordings()) {
			if (state !== 'stored') continue;
			await fetch(`${stack.emulator.url}${RECORDINGS}/${sessionGuid}`, {
				method: 'DELETE',
				headers: { Token: API_KEY },
			});
		}
	}
});

function voiceAgent(
	parameters: Record<string, unknown>,
	settings: Record<string, unknown> = {},
): WorkflowNode {
	return {
		name: NODE,
		type: 'n8n-nodes-voiceagent.voiceAgent',
		typeVersion: 1,
		parameters,
		...settings,
	};
}

function ownNode(operation: 'download' | 'delete', options: object = {}): WorkflowNode {
	return voiceAgent(
		{ resource: 'recording', operation, recording: byGuid(), options },
		{ name: operation },
	);
}

function trigger(parameters: Record<string, unknown>): WorkflowNode {
	return {
		name: 'VoiceAgent Trigger',
		type: 'n8n-nodes-voiceagent.voiceAgentTrigger',
		typeVersion: 1,
		webhookId: randomUUID(),
		parameters,
	};
}

/** What the last node has put out, in a run that must have succeeded. */
function outputOf(execution: Execution): Item[] {
	assert.equal(execution.status, 'success', execution.error?.message);
	return execution.items(execution.nodes.at(-1) ?? '');
}

/** Message of the error that has ended the run; empty without one. */
function failure(execution: Execution): string {
	return execution.error?.message ?? '';
}

/** The first column of every table. */
function situationsOn(page: string): string[] {
	return page
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) => line.split('|')[1]?.trim() ?? '')
		.filter((cell) => cell !== 'Situation' && !/^-+$/.test(cell));
}
