import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.mts';
import { messageOf } from '../errors.mts';
import { withoutQuery } from '../eventLine.mts';
import type { Log } from '../logs/log.mts';
import { isOwnPage, type RequestLog } from '../logs/requestLog.mts';
import type { ShapeBoard } from '../profile/board.mts';
import type { Faults, Hit } from './faults.mts';
import type { NoReply, Replacement } from './kind.mts';
import { kindOf, needsReply } from './rule.mts';
import { bodyOf, replaceReply, writeSpoiled } from './write.mts';

/**
 * Makes faults happen to requests to the service's API, on their real sockets. The emulator's own
 * pages are spared. Call it after the request log is attached and before routes are added.
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
	/** Replies that are slow, late or never finished. The closing server must not wait for them. */
	const held = new Set<ServerResponse>();

	/** @returns a signal that aborts when the client is gone */
	function hold(reply: FastifyReply): AbortSignal {
		const gone = new AbortController();
		held.add(reply.raw);
		reply.raw.once('close', () => {
			held.delete(reply.raw);
			gone.abort();
		});
		return gone.signal;
	}

	function unknownGuidStatus(): number {
		const { profile } = shapes;
		return profile.refusal('unknownGuid')?.status ?? profile.statusOf('recording_not_found', 404);
	}

	function replacementFor({ fault }: Hit, request: FastifyRequest): Replacement | NoReply {
		const context = {
			rawHeaders: request.raw.rawHeaders,
			now: clock.now(),
			unknownGuidStatus: unknownGuidStatus(),
		};
		return kindOf(fault).replace?.(fault, context) ?? 'silence';
	}

	/** Takes the reply away from Fastify, and sends nothing. */
	function fallSilent(reply: FastifyReply, how: NoReply): void {
		hold(reply);
		reply.hijack();
		const { socket } = reply.raw;
		// Node cannot reset a connection with TLS.
		if (how === 'reset' && !(socket instanceof TLSSocket)) socket?.resetAndDestroy();
		else if (how !== 'silence') reply.raw.destroy();
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
		if (typeof other !== 'string') return reply.send(replaceReply(reply, other));
		fallSilent(reply, other);
	});

	app.addHook('onSend', (request, reply, payload, done) => {
		const hit = hits.get(request);
		if (!hit) return done(null, payload);
		hits.delete(request);
		const { fault } = hit;
		const kind = kindOf(fault);
		const discard = () => payload instanceof Readable && payload.destroy();

		if (!needsReply(fault)) {
			discard();
			const other = replacementFor(hit, request);
			if (typeof other === 'string') return fallSilent(reply, other);
			requestLog.noteStatus(request, other.status);
			return done(null, replaceReply(reply, other));
		}
		for (const [name, value] of Object.entries(kind.setHeaders?.(fault) ?? {})) {
			if (value === null) reply.removeHeader(name);
			else reply.header(name, value);
		}
		const delayMs = kind.delayMs?.(fault);
		if (delayMs !== undefined) {
			wait(delayMs, undefined, { signal: hold(reply) }).then(() => done(null, payload), discard);
			return;
		}
		if (!kind.spoil) return done(null, payload);
		const signal = hold(reply);
		const headers = reply.getHeaders() as OutgoingHttpHeaders;
		const { body, length } = bodyOf(payload, headers['content-length']);
		const spoiled = kind.spoil(fault, { headers, body, length, signal });
		reply.hijack();
		writeSpoiled(reply.raw, reply.statusCode, spoiled).catch((error: unknown) => {
			// A client that goes away is the expected end of most of these.
			if (!signal.aborted) log.write('error', `fault ${fault.kind}: ${messageOf(error)}`);
			reply.raw.destroy();
		});
	});

	app.addHook('preClose', async () => {
		for (const response of held) response.destroy();
	});
}
