/** A service that does not answer, or never to the end. Here, the nodes give up after less silence than usual. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { suite, test, type TestContext } from 'node:test';

import { byGuid } from '../../harness/flow.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';
import { ownEngine } from './engines.mts';
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
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.once('data', (request: Buffer) => reply(socket, String(request).split(' ')[0] ?? ''));
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.after(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const data = { baseUrl, apiKey: API_KEY };
	const voiceAgentApi = await engine.n8n.createCredential({
		name: baseUrl,
		type: 'voiceAgentApi',
		data,
	});
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
	[{ resource: 'recording', operation: 'getMany' }, /^timedOut: /],
	[{ resource: 'recording', operation: 'download', recording: byGuid() }, /^timedOut: /],
	[
		{ resource: 'recording', operation: 'delete', requireProof: false, recording: byGuid() },
		/^timedOut: /,
	],
	[{ resource: 'call', operation: 'make', ...call }, /^callMayHaveBeenPlaced: /],
];

suite('a service that never answers to the end', { concurrency: 5, timeout: 120_000 }, () => {
	for (const [name, reply] of replies) {
		for (const [parameters, expected] of operations) {
			test(`${name}, ${String(parameters.operation)}: an error`, async (t) => {
				assert.match(await outcome(t, parameters, reply), expected);
			});
		}

		test(`${name} for the list after a 404: not clear whether the recording is gone`, async (t) => {
			const notFound = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
			const parameters = {
				resource: 'recording',
				operation: 'delete',
				requireProof: false,
				recording: byGuid(),
			};
			const said = await outcome(t, parameters, (socket, method) =>
				method === 'DELETE' ? socket.end(notFound) : reply(socket),
			);
			assert.match(said, /^maybeGone: .*timed out/);
		});
	}
});
