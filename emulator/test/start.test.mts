/** The start of an emulator: readiness, seed, reset, and control from other machines. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEmulator, StartError } from '../src/index.mts';
import { list, receiver, recordingPath, send, start } from './helpers.mts';

const TOKEN = 'control-token-0123456789';

test('it says when it is ready, also to names that are not this machine', async (t) => {
	const { url, control } = await start(t);
	const reply = await send(url, 'GET', '/ready', { headers: { Host: 'voiceagent:8480' } });
	assert.deepEqual([reply.status, reply.json()], [200, { ready: true }]);
	// A client that asks each second must not fill the log of requests.
	assert.deepEqual(control.requests(), []);
});

test('the control token opens control to other names, and nothing else does', async (t) => {
	const { url } = await start(t, { controlToken: TOKEN });
	const status = async (authorization?: string, host = 'voiceagent:8480') => {
		const headers = { Host: host, ...(authorization !== undefined && { authorization }) };
		return (await send(url, 'GET', '/control/clock', { headers })).status;
	};
	assert.equal(await status(`Bearer ${TOKEN}`), 200);
	for (const wrong of [undefined, '', 'Bearer', `Bearer ${TOKEN}x`, TOKEN, 'Bearer undefined']) {
		assert.equal(await status(wrong), 403, wrong);
	}
	assert.equal(await status(undefined, new URL(url).host), 200, 'this machine needs none');
});

test('without a token, no header opens control', async (t) => {
	const { url } = await start(t);
	const headers = { Host: 'voiceagent:8480', authorization: 'Bearer undefined' };
	assert.equal((await send(url, 'GET', '/control/clock', { headers })).status, 403);
});

test('the control token opens control to another address', async (t) => {
	const other = Object.values(networkInterfaces())
		.flatMap((addresses) => addresses ?? [])
		.find(({ family, internal }) => family === 'IPv4' && !internal);
	if (!other) return t.skip('this machine has no other address');
	const { url } = await start(t, { host: '0.0.0.0', allowRemote: true, controlToken: TOKEN });
	const address = url.replace('0.0.0.0', other.address);
	const ask = async (headers: Record<string, string>) =>
		(await send(address, 'GET', '/control/clock', { headers })).status;
	assert.equal(await ask({}), 403);
	assert.equal(await ask({ authorization: `Bearer ${TOKEN}` }), 200);
});

test('a control token that is short, or has spaces, is refused', async () => {
	for (const controlToken of ['', 'short', 'with spaces in all its length']) {
		await assert.rejects(createEmulator({ controlToken }), StartError);
	}
});

test('the seed is there at the start, and again after a reset', async (t) => {
	const content = Buffer.from('exact bytes');
	const seed = {
		recordings: [
			{ sessionGuid: 'seed-0001', contentBase64: content.toString('base64') },
			{ sessionGuid: 'seed-0002', durationSeconds: 1, password: 'secret' },
		],
	};
	const hooks = await receiver(t, () => ({}));
	const emulator = await start(t, {
		seed,
		callSpeed: 1,
		ringSeconds: 600,
		webhooks: { callEnd: hooks.url },
		webhookDelivery: { retries: 1 },
		shapes: { list: 'items' },
		outcomes: [{ to: '*', outcome: 'busy' }],
		faults: [{ match: { path: '/nowhere' }, fault: { kind: 'hangUp' } }],
	});
	const { url, control } = emulator;
	const guids = () =>
		control
			.recordings()
			.map(({ sessionGuid }) => sessionGuid)
			.sort();
	const state = () => ({
		webhooks: control.webhooks(),
		delivery: control.webhookDelivery(),
		shapes: control.shapes(),
		faults: control.faults().map(({ rule }) => rule),
		keys: control.apiKeys(),
		outcomes: control.outcomes(),
		delay: control.recordingDelay(),
		calls: control.calls(),
		requests: control.requests(),
	});
	const before = state();
	assert.deepEqual(guids(), ['seed-0001', 'seed-0002']);

	await send(url, 'DELETE', recordingPath('seed-0001'));
	await control.addRecording({ sessionGuid: 'own-0001' });
	control.placeCall({ to: '+1' });
	control.setWebhooks({ callStart: hooks.url, callEnd: null });
	control.setWebhookDelivery({ copies: 2, retries: 0 });
	control.setShapes({ list: 'paged', errorBody: 'flat' });
	control.addFault({ fault: { kind: 'reset' } });
	control.setApiKeys([]);
	control.setOutcomes([]);
	control.setRecordingDelay(100);
	await control.advanceClock(86_400_000);
	await control.reset();

	assert.deepEqual(state(), before);
	assert.deepEqual(guids(), ['seed-0001', 'seed-0002']);
	assert.ok(Math.abs(control.now() - Date.now()) < 3_600_000);
	assert.ok((await send(url, 'GET', recordingPath('seed-0001'))).body.equals(content));
	assert.deepEqual(hooks.hooks, [], 'a call that was hung up tells nobody');
});

test('a seed goes only where nothing was recorded before', async (t) => {
	const dataDir = await mkdtemp(join(tmpdir(), 'voiceagent-emulator-test-'));
	t.after(() => rm(dataDir, { recursive: true, force: true }));
	const seed = { recordings: [{ sessionGuid: 'seed-0001', contentBase64: 'YQ==' }] };
	const first = await createEmulator({ dataDir, seed });
	await send(first.url, 'DELETE', recordingPath('seed-0001'));
	await first.close();
	const second = await start(t, { dataDir, seed });
	assert.deepEqual(await list(second), []);
	await second.control.reset();
	assert.equal(
		second.control.recordings()[0]?.plainSha256,
		createHash('sha256').update('a').digest('hex'),
	);
	assert.equal((await readdir(join(dataDir, 'recordings'))).length, 1);
});

test('a seed that cannot be used is refused, and nothing stays open', async () => {
	for (const [recording, message] of [
		[{ format: 'flac' }, /^seed: .*format/],
		[{ sizeBytes: 9, durationSeconds: 9 }, /^seed: .*sizeBytes/],
	] as const) {
		const seed = { recordings: [recording] } as never;
		await assert.rejects(createEmulator({ seed }), { name: 'StartError', message });
	}
});

for (const [options, message] of [
	[{ faults: {} }, 'faults must be a list'],
	[{ faults: [{}] }, /^faults: fault is missing/],
	[{ faults: [null] }, /^faults: the rule must be object/],
	[{ apiKeys: {} }, 'apiKeys must be a list'],
	[{ apiKeys: [null] }, /^apiKeys: apiKeys\.0 must be object/],
	[{ apiKeys: ['key'] }, /^apiKeys: apiKeys\.0 must be object/],
	[{ apiKeys: [{ key: 5, permissions: [] }] }, /^apiKeys: apiKeys\.0\.key must be string/],
	[{ seed: null }, 'seed must be an object'],
	[{ seed: [] }, 'seed must be an object'],
	[{ seed: { recordings: {} } }, /^seed: recordings must be array/],
	[{ seed: { calls: [], recordings: [] } }, /^seed: calls is an unknown field/],
	[{ shapes: [] }, 'shapes must be an object'],
	[{ webhooks: 'http://127.0.0.1' }, 'webhooks must be an object'],
	[{ webhookDelivery: 3 }, 'webhookDelivery must be an object'],
	[{ https: 'yes' }, 'https must be true, false or an object'],
	[
		{ https: { ports: 1 } },
		'https.ports is not an option. The options are https.port, https.certificate, https.hostNames',
	],
	[{ host: 5 }, 'host must be text'],
	[{ dataDir: false }, 'dataDir must be text'],
	[{ controlToken: 1e20 }, 'controlToken must be text'],
	[{ defaultInstructions: 'x' }, 'defaultInstructions must be an object or null'],
	[{ onEvent: 5 }, 'onEvent must be a function'],
	[{ port: '8480' }, 'port must be a number'],
	[{ prot: 8480 }, /^prot is not an option\. The options are port, host, allowRemote, https, /],
	[{ toString: 5 }, /^toString is not an option/],
	[null, 'The options must be an object'],
	[[], 'The options must be an object'],
] as Array<[unknown, string | RegExp]>) {
	test(`${JSON.stringify(options)}: refused, and the option is named`, async () => {
		await assert.rejects(createEmulator(options as object), { name: 'StartError', message });
	});
}

test('an option that is undefined counts as omitted', async (t) => {
	await start(t, {
		faults: undefined,
		apiKeys: undefined,
		https: undefined,
		seed: undefined,
	} as object);
});
