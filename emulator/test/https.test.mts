import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { certificateKinds, createEmulator, type Emulator } from '../src/index.mts';
import { recordingPath, send, start } from './helpers.mts';

async function get(
	url: string,
	path: string,
	ca?: string,
): Promise<{ status: number; body: Buffer }> {
	const request = https.get(new URL(path, url), {
		agent: false,
		headers: { Token: 'demo-key' },
		...(ca && { ca }),
	});
	const [reply] = (await once(request, 'response')) as [IncomingMessage];
	return { status: reply.statusCode ?? 0, body: await buffer(reply) };
}

async function peerOf({ httpsUrl = '', caPem = '' }: Emulator): Promise<X509Certificate> {
	const socket = connect({ port: Number(new URL(httpsUrl).port), host: '127.0.0.1', ca: caPem });
	await once(socket, 'secureConnect');
	const peer = socket.getPeerX509Certificate();
	socket.destroy();
	assert.ok(peer);
	return peer;
}

test('HTTP and HTTPS offer the same service', async (t) => {
	const begin = performance.now();
	const emulator = await start(t, { https: true });
	const took = performance.now() - begin;
	assert.match(emulator.url, /^http:/);
	assert.match(emulator.httpsUrl ?? '', /^https:\/\/127\.0\.0\.1:\d+$/);
	const content = Buffer.alloc(3_000_000, 5);
	await emulator.control.addRecording({ sessionGuid: 'session-1', content });
	const { httpsUrl = '', caPem = '' } = emulator;
	const reply = await get(httpsUrl, recordingPath('session-1'), caPem);
	assert.equal(reply.status, 200);
	assert.ok(reply.body.equals(content));
	assert.equal((await send(emulator.url, 'GET', recordingPath('session-1'))).status, 200);
	const byName = httpsUrl.replace('127.0.0.1', 'localhost');
	assert.equal((await get(byName, '/api/customer/recordings', caPem)).status, 200);
	const names = { https: { hostNames: ['emulator', 'voiceagent.test'] } };
	const { subjectAltName } = await peerOf(await start(t, names));
	assert.match(String(subjectAltName), /DNS:emulator, DNS:voiceagent\.test$/);
	await assert.rejects(start(t, { https: { hostNames: ['a b'] } }), /--host-name.* 'a b' is not/);
	assert.equal(emulator.control.requests().length, 3);
	const offered = await send(emulator.url, 'GET', '/control/ca.pem', { headers: {} });
	assert.equal(offered.body.toString(), caPem);
	emulator.control.setShapes({ list: 'paged', pageSize: 1, paging: 'nextUrl' });
	await emulator.control.addRecording({ sessionGuid: 'session-2', content });
	const page = await get(httpsUrl, '/api/customer/recordings', caPem);
	assert.ok(String(JSON.parse(page.body.toString()).next).startsWith(`${httpsUrl}/`));
	t.diagnostic(`started in ${took.toFixed()} ms, certificate included`);
});

test('bad certificates are refused, each for its own reason', async (t) => {
	const reasons: Record<(typeof certificateKinds)[number], [string | undefined, string?]> = {
		valid: [undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
		selfSigned: ['DEPTH_ZERO_SELF_SIGNED_CERT', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
		expired: ['CERT_HAS_EXPIRED'],
		wrongName: ['ERR_TLS_CERT_ALTNAME_INVALID'],
	};
	for (const certificate of certificateKinds) {
		const { httpsUrl = '', caPem = '', control } = await start(t, { https: { certificate } });
		assert.equal(new X509Certificate(caPem).ca, true);
		const codeWith = (ca?: string) =>
			get(httpsUrl, '/api/customer/recordings', ca).then(
				() => undefined,
				(error: NodeJS.ErrnoException) => error.code,
			);
		const [trusting, stranger] = reasons[certificate];
		assert.equal(await codeWith(caPem), trusting, certificate);
		if (stranger) assert.equal(await codeWith(), stranger, certificate);
		assert.equal(control.requests().length, trusting ? 0 : 1, 'no request behind a bad one');
	}
});

test('faults happen over TLS too, and plain HTTP to the TLS port gets no answer', async (t) => {
	const emulator = await start(t, { https: true });
	const { control, httpsUrl = '', caPem } = emulator;
	await control.addRecording({ sessionGuid: 'session-1', content: Buffer.alloc(100_000) });
	control.addFault({ fault: { kind: 'drop', afterBytes: 5000 } });
	await assert.rejects(get(httpsUrl, recordingPath('session-1'), caPem), /aborted|hang up/);
	const to = `${emulator.url}${recordingPath('session-1')}`;
	control.addFault({ fault: { kind: 'redirect', to } });
	assert.equal((await get(httpsUrl, recordingPath('session-1'), caPem)).status, 302);
	const plain = httpsUrl.replace('https:', 'http:');
	await assert.rejects(send(plain, 'GET', '/'), /hang up|ECONNRESET|EPROTO|Parse Error/);
	assert.equal((await get(httpsUrl, recordingPath('session-1'), caPem)).status, 200);
});

test('without the option there is no certificate; wrong options are refused', async (t) => {
	const emulator = await start(t);
	assert.equal(emulator.httpsUrl, undefined);
	assert.equal(emulator.caPem, undefined);
	assert.equal((await send(emulator.url, 'GET', '/control/ca.pem')).status, 404);
	const { port } = new URL(emulator.url);
	await assert.rejects(createEmulator({ https: { port: Number(port) } }), /in use.*--https-port/);
	await assert.rejects(createEmulator({ https: { certificate: 'x' as never } }), /certificate/);
});
