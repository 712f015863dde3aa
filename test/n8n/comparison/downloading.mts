/** Proofs of docs/comparison.md, section "Downloading". */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { FaultRule } from '../../../emulator/src/index.mts';
import type { Execution, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { API_KEY, PASSWORD } from '../../../harness/stack.mts';
import { codeNode, DECRYPT } from '../../bench/handBuiltFlow.mts';
import { failure, FILE, outputOf, ownNode, RECORDINGS, RETRY, type Proof } from './flows.mts';

export const downloading: Proof[] = [
	[
		'A web page, JSON or nothing with status 200',
		async ({ run, get, remove, during, add, stateOf }) => {
			for (const fault of [
				{ kind: 'html' },
				{ kind: 'status', status: 200, body: { error: 'try again later' } },
				{ kind: 'empty' },
			] as Array<FaultRule['fault']>) {
				const outcome = async (...nodes: WorkflowNode[]) => {
					const recording = await add({ format: 'wav' });
					const execution = await during({ match: { endpoint: 'downloadRecording' }, fault }, () =>
						run(nodes, [recording]),
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
		async ({ run, get, requests, during, add }) => {
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
		async ({ stack, run, get, during }) => {
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
				// Whenever it is tried.
				const failed = await during(
					cut(4),
					async () => await run([own], [{ sessionGuid: recording.sessionGuid }]),
				);
				assert.equal(failed.status, 'error');
			}
		},
	],
	[
		'A recording that is not there yet',
		async ({ stack, run, get, requests, add }) => {
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
		async ({ run, get, requests, during, add }) => {
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
		'A redirect to another host',
		async ({ stack, run, get, during, add }) => {
			const recording = await add({ format: 'wav' });
			const { control } = stack.emulator;
			const content = await readFile(await control.storedFile(recording.sessionGuid));
			const seen: string[][] = [];
			const other = createServer((request, response) => {
				seen.push(request.rawHeaders);
				response.end(content);
			}).listen(0, '127.0.0.1');
			await new Promise((resolve) => other.once('listening', resolve));
			const { port } = other.address() as AddressInfo;
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
				const own = await redirected(ownNode('download'));
				assert.equal(outputOf(own)[0]?.json.bytes, content.length);
				assert.equal(seen.length, 1);
				assert.ok(!seen[0]?.includes(API_KEY));
			} finally {
				other.close();
			}
		},
	],
	[
		'The API key in execution records',
		async ({ run, get, during, add }) => {
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
];
