import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { createEmulator, type Emulator, type EmulatorOptions } from '../src/index.mts';

/** An emulator whose calls take no time, closed at the end of the test. */
export async function start(t: TestContext, options: EmulatorOptions = {}): Promise<Emulator> {
	const emulator = await createEmulator({ callSpeed: Infinity, ...options });
	t.after(() => emulator.close());
	return emulator;
}

export interface Reply {
	status: number;
	headers: http.IncomingHttpHeaders;
	body: Buffer;
	/** The body as JSON; fails the test when it is something else. */
	json(): Json;
}

/** JSON of unknown shape, as a test reads it. */
export type Json = Record<string, unknown> & {
	error?: { code: string; message: string; fields?: string[] };
};

/** One request through node:http, which sends header names letter for letter. */
export async function send(
	url: string,
	method: string,
	path: string,
	{
		headers = { Token: 'demo-key' },
		body,
	}: { headers?: http.OutgoingHttpHeaders; body?: unknown } = {},
): Promise<Reply> {
	const payload =
		body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
	const request = http.request(new URL(path, url), {
		method,
		agent: false,
		headers: { ...(payload !== undefined && { 'Content-Type': 'application/json' }), ...headers },
	});
	request.end(payload);
	const [response] = (await once(request, 'response')) as [http.IncomingMessage];
	const received = await buffer(response);
	return {
		status: response.statusCode ?? 0,
		headers: response.headers,
		body: received,
		json: () => JSON.parse(received.toString()) as Json,
	};
}

export interface Hook {
	path: string;
	contentType: string | undefined;
	body: Json;
}

/** A receiver of webhooks that answers as `answer` says and remembers what came. */
export async function receiver(
	t: TestContext,
	answer: (hook: Hook, response: http.ServerResponse) => unknown,
): Promise<{ url: string; hooks: Hook[] }> {
	const hooks: Hook[] = [];
	const server = http.createServer(async (request, response) => {
		const hook: Hook = {
			path: request.url ?? '',
			contentType: request.headers['content-type'],
			body: JSON.parse(await text(request)) as Json,
		};
		hooks.push(hook);
		const reply = await answer(hook, response);
		if (reply !== undefined && !response.writableEnded) {
			response.setHeader('Content-Type', 'application/json');
			response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, hooks };
}

/** Places a call over the API and waits until its life is over. */
export async function call(emulator: Emulator, body: Json = { to: '+15550100' }) {
	const reply = await send(emulator.url, 'POST', '/api/customer/makecall', { body });
	assert.equal(reply.status, 200);
	return emulator.control.completedCall(String(reply.json()['sessionGuid']));
}

export const list = async (emulator: Emulator): Promise<Json[]> => {
	const reply = await send(emulator.url, 'GET', '/api/customer/recordings');
	assert.equal(reply.status, 200);
	return JSON.parse(reply.body.toString()) as Json[];
};

export const recordingPath = (sessionGuid: string) => `/api/customer/recordings/${sessionGuid}`;
