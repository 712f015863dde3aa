import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmulator } from '../src/index.mts';
import { signatureHeaders } from '../src/webhooks/signing.mts';
import { call, receiver, recordingPath, send, start } from './helpers.mts';

const content = Buffer.of(1);

test('retries: until a reply is good, with a pause, each attempt recorded', async (t) => {
	let failures = 2;
	const times: number[] = [];
	const hooks = await receiver(t, (_hook, response) => {
		times.push(performance.now());
		if ((failures -= 1) >= 0) response.statusCode = 503;
		return {};
	});
	const emulator = await start(t, {
		webhooks: { callEnd: hooks.url },
		webhookDelivery: { retries: 3, retryDelayMs: 60 },
	});
	await call(emulator);
	const outcomes = () =>
		emulator.control
			.deliveries()
			.map(({ attempt, copy, status, error }) => [attempt, copy, status, error]);
	assert.deepEqual(outcomes(), [
		[1, 1, 503, 'the reply has status 503'],
		[2, 1, 503, 'the reply has status 503'],
		[3, 1, 200, null],
	]);
	const [first = 0, second = 0] = times;
	assert.ok(second - first >= 55, `${second - first} ms`);

	failures = 10;
	emulator.control.clearLogs();
	await emulator.control.addRecording({ sessionGuid: 'g', content });
	const last = await emulator.control.sendCallEnd('g');
	assert.equal(last.attempt, 4);
	assert.equal(last.status, 503);
	assert.equal(emulator.control.deliveries().length, 4);
});

test('copies: every webhook is sent several times simultaneously, and the first one counts', async (t) => {
	let running = 0;
	let most = 0;
	// Nobody gets a reply before all three copies have arrived.
	let together = Promise.withResolvers<undefined>();
	const hooks = await receiver(t, async ({ body }) => {
		most = Math.max(most, (running += 1));
		if (running === 3) together.resolve(undefined);
		await together.promise;
		running -= 1;
		if (running === 0) together = Promise.withResolvers();
		return body['event'] === 'CallStart' ? { Service_Instructions: { recordCall: true } } : {};
	});
	const emulator = await start(t, {
		webhooks: { callStart: hooks.url, callEnd: hooks.url },
		webhookDelivery: { copies: 3 },
	});
	const done = await call(emulator);
	assert.equal(done.recorded, true);
	assert.equal(most, 3, 'at the same time');
	assert.deepEqual(
		hooks.hooks.map(({ body }) => body['event']),
		['CallStart', 'CallStart', 'CallStart', 'CallEnd', 'CallEnd', 'CallEnd'],
	);
	assert.equal(new Set(hooks.hooks.map(({ body }) => body['sessionGuid'])).size, 1);
	const copies = emulator.control.deliveries().map(({ copy }) => copy);
	assert.deepEqual(copies.toSorted(), [1, 1, 2, 2, 3, 3]);
});

test('delayMs: the webhook is late, and never sent if the emulator stops first', async (t) => {
	const hooks = await receiver(t, () => ({}));
	const emulator = await createEmulator({
		webhooks: { callEnd: hooks.url },
		webhookDelivery: { delayMs: 120 },
	});
	await emulator.control.addRecording({ sessionGuid: 'g', content });
	const begin = performance.now();
	await emulator.control.sendCallEnd('g');
	assert.ok(performance.now() - begin >= 119);
	emulator.control.setWebhookDelivery({ delayMs: 600_000 });
	const late = emulator.control.sendCallEnd('g');
	await emulator.close();
	assert.match((await late).error ?? '', /stopped/);
	assert.equal(hooks.hooks.length, 1);
});

test('reorder: CallEnds arrive last one first, and none is held forever', async (t) => {
	const hooks = await receiver(t, () => ({}));
	const { control } = await start(t, {
		webhooks: { callEnd: hooks.url },
		webhookDelivery: { reorder: 3, reorderWaitMs: 150 },
	});
	for (const sessionGuid of ['a', 'b', 'c', 'd', 'e']) {
		await control.addRecording({ sessionGuid, content });
	}
	await Promise.all(['a', 'b', 'c', 'd', 'e'].map((guid) => control.sendCallEnd(guid)));
	assert.deepEqual(
		hooks.hooks.map(({ body }) => body['sessionGuid']),
		['c', 'b', 'a', 'e', 'd'],
	);
	control.setWebhookDelivery({ reorder: 1 });
	await control.sendCallEnd('a');
	assert.equal(hooks.hooks.length, 6);
});

test('secret: in a header with its letter case, or in the query, in every attempt', async (t) => {
	const hooks = await receiver(t, () => ({}));
	const { control } = await start(t, { webhooks: { callEnd: `${hooks.url}/hook?x=1` } });
	await control.addRecording({ sessionGuid: 'g', content });
	control.setWebhookDelivery({ secret: { in: 'header', name: 'X-Voice-Secret', value: 'a/b=c' } });
	const first = await control.sendCallEnd('g');
	assert.equal(first.requestHeaders['X-Voice-Secret'], 'a/b=c');
	control.setWebhookDelivery({ secret: { in: 'query', name: 'key', value: 'a/b=c&d' } });
	const second = await control.sendCallEnd('g');
	assert.equal(new URL(second.url).searchParams.get('key'), 'a/b=c&d');
	control.setWebhookDelivery({ secret: null });
	await control.sendCallEnd('g');
	const [inHeader, inQuery, none] = hooks.hooks;
	const at = inHeader?.rawHeaders.indexOf('X-Voice-Secret') ?? -1;
	assert.equal(inHeader?.rawHeaders[at + 1], 'a/b=c');
	assert.equal(inHeader.path, '/hook?x=1');
	assert.equal(inQuery?.path, '/hook?x=1&key=a%2Fb%3Dc%26d');
	assert.equal(none?.path, '/hook?x=1');
	assert.ok(!none.rawHeaders.includes('X-Voice-Secret'));
	assert.ok(!JSON.stringify(control.log()).includes('a/b=c'));
});

test('signing: published and calculated signatures', () => {
	const body = '{"test": 2432232314}';
	const when = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', nowMs: 1_614_265_330_000 };
	// From the reference libraries of standardwebhooks.com.
	const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
	assert.deepEqual(signatureHeaders(body, { scheme: 'standardWebhooks', secret }, when), {
		'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
		'webhook-timestamp': '1614265330',
		'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
	});
	// RFC 4231 and RFC 2202.
	const jefe = { scheme: 'hmac', secret: 'Jefe' } as const;
	const what = 'what do ya want for nothing?';
	assert.deepEqual(signatureHeaders(what, jefe, when), {
		'X-Webhook-Signature': '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
	});
	assert.deepEqual(
		signatureHeaders(what, { ...jefe, algorithm: 'sha1', header: 'X-S', prefix: 'sha1=' }, when),
		{ 'X-S': 'sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79' },
	);
	// Calculated with Python's hmac module.
	const timed = {
		scheme: 'hmac',
		secret: 'correct-horse-battery',
		timestampHeader: 'X-T',
	} as const;
	assert.deepEqual(signatureHeaders(body, timed, when), {
		'X-T': '1614265330',
		'X-Webhook-Signature': '0528b88d5baf9ee1f6fb913a5bfb5a800c9f54d26247d4264363bc903faec04a',
	});
});

test('signing: each attempt has the id of its webhook, and the time of its own', async (t) => {
	const hooks = await receiver(t, (_hook, response) => {
		response.statusCode = 503;
		return {};
	});
	const { control } = await start(t, {
		webhooks: { callEnd: hooks.url },
		webhookDelivery: {
			retries: 1,
			retryDelayMs: 0,
			signing: { scheme: 'standardWebhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
		},
	});
	await control.addRecording({ sessionGuid: 'g', content });
	await control.sendCallEnd('g');
	await control.sendCallEnd('g');
	const ids = control.deliveries().map(({ requestHeaders }) => requestHeaders['webhook-id']);
	assert.equal(ids.length, 4);
	assert.equal(ids[0], ids[1]);
	assert.equal(ids[2], ids[3]);
	assert.notEqual(ids[0], ids[2]);
	control.setWebhookDelivery({ signing: null });
	const { requestHeaders } = await control.sendCallEnd('g');
	assert.ok(!Object.keys(requestHeaders).some((name) => name.startsWith('webhook-')));
});

test('delivery rules over HTTP control, and unknown ones are refused by name', async (t) => {
	const { url, control } = await start(t);
	const ask = (method: string, body?: unknown) =>
		send(url, method, '/control/webhook-delivery', { headers: {}, body });
	const rules = { retries: 2, copies: 3, secret: { in: 'header', name: 'X-S', value: 'v' } };
	const put = (await ask('PUT', rules)).json();
	assert.deepEqual(put, {
		preset: null,
		retryDelayMs: 1000,
		delayMs: 0,
		reorder: 1,
		reorderWaitMs: 1000,
		signing: null,
		...rules,
	});
	assert.deepEqual((await ask('GET')).json(), put);
	assert.equal((await ask('PUT', { secret: null })).json()['secret'], null);
	for (const [body, field] of [
		[{ copies: 0 }, 'copies'],
		[{ retry: 1 }, 'retry'],
		[{ preset: 'fax' }, 'preset'],
		[{ preset: 'svix', retries: 1 }, 'retries'],
		[{ secret: { in: 'cookie', name: 'x', value: 'y' } }, 'secret.in'],
		[{ secret: { in: 'header', name: 'a b', value: 'y' } }, 'secret.name'],
		[{ secret: { in: 'header', name: 'x', value: 'a\r\nb' } }, 'secret.value'],
		[{ signing: { scheme: 'hmac' } }, 'signing.secret'],
		[{ signing: { scheme: 'magic', secret: 'x' } }, 'signing.scheme'],
		[{ signing: { scheme: 'hmac', secret: 'x', header: 'a b' } }, 'signing.header'],
		[{ signing: { scheme: 'hmac', secret: 'x', prefix: 'a\r\nb' } }, 'signing.prefix'],
	] as const) {
		const reply = await ask('PUT', body);
		assert.equal(reply.status, 400, reply.body.toString());
		assert.ok(reply.json().error?.fields?.includes(field), reply.body.toString());
		assert.throws(() => control.setWebhookDelivery(body as never), new RegExp(field));
		const options = { webhookDelivery: body as never };
		await assert.rejects(createEmulator(options), /^StartError: webhookDelivery: /);
	}
});

test('recordingDelayMs: CallEnd comes first, the recording later', async (t) => {
	const seen: number[] = [];
	let url = '';
	const hooks = await receiver(t, async ({ body }) => {
		assert.equal(body['recorded'], true);
		seen.push((await send(url, 'GET', recordingPath(String(body['sessionGuid'])))).status);
		return {};
	});
	const emulator = await start(t, {
		webhooks: { callEnd: hooks.url },
		defaultInstructions: { recordCall: true },
		recordingDelayMs: 200,
	});
	({ url } = emulator);
	const done = await call(emulator);
	assert.deepEqual(seen, [404]);
	assert.equal(done.recorded, true);
	assert.equal((await send(url, 'GET', recordingPath(done.sessionGuid))).status, 200);
	const setting = await send(url, 'PUT', '/control/call-settings', {
		headers: {},
		body: { recordingDelayMs: 0 },
	});
	assert.deepEqual(setting.json(), { recordingDelayMs: 0 });
	await call(emulator);
	assert.deepEqual(seen, [404, 200]);
	await assert.rejects(createEmulator({ recordingDelayMs: -1 }), /recordingDelayMs/);
});

test('the API keys over HTTP control', async (t) => {
	const { url } = await start(t);
	const ask = (method: string, body?: unknown) =>
		send(url, method, '/control/api-keys', { headers: {}, body });
	const apiKeys = [{ key: 'rotated', permissions: ['listRecordings'] }];
	assert.equal((await ask('PUT', { apiKeys })).status, 200);
	assert.deepEqual((await ask('GET')).json(), { apiKeys });
	assert.equal((await send(url, 'GET', '/api/customer/recordings')).status, 401);
	const wrong = await ask('PUT', { apiKeys: [{ key: 'x', permissions: ['fly'] }] });
	assert.equal(wrong.status, 400);
});
