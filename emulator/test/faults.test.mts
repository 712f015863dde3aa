import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import https from 'node:https';
import net from 'node:net';
import { test } from 'node:test';
import { createGunzip } from 'node:zlib';
import { createEmulator, type Emulator, type Fault, ServiceError } from '../src/index.mts';
import {
	eventsOf,
	list,
	raw,
	receiver,
	recordingPath,
	send,
	start,
	tableRows,
} from './helpers.mts';
import { faultKinds, FaultRule } from '../src/faults/rule.mts';

const content = randomBytes(10_000);
const PATH = recordingPath('fault-0001');
const UNTIL_CLOSED = { forMs: 30_000 };

async function withRecording(t: Parameters<typeof start>[0]): Promise<Emulator> {
	const emulator = await start(t);
	await emulator.control.addRecording({ sessionGuid: 'fault-0001', content });
	return emulator;
}

const lengthIn = (head: string) => Number(/^content-length: (\d+)$/im.exec(head)?.[1]);

test('drop in the middle of a body with a length, and of a chunked one', async (t) => {
	const { url, control } = await withRecording(t);
	control.addFault({ fault: { kind: 'drop', afterBytes: 4321 } });
	const first = await raw(url, PATH, UNTIL_CLOSED);
	assert.match(first.head, /^HTTP\/1\.1 200 OK\r\n/);
	assert.equal(lengthIn(first.head), 10_000);
	assert.ok(first.body.equals(content.subarray(0, 4321)));
	assert.equal(first.closed, true);

	control.addFault({ fault: { kind: 'drop', afterBytes: 1000, chunked: true } });
	const second = await raw(url, PATH, UNTIL_CLOSED);
	assert.match(second.head, /^transfer-encoding: chunked$/im);
	assert.ok(!/content-length/i.test(second.head));
	assert.ok(second.body.includes(content.subarray(0, 1000)));
	assert.ok(!second.body.toString('latin1').endsWith('0\r\n\r\n'), 'no last chunk');
	assert.equal(second.closed, true);

	for (const chunked of [false, true]) {
		control.addFault({ fault: { kind: 'drop', afterBytes: 10, chunked } });
		await assert.rejects(send(url, 'GET', PATH), /aborted|socket hang up/);
	}
	assert.ok((await send(url, 'GET', PATH)).body.equals(content), 'then all is well again');
	const [entry] = control.requests();
	assert.equal(entry?.fault, 'drop');
	assert.equal(entry.status, 200);
	assert.equal(entry.aborted, true);
});

test('a body that only the end of the connection ends, whole or truncated', async (t) => {
	const { url, control } = await withRecording(t);
	for (const atBytes of [undefined, 5000, 0]) {
		control.addFault({
			fault: { kind: 'closeDelimited', ...(atBytes !== undefined && { atBytes }) },
		});
		const { head, body, closed } = await raw(url, PATH, UNTIL_CLOSED);
		assert.ok(!/content-length|transfer-encoding/i.test(head), head);
		assert.ok(body.equals(content.subarray(0, atBytes ?? 10_000)), String(atBytes));
		assert.equal(closed, true);
	}
	control.addFault({ fault: { kind: 'closeDelimited', atBytes: 5000 } });
	assert.equal((await send(url, 'GET', PATH)).body.length, 5000, 'a client takes it for whole');
});

test('Content-Length too short and too long', async (t) => {
	const { url, control } = await withRecording(t);
	for (const delta of [-100, 100]) {
		control.addFault({ fault: { kind: 'wrongLength', delta } });
		const { head, body, closed } = await raw(url, PATH, UNTIL_CLOSED);
		assert.equal(lengthIn(head), 10_000 + delta);
		assert.ok(body.equals(content), `${body.length} bytes`);
		assert.equal(closed, true);
	}
	control.addFault({ fault: { kind: 'wrongLength', delta: 100 } });
	await assert.rejects(send(url, 'GET', PATH), /aborted/);
});

test('silence from the start or in the middle of a body, a closed connection, a late reply', async (t) => {
	const { url, control } = await withRecording(t);
	control.addFault({ fault: { kind: 'silent' } });
	assert.deepEqual(await raw(url, PATH), { head: '', body: Buffer.alloc(0), closed: false });
	control.addFault({ fault: { kind: 'silent', afterBytes: 77 } });
	const half = await raw(url, PATH);
	assert.equal(lengthIn(half.head), 10_000);
	assert.ok(half.body.equals(content.subarray(0, 77)));
	assert.equal(half.closed, false);
	control.addFault({ fault: { kind: 'hangUp' } });
	const hungUp = await raw(url, PATH, UNTIL_CLOSED);
	assert.deepEqual(hungUp, { head: '', body: Buffer.alloc(0), closed: true });
	control.addFault({ fault: { kind: 'delay', ms: 150 } });
	const begin = performance.now();
	assert.ok((await send(url, 'GET', PATH)).body.equals(content));
	assert.ok(performance.now() - begin >= 149);
});

test('a reset is another end of the connection than hanging up', async (t) => {
	const { url, control } = await withRecording(t);
	/** @returns the error that ended the connection, undefined if the end was orderly */
	async function endOf(kind: 'hangUp' | 'reset'): Promise<string | undefined> {
		control.addFault({ fault: { kind } });
		const socket = net.connect(Number(new URL(url).port), '127.0.0.1').resume();
		let code: string | undefined;
		socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
		socket.write(`GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nToken: demo-key\r\n\r\n`);
		await new Promise((resolve) => socket.once('close', resolve));
		return code;
	}
	assert.equal(await endOf('hangUp'), undefined);
	assert.equal(await endOf('reset'), 'ECONNRESET');
	assert.deepEqual(
		control.requests().map(({ fault, status, aborted }) => [fault, status, aborted]),
		[
			['hangUp', null, true],
			['reset', null, true],
		],
	);
});

test('over HTTPS, a reset hangs up', async (t) => {
	const { httpsUrl = '', caPem, control } = await start(t, { https: true });
	control.addFault({ fault: { kind: 'reset' } });
	const request = https.get(new URL(PATH, httpsUrl), { ca: caPem, agent: false });
	const [error] = (await once(request, 'error')) as [NodeJS.ErrnoException];
	assert.equal(error.code, 'ECONNRESET');
	assert.equal(control.requests()[0]?.fault, 'reset');
});

test('a slow body keeps its pace', async (t) => {
	const { url, control } = await withRecording(t);
	control.addFault({ fault: { kind: 'slow' } });
	const sent = performance.now();
	const reply = await fetch(new URL(PATH, url), { headers: [['Token', 'demo-key']] });
	assert.equal(reply.headers.get('content-length'), '10000');
	let size = 0;
	for await (const chunk of reply.body ?? []) {
		size += chunk.length;
		if (size >= 5) break;
	}
	const took = performance.now() - sent;
	assert.ok(size < 10_000 && took >= (size - 1) * 100 - size, `${size} bytes in ${took} ms`);
	control.addFault({ fault: { kind: 'slow', bytesPerInterval: 2500, intervalMs: 30 } });
	const begin = performance.now();
	assert.ok((await send(url, 'GET', PATH)).body.equals(content));
	assert.ok(performance.now() - begin >= 80);
});

test('an endless body goes on until the client leaves', async (t) => {
	const { url, control } = await withRecording(t);
	for (const path of [PATH, '/api/customer/recordings']) {
		control.addFault({ fault: { kind: 'endless' } });
		const reply = await fetch(new URL(path, url), { headers: [['Token', 'demo-key']] });
		let size = 0;
		for await (const chunk of reply.body ?? []) {
			size += chunk.length;
			if (size > 20_000_000) break;
		}
		assert.ok(size > 20_000_000, path);
	}
	assert.equal((await list({ url } as Emulator)).length, 1);
});

test('a small gzip reply that inflates to any size', async (t) => {
	const { url, control } = await withRecording(t);
	control.addFault({ fault: { kind: 'gzipBomb', bytes: 50_000_000 } });
	const reply = await send(url, 'GET', '/api/customer/recordings');
	assert.equal(reply.headers['content-encoding'], 'gzip');
	assert.ok(reply.body.length < 500_000, `${reply.body.length} bytes`);
	let size = 0;
	let beginning = '';
	const gunzip = createGunzip();
	gunzip.end(reply.body);
	for await (const chunk of gunzip as AsyncIterable<Buffer>) {
		beginning ||= chunk.toString('latin1', 0, 16);
		size += chunk.length;
	}
	assert.equal(size, 50_000_000);
	assert.equal(beginning, '[{"sessionGuid":');
});

test('replies of every status, with any Retry-After, a web page, nothing', async (t) => {
	const emulator = await withRecording(t);
	const { url, control } = emulator;
	const once = async (fault: Fault, path = PATH) => {
		control.addFault({ fault });
		return send(url, 'GET', path);
	};
	for (const status of [400, 401, 403, 404, 408, 410, 425, 429, 500, 502, 503, 504]) {
		const reply = await once({ kind: 'status', status });
		assert.equal(reply.status, status);
		assert.equal(reply.json().error?.code, 'fault');
	}
	for (const retryAfter of [2, '120', -5, '99999999999', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT']) {
		const reply = await once({ kind: 'status', status: 429, retryAfter });
		assert.equal(reply.headers['retry-after'], String(retryAfter));
	}
	await control.advanceClock(3_600_000);
	const dated = await once({ kind: 'status', status: 503, retryAfterDate: 60 });
	const seconds = (Date.parse(String(dated.headers['retry-after'])) - control.now()) / 1000;
	assert.ok(seconds > 57 && seconds <= 60, `${seconds} s on the clock of the service`);
	assert.equal(
		Date.parse(String(dated.headers['retry-after'])) - Date.parse(String(dated.headers.date)),
		60_000,
	);

	const page = await once({ kind: 'html' });
	assert.equal(page.status, 200);
	assert.match(String(page.headers['content-type']), /^text\/html/);
	assert.match(page.body.toString(), /^<!DOCTYPE html>/);
	const disguised = await once({
		kind: 'status',
		status: 200,
		body: '<html></html>',
		contentType: 'audio/ogg',
	});
	assert.equal(disguised.headers['content-type'], 'audio/ogg');
	assert.equal(disguised.body.toString(), '<html></html>');
	const object = await once({ kind: 'status', status: 200, body: { message: 'no audio' } });
	assert.deepEqual(object.json(), { message: 'no audio' });
	assert.match(String(object.headers['content-type']), /^application\/json/);

	for (const status of [undefined, 204]) {
		const empty = await once({ kind: 'empty', ...(status && { status }) });
		assert.equal(empty.status, status ?? 200);
		assert.equal(empty.body.length, 0);
		assert.equal(empty.headers['content-length'], status ? undefined : '0');
	}
	assert.ok((await send(url, 'GET', PATH)).body.equals(content));
});

test('a redirect anywhere, which the emulator does not follow itself', async (t) => {
	const { url, control } = await withRecording(t);
	const other = await receiver(t, () => 'nothing');
	for (const [to, status] of [
		[`${other.url}${PATH}`, undefined],
		['http://plain.example/x', 307],
		['//elsewhere.example', 308],
	] as const) {
		control.addFault({ fault: { kind: 'redirect', to, ...(status && { status }) } });
		const reply = await send(url, 'GET', PATH);
		assert.equal(reply.status, status ?? 302);
		assert.equal(reply.headers.location, to);
	}
	assert.deepEqual(other.hooks, []);
});

test('a recording that is not ready for a while, which the movable clock ends too', async (t) => {
	const { url, control } = await withRecording(t);
	control.addFault({
		match: { sessionGuid: 'fault-0001', method: 'GET' },
		fault: { kind: 'notReady', seconds: 60 },
	});
	await control.addRecording({ sessionGuid: 'other-0002', content });
	for (let times = 0; times < 3; times += 1) {
		assert.equal((await send(url, 'GET', PATH)).status, 404);
	}
	assert.equal((await send(url, 'GET', recordingPath('other-0002'))).status, 200);
	await control.advanceClock(60_000);
	assert.equal((await send(url, 'GET', PATH)).status, 200);
	assert.deepEqual(
		control.faults().map(({ hits, spent }) => ({ hits, spent })),
		[{ hits: 3, spent: true }],
	);
	control.addFault({ fault: { kind: 'notReady', seconds: 0.2, status: 409 } });
	assert.equal((await send(url, 'GET', PATH)).status, 409);
	await new Promise((resolve) => setTimeout(resolve, 210));
	assert.equal((await send(url, 'GET', PATH)).status, 200);
});

test('any header of the true reply can be another one', async (t) => {
	const { url, control } = await withRecording(t);
	control.addFault({
		fault: {
			kind: 'headers',
			set: { date: 'Mon, 01 Jan 2001 00:00:00 GMT', 'content-type': 'text/x-evil', ETag: null },
		},
	});
	const reply = await send(url, 'GET', PATH);
	assert.ok(reply.body.equals(content));
	assert.equal(reply.headers.date, 'Mon, 01 Jan 2001 00:00:00 GMT');
	assert.equal(reply.headers['content-type'], 'text/x-evil');
	control.addFault({ fault: { kind: 'headers', set: { 'content-disposition': null } } });
	assert.equal((await send(url, 'GET', PATH)).headers['content-disposition'], undefined);
});

test('the Token is echoed in status line, header and body', async (t) => {
	const { url, control } = await withRecording(t);
	control.addFault({ fault: { kind: 'echoToken' } });
	const { head, body } = await raw(url, PATH);
	assert.match(head, /^HTTP\/1\.1 500 .*demo-key/);
	assert.match(head, /^x-received-token: demo-key$/m);
	assert.match(body.toString(), /demo-key/);
	assert.ok(body.includes(Buffer.from('demo-key').toString('base64')));
	control.addFault({ fault: { kind: 'echoToken', status: 401 } });
	assert.equal((await raw(url, PATH)).head.slice(0, 12), 'HTTP/1.1 401');
});

test('keys can be exchanged while the emulator runs', async (t) => {
	const { url, control } = await withRecording(t);
	control.setApiKeys([{ key: 'new-key', permissions: ['downloadRecording'] }]);
	assert.equal((await send(url, 'GET', PATH)).status, 401);
	const headers = { Token: 'new-key' };
	assert.equal((await send(url, 'GET', PATH, { headers })).status, 200);
	assert.equal((await send(url, 'DELETE', PATH, { headers })).status, 403);
	assert.throws(() => control.setApiKeys([{ key: 'a b', permissions: [] }]), /apiKeys\.0\.key/);
});

test('a rule matches by endpoint, method, path or GUID, and the first match wins', async (t) => {
	const { url, control } = await withRecording(t);
	const status = async (method: string, path: string) => (await send(url, method, path)).status;
	const rule = (code: number, match: object) =>
		control.addFault({ match, times: 'always', fault: { kind: 'status', status: code } });
	rule(501, { endpoint: 'listRecordings' });
	rule(502, { method: 'DELETE', path: '/api/*/recordings/*' });
	rule(503, { sessionGuid: '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}' });
	rule(504, { path: '/nowhere' });
	rule(505, { endpoint: 'listRecordings' });
	assert.equal(await status('GET', '/api/customer/recordings?limit=1'), 501);
	assert.equal(await status('DELETE', PATH), 502);
	assert.equal(await status('GET', PATH), 200);
	const guid = '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}';
	assert.equal(await status('GET', recordingPath(guid)), 503);
	assert.equal(await status('GET', recordingPath(encodeURIComponent(guid))), 503);
	assert.equal(await status('GET', '/nowhere?x'), 504);
	assert.equal(await status('GET', '/nowhere/else'), 404);
	assert.equal(await status('GET', '/swagger/v1/swagger.json'), 200);
	control.clearFaults();
	assert.equal(await status('GET', '/api/customer/recordings'), 200);
});

test('a fault hits once, a number of times, after some requests, by probability, or until it is removed', async (t) => {
	const { url, control } = await start(t);
	const path = '/api/customer/recordings';
	const statuses = async (count: number) => {
		const seen: number[] = [];
		while (seen.length < count) seen.push((await send(url, 'GET', path)).status);
		return seen;
	};
	const fault: Fault = { kind: 'status', status: 503 };
	control.addFault({ fault });
	assert.deepEqual(await statuses(3), [503, 200, 200]);
	control.addFault({ fault, times: 2, skip: 1 });
	assert.deepEqual(await statuses(5), [200, 503, 503, 200, 200]);
	const always = control.addFault({ fault, times: 'always' });
	assert.deepEqual(await statuses(3), [503, 503, 503]);
	control.removeFault(always.id);
	assert.throws(() => control.removeFault(always.id), /no fault/);
	control.addFault({ fault, probability: 0.5 });
	const random = await statuses(100);
	const hits = random.filter((status) => status === 503).length;
	assert.ok(hits > 20 && hits < 80, `${hits} of 100`); // beyond this: 1 in 10^9 runs
	control.clearFaults();
	control.addFault({ fault, probability: 1, times: 2 });
	assert.deepEqual(await statuses(3), [503, 503, 200]);
	control.addFault({ fault, probability: 0 });
	assert.deepEqual(await statuses(2), [200, 200]);
});

test('a request that a fault hits is not carried out, unless the rule says so', async (t) => {
	const { url, control } = await withRecording(t);
	const makeCall = () =>
		raw(url, '/api/customer/makecall', { method: 'POST', body: '{"to":"+1"}' });
	for (const kind of ['hangUp', 'reset', 'silent', 'echoToken', 'empty', 'html'] as const) {
		control.addFault({ fault: { kind } });
		await makeCall();
		assert.equal(control.calls().length, 0, kind);
		const entry = control.requests().at(-1);
		assert.deepEqual(entry?.body, { to: '+1' }, `the body is in the log: ${kind}`);
		assert.equal(entry.fault, kind);
	}
	let calls = 0;
	for (const kind of ['hangUp', 'reset', 'silent', 'echoToken', 'empty', 'html'] as const) {
		control.addFault({ fault: { kind }, carryOut: true });
		const { head } = await makeCall();
		assert.equal(control.calls().length, (calls += 1), kind);
		if (['hangUp', 'reset', 'silent'].includes(kind)) assert.equal(head, '', kind);
		else assert.doesNotMatch(head, /queued/, kind);
	}
	control.addFault({
		match: { method: 'DELETE' },
		carryOut: true,
		fault: { kind: 'status', status: 502 },
	});
	assert.equal((await send(url, 'DELETE', PATH)).status, 502);
	assert.equal((await send(url, 'DELETE', PATH)).status, 404);
	const statuses = control.requests().map(({ status }) => status);
	assert.deepEqual(statuses.slice(-2), [502, 404]);
});

test('wrong rules are refused, and the error names the field', async (t) => {
	const { url, control } = await start(t);
	const orders: [unknown, string][] = [
		[{}, 'fault'],
		[{ fault: { kind: 'drop' } }, 'fault.afterBytes'],
		[{ fault: { kind: 'drop', afterBytes: 1, after: 2 } }, 'fault.after'],
		[{ fault: { kind: 'status', status: 'bad' } }, 'fault.status'],
		[{ fault: { kind: 'silent' }, often: 1 }, 'often'],
		[{ fault: { kind: 'silent' }, times: 0 }, 'times'],
		[{ fault: { kind: 'silent' }, match: { endpoint: 'fly' } }, 'match.endpoint'],
	];
	for (const [order, field] of orders) {
		assert.throws(
			() => control.addFault(order as never),
			(error) => error instanceof ServiceError && error.fields?.includes(field) === true,
			field,
		);
		const reply = await send(url, 'POST', '/control/faults', { body: order });
		assert.equal(reply.status, 400, JSON.stringify(order));
		assert.ok(reply.json().error?.fields?.includes(field), reply.body.toString());
		await assert.rejects(createEmulator({ faults: [order as never] }), /^StartError: faults: /);
	}
	const unknown = await send(url, 'POST', '/control/faults', { body: { fault: { kind: 'x' } } });
	assert.equal(unknown.status, 400);
	assert.throws(() => control.addFault({ fault: { kind: 'x' } } as never), /one of hangUp, /);
	assert.deepEqual(control.faults(), []);
});

test('faults over HTTP control', async (t) => {
	const { url } = await start(t);
	const ask = (method: string, path: string, body?: unknown) =>
		send(url, method, `/control${path}`, { headers: {}, body });
	const rule = { match: { method: 'GET' }, times: 2, fault: { kind: 'status', status: 418 } };
	const added = (await ask('POST', '/faults', rule)).json();
	assert.deepEqual(added, { id: 1, hits: 0, spent: false, rule });
	assert.equal((await send(url, 'GET', '/api/customer/recordings')).status, 418);
	const all: unknown = JSON.parse((await ask('GET', '/faults')).body.toString());
	assert.deepEqual(all, [{ id: 1, hits: 1, spent: false, rule }]);
	assert.equal((await ask('DELETE', '/faults/7')).status, 404);
	assert.equal((await ask('DELETE', '/faults/1')).status, 200);
	assert.equal((await ask('DELETE', '/faults/1')).status, 404);
	await ask('POST', '/faults', rule);
	assert.equal((await ask('DELETE', '/faults')).status, 200);
	assert.equal((await send(url, 'GET', '/api/customer/recordings')).status, 200);
});

test('the emulator closes without waiting for replies that are silent, slow, endless or late', async () => {
	const { onEvent, event } = eventsOf();
	const emulator = await createEmulator({ onEvent });
	await emulator.control.addRecording({ sessionGuid: 'fault-0001', content });
	const sockets: net.Socket[] = [];
	for (const kind of ['silent', 'slow', 'endless', 'delay'] as const) {
		emulator.control.addFault({ fault: kind === 'delay' ? { kind, ms: 60_000 } : { kind } });
		const socket = net.connect(Number(new URL(emulator.url).port), '127.0.0.1');
		socket.on('error', () => undefined).on('data', () => undefined);
		const isHit = event((one) => one.type === 'log' && one.entry.message.includes(`fault ${kind}`));
		socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nToken: demo-key\r\n\r\n`);
		sockets.push(socket);
		await isHit;
	}
	const begin = performance.now();
	await emulator.close();
	// Not after the minute that a reply is delayed.
	assert.ok(performance.now() - begin < 30_000);
	for (const socket of sockets) socket.destroy();
});

/** How FAULTS.md shows a fault: a row for what it does, then a row for each of its fields. */
function readmeRows({ kind, schema }: (typeof faultKinds)[number]): string[][] {
	const { kind: _kind, ...fields } = schema.properties as Record<string, { description?: string }>;
	return [
		[`\`${kind}\``, '', String(Reflect.get(schema, 'description'))],
		...Object.entries(fields).map(([name, { description = '' }]) => [
			'',
			`\`${name}\`${schema.required.includes(name) ? '' : ', optional'}`,
			description,
		]),
	];
}

test('FAULTS.md explains every fault and every field, in the words of the literals', async () => {
	const page = await readFile(new URL('../FAULTS.md', import.meta.url), 'utf8');
	const rows = tableRows(page, '## Faults');
	assert.deepEqual(
		rows.filter((row) => row.length === 3),
		faultKinds.flatMap(readmeRows),
	);
	const times = rows.find(([name]) => name === '`times`')?.[1] ?? '';
	assert.equal(times.replaceAll('`', ''), Reflect.get(FaultRule.properties.times, 'description'));
});

test('every field of a fault is described', () => {
	for (const { kind, schema } of faultKinds) {
		const { kind: _kind, ...fields } = schema.properties;
		for (const [name, field] of Object.entries(fields)) {
			assert.ok(Reflect.get(field, 'description'), `${kind}.${name}`);
		}
	}
});
