import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Shapes } from '../src/index.mts';
import { recordingPath, send, start, type Reply } from './helpers.mts';

const content = Buffer.from('not really audio');

/** Asks as a client does that follows redirects, without a key where it is sent to. */
async function follow(url: string, path: string): Promise<{ statuses: number[]; last: Reply }> {
	const statuses: number[] = [];
	let target = new URL(path, url);
	for (let hop = 0; hop < 10; hop += 1) {
		const headers = hop === 0 ? { Token: 'demo-key' } : {};
		const last = await send(target.origin, 'GET', target.href, { headers });
		statuses.push(last.status);
		if (last.status === 200) return { statuses, last };
		target = new URL(String(last.headers.location), target);
	}
	throw new Error('redirected for ever');
}

test('download: directly, or by a link to storage that needs no key', async (t) => {
	const { url, control } = await start(t);
	await control.addRecording({ sessionGuid: 'session-1', content });
	const expected: Record<Shapes['download'], number[]> = {
		direct: [200],
		otherOrigin: [302, 200],
		relative: [307, 200],
		chain: [303, 301, 308, 200],
	};
	for (const [download, statuses] of Object.entries(expected)) {
		control.setShapes({ download: download as Shapes['download'] });
		control.clearLogs();
		const seen = await follow(url, recordingPath('session-1'));
		assert.deepEqual(seen.statuses, statuses, download);
		assert.ok(seen.last.body.equals(content));
		assert.equal(seen.last.headers['content-type'], 'audio/ogg');
		assert.equal(control.requests().length, statuses.length, 'each hop is in the log');
	}
	const { pathname } = new URL(recordingPath('session-1'), url);
	assert.equal((await send(url, 'GET', pathname, { headers: {} })).status, 401);
	assert.equal((await send(url, 'GET', recordingPath('nobody'))).status, 404);
});

test('download, otherOrigin: the other name of this machine, and the same port', async (t) => {
	const { url, control } = await start(t, { shapes: { download: 'otherOrigin' } });
	await control.addRecording({ sessionGuid: 'session-1', content });
	const first = await send(url, 'GET', recordingPath('session-1'));
	const link = new URL(String(first.headers.location));
	assert.equal(link.origin, url.replace('127.0.0.1', 'localhost'));
	assert.match(link.pathname, /^\/storage\/session-1$/);
});

test('a link is refused when it is altered, or a minute old, or its recording is gone', async (t) => {
	const { url, control } = await start(t, { shapes: { download: 'relative' } });
	await control.addRecording({ sessionGuid: 'session-1', content });
	const first = await send(url, 'GET', recordingPath('session-1'));
	const link = String(first.headers.location);
	const status = async (path: string) => (await send(url, 'GET', path, { headers: {} })).status;
	assert.equal(await status(link), 200);
	assert.equal(await status(link.replace('session-1', 'session-2')), 403);
	assert.equal(await status(link.replace(/expires=\d+/, 'expires=9999999999999')), 403);
	assert.equal(await status('/storage/session-1'), 403);
	await send(url, 'DELETE', recordingPath('session-1'));
	assert.equal(await status(link), 404);
	await control.addRecording({ sessionGuid: 'session-1', content });
	assert.equal(await status(link), 200);
	await control.advanceClock(61_000);
	assert.equal(await status(link), 403);
});
