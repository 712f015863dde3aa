import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { call, list, receiver, send, start } from './helpers.mts';

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

test('makecall answers with the session GUID of a queued call', async (t) => {
	const { url, control } = await start(t);
	const reply = await send(url, 'POST', '/api/customer/makecall', {
		body: { to: '+15550100', from: '+15550199', durationSeconds: 3, metadata: { order: 7 } },
	});
	assert.equal(reply.status, 200);
	const { sessionGuid, ...rest } = reply.json();
	assert.match(String(sessionGuid), GUID);
	assert.deepEqual(rest, { status: 'queued', to: '+15550100' });
	const done = await control.completedCall(String(sessionGuid));
	assert.equal(done.state, 'completed');
	assert.equal(done.durationSeconds, 3);
	assert.deepEqual(done.metadata, { order: 7 });
});

test('makecall refuses what it does not know and names the fields', async (t) => {
	const { url, control } = await start(t);
	const cases: [unknown, string[]][] = [
		[{}, ['to']],
		[{ to: '' }, ['to']],
		[{ to: 5 }, ['to']],
		[{ to: '+1', phone: '+2', speed: 1 }, ['phone', 'speed']],
		[{ to: '+1', durationSeconds: '5' }, ['durationSeconds']],
		[{ to: '+1', durationSeconds: 0 }, ['durationSeconds']],
		[{ to: '+1', from: null }, ['from']],
		[{ to: '+1', metadata: { nested: {} } }, ['metadata.nested']],
	];
	for (const [body, fields] of cases) {
		const reply = await send(url, 'POST', '/api/customer/makecall', { body });
		assert.equal(reply.status, 400, JSON.stringify(body));
		const { error } = reply.json();
		assert.deepEqual(error?.fields, fields);
		for (const field of fields) assert.ok(error.message.includes(field), error.message);
	}
	for (const body of ['', '[]', '"x"', 'null', '{', '{"to":"+1","__proto__":{"a":1}}']) {
		const headers = { Token: 'demo-key', 'Content-Type': 'application/json' };
		const reply = await send(url, 'POST', '/api/customer/makecall', { headers, body });
		assert.equal(reply.status, 400, body);
		assert.ok(reply.json().error?.message);
	}
	const form = await send(url, 'POST', '/api/customer/makecall', {
		headers: { Token: 'demo-key', 'Content-Type': 'application/x-www-form-urlencoded' },
		body: 'to=%2B1',
	});
	assert.equal(form.status, 415);
	assert.equal(control.calls().length, 0);
});

test('CallStart, recording, CallEnd: the whole flow over sockets', async (t) => {
	const hooks = await receiver(t, ({ body }) =>
		body['event'] === 'CallStart'
			? { Service_Instructions: { recordCall: true, recordCallFormat: 'wav' } }
			: {},
	);
	const emulator = await start(t, {
		webhooks: { callStart: `${hooks.url}/start`, callEnd: `${hooks.url}/end` },
	});
	const done = await call(emulator, { to: '+15550100', durationSeconds: 2, metadata: { a: 'b' } });

	const [first, second, ...others] = hooks.hooks;
	assert.deepEqual(others, []);
	assert.equal(first?.path, '/start');
	assert.equal(first.contentType, 'application/json');
	assert.deepEqual(first.body, {
		event: 'CallStart',
		sessionGuid: done.sessionGuid,
		to: '+15550100',
		from: null,
		startedAt: done.startedAt,
		metadata: { a: 'b' },
	});
	assert.equal(second?.path, '/end');
	assert.deepEqual(second.body, {
		event: 'CallEnd',
		sessionGuid: done.sessionGuid,
		to: '+15550100',
		from: null,
		startedAt: done.startedAt,
		endedAt: done.endedAt,
		durationSeconds: 2,
		outcome: 'answered',
		recorded: true,
		metadata: { a: 'b' },
	});
	assert.deepEqual(await list(emulator), [
		{
			sessionGuid: done.sessionGuid,
			to: '+15550100',
			from: null,
			startedAt: done.startedAt,
			endedAt: done.endedAt,
			durationSeconds: 2,
			format: 'wav',
			encrypted: false,
			sizeBytes: 44 + 2 * 16_000 * 2, // header + seconds * samples per second * bytes
		},
	]);
	const deliveries = emulator.control.deliveries();
	assert.deepEqual(
		deliveries.map(({ event, status, error }) => ({ event, status, error })),
		[
			{ event: 'CallStart', status: 200, error: null },
			{ event: 'CallEnd', status: 200, error: null },
		],
	);
	assert.match(deliveries[0]?.replyBody ?? '', /"recordCallFormat":"wav"/);
});

test('the recording can be downloaded when CallEnd arrives', async (t) => {
	let emulatorUrl = '';
	let status = 0;
	const hooks = await receiver(t, async ({ body }) => {
		const path = `/api/customer/recordings/${String(body['sessionGuid'])}`;
		status = (await send(emulatorUrl, 'GET', path)).status;
		return {};
	});
	const emulator = await start(t, {
		webhooks: { callEnd: hooks.url },
		defaultInstructions: { recordCall: true },
	});
	emulatorUrl = emulator.url;
	await call(emulator);
	assert.equal(status, 200);
});

/** Instruction block, then what becomes of the call. */
const blocks: [string, unknown, Record<string, unknown>, RegExp?][] = [
	['recordCall true', { recordCall: true }, { record: true, format: 'opus', encrypted: false }],
	['mp3', { recordCall: true, recordCallFormat: 'mp3' }, { record: true, format: 'mp3' }],
	['wav', { recordCall: true, recordCallFormat: 'wav' }, { record: true, format: 'wav' }],
	['format null', { recordCall: true, recordCallFormat: null }, { record: true, format: 'opus' }],
	['password', { recordCall: true, recordCallPassword: 'x' }, { record: true, encrypted: true }],
	[
		'password null',
		{ recordCall: true, recordCallPassword: null },
		{ record: true, encrypted: false },
	],
	['recordCall false', { recordCall: false, recordCallPassword: 'x' }, { record: false }],
	['recordCall omitted', { recordCallFormat: 'mp3' }, { record: false }],
	['recordCall null', { recordCall: null }, { record: false }],
	['neighbouring fields', { recordCall: true, aiUrl: { a: 1 }, other: 1 }, { record: true }],
	['recordCall as text', { recordCall: 'true' }, { record: false }, /recordCall is not true or/],
	['recordCall as number', { recordCall: 1 }, { record: false }, /recordCall is not/],
	[
		'unknown format',
		{ recordCall: true, recordCallFormat: 'flac' },
		{ record: false },
		/recordCallFormat is not opus, mp3 or wav/,
	],
	[
		'format in capitals',
		{ recordCall: true, recordCallFormat: 'MP3' },
		{ record: false },
		/recordCallFormat/,
	],
	[
		'password as number',
		{ recordCall: true, recordCallPassword: 12345 },
		{ record: false },
		/recordCallPassword is not a string/,
	],
	['aiUrl as text', { recordCall: true, aiUrl: 'http://x' }, { record: false }, /aiUrl/],
	['maxSeconds as text', { recordCall: true, maxSeconds: '9' }, { record: false }, /maxSeconds/],
	['an array', [], { record: false }, /not an object/],
	['null', null, { record: false }, /not an object/],
];
for (const [name, block, expected, problem] of blocks) {
	test(`Service_Instructions: ${name}`, async (t) => {
		const hooks = await receiver(t, () => ({ Service_Instructions: block }));
		const emulator = await start(t, { webhooks: { callStart: hooks.url } });
		const done = await call(emulator, { to: '+1', durationSeconds: 0.5 });
		assert.equal(done.state, 'completed');
		assert.equal(done.durationSeconds, 0.5);
		assert.equal(done.recorded, expected['record']);
		for (const [field, value] of Object.entries(expected)) {
			assert.equal(Reflect.get(done.instructions ?? {}, field), value, field);
		}
		const [stored] = await list(emulator);
		assert.equal(stored !== undefined, expected['record']);
		if (stored && expected['format']) assert.equal(stored['format'], expected['format']);
		if (stored && 'encrypted' in expected) {
			assert.equal(stored['encrypted'], expected['encrypted']);
		}
		const problems = (done.instructions?.problems ?? []).join('; ');
		const lines = emulator.control.log().filter(({ level }) => level === 'warn');
		if (problem) {
			assert.match(problems, problem);
			assert.match(lines[0]?.message ?? '', /goes on unrecorded/);
		} else {
			assert.equal(problems, '');
			assert.deepEqual(lines, []);
		}
	});
}

test('a CallStart that fails leaves the call unrecorded and says why', async (t) => {
	const cases: [string, RegExp][] = [
		['/500', /status 500/],
		['/404', /status 404/],
		['/redirect', /status 302/],
		['/html', /not JSON/],
		['/empty', /not JSON/],
		['/array', /not a JSON object/],
		['/other', /no Service_Instructions/],
		['/hangup', /CallStart failed/],
		['/silent', /no complete reply within 300 ms/],
		['/slow', /no complete reply within 300 ms/],
		['/huge', /CallStart failed/],
		['/deep', /nested deeper/],
	];
	const hooks = await receiver(t, ({ path }, response) => {
		if (path === '/500') response.statusCode = 500;
		if (path === '/404') response.statusCode = 404;
		if (path === '/redirect') {
			response.statusCode = 302;
			response.setHeader('Location', `${hooks.url}/good`);
		}
		if (path === '/html') return '<html></html>';
		if (path === '/empty') return '';
		if (path === '/array') return [];
		if (path === '/other') return { instructions: {} };
		if (path === '/hangup') return void response.destroy();
		if (path === '/silent') return undefined;
		if (path === '/slow') {
			// Bytes keep coming, so only a deadline for the whole reply ends this.
			const drip = setInterval(() => response.write(' '), 20);
			response.once('close', () => clearInterval(drip));
			return undefined;
		}
		if (path === '/huge') return ' '.repeat(1024 * 1024);
		if (path === '/deep') {
			return `{"Service_Instructions":{"aiUrl":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`;
		}
		return { Service_Instructions: { recordCall: true } };
	});
	const impatient = await start(t, { webhookTimeoutMs: 300 });
	const patient = await start(t);
	await Promise.all(
		cases.map(async ([path, reason]) => {
			const emulator = ['/silent', '/slow'].includes(path) ? impatient : patient;
			emulator.control.setWebhooks({ callStart: `${hooks.url}${path}` });
			const { sessionGuid } = emulator.control.placeCall({ to: '+1', durationSeconds: 1 });
			const done = await emulator.control.completedCall(sessionGuid);
			assert.equal(done.state, 'completed', path);
			assert.equal(done.recorded, false, path);
			assert.match(done.instructions?.problems.join() ?? '', reason, path);
			const said = emulator.control
				.log()
				.some((line) => line.sessionGuid === sessionGuid && reason.test(line.message));
			assert.ok(said, path);
		}),
	);
	for (const emulator of [impatient, patient]) assert.deepEqual(await list(emulator), []);
	assert.ok(!hooks.hooks.some(({ path }) => path === '/good'), 'a redirect was followed');
});

test('a CallStart target on a port that is closed', async (t) => {
	const unused = net.createServer().listen(0, '127.0.0.1');
	await once(unused, 'listening');
	const { port } = unused.address() as AddressInfo;
	unused.close();
	const emulator = await start(t, { webhooks: { callStart: `http://127.0.0.1:${port}` } });
	const done = await call(emulator);
	assert.equal(done.recorded, false);
	assert.match(done.instructions?.problems.join() ?? '', /ECONNREFUSED/);
	assert.equal(emulator.control.deliveries()[0]?.status, null);
});

test('default instructions count only while there is no CallStart target', async (t) => {
	const hooks = await receiver(t, () => ({ Service_Instructions: {} }));
	const emulator = await start(t, { defaultInstructions: { recordCall: true } });
	assert.equal((await call(emulator)).recorded, true);
	emulator.control.setWebhooks({ callStart: hooks.url });
	assert.equal((await call(emulator)).recorded, false);
	emulator.control.setWebhooks({ callStart: null });
	emulator.control.setDefaultInstructions(null);
	const last = await call(emulator);
	assert.equal(last.recorded, false);
	assert.equal(last.instructions?.source, 'none');
});

test('maxSeconds ends the call', async (t) => {
	const emulator = await start(t, {
		defaultInstructions: { recordCall: true, recordCallFormat: 'wav', maxSeconds: 1.5 },
	});
	const done = await call(emulator, { to: '+1', durationSeconds: 60 });
	assert.equal(done.durationSeconds, 1.5);
	assert.equal((await list(emulator))[0]?.['durationSeconds'], 1.5);
});

test('a call takes its time divided by the call speed', async (t) => {
	const emulator = await start(t, { callSpeed: 100, ringSeconds: 10 });
	const begin = performance.now();
	await call(emulator, { to: '+1', durationSeconds: 40 });
	const took = performance.now() - begin;
	assert.ok(took >= 480, `${took} ms`);
	assert.ok(took < 40_000, `${took} ms`); // 50 s without the factor
});

test('hanging up ends a call early, with a recording as long as the talk', async (t) => {
	const emulator = await start(t, {
		callSpeed: 10,
		ringSeconds: 0,
		defaultInstructions: { recordCall: true, recordCallFormat: 'wav' },
	});
	const { sessionGuid } = emulator.control.placeCall({ to: '+1', durationSeconds: 600 });
	await new Promise((resolve) => setTimeout(resolve, 300));
	assert.equal(emulator.control.call(sessionGuid).state, 'answered');
	const done = await emulator.control.endCall(sessionGuid);
	const seconds = done.durationSeconds ?? 0;
	assert.ok(seconds > 1 && seconds < 60, `${seconds} s`);
	const [stored] = await list(emulator);
	assert.ok(Math.abs(Number(stored?.['durationSeconds']) - seconds) < 0.01);
	await assert.rejects(emulator.control.endCall(sessionGuid), /ended already/);
	await assert.rejects(emulator.control.endCall('nobody'), /No call/);
});

test('hanging up while it rings: no answer, no recording, but a CallEnd', async (t) => {
	const hooks = await receiver(t, () => ({}));
	const emulator = await start(t, {
		callSpeed: 1,
		ringSeconds: 60,
		webhooks: { callEnd: hooks.url },
		defaultInstructions: { recordCall: true },
	});
	const { sessionGuid } = emulator.control.placeCall({ to: '+1' });
	const done = await emulator.control.endCall(sessionGuid);
	assert.equal(done.answeredAt, null);
	assert.equal(done.durationSeconds, 0);
	assert.equal(done.recorded, false);
	assert.equal(hooks.hooks[0]?.body['recorded'], false);
	assert.equal(hooks.hooks[0]?.body['outcome'], 'canceled');
});

test('simultaneous calls keep their own instructions', async (t) => {
	const formats = ['opus', 'mp3', 'wav'];
	const hooks = await receiver(t, ({ body }) => ({
		Service_Instructions: { recordCall: true, recordCallFormat: body['to'] },
	}));
	const emulator = await start(t, { webhooks: { callStart: hooks.url } });
	const done = await Promise.all(
		Array.from({ length: 30 }, (_, index) =>
			call(emulator, { to: formats[index % 3], durationSeconds: 0.2 }),
		),
	);
	assert.equal(new Set(done.map(({ sessionGuid }) => sessionGuid)).size, 30);
	const stored = await list(emulator);
	assert.equal(stored.length, 30);
	for (const recording of stored) assert.equal(recording['format'], recording['to']);
});

test('SMS is announced and not available', async (t) => {
	const { url } = await start(t);
	for (const body of [{}, { to: '+1', text: 'hello' }, undefined]) {
		const reply = await send(url, 'POST', '/api/customer/sms', { body });
		assert.equal(reply.status, 501);
		assert.match(reply.json().error?.message ?? '', /coming soon, not yet available/);
	}
});
