import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send, start } from './helpers.mts';

const endpoints: [string, string, unknown][] = [
	['POST', '/api/customer/makecall', { to: '+15550100' }],
	['GET', '/api/customer/recordings', undefined],
	['GET', '/api/customer/recordings/x', undefined],
	['DELETE', '/api/customer/recordings/x', undefined],
	['POST', '/api/customer/sms', {}],
];

test('every endpoint, even an unknown one, refuses a request without a key', async (t) => {
	const { url } = await start(t);
	for (const [method, path, body] of [
		...endpoints,
		['GET', '/api/customer/x', undefined] as const,
	]) {
		const reply = await send(url, method, path, { headers: {}, body });
		assert.equal(reply.status, 401, `${method} ${path}`);
		assert.match(reply.json().error?.message ?? '', /"Token".*missing/);
	}
});

test('every endpoint answers 403 to a key without permissions', async (t) => {
	const { url, control } = await start(t);
	for (const [method, path, body] of endpoints) {
		const headers = { Token: 'demo-key-no-permission' };
		const reply = await send(url, method, path, { headers, body });
		assert.equal(reply.status, 403, `${method} ${path}`);
		assert.equal(reply.json().error?.code, 'forbidden');
	}
	assert.equal(control.calls().length, 0);
});

test('the header name is Token, and its letter case matters', async (t) => {
	const { url } = await start(t);
	for (const name of ['token', 'TOKEN', 'toKen']) {
		const headers = { [name]: 'demo-key' };
		const reply = await send(url, 'GET', '/api/customer/recordings', { headers });
		assert.equal(reply.status, 401, name);
		assert.ok(reply.json().error?.message.includes(`not "${name}"`));
	}
	const right = await send(url, 'GET', '/api/customer/recordings', {
		headers: { Token: 'demo-key' },
	});
	assert.equal(right.status, 200);
});

test('a key must be the bare key, sent once', async (t) => {
	const { url } = await start(t);
	for (const value of [
		'Bearer demo-key',
		'demo-keys',
		'demo-ke',
		'DEMO-KEY',
		'',
		['demo-key', 'demo-key'],
	]) {
		const reply = await send(url, 'GET', '/api/customer/recordings', { headers: { Token: value } });
		assert.equal(reply.status, 401, String(value));
	}
	for (const headers of [{ Authorization: 'Bearer demo-key' }, { Cookie: 'Token=demo-key' }]) {
		assert.equal((await send(url, 'GET', '/api/customer/recordings', { headers })).status, 401);
	}
});

test('own keys replace the default ones and are limited to their permissions', async (t) => {
	const { url } = await start(t, {
		apiKeys: [{ key: 'reader', permissions: ['listRecordings'] }],
	});
	const status = async (method: string, path: string, key: string) =>
		(await send(url, method, path, { headers: { Token: key } })).status;
	assert.equal(await status('GET', '/api/customer/recordings', 'reader'), 200);
	assert.equal(await status('DELETE', '/api/customer/recordings/x', 'reader'), 403);
	assert.equal(await status('GET', '/api/customer/recordings', 'demo-key'), 401);
});

test('a refusal never repeats the key that was sent', async (t) => {
	const { url } = await start(t);
	const headers = { Token: 'secret-4711 with space' };
	const reply = await send(url, 'GET', '/api/customer/recordings', { headers });
	assert.equal(reply.status, 401);
	assert.ok(!reply.body.toString().includes('4711'));
});
