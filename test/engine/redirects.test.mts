/**
 * Downloads follow a redirect of the service to a storage address. Everything else follows no
 * redirect.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { suite, test, type TestContext } from 'node:test';

import type { FaultRule } from '../../emulator/src/index.mts';
import type { Engine } from '../../harness/engine/engine.mts';
import { byGuid } from '../../harness/flow.mts';
import { listen } from '../../harness/listen.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { assertNoSecret } from '../../harness/secrets.mts';
import { API_KEY, PASSWORD } from '../../harness/serviceAccess.mts';
import { ownEngine, ownRecording } from './engines.mts';
import { always, runOn } from './oneRecording.mts';
import { failure } from './outcome.mts';

/** What a storage address carries and nobody may see. */
const SECRET = 'X-Signature=0123456789abcdef';

/** A server of another origin, and what it got. */
async function storage(t: TestContext, answer: RequestListener) {
	const requests: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		requests.push(request);
		answer(request, response);
	});
	const { port, close } = await listen(server);
	t.after(close);
	return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, requests };
}

/** A recording at a service, and its bytes. */
async function recordingOf(t: TestContext) {
	const own = await ownRecording(t, { format: 'mp3', durationSeconds: 1 });
	return { ...own, content: await readFile(await own.control.storedFile(own.sessionGuid)) };
}

/** Answers each download with this redirect. */
function redirect(engine: Engine, to: string, status = 302): void {
	always(engine, 'downloadRecording', { kind: 'redirect', to, status });
}

const downloads = ({ emulator }: Engine) =>
	emulator.control.requests().filter(({ path }) => path.startsWith('/api/customer/recordings/'));

const headersOf = (pairs: readonly (readonly string[])[]) =>
	new Map(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value]));

suite('a download that is redirected', { concurrency: 4 }, () => {
	for (const [download, hops] of [
		['otherOrigin', 1],
		['relative', 1],
		['chain', 3],
	] as const) {
		test(`is followed, without the API key at other hosts: ${download} [fault 15] [security 1]`, async (t) => {
			const recording = { format: 'wav', password: PASSWORD, durationSeconds: 1 } as const;
			const { engine, control, sessionGuid, plainSha256 } = await ownRecording(t, recording);
			const { host } = new URL(engine.emulator.url);
			control.setShapes({ download });
			const execution = await runOn(engine, 'download', sessionGuid);
			assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256, failure(execution));
			const requests = control.requests().map(({ rawHeaders }) => headersOf(rawHeaders));
			assert.equal(requests.length, 1 + hops);
			for (const headers of requests) {
				const isService = headers.get('host') === host;
				assert.equal(headers.get('token'), isService ? API_KEY : undefined);
				assert.equal(headers.get('authorization'), undefined);
				assert.equal(headers.get('cookie'), undefined);
				assert.equal(headers.get('accept-encoding'), 'identity');
				assert.equal(headers.get('accept'), '*/*');
			}
			const toOthers = requests.filter((one) => one.get('host') !== host);
			assert.equal(toOthers.length > 0, download !== 'relative');
		});
	}

	for (const status of [301, 302, 303, 307, 308]) {
		test(`with status ${status} is followed with GET, to exactly the address that was given`, async (t) => {
			const { engine, sessionGuid, content } = await recordingOf(t);
			const other = await storage(t, (_request, response) => response.end(content));
			const path = `/bucket/a%2Fb%20c+d?${SECRET}%3D&x=a+b%2Bc`;
			redirect(engine, `${other.url}${path}#fragment`, status);
			const execution = await runOn(engine, 'download', sessionGuid);
			assert.equal(execution.items(NODE)[0]?.json.bytes, content.length, failure(execution));
			assert.deepEqual(
				other.requests.map(({ method, url }) => `${method} ${url}`),
				[`GET ${path}`],
			);
			await assertNoSecret(JSON.stringify(other.requests[0]?.rawHeaders), API_KEY);
			await assertNoSecret(execution.raw, SECRET);
		});
	}

	test('is followed to an address with letters of other languages', async (t) => {
		const { engine, sessionGuid, content } = await recordingOf(t);
		const other = await storage(t, (_request, response) => response.end(content));
		// Node writes and reads headers in Latin-1, whatever their bytes are.
		redirect(engine, Buffer.from(`${other.url}/größe.mp3`).toString('latin1'));
		const execution = await runOn(engine, 'download', sessionGuid);
		assert.equal(execution.items(NODE)[0]?.json.bytes, content.length, failure(execution));
		assert.equal(other.requests[0]?.url, '/gr%C3%B6%C3%9Fe.mp3');
	});

	test('is followed from a storage back to the service without the API key [fault 15]', async (t) => {
		const { engine, control, sessionGuid } = await recordingOf(t);
		const back = `${engine.emulator.url}/api/customer/recordings`;
		const other = await storage(t, (_request, response) =>
			response.writeHead(302, { location: back }).end(),
		);
		redirect(engine, other.url);
		assert.match(failure(await runOn(engine, 'download', sessionGuid)), /status 401/);
		const keys = control
			.requests()
			.filter(({ path }) => path === '/api/customer/recordings')
			.map(({ rawHeaders }) => headersOf(rawHeaders).get('token'));
		assert.ok(keys.length > 0);
		assert.deepEqual([...new Set(keys)], [undefined]);
	});

	test('with status 300 is not followed', async (t) => {
		const { engine, sessionGuid } = await ownRecording(t);
		const other = await storage(t, (_request, response) => response.end());
		redirect(engine, other.url, 300);
		assert.match(failure(await runOn(engine, 'download', sessionGuid)), /^redirected: /);
		assert.deepEqual(other.requests, []);
	});

	/** Redirects from hop to hop, `count` times, and then sends a file. */
	const hops = (count: number, content: Buffer): RequestListener => {
		return ({ url = '' }, response) => {
			const hop = Number(new URL(url, 'http://x').searchParams.get('hop'));
			if (hop < count) response.writeHead(302, { location: `?hop=${hop + 1}` }).end();
			else response.end(content);
		};
	};
	test('is followed five times, and not a sixth time', async (t) => {
		const { engine, sessionGuid, content } = await recordingOf(t);
		// The first redirect comes from the service.
		for (const [count, expected] of [
			[5, /undefined/],
			[6, /^redirectRefused: .*more than 5 in a row/],
		] as const) {
			const other = await storage(t, hops(count, content));
			redirect(engine, `${other.url}/?hop=1`);
			engine.emulator.control.clearLogs();
			const execution = await runOn(engine, 'download', sessionGuid);
			assert.match(failure(execution), expected);
			assert.equal(execution.items(NODE)[0]?.json.bytes, count === 5 ? content.length : undefined);
			assert.equal(other.requests.length, 5);
			assert.equal(downloads(engine).length, 1, 'it would be the same again');
			engine.emulator.control.clearFaults();
		}
	});

	const refused: Array<[name: string, to: string | null, text: RegExp]> = [
		['plain http', `http://storage.example.com/a?${SECRET}`, /https:\/\/, but with http:/],
		['another protocol', `ftp://127.0.0.1/a?${SECRET}`, /but with ftp:/],
		['no protocol', `//storage.example.com/a?${SECRET}`, /but with http:/],
		['a user', `https://pass@127.0.0.1/a?${SECRET}`, /user name or password/],
		['a password', `https://:pass@127.0.0.1/a?${SECRET}`, /user name or password/],
		['nonsense', `https://[/a?${SECRET}`, /address cannot be read/],
		['nothing', null, /it has no address/],
	];
	for (const [name, to, text] of refused) {
		test(`to ${name} is refused [fault 16]`, async (t) => {
			const { engine, sessionGuid } = await ownRecording(t);
			if (to === null) always(engine, 'downloadRecording', { kind: 'empty', status: 302 });
			else redirect(engine, to);
			const execution = await runOn(engine, 'download', sessionGuid);
			assert.match(failure(execution), /^redirectRefused: The download was redirected/);
			assert.match(failure(execution), text);
			await assertNoSecret(execution.raw, SECRET, 'pass@');
			assert.equal(downloads(engine).length, 1);
		});
	}

	test('to a storage that cannot be reached is an error, which names the storage', async (t) => {
		const { engine, sessionGuid } = await ownRecording(t);
		redirect(engine, `https://127.0.0.1:1/a?${SECRET}`);
		const execution = await runOn(engine, 'download', sessionGuid);
		const text = /^storageFailed: .*: 127\.0\.0\.1:1 cannot be reached: connection refused/;
		assert.match(failure(execution), text);
		await assertNoSecret(execution.raw, SECRET);
	});

	const body = '<Error><Code>AccessDenied</Code></Error>';
	for (const status of [401, 404, 410, 503]) {
		test(`to a storage that answers ${status} says nothing of the recording or the API key`, async (t) => {
			const { engine, sessionGuid } = await ownRecording(t);
			const other = await storage(t, (_request, response) => response.writeHead(status).end(body));
			redirect(engine, `${other.url}/a?${SECRET}`);
			const execution = await runOn(engine, 'download', sessionGuid);
			assert.match(failure(execution), /^storageFailed: The download was redirected/);
			assert.match(failure(execution), new RegExp(`${other.host} answered with status ${status}`));
			await assertNoSecret(execution.raw, SECRET);
			assert.ok(!engine.emulator.control.requests().some(({ path }) => /recordings$/.test(path)));
			assert.equal(downloads(engine).length, 4, 'each attempt gets a new link');
			assert.equal(other.requests.length, 4);
		});
	}

	test('to a storage that does not have the file yet is waited for', async (t) => {
		const { engine, control, sessionGuid } = await ownRecording(t);
		control.setShapes({ download: 'otherOrigin' });
		const fault: FaultRule['fault'] = { kind: 'status', status: 404 };
		control.addFault({ match: { path: '/storage/*' }, times: 5, fault });
		const waiting = { waitUntilAvailable: 30 };
		const execution = await runOn(engine, 'download', sessionGuid, waiting);
		assert.equal(execution.items(NODE)[0]?.json.format, 'opus', failure(execution));
	});

	test('to a storage that cuts the file off begins again at the service', async (t) => {
		const recording = { format: 'wav', durationSeconds: 1 } as const;
		const { engine, control, sessionGuid, plainSha256 } = await ownRecording(t, recording);
		control.setShapes({ download: 'otherOrigin' });
		control.addFault({ match: { path: '/storage/*' }, fault: { kind: 'drop', afterBytes: 1000 } });
		const execution = await runOn(engine, 'download', sessionGuid);
		assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256);
		assert.equal(downloads(engine).length, 2);
	});
});

suite('everything else follows no redirect [fault 15]', () => {
	const operations: Array<[resource: string, operation: string, Record<string, unknown>]> = [
		['recording', 'getMany', {}],
		['recording', 'delete', { recording: byGuid('session-1'), requireProof: false }],
		['call', 'make', { specifyBody: 'json', jsonBody: '{"to":"+15550100"}' }],
		['sms', 'send', { fields: { field: [{ name: 'to', value: '+15550100' }] } }],
	];
	for (const [resource, operation, parameters] of operations) {
		test(`${resource}: ${operation}`, async (t) => {
			const engine = await ownEngine(t);
			const other = await storage(t, (_request, response) => response.end('[]'));
			for (const status of [301, 302, 303, 307, 308]) {
				engine.emulator.control.addFault({ fault: { kind: 'redirect', to: other.url, status } });
				const execution = await engine.runNode({
					parameters: { resource, operation, ...parameters },
					settings: { onError: 'continueRegularOutput' },
				});
				assert.match(failure(execution), /The service redirected the request to another address/);
				assert.equal(engine.emulator.control.requests().length, 1);
				engine.emulator.control.clearLogs();
			}
			assert.deepEqual(other.requests, []);
		});
	}
});
