import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw, recordingPath, send, start } from './helpers.mts';

/** Service specification, Endpoints; HEAD is offered wherever GET is. */
const ALLOWED: [path: string, allow: string][] = [
	['/api/customer/makecall', 'OPTIONS, POST'],
	['/api/customer/recordings', 'GET, HEAD, OPTIONS'],
	[recordingPath('any'), 'DELETE, GET, HEAD, OPTIONS'],
	['/api/customer/recordings?x=1', 'GET, HEAD, OPTIONS'],
	['/api/customer/sms', 'OPTIONS, POST'],
	['/control/clock', 'GET, HEAD, OPTIONS'],
	['/control/faults', 'DELETE, GET, HEAD, OPTIONS, POST'],
	['/control/faults/7', 'DELETE, OPTIONS'],
	['/control/ca.pem', 'GET, HEAD, OPTIONS'],
	['/swagger/v1/swagger.json', 'GET, HEAD, OPTIONS'],
	['/', 'GET, HEAD, OPTIONS'],
];

test('another method is refused with 405 and the methods that are allowed', async (t) => {
	const { url } = await start(t);
	for (const [path, allow] of ALLOWED) {
		for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
			if (allow.includes(method)) continue;
			const reply = await send(url, method, path);
			assert.equal(reply.status, 405, `${method} ${path}`);
			assert.equal(reply.headers.allow, allow, `${method} ${path}`);
			if (method !== 'HEAD') assert.equal(reply.json().error?.code, 'method_not_allowed');
		}
		const options = await send(url, 'OPTIONS', path);
		assert.deepEqual([options.status, options.headers.allow], [204, allow], path);
	}
});

test('the refusal has the shape that is set, and asks for a key first', async (t) => {
	const { url } = await start(t, { shapes: { errorBody: 'problem' } });
	const path = '/api/customer/recordings';
	const refused = await send(url, 'PUT', path);
	assert.match(String(refused.headers['content-type']), /^application\/problem\+json/);
	assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS');
	for (const method of ['PUT', 'OPTIONS', 'HEAD']) {
		assert.equal((await send(url, method, path, { headers: {} })).status, 401, method);
	}
});

test('an unknown path is a 404 with every method', async (t) => {
	const { url } = await start(t);
	for (const path of [
		'/nowhere',
		'/api/customer',
		'/api/customer/recordings/a/b',
		'/api/customer/calls',
		'/control/ca-pem',
		'/controls',
	]) {
		for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
			assert.equal((await send(url, method, path)).status, 404, `${method} ${path}`);
		}
	}
});

test('HEAD says what GET would, without the body', async (t) => {
	const { url, control } = await start(t);
	await control.addRecording({ sessionGuid: 'plain', content: Buffer.alloc(1000, 1) });
	await control.addRecording({
		sessionGuid: 'large',
		sizeBytes: 2e9,
		format: 'wav',
		onTheFly: true,
	});
	const without = ({ date: _, connection: __, ...headers }: Record<string, unknown>) => headers;
	for (const path of ['/', '/api/customer/recordings', recordingPath('plain')]) {
		const get = await send(url, 'GET', path);
		const head = await send(url, 'HEAD', path);
		assert.equal(head.status, get.status, path);
		assert.deepEqual(without(head.headers), without(get.headers), path);
		const { body, head: text } = await raw(url, path, { method: 'HEAD' });
		assert.match(text, /^HTTP\/1\.1 200 /);
		assert.equal(body.length, 0, path);
	}
	const large = await send(url, 'HEAD', recordingPath('large'));
	assert.ok(Number(large.headers['content-length']) > 1e9);
	assert.equal((await send(url, 'HEAD', recordingPath('nobody'))).status, 404);
	assert.equal((await send(url, 'HEAD', '/api/customer/recordings', { headers: {} })).status, 401);
});

test('the first page says what this is and leads to the documentation', async (t) => {
	const { url, control } = await start(t);
	control.addFault({ times: 'always', fault: { kind: 'hangUp' } });
	const page = await send(url, 'GET', '/?from=browser', { headers: {} });
	assert.equal(page.status, 200);
	assert.match(String(page.headers['content-type']), /^text\/html/);
	assert.match(page.body.toString(), /stand-in for the voice-agent telephony service/);
	const links = [...page.body.toString().matchAll(/href="([^"]+)"/g)].map(([, path]) => path ?? '');
	assert.ok(links.includes('/swagger') && links.includes('/swagger/v1/swagger.json'));
	for (const path of links) assert.equal((await send(url, 'GET', path)).status, 200, path);
	assert.deepEqual(control.requests(), [], 'it is not a request to the service');
});
