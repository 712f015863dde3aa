import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { headerPairs } from '../auth/auth.mts';
import { type Clock, isoTime } from '../clock.mts';
import { isDeeperThan } from '../validation.mts';
import { BoundedList, type EmulatorEvent, type LogBounds } from './log.mts';
import type { LogState, RequestEntry } from './schemas.mts';

export interface RequestLog {
	/** Starts recording; call it before the routes are added. */
	attach(app: FastifyInstance): void;
	/** Records a request that Fastify refuses before its hooks run. */
	begin(request: FastifyRequest, reply: FastifyReply): void;
	/** Notes that a fault hit the request. Its body is read here, because no route will. */
	noteFault(request: FastifyRequest, kind: string, options: { readBody: boolean }): void;
	/** Notes another status than the one that Fastify was about to send. */
	noteStatus(request: FastifyRequest, status: number): void;
	all(): RequestEntry[];
	state(): LogState;
	clear(): void;
}

/** Larger bodies are not kept. The service's API refuses them anyway. */
const MAX_BODY_BYTES = 64 * 1024;

/** The emulator's own pages are not requests to the service. */
export function isOwnPage(path: string): boolean {
	return /^\/((control|ready|swagger)([/?]|$)|\?|$)/.test(path);
}

function parsedOrNull(bytes: Buffer): unknown {
	try {
		const value: unknown = JSON.parse(bytes.toString());
		return isDeeperThan(value) ? null : value;
	} catch {
		return null;
	}
}

/**
 * Records every request to the service with its headers as they were sent. The API key is kept,
 * because tests assert what was sent.
 */
export function createRequestLog(
	clock: Clock,
	max: LogBounds,
	onEvent: (event: EmulatorEvent) => void,
): RequestLog {
	const entries = new BoundedList<RequestEntry>(max);
	const open = new WeakMap<FastifyRequest, RequestEntry>();
	let lastId = 0;

	function begin(request: FastifyRequest, reply: FastifyReply): void {
		const path = request.raw.url ?? '';
		if (isOwnPage(path)) return;
		const start = performance.now();
		const entry: RequestEntry = {
			id: (lastId += 1),
			time: isoTime(clock.now()),
			method: request.raw.method ?? '',
			path,
			rawHeaders: headerPairs(request.raw.rawHeaders),
			body: null,
			bodyBase64: null,
			status: null,
			durationMs: null,
			aborted: false,
			fault: null,
		};
		open.set(request, entry);
		entries.push(entry);
		// Also emitted when the connection is lost, which Fastify's onResponse is not.
		reply.raw.once('close', () => {
			entry.status = reply.raw.headersSent ? reply.raw.statusCode : null;
			entry.durationMs = Math.round(performance.now() - start);
			entry.aborted = !reply.raw.writableFinished;
			onEvent({ type: 'request', entry });
		});
	}

	/** Keeps the bytes of a body, whether or not a route reads them too. */
	function keepBytes(entry: RequestEntry, body: Readable, onEnd?: (bytes: Buffer) => void): void {
		const chunks: Buffer[] = [];
		let size = 0;
		body.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= MAX_BODY_BYTES) chunks.push(chunk);
		});
		body.once('end', () => {
			const bytes = Buffer.concat(chunks);
			if (bytes.length > 0) entry.bodyBase64 = bytes.toString('base64');
			onEnd?.(bytes);
			entries.update(entry);
		});
	}

	return {
		attach(app) {
			app.addHook('onRequest', async (request, reply) => begin(request, reply));
			app.addHook('preParsing', (request, _reply, payload, done) => {
				const entry = open.get(request);
				if (entry) keepBytes(entry, payload as Readable);
				done(null, payload);
			});
			app.addHook('preValidation', async (request) => {
				const entry = open.get(request);
				if (!entry) return;
				entry.body = request.body ?? null;
				entries.update(entry);
			});
			// Set before the reply is sent, so that a client that got it finds it in the log.
			app.addHook('onSend', async (request, reply) => {
				const entry = open.get(request);
				if (entry) entry.status = reply.statusCode;
			});
		},
		begin,
		noteFault(request, kind, { readBody }) {
			const entry = open.get(request);
			if (!entry) return;
			entry.fault = kind;
			if (readBody) {
				keepBytes(entry, request.raw, (bytes) => {
					entry.body = parsedOrNull(bytes);
				});
			}
		},
		noteStatus(request, status) {
			const entry = open.get(request);
			if (entry) entry.status = status;
		},
		all: () => entries.all(),
		state: () => entries.state(),
		clear: () => entries.clear(),
	};
}
