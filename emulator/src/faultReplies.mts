import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from './clock.mts';
import { messageOf } from './errors.mts';
import { withoutQuery } from './eventLine.mts';
import type { Faults, Hit } from './faults.mts';
import type { Log } from './log.mts';
import { isOwnPage, type RequestLog } from './requestLog.mts';
import type { Fault } from './schemas.mts';
import type { ShapeBoard } from './unknowns.mts';

/** Padding of a body that is too large: white space, so that JSON stays JSON. */
const FILLER = Buffer.alloc(64 * 1024, ' ');
const GZIP_BOMB_BYTES = 1_000_000_000;

const WEB_PAGE =
	'<!DOCTYPE html><html><head><title>Sign in</title></head>' +
	'<body><h1>Sign in</h1><form><input name="user"></form></body></html>';

/* ── replies that replace the true one ──────────────────────────────────────────────────────── */

interface Replacement {
	status: number;
	headers: Record<string, string>;
	body: string;
	/** Text behind the status number. */
	reason?: string;
}

const json = (body: unknown) => ({
	headers: { 'content-type': 'application/json; charset=utf-8' },
	body: JSON.stringify(body),
});

/** What is said instead of the true reply; undefined for faults that say nothing of their own. */
function replacement(
	fault: Fault,
	request: FastifyRequest,
	clock: Clock,
	unknownGuidStatus: number,
): Replacement | undefined {
	switch (fault.kind) {
		case 'status': {
			const { status, retryAfter, retryAfterDate, contentType } = fault;
			const standard = { error: { code: 'fault', message: `Ordered fault, status ${status}` } };
			const body = status === 204 || status === 304 ? '' : (fault.body ?? standard);
			const { headers, body: text } =
				typeof body === 'string'
					? { headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
					: json(body);
			const date = new Date(clock.now() + (retryAfterDate ?? 0) * 1000).toUTCString();
			return {
				status,
				headers: {
					...headers,
					...(contentType !== undefined && { 'content-type': contentType }),
					...(retryAfterDate !== undefined && { 'retry-after': date }),
					...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
				},
				body: text,
			};
		}
		case 'html':
			return {
				status: fault.status ?? 200,
				headers: { 'content-type': 'text/html; charset=utf-8' },
				body: WEB_PAGE,
			};
		case 'empty':
			return { status: fault.status ?? 200, headers: {}, body: '' };
		case 'redirect':
			return { status: fault.status ?? 302, headers: { location: fault.to }, body: '' };
		case 'echoToken': {
			const { rawHeaders } = request.raw;
			const index = rawHeaders.findIndex((name) => name.toLowerCase() === 'token');
			const token = (index >= 0 && rawHeaders[index + 1]) || '';
			const { headers, body } = json({
				error: { code: 'internal_error', message: `Cannot serve the key "${token}"`, token },
				base64: Buffer.from(token, 'latin1').toString('base64'),
				query: `?Token=${encodeURIComponent(token)}`,
			});
			return {
				status: fault.status ?? 500,
				reason: `Failed for ${token}`,
				headers: { ...headers, 'x-received-token': token },
				body,
			};
		}
		case 'notReady': {
			const error = { code: 'recording_not_ready', message: 'The recording is not ready yet' };
			return { status: fault.status ?? unknownGuidStatus, ...json({ error }) };
		}
		default:
			return undefined;
	}
}

/** Makes the replacement the reply. @returns the new payload */
function apply({ status, headers, body, reason }: Replacement, reply: FastifyReply): string {
	for (const name of Object.keys(reply.getHeaders())) {
		if (name !== 'date') reply.removeHeader(name);
	}
	if (reason !== undefined) reply.raw.statusMessage = reason;
	reply.code(status).headers(headers);
	// Length by hand: Fastify forbids none, but a redirect without one would be chunked.
	if (status !== 204 && status !== 304) reply.header('content-length', Buffer.byteLength(body));
	return body;
}

/* ── replies that are spoiled on their way ──────────────────────────────────────────────────── */

type Chunks = AsyncIterable<Uint8Array>;

interface Spoiled {
	headers: OutgoingHttpHeaders;
	body: Chunks;
	/** Length to announce; 'chunked', or 'close' when only the end of the connection ends the body. */
	framing: number | 'chunked' | 'close';
	/** What follows the body: a proper end, a cut connection, or nothing ever again. */
	ending: 'end' | 'cut' | 'silence';
}

async function* firstBytes(body: Chunks, count: number): Chunks {
	let left = count;
	if (left === 0) return;
	for await (const chunk of body) {
		yield chunk.subarray(0, left);
		left -= Math.min(left, chunk.length);
		if (left === 0) return;
	}
}

async function* drip(body: Chunks, bytes: number, ms: number, signal: AbortSignal): Chunks {
	for await (const chunk of body) {
		for (let offset = 0; offset < chunk.length; offset += bytes) {
			yield chunk.subarray(offset, offset + bytes);
			await wait(ms, undefined, { signal });
		}
	}
}

async function* padded(body: Chunks, total: number): Chunks {
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		yield chunk;
	}
	for (; size < total; size += FILLER.length) yield FILLER.subarray(0, total - size);
}

/** How the true reply goes wrong; undefined for faults that do not touch it here. */
function spoil(
	fault: Fault,
	headers: OutgoingHttpHeaders,
	body: Chunks,
	length: number | undefined,
	signal: AbortSignal,
): Spoiled | undefined {
	const framing = length ?? 'chunked';
	const honest: Spoiled = { headers, body, framing, ending: 'end' };
	switch (fault.kind) {
		case 'drop':
			return {
				headers,
				body: firstBytes(body, fault.afterBytes),
				framing: fault.chunked ? 'chunked' : framing,
				ending: 'cut',
			};
		case 'silent':
			if (fault.afterBytes === undefined) return undefined;
			return { ...honest, body: firstBytes(body, fault.afterBytes), ending: 'silence' };
		case 'closeDelimited':
			return { ...honest, body: firstBytes(body, fault.atBytes ?? Infinity), framing: 'close' };
		case 'wrongLength':
			return { ...honest, framing: Math.max(0, (length ?? 0) + fault.delta) };
		case 'slow': {
			const { bytesPerInterval = 1, intervalMs = 100 } = fault;
			return { ...honest, body: drip(body, bytesPerInterval, intervalMs, signal) };
		}
		case 'endless':
			return { ...honest, body: padded(body, Infinity), framing: 'chunked' };
		case 'gzipBomb': {
			const inflated = Readable.from(padded(body, fault.bytes ?? GZIP_BOMB_BYTES));
			const gzip = createGzip({ level: 1 });
			// Its end, early or not, shows in the stream that is read.
			pipeline(inflated, gzip).catch(() => undefined);
			return {
				headers: { ...headers, 'content-encoding': 'gzip' },
				body: gzip,
				framing: 'chunked',
				ending: 'end',
			};
		}
		default:
			return undefined;
	}
}

/** Writes a spoiled reply past Fastify, which would repair it. */
async function write(response: ServerResponse, status: number, spoiled: Spoiled): Promise<void> {
	const { headers, body, framing, ending } = spoiled;
	for (const [name, value] of Object.entries(headers)) {
		if (value !== undefined) response.setHeader(name, value);
	}
	// No later reply on this connection could be told from the rest of this one.
	response.setHeader('connection', 'close');
	response.removeHeader('content-length');
	if (framing === 'close') response.removeHeader('transfer-encoding');
	else if (framing === 'chunked') response.setHeader('transfer-encoding', 'chunked');
	else response.setHeader('content-length', framing);
	response.writeHead(status);
	response.flushHeaders();
	await pipeline(Readable.from(body, { objectMode: false }), response, { end: false });
	if (ending === 'end') response.end();
	// What was written leaves first, or the client would see less than was ordered.
	if (ending === 'cut') response.socket?.destroySoon();
}

interface Payload {
	body: Chunks;
	length: number | undefined;
}

/** What Fastify is about to send: a text, bytes or a stream. */
function payloadOf(payload: unknown, announced: unknown): Payload {
	if (typeof payload === 'string' || payload instanceof Uint8Array) {
		const bytes = Buffer.from(payload);
		return { body: Readable.from([bytes]), length: bytes.length };
	}
	const body = payload instanceof Readable ? payload : Readable.from([]);
	const length = announced === undefined ? (payload ? undefined : 0) : Number(announced);
	return { body, length };
}

/* ── joining it to the server ───────────────────────────────────────────────────────────────── */

/**
 * Lets faults happen to the requests of the service's API, on their real sockets; never to the
 * emulator's own pages. Call it after the request log is attached and before routes are added.
 */
export function attachFaults(
	app: FastifyInstance,
	{
		faults,
		clock,
		log,
		requestLog,
		shapes,
	}: { faults: Faults; clock: Clock; log: Log; requestLog: RequestLog; shapes: ShapeBoard },
): void {
	const hits = new WeakMap<FastifyRequest, Hit>();
	/** Replies that are slow, late or never finished; the closing server must not wait for them. */
	const held = new Set<ServerResponse>();

	function hold(reply: FastifyReply): AbortSignal {
		const gone = new AbortController();
		held.add(reply.raw);
		reply.raw.once('close', () => {
			held.delete(reply.raw);
			gone.abort();
		});
		return gone.signal;
	}

	function replacementFor({ fault }: Hit, request: FastifyRequest): Replacement | undefined {
		return replacement(fault, request, clock, Number(shapes.current().unknownGuid));
	}

	app.addHook('onRequest', async (request, reply) => {
		const path = request.raw.url ?? '';
		if (isOwnPage(path)) return;
		const hit = faults.draw({
			endpoint: request.routeOptions.config.permission,
			method: request.method,
			path,
		});
		if (!hit) return;
		log.write('warn', `fault ${hit.fault.kind} hits ${request.method} ${withoutQuery(path)}`);
		requestLog.noteFault(request, hit.fault.kind, { readBody: !hit.carryOut });
		if (hit.carryOut) {
			hits.set(request, hit);
			return;
		}
		const other = replacementFor(hit, request);
		if (other) return reply.send(apply(other, reply));
		hold(reply);
		reply.hijack();
		// Nothing more happens to the silent one.
		if (hit.fault.kind === 'hangUp') reply.raw.destroy();
	});

	app.addHook('onSend', (request, reply, payload, done) => {
		const hit = hits.get(request);
		if (!hit) return done(null, payload);
		hits.delete(request);
		const { fault } = hit;
		const discard = () => payload instanceof Readable && payload.destroy();

		const other = replacementFor(hit, request);
		if (other) {
			discard();
			requestLog.noteStatus(request, other.status);
			return done(null, apply(other, reply));
		}
		if (fault.kind === 'headers') {
			for (const [name, value] of Object.entries(fault.set)) {
				if (value === null) reply.removeHeader(name);
				else reply.header(name, value);
			}
			return done(null, payload);
		}
		const signal = hold(reply);
		if (fault.kind === 'delay') {
			wait(fault.ms, undefined, { signal }).then(() => done(null, payload), discard);
			return;
		}
		const headers = reply.getHeaders() as OutgoingHttpHeaders;
		const { body, length } = payloadOf(payload, headers['content-length']);
		const spoiled = spoil(fault, headers, body, length, signal);
		reply.hijack();
		if (!spoiled) {
			discard();
			if (fault.kind === 'hangUp') reply.raw.destroy();
			return;
		}
		write(reply.raw, reply.statusCode, spoiled).catch((error: unknown) => {
			// A client that goes away is the expected end of most of these.
			if (!signal.aborted) log.write('error', `fault ${fault.kind}: ${messageOf(error)}`);
			reply.raw.destroy();
		});
	});

	app.addHook('preClose', async () => {
		for (const response of held) response.destroy();
	});
}
