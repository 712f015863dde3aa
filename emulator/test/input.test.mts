import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, shapes } from '../src/cli/values.mts';
import { createEmulator, type FaultRule } from '../src/index.mts';
import { call, list, raw, recordingPath, send, start } from './helpers.mts';

/* Input that was accepted once, and broke something later. */

test('the clock moves by whole milliseconds, and storing goes on', async (t) => {
	const emulator = await start(t, { defaultInstructions: { recordCall: true } });
	const { control, url } = emulator;
	await control.advanceClock(1.5);
	await control.advanceClock(-0.3);
	await send(url, 'POST', '/control/clock/advance', { body: { ms: 0.5 } });
	assert.ok(Number.isInteger(control.now()));
	assert.equal((await call(emulator)).recorded, true);
	await control.addRecording({ sessionGuid: 'added', content: Buffer.of(1) });
	assert.equal((await list(emulator)).length, 2);
});

test('the clock stays within the years 1970 to 9999', async (t) => {
	const emulator = await start(t);
	const { control } = emulator;
	for (const ms of [1e12, -1e12]) {
		const before = control.now();
		for (let moves = 0; ; moves += 1) {
			assert.ok(moves < 1000, 'the clock moves without end');
			const moved = control.advanceClock(ms).then(
				() => true,
				(error: unknown) => {
					assert.match(String(error), /ms would move the clock out of the years 1970 to 9999/);
					return false;
				},
			);
			if (!(await moved)) break;
		}
		assert.match(new Date(control.now()).toISOString(), /^\d{4}-/);
		assert.equal((await call(emulator)).state, 'completed');
		await control.addRecording({ content: Buffer.of(1) });
		await list(emulator);
		await control.advanceClock(before - control.now()).catch(() => undefined);
	}
});

test('an end of call that does not exist is refused', async (t) => {
	const { control } = await start(t);
	await assert.rejects(control.addRecording({ endedAt: '2016-12-31T23:59:60Z' }), /endedAt/);
});

const UNUSABLE_URLS = [
	'http://',
	'https://',
	'http://:80',
	'http://x:99999',
	'http://a b',
	'http:x',
];

test('a webhook target without a host is refused wherever it is set', async (t) => {
	const { control, url } = await start(t);
	for (const target of UNUSABLE_URLS) {
		for (const name of ['callStart', 'callEnd']) {
			const targets = { [name]: target };
			const reply = await send(url, 'PUT', '/control/webhooks', { body: targets });
			assert.equal(reply.status, 400, target);
			assert.deepEqual(reply.json().error?.fields, [name]);
			assert.throws(() => control.setWebhooks(targets), new RegExp(name));
			await assert.rejects(
				createEmulator({ webhooks: targets }),
				new RegExp(`^StartError: webhooks: ${name}`),
			);
		}
	}
	assert.deepEqual(control.webhooks(), { callStart: null, callEnd: null });
});

test('a webhook that cannot be delivered never breaks the call', async (t) => {
	for (const target of [
		'http://127.0.0.1:0/',
		'http://127.0.0.1:9/',
		'http://[::1]:9/',
		'http://user:pass@127.0.0.1:9/?a=b#c',
		'http://name.invalid/',
		'https://127.0.0.1:9/',
	]) {
		for (const secret of [
			{ in: 'query', name: 's', value: 'v' },
			{ in: 'header', name: 'Content-Length', value: 'abc' },
			{ in: 'header', name: 'Expect', value: '100-continue' },
		] as const) {
			const emulator = await start(t, {
				webhooks: { callStart: target, callEnd: target },
				webhookDelivery: { secret },
			});
			assert.equal((await call(emulator)).state, 'completed', target);
			const deliveries = emulator.control.deliveries();
			assert.deepEqual(
				deliveries.map(({ status, error }) => [status, typeof error]),
				[
					[null, 'string'],
					[null, 'string'],
				],
			);
		}
	}
});

test('a fault cannot inject a header or break the reply', async (t) => {
	const { control, url } = await start(t);
	const evil = ['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'snow ☃'];
	const faults = evil.flatMap((text): [FaultRule['fault'], string][] => [
		[{ kind: 'status', status: 429, retryAfter: text }, 'fault.retryAfter'],
		[{ kind: 'status', status: 500, contentType: text }, 'fault.contentType'],
		[{ kind: 'redirect', to: text }, 'fault.to'],
		[{ kind: 'headers', set: { 'X-Name': text } }, 'fault.set.X-Name'],
		[{ kind: 'headers', set: { [text]: 'value' } }, 'fault.set'],
	]);
	faults.push([{ kind: 'headers', set: { '': 'value' } }, 'fault.set']);
	faults.push([{ kind: 'status', status: 503, retryAfterDate: 1e300 }, 'fault.retryAfterDate']);
	for (const [fault, field] of faults) {
		const reply = await send(url, 'POST', '/control/faults', { body: { fault } });
		assert.equal(reply.status, 400, JSON.stringify(fault));
		assert.ok(reply.json().error?.fields?.includes(field), reply.body.toString());
		await assert.rejects(createEmulator({ faults: [{ fault }] }), /^StartError: faults: /);
	}
	assert.deepEqual(control.faults(), []);
});

test('line breaks in a body are sent as they are', async (t) => {
	const { control, url } = await start(t);
	const body = 'first\r\nX-Injected: 1\r\n\r\nsecond';
	control.addFault({ fault: { kind: 'status', status: 500, body, retryAfter: 'a, b;c' } });
	const reply = await send(url, 'GET', '/api/customer/recordings');
	assert.equal(reply.body.toString(), body);
	assert.equal(reply.headers['x-injected'], undefined);
	assert.equal(reply.headers['retry-after'], 'a, b;c');
});

test('headers that frame the body can be set without breaking the emulator', async (t) => {
	const { control, url } = await start(t);
	await control.addRecording({ sessionGuid: 'g', content: Buffer.alloc(100, 1) });
	for (const [name, value] of [
		['Content-Length', 'abc'],
		['Content-Length', '5'],
		['Transfer-Encoding', 'chunked'],
		['Connection', 'upgrade'],
		['Trailer', 'X-End'],
		['Date', ''],
	] as const) {
		for (const path of ['/api/customer/recordings', recordingPath('g')]) {
			control.addFault({ fault: { kind: 'headers', set: { [name]: value } } });
			await raw(url, path, { forMs: 100 });
			assert.equal((await send(url, 'GET', path)).status, 200, `${name}: ${value} ${path}`);
		}
	}
});

test('JSON that is nested too deep is refused, and the request log can still be read', async (t) => {
	const { url } = await start(t);
	const deep = `{"to":"+1","metadata":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
	const path = '/api/customer/makecall';
	assert.equal((await send(url, 'POST', path, { body: deep })).status, 400);
	await send(url, 'POST', '/control/faults', { body: { fault: { kind: 'empty' } } });
	assert.equal((await send(url, 'POST', path, { body: deep })).status, 200);
	const callEnd = await send(url, 'POST', '/control/recordings/g/call-end', {
		body: `{"body":${deep}}`,
	});
	assert.equal(callEnd.status, 400);
	const log = await send(url, 'GET', '/control/requests');
	assert.equal(log.status, 200);
	for (const entry of JSON.parse(log.body.toString()) as Record<string, unknown>[]) {
		assert.equal(entry['body'], null);
		assert.equal(Buffer.from(String(entry['bodyBase64']), 'base64').toString(), deep);
	}
});

test('API keys of the options are checked whole', async () => {
	const keys = [{ key: 'k' }, { key: 'k', permissions: ['fly'] }, { permissions: [] }];
	for (const key of keys) {
		await assert.rejects(createEmulator({ apiKeys: [key as never] }), /^StartError: .*key/i);
	}
});

test('an API key on the command line may contain "="', () => {
	const all = ['makeCall', 'listRecordings', 'downloadRecording', 'deleteRecording', 'sendSms'];
	const cases: [string, string, string[]][] = [
		['plain', 'plain', all],
		['c2VjcmV0Cg==', 'c2VjcmV0Cg==', all],
		['abc=', 'abc=', all],
		['a=b=all', 'a=b', all],
		['a=b=none', 'a=b', []],
		['c2VjcmV0Cg===none', 'c2VjcmV0Cg==', []],
		['k=makeCall,sendSms', 'k', ['makeCall', 'sendSms']],
		['c2Vj=b==listRecordings', 'c2Vj=b=', ['listRecordings']],
	];
	for (const [text, key, permissions] of cases) {
		assert.deepEqual(apiKey(text), { key, permissions }, text);
	}
	for (const text of ['secret=part', 'k=makeCall,fly', 'k=makeCall,', 'k=All']) {
		assert.throws(
			() => apiKey(text),
			({ message }: Error) =>
				/permissions after its last "="/.test(message) && !/part/.test(message),
			text,
		);
	}
});

test('a shape on the command line ends with the option', () => {
	assert.deepEqual(shapes(['list=paged', 'pageSize=2']), { list: 'paged', pageSize: 2 });
	assert.deepEqual(shapes(['list=paged=2']), { list: 'paged=2' });
	assert.throws(() => shapes(['list']), /--shape list needs "=<shape>"/);
});
