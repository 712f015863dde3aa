import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { NODE } from '../../harness/nodeRun.mts';
import { API_KEY, PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { getMany, inRecording } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';
import { ownService } from './ownService.mts';

const engine = await sharedEngine();
const { control } = engine.emulator;

/** What the service answers: with the list, or behind a slash with a recording. */
async function answerOf(path = '') {
	const answer = await fetch(`${engine.emulator.url}/api/customer/recordings${path}`, {
		headers: { Token: API_KEY },
	});
	return {
		type: String(answer.headers.get('content-type')),
		body: Buffer.from(await answer.bytes()),
	};
}

suite('behind a proxy that compresses although nobody asked, and announces the length', () => {
	for (const operation of ['getMany', 'download']) {
		// What is encrypted only grows by compression, and audio of the emulator shrinks.
		for (const password of [undefined, PASSWORD]) {
			test(`${operation} reads an answer again that was cut off (${password ? 'encrypted' : 'plain'})`, async (t) => {
				const recording = { format: 'wav', password, durationSeconds: 1 } as const;
				const { sessionGuid, plainSha256 } = await control.addRecording(recording);
				const { type, body } = await answerOf(operation === 'download' ? `/${sessionGuid}` : '');
				const zipped = gzipSync(body);
				const replies = [zipped.subarray(0, zipped.length / 2), zipped];
				const { run, requests } = await ownService(t, engine, () => ({
					headers: {
						'content-type': type,
						'content-encoding': 'gzip',
						'content-length': String(zipped.length),
						connection: 'close',
					},
					body: replies.shift(),
				}));
				const parameters = operation === 'download' ? inRecording(operation) : getMany();
				const execution = await run({ parameters, items: [{ sessionGuid }] });
				assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
				const items = execution.items(NODE).map(({ json }) => json);
				const item = items.find((one) => one.sessionGuid === sessionGuid);
				assert.equal(item?.sha256, operation === 'download' ? plainSha256 : undefined);
				assert.equal(requests.length, 2);
			});
		}
	}
});

suite('a recording that the service wraps in', () => {
	const wrapped = (bytes: Buffer) => Buffer.concat([Buffer.from('--x\r\n\r\n'), bytes]);
	const rows: Array<
		[string, (bytes: Buffer) => Buffer, headers: Record<string, string>, refused?: RegExp]
	> = [
		['br', brotliCompressSync, { 'content-encoding': 'br' }],
		['deflate', deflateSync, { 'content-encoding': 'deflate' }],
		['an encoding that is none', (bytes) => bytes, { 'content-encoding': 'UTF-8' }],
		[
			'two encodings',
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
		// Keep Encrypted keeps what it cannot read, but not what is known to be a part.
		const isKept = name === 'multipart';
		for (const decrypt of isKept ? ['automatic'] : ['automatic', 'never']) {
			test(`${name}, with Decrypt = ${decrypt}, is ${refused ? 'refused' : 'read'}`, async (t) => {
				const { sessionGuid, plainSha256 } = await control.addRecording({ format: 'mp3' });
				const body = wrap((await answerOf(`/${sessionGuid}`)).body);
				const { run } = await ownService(t, engine, () => ({
					headers: { 'content-type': 'audio/mpeg', ...headers },
					body,
				}));
				const parameters = inRecording('download', { decrypt });
				const execution = await run({ parameters, items: [{ sessionGuid }] });
				if (refused) assertFailed(execution, refused);
				else assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256);
			});
		}
	}
});
