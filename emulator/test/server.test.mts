import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createEmulator } from '../src/index.mts';
import { type Json, recordingPath, send, start } from './helpers.mts';

test('starts on a free port, many side by side', async (t) => {
	await start(t); // the first one also loads the libraries
	const begin = performance.now();
	const emulator = await start(t);
	const took = performance.now() - begin;
	t.diagnostic(`started in ${took.toFixed()} ms`);
	const others = await Promise.all(Array.from({ length: 5 }, () => start(t)));
	const urls = new Set([emulator, ...others].map(({ url }) => url));
	assert.equal(urls.size, 6);
	await emulator.control.addRecording({ sessionGuid: 'mine', content: Buffer.of(1) });
	assert.equal((await send(emulator.url, 'GET', recordingPath('mine'))).status, 200);
	for (const { url } of others) {
		assert.equal((await send(url, 'GET', recordingPath('mine'))).status, 404);
	}
});

test('close is idempotent and ends running calls and downloads', async () => {
	const emulator = await createEmulator({ ringSeconds: 600 });
	emulator.control.placeCall({ to: '+1', durationSeconds: 600 });
	const { sessionGuid } = await emulator.control.addRecording({
		format: 'wav',
		sizeBytes: 50_000_000,
	});
	// A client that stopped reading must not keep the emulator open.
	const socket = net.connect(Number(new URL(emulator.url).port), '127.0.0.1');
	socket.on('error', () => undefined);
	socket.write(`GET ${recordingPath(sessionGuid)} HTTP/1.1\r\nHost: x\r\nToken: demo-key\r\n\r\n`);
	await once(socket, 'readable');
	const begin = performance.now();
	await Promise.all([emulator.close(), emulator.close()]);
	await emulator.close();
	// Not after the ten minutes of the call.
	assert.ok(performance.now() - begin < 60_000);
	socket.destroy();
	await assert.rejects(fetch(emulator.url));
});

test('a reply that is running when the emulator closes arrives whole', async () => {
	const emulator = await createEmulator();
	const content = Buffer.alloc(5_000_000, 7);
	const { sessionGuid } = await emulator.control.addRecording({ content });
	const download = send(emulator.url, 'GET', recordingPath(sessionGuid));
	while (emulator.control.requests().length === 0) {
		await new Promise((resolve) => setTimeout(resolve, 1));
	}
	await emulator.close();
	assert.ok((await download).body.equals(content));
});

test('a busy port is named', async (t) => {
	const { url } = await start(t);
	const { port } = new URL(url);
	await assert.rejects(
		createEmulator({ port: Number(port) }),
		new RegExp(`Port ${port} .* in use`),
	);
});

test('hosts that other machines can reach need allowRemote and print a warning [fault 53]', async (t) => {
	for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com', '128.0.0.1']) {
		await assert.rejects(createEmulator({ host }), /allowRemote/, host);
	}
	const warning = once(process, 'warning');
	const emulator = await start(t, { host: '0.0.0.0', allowRemote: true });
	const [{ message }] = (await warning) as [Error];
	assert.match(message, /other machines/);
	assert.equal((await fetch(emulator.url.replace('0.0.0.0', '127.0.0.1'))).status, 200);
});

test('listens on loopback only [fault 53]', async (t) => {
	const { url } = await start(t);
	assert.equal(new URL(url).hostname, '127.0.0.1');
	const { port } = new URL(url);
	const outside = net.connect(Number(port), '127.0.0.2');
	const outcome = await Promise.race([
		once(outside, 'connect').then(() => 'connected'),
		once(outside, 'error')
			.catch(String)
			.then(() => 'refused'),
	]).catch(() => 'refused');
	outside.destroy();
	assert.equal(outcome, 'refused');
});

test('unusable options are refused by name', async () => {
	await assert.rejects(createEmulator({ callSpeed: 0 }), /callSpeed/);
	await assert.rejects(createEmulator({ port: 70_000 }), /port/);
	await assert.rejects(createEmulator({ port: 8480.5 }), /port must be a whole number/);
	await assert.rejects(createEmulator({ maxLogEntries: 1.5 }), /maxLogEntries/);
	await assert.rejects(createEmulator({ callSpeed: '2' as never }), /callSpeed/);
	await assert.rejects(createEmulator({ ringSeconds: NaN }), /ringSeconds/);
	await assert.rejects(createEmulator({ apiKeys: [{ key: 'a b', permissions: [] }] }), /API key/);
});

test('large bodies and headers are refused, and the emulator lives on', async (t) => {
	const { url } = await start(t);
	const path = '/api/customer/makecall';
	const large = await send(url, 'POST', path, { body: { to: 'x'.repeat(100_000) } });
	assert.equal(large.status, 413);
	const deep = `{"to":"+1","metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`;
	assert.equal((await send(url, 'POST', path, { body: deep })).status, 400);
	const headers = { Token: 'demo-key', 'X-Large': 'x'.repeat(40_000) };
	const overflow = await send(url, 'GET', path, { headers });
	assert.equal(overflow.status, 431);
	assert.equal(overflow.json().error?.code, 'unreadable_request');
	assert.equal((await send(url, 'GET', '/api/customer/recordings')).status, 200);
});

test('a request that is not HTTP gets a clear 400', async (t) => {
	const { url, control } = await start(t);
	const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
	socket.end('not http\r\n\r\n');
	const answer = await text(socket);
	assert.match(answer, /^HTTP\/1\.1 400 /);
	assert.match(answer, /\{"error":\{"code":"unreadable_request"/);
	assert.deepEqual(control.requests(), []);
	assert.match(control.log()[0]?.message ?? '', /not a readable request \(HPE_/);
});

interface OpenApi {
	openapi: string;
	paths: Record<string, Record<string, { tags: string[]; security?: Json[]; responses: Json }>>;
	components: { securitySchemes: Json; schemas: Record<string, Json> };
}

test('the OpenAPI document lists every endpoint and every schema', async (t) => {
	const { url } = await start(t);
	const reply = await send(url, 'GET', '/swagger/v1/swagger.json', { headers: {} });
	const document = JSON.parse(reply.body.toString()) as OpenApi;
	assert.match(document.openapi, /^3\./);
	assert.deepEqual(document.components.securitySchemes['Token'], {
		type: 'apiKey',
		in: 'header',
		name: 'Token',
		description:
			'The API key; the header name is case-sensitive. By default `demo-key`, or `demo-key-no-permission` to get 403',
	});
	// Service specification, Endpoints.
	const endpoints = [
		['post', '/api/customer/makecall'],
		['get', '/api/customer/recordings'],
		['get', '/api/customer/recordings/{sessionGuid}'],
		['delete', '/api/customer/recordings/{sessionGuid}'],
		['post', '/api/customer/sms'],
	] as const;
	for (const [method, path] of endpoints) {
		const operation = document.paths[path]?.[method];
		assert.deepEqual(operation?.security, [{ Token: [] }], `${method} ${path}`);
		assert.ok(operation?.responses['401'] && operation.responses['403'], path);
	}
	const service = Object.keys(document.paths).filter((path) => path.startsWith('/api'));
	assert.equal(service.length, 4);
	for (const [path, methods] of Object.entries(document.paths)) {
		if (!path.startsWith('/control')) continue;
		for (const operation of Object.values(methods)) {
			assert.deepEqual(operation.tags, ['Emulator control'], path);
		}
	}
	const references = reply.body.toString().matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g);
	let count = 0;
	for (const [, name = ''] of references) {
		assert.ok(document.components.schemas[name], `no schema ${name}`);
		count += 1;
	}
	assert.ok(count > 20);
	assert.ok(!/"\$ref":"(?!#\/components\/schemas\/)/.test(reply.body.toString()));
	assert.ok(!reply.body.includes('"$id"'));
});

test('the Swagger UI is served with its scripts and the document', async (t) => {
	const { url } = await start(t);
	const page = await send(url, 'GET', '/swagger', { headers: {} });
	assert.equal(page.status, 200);
	const html = page.body.toString();
	const assets = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path);
	assert.ok(assets.length >= 3);
	for (const asset of assets) {
		const reply = await send(url, 'GET', asset ?? '', { headers: {} });
		assert.equal(reply.status, 200, asset);
		assert.ok(reply.body.length > 100, asset);
	}
	assert.equal((await send(url, 'GET', '/swagger/json', { headers: {} })).status, 200);
});
