import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, receiver, send, start } from './helpers.mts';

const NOTHING = { entries: 0, bytes: 0, dropped: 0 };

test('logs drop their oldest entries and say how many', async (t) => {
	const { url, control } = await start(t, { maxLogEntries: 10 });
	for (let index = 0; index < 25; index += 1) await send(url, 'GET', `/nowhere/${index}`);
	assert.deepEqual(
		control.requests().map(({ path }) => path),
		Array.from({ length: 10 }, (_, index) => `/nowhere/${index + 15}`),
	);
	const { requests } = control.logs();
	assert.deepEqual([requests.entries, requests.dropped], [10, 15]);
	assert.deepEqual((await send(url, 'GET', '/control/logs')).json(), control.logs());
	control.clearLogs();
	assert.deepEqual(control.logs(), { deliveries: NOTHING, requests: NOTHING, log: NOTHING });
});

test('large requests are bounded in bytes, also those that a fault hits', async (t) => {
	const maxLogBytes = 300_000;
	const { url, control } = await start(t, { maxLogBytes });
	const body = { to: '+1', from: 'x'.repeat(60_000) };
	for (let index = 0; index < 20; index += 1) {
		if (index % 2 === 0) control.addFault({ fault: { kind: 'empty' } });
		await send(url, 'POST', `/api/customer/makecall?n=${index}`, { body });
		const { requests } = control.logs();
		assert.ok(requests.bytes <= maxLogBytes, `${requests.bytes}`);
		assert.equal(requests.bytes, jsonBytes(control.requests(), requests.bytes));
	}
	const { entries, dropped } = control.logs().requests;
	// Each body is kept parsed and as Base64: 60 KB and 80 KB.
	assert.deepEqual([entries, dropped], [2, 18]);
	assert.equal(control.requests().at(-1)?.path, '/api/customer/makecall?n=19');
});

test('large webhook replies and long log lines are bounded in bytes', async (t) => {
	const hooks = await receiver(t, () => ({ filler: 'x'.repeat(200_000) }));
	const maxLogBytes = 500_000;
	const emulator = await start(t, {
		maxLogBytes,
		webhooks: { callStart: hooks.url, callEnd: hooks.url },
	});
	for (let index = 0; index < 5; index += 1) await call(emulator);
	const { deliveries, log } = emulator.control.logs();
	assert.deepEqual([deliveries.entries, deliveries.dropped], [2, 8]);
	assert.ok(deliveries.bytes <= maxLogBytes && log.bytes <= maxLogBytes);
	assert.equal(log.dropped, 0);
	assert.equal(log.bytes, jsonBytes(emulator.control.log(), log.bytes));
});

test('the newest entry is kept, however large it is', async (t) => {
	const { url, control } = await start(t, { maxLogBytes: 1 });
	for (const path of ['/a', '/b']) await send(url, 'GET', path);
	assert.deepEqual(
		control.requests().map(({ path }) => path),
		['/b'],
	);
});

/** Size of the entries as JSON; what changes at the end of a request may differ by some bytes. */
function jsonBytes(entries: object[], claimed: number): number {
	const bytes = entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
	return Math.abs(bytes - claimed) <= 20 * entries.length ? claimed : bytes;
}
