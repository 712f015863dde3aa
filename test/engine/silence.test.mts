/**
 * A service that does not answer, or never to the end. In this file, the nodes give up after less
 * silence than usual.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { suite, test, type TestContext } from 'node:test';

import { listen } from '../../harness/listen.mts';
import { apiCredential, ownEngine } from './engines.mts';
import { getMany, inRecording } from './oneRecording.mts';
import { failure } from './outcome.mts';

const SILENCE_MS = 400;
const answer = createRequire(import.meta.url)('../../dist/nodes/service/http/answer.js');
answer.SILENCE_MS = SILENCE_MS;

/** Runs an operation with a service that answers as given, on a bare socket. */
async function outcome(
	t: TestContext,
	parameters: Record<string, unknown>,
	reply: (socket: Socket, method: string) => unknown,
): Promise<string> {
	const engine = await ownEngine(t);
	const server = createServer((socket) => {
		socket.on('error', () => socket.destroy());
		socket.once('data', (request: Buffer) => reply(socket, String(request).split(' ')[0] ?? ''));
	});
	const { port, close } = await listen(server);
	t.after(close);
	const voiceAgentApi = await apiCredential(engine, { baseUrl: `http://127.0.0.1:${port}` });
	const execution = await engine.runNode({
		parameters,
		items: [{ sessionGuid: crypto.randomUUID() }],
		credentials: { voiceAgentApi },
		settings: { onError: 'continueRegularOutput' },
	});
	return failure(execution);
}

const replies: Array<[string, (socket: Socket) => unknown]> = [
	['nothing', () => undefined],
	[
		'another protocol (101)',
		(socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
	],
	[
		'headers that never end',
		(socket) => {
			socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
			const timer = setInterval(() => socket.write('a'), SILENCE_MS / 4);
			socket.on('close', () => clearInterval(timer));
		},
	],
];
const call = { specifyBody: 'json', jsonBody: '{"to":"+15550100"}' };
const operations: Array<[Record<string, unknown>, RegExp]> = [
	[getMany(), /^timedOut: /],
	[inRecording('download'), /^timedOut: /],
	[inRecording('delete'), /^timedOut: /],
	[{ resource: 'call', operation: 'make', ...call }, /^callMayHaveBeenPlaced: /],
];

suite('a service that never answers to the end', { concurrency: 5, timeout: 120_000 }, () => {
	for (const [name, reply] of replies) {
		for (const [parameters, expected] of operations) {
			test(`${String(parameters.operation)} fails after ${name}`, async (t) => {
				assert.match(await outcome(t, parameters, reply), expected);
			});
		}

		test(`delete cannot say what is gone after a 404, and ${name} for the list`, async (t) => {
			const notFound = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
			const said = await outcome(t, inRecording('delete'), (socket, method) =>
				method === 'DELETE' ? socket.end(notFound) : reply(socket),
			);
			assert.match(said, /^maybeGone: .*timed out/);
		});
	}
});
