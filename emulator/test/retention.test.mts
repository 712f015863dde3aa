import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { call, list, recordingPath, send, start } from './helpers.mts';

const DAY = 24 * 60 * 60 * 1000;

test('a recording is purged 7 days after its call ended, not a moment earlier', async (t) => {
	const emulator = await start(t);
	const { control } = emulator;
	const endedAt = control.now();
	await control.addRecording({
		sessionGuid: 'g',
		content: Buffer.of(1),
		endedAt: new Date(endedAt).toISOString(),
	});
	const file = await control.storedFile('g');
	await control.advanceClock(endedAt + 7 * DAY - 5000 - control.now());
	assert.equal((await list(emulator)).length, 1);
	assert.ok(existsSync(file));
	await control.advanceClock(5000);
	assert.ok(!existsSync(file), 'the file outlived its retention');
	assert.deepEqual(await list(emulator), []);
	const reply = await send(emulator.url, 'GET', recordingPath('g'));
	assert.equal(reply.status, 404);
	assert.match(reply.json().error?.message ?? '', /purged 7 days after/);
	assert.equal(control.recordings()[0]?.state, 'purged');
});

test('a download does not extend the retention', async (t) => {
	const emulator = await start(t);
	const { control, url } = emulator;
	await control.addRecording({ sessionGuid: 'g', content: Buffer.of(1) });
	for (let day = 1; day < 7; day += 1) {
		await control.advanceClock(DAY);
		assert.equal((await send(url, 'GET', recordingPath('g'))).status, 200, `day ${day}`);
	}
	await control.advanceClock(DAY);
	assert.equal((await send(url, 'GET', recordingPath('g'))).status, 404);
});

test('retention counts from the end of a real call', async (t) => {
	const emulator = await start(t, { defaultInstructions: { recordCall: true } });
	await call(emulator);
	await emulator.control.advanceClock(7 * DAY - 60_000);
	assert.equal((await list(emulator)).length, 1);
	await emulator.control.advanceClock(60_000);
	assert.equal((await list(emulator)).length, 0);
});

test('a recording over 7 days old is never listed, downloaded or deleted', async (t) => {
	const emulator = await start(t);
	for (const [method, path] of [
		['GET', '/api/customer/recordings'],
		['GET', recordingPath('old')],
		['DELETE', recordingPath('old')],
	] as const) {
		await emulator.control.addRecording({
			sessionGuid: 'old',
			content: Buffer.of(1),
			endedAt: new Date(emulator.control.now() - 8 * DAY).toISOString(),
		});
		const reply = await send(emulator.url, method, path);
		if (path.endsWith('old')) assert.equal(reply.status, 404);
		else assert.deepEqual(reply.json(), []);
	}
});

test('the Date header follows the emulator clock', async (t) => {
	const { url, control } = await start(t);
	await control.advanceClock(-3 * DAY);
	for (const path of ['/api/customer/recordings', '/api/customer/recordings/%zz', '/nowhere']) {
		const { headers } = await send(url, 'GET', path);
		const shift = Date.parse(String(headers.date)) - (Date.now() - 3 * DAY);
		assert.ok(Math.abs(shift) < 5000, `${path}: off by ${shift} ms`);
	}
});
