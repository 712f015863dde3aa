import assert from 'node:assert/strict';
import { EventEmitter, on, once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import {
	createEmulator,
	type Emulator,
	type EmulatorEvent,
	type EmulatorOptions,
} from '../src/index.mts';

/** An emulator whose calls take no time, closed at the end of the test. */
export async function start(t: TestContext, options: EmulatorOptions = {}): Promise<Emulator> {
	const emulator = await createEmulator({ callSpeed: Infinity, ...options });
	t.after(() => emulator.close());
	return emulator;
}

/** An `onEvent` for the options, and a way to wait for an event that is still to come. */
export function eventsOf() {
	const emitter = new EventEmitter();
	return {
		onEvent: (one: EmulatorEvent) => void emitter.emit('event', one),
		async event(fits: (one: EmulatorEvent) => boolean): Promise<EmulatorEvent> {
			for await (const [one] of on(emitter, 'event') as AsyncIterable<[EmulatorEvent]>) {
				if (fits(one)) return one;
			}
			throw new Error('unreachable: the emitter has no end');
		},
	};
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
	const payload = typeof body === 'string' ? body : JSON.stringify(body);
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
	method: string;
	path: string;
	contentType: string | undefined;
	rawHeaders: string[];
	body: Json;
}

function parsed(content: string, contentType = ''): Json {
	if (contentType.includes('form')) return Object.fromEntries(new URLSearchParams(content));
	if (contentType.includes('json')) return JSON.parse(content) as Json;
	return { text: content };
}

/** A receiver of webhooks that answers as `answer` says and remembers what came. */
export async function receiver(
	t: TestContext,
	answer: (hook: Hook, response: http.ServerResponse) => unknown,
): Promise<{ url: string; hooks: Hook[] }> {
	const hooks: Hook[] = [];
	const server = http.createServer(async (request, response) => {
		const contentType = request.headers['content-type'];
		const content = await text(request);
		const hook: Hook = {
			method: request.method ?? '',
			path: request.url ?? '',
			contentType,
			rawHeaders: request.rawHeaders,
			body: parsed(content, contentType),
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

/** What came over a socket, byte for byte. */
export interface Raw {
	/** Status line and headers. */
	head: string;
	body: Buffer;
	/** Whether the emulator closed the connection before the time was over. */
	closed: boolean;
}

/** One request over a bare socket, which repairs nothing; reads until the end or for `forMs`. */
export async function raw(
	url: string,
	path: string,
	{ method = 'GET', body = '', forMs = 1_000 } = {},
): Promise<Raw> {
	const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
	const chunks: Buffer[] = [];
	socket.on('data', (chunk: Buffer) => chunks.push(chunk));
	// A reset ends a connection like anything else here.
	socket.on('error', () => undefined);
	socket.write(
		`${method} ${path} HTTP/1.1\r\nHost: x\r\nToken: demo-key\r\n` +
			(body && `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`) +
			`\r\n${body}`,
	);
	const closed = await Promise.race([
		new Promise<boolean>((resolve) => socket.once('close', () => resolve(true))),
		new Promise<boolean>((resolve) => setTimeout(resolve, forMs, false)),
	]);
	socket.destroy();
	const all = Buffer.concat(chunks);
	const gap = all.indexOf('\r\n\r\n');
	return gap < 0
		? { head: all.toString('latin1'), body: Buffer.alloc(0), closed }
		: { head: all.toString('latin1', 0, gap), body: all.subarray(gap + 4), closed };
}

/** The cells of the tables in one section of a page, without heads. */
export function tableRows(page: string, heading: string): string[][] {
	const section = page.split(/^(?=## )/m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
	const lines = section.split('\n');
	return lines
		.filter((line, index) => line.startsWith('| ') && !lines[index + 1]?.startsWith('| -'))
		.filter((line) => !line.startsWith('| -'))
		.map((line) =>
			line
				.split(/(?<!\\)\|/)
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
}
