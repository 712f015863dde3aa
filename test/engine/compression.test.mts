import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import type { Credential } from '../../harness/n8n/n8n.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { API_KEY, PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';
import { ownService } from './ownService.mts';

const engine = await sharedEngine();

suite('behind a proxy that compresses although nobody asked, and announces the length', () => {
	/** The next answer ends after half of what was announced. */
	let cutNext = false;
	let attempts = 0;
	const proxy = createServer(async (request, response) => {
		attempts += 1;
		const answer = await fetch(`${engine.emulator.url}${request.url}`, {
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
		voiceAgentApi = await engine.n8n.createCredential({
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
					const { control } = engine.emulator;
					const recording = await control.addRecording({
						format: 'wav',
						password,
						durationSeconds: 1,
					});
					attempts = 0;
					cutNext = cut;
					const execution = await engine.runNode({
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

suite('a recording that the service wraps', () => {
	const wrapped = (bytes: Buffer) => Buffer.concat([Buffer.from('--x\r\n\r\n'), bytes]);
	const rows: Array<
		[string, (bytes: Buffer) => Buffer, headers: Record<string, string>, refused?: RegExp]
	> = [
		['br', brotliCompressSync, { 'content-encoding': 'br' }],
		['deflate', deflateSync, { 'content-encoding': 'deflate' }],
		['an encoding that is none', (bytes) => bytes, { 'content-encoding': 'UTF-8' }],
		[
			'twice',
			(bytes) => brotliCompressSync(gzipSync(bytes)),
			{ 'content-encoding': 'gzip, br' },
			/^The answer of the service is compressed in a way that n8n cannot read: gzip, br$/,
		],
		[
			'multipart',
			wrapped,
			{ 'content-type': 'multipart/form-data; boundary=x' },
			/something that is not a recording/,
		],
		[
			'a part with status 200',
			(bytes) => bytes.subarray(0, 1000),
			{ 'content-range': 'bytes 0-999/4032' },
			/^The recording is not complete: only a part of it arrived$/,
		],
	];
	for (const [name, wrap, headers, refused] of rows) {
		for (const decrypt of ['automatic', 'never']) {
			test(`${name}, Decrypt = ${decrypt}: ${refused ? 'refused' : 'read'}`, async (t) => {
				const { control, url } = engine.emulator;
				const { sessionGuid, plainSha256 } = await control.addRecording({ format: 'mp3' });
				const stored = await fetch(`${url}/api/customer/recordings/${sessionGuid}`, {
					headers: { Token: API_KEY },
				});
				const body = wrap(Buffer.from(await stored.arrayBuffer()));
				const { voiceAgentApi } = await ownService(t, engine, () => ({
					headers: { 'content-type': 'audio/mpeg', ...headers },
					body,
				}));
				const execution = await engine.runNode({
					parameters: {
						resource: 'recording',
						operation: 'download',
						recording: byGuid(),
						decrypt,
					},
					items: [{ sessionGuid }],
					credentials: { voiceAgentApi },
				});
				if (refused) assertFailed(execution, refused);
				else assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256);
			});
		}
	}
});
