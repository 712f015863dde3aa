import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { eventsOf, type Json, list, receiver, recordingPath, send, start } from './helpers.mts';

test('control works over HTTP without a key', async (t) => {
	const hooks = await receiver(t, () => ({ fine: true }));
	const emulator = await start(t);
	const { url } = emulator;
	const ask = async (method: string, path: string, body?: unknown, status = 200): Promise<Json> => {
		const reply = await send(url, method, `/control${path}`, { headers: {}, body });
		assert.equal(reply.status, status, `${method} ${path}: ${reply.body.toString()}`);
		return reply.json();
	};
	const first = async (path: string) => (await ask('GET', path))[0 as never] as Json;

	assert.deepEqual(await ask('GET', '/webhooks'), { callStart: null, callEnd: null });
	assert.deepEqual(await ask('PUT', '/webhooks', { callEnd: hooks.url }), {
		callStart: null,
		callEnd: hooks.url,
	});
	await ask('PUT', '/default-instructions', { instructions: { recordCall: true } });

	const placed = await ask('POST', '/calls', { to: '+1', durationSeconds: 1 });
	const guid = String(placed['sessionGuid']);
	const done = await ask('GET', `/calls/${guid}/completed`);
	assert.equal(done['state'], 'completed');
	assert.equal(done['recorded'], true);
	assert.deepEqual(await ask('GET', `/calls/${guid}`), done);
	assert.deepEqual(await first('/calls'), done);
	await ask('POST', `/calls/${guid}/end`, undefined, 409);
	await ask('GET', '/calls/nobody', undefined, 404);

	const content = Buffer.from('exact bytes');
	const added = await ask('POST', '/recordings', {
		sessionGuid: 'own',
		contentBase64: content.toString('base64'),
		format: 'mp3',
	});
	assert.equal(added['plainSha256'], createHash('sha256').update(content).digest('hex'));
	assert.ok((await send(url, 'GET', recordingPath('own'))).body.equals(content));
	await ask('POST', '/recordings', { sessionGuid: 'own', contentBase64: '' }, 409);
	const tampered = await ask('POST', '/recordings/own/tamper', { truncateTo: 5 });
	assert.equal(tampered['storedBytes'], 5);
	const delivery = await ask('POST', '/recordings/own/call-end', {});
	assert.equal(delivery['status'], 200);
	assert.equal(delivery['replyBody'], '{"fine":true}');
	await ask('POST', '/recordings/none/call-end', {}, 404);
	await ask('POST', '/recordings/none/call-end', { body: { any: ['shape'] } });
	assert.deepEqual(
		hooks.hooks.map(({ body }) => body['sessionGuid'] ?? body),
		[guid, 'own', { any: ['shape'] }],
	);

	const ledger = await ask('GET', '/recordings');
	assert.equal(ledger['length'], 2);
	const before = Date.parse(String((await ask('GET', '/clock'))['now']));
	const after = await ask('POST', '/clock/advance', { ms: 8 * 86_400_000 });
	assert.ok(Date.parse(String(after['now'])) - before >= 8 * 86_400_000);
	assert.equal((await first('/recordings'))['state'], 'purged');
	assert.deepEqual(await list(emulator), []);

	for (const path of ['/deliveries', '/requests', '/log']) {
		assert.ok(Number((await ask('GET', path))['length']) > 0, path);
	}
	await ask('DELETE', '/logs');
	for (const path of ['/deliveries', '/requests', '/log']) {
		assert.equal((await ask('GET', path))['length'], 0, path);
	}
});

test('control refuses what it does not know and names the field', async (t) => {
	const { url } = await start(t);
	const cases: [string, string, unknown, string][] = [
		['PUT', '/webhooks', { callEnd: 'ftp://x' }, 'callEnd'],
		['PUT', '/webhooks', { onEnd: 'http://x' }, 'onEnd'],
		['POST', '/recordings', { size: 1 }, 'size'],
		['POST', '/recordings', { format: 'flac' }, 'format'],
		['POST', '/recordings', { sessionGuid: 'a/b' }, 'sessionGuid'],
		['POST', '/recordings', { contentBase64: '!' }, 'contentBase64'],
		['POST', '/recordings', { contentBase64: '', sizeBytes: 9 }, 'content'],
		['POST', '/clock/advance', { ms: 'soon' }, 'ms'],
		['PUT', '/default-instructions', { recordCall: true }, 'recordCall'],
	];
	for (const [method, path, body, field] of cases) {
		const reply = await send(url, method, `/control${path}`, { headers: {}, body });
		assert.equal(reply.status, 400, `${path} ${JSON.stringify(body)}`);
		assert.ok(reply.json().error?.fields?.includes(field), reply.body.toString());
	}
});

test('control is closed to web pages that point a name of theirs to this machine', async (t) => {
	const { url } = await start(t);
	const { port } = new URL(url);
	for (const [host, status] of [
		[`evil.example:${port}`, 403],
		[`127.0.0.1:${port}`, 200],
		[`localhost:${port}`, 200],
	] as const) {
		const reply = await send(url, 'GET', '/control/clock', { headers: { Host: host } });
		assert.equal(reply.status, status, host);
	}
	const form = await send(url, 'POST', '/control/calls', {
		headers: { 'Content-Type': 'text/plain' },
		body: '{"to":"+1"}',
	});
	assert.equal(form.status, 415);
});

test('the request log keeps header names and values as they were sent, with body and status', async (t) => {
	const { url, control } = await start(t);
	await send(url, 'POST', '/api/customer/makecall?x=1', {
		headers: { Token: 'demo-key', 'X-oDD-Name': 'vAlue' },
		body: { to: '+1' },
	});
	await send(url, 'GET', '/api/customer/recordings', { headers: { tOKEN: 'demo-key' } });
	await send(url, 'GET', '/swagger/v1/swagger.json');
	const [post, get, ...others] = control.requests();
	assert.deepEqual(others, []);
	assert.equal(post?.method, 'POST');
	assert.equal(post?.path, '/api/customer/makecall?x=1');
	assert.equal(post?.status, 200);
	assert.deepEqual(post?.body, { to: '+1' });
	assert.deepEqual(
		post?.rawHeaders.filter(([name]) => /token|odd/i.test(name ?? '')),
		[
			['Token', 'demo-key'],
			['X-oDD-Name', 'vAlue'],
		],
	);
	assert.equal(get?.status, 401);
	assert.ok(get?.rawHeaders.some(([name]) => name === 'tOKEN'));
});

test('the request log notices a connection that is lost during a download', async (t) => {
	const { onEvent, event } = eventsOf();
	const { url, control } = await start(t, { onEvent });
	const { sessionGuid } = await control.addRecording({ format: 'wav', sizeBytes: 50_000_000 });
	const ended = event(({ type }) => type === 'request');
	const abort = new AbortController();
	const reply = await fetch(new URL(recordingPath(sessionGuid), url), {
		headers: [['Token', 'demo-key']],
		signal: abort.signal,
	});
	assert.equal(reply.status, 200);
	abort.abort();
	await ended;
	assert.equal(control.requests()[0]?.aborted, true);
});
