import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { headerPairs } from './auth.mts';
import { type Clock, isoTime } from './clock.mts';
import { BoundedList, type EmulatorEvent } from './log.mts';
import type { RequestEntry } from './schemas.mts';

export interface RequestLog {
	/** Starts recording; call it before the routes are added. */
	attach(app: FastifyInstance): void;
	/** Records a request by hand, where Fastify gives up before its hooks run. */
	begin(request: FastifyRequest, reply: FastifyReply): void;
	all(): RequestEntry[];
	clear(): void;
}

/** The emulator's own pages are not requests to the service. */
function isOwnPage(path: string): boolean {
	return /^\/(control|swagger)([/?]|$)/.test(path);
}

/**
 * Records every request to the service with its headers letter for letter. The Token's value is
 * kept on purpose: it is an emulator, and tests assert what was sent.
 */
export function createRequestLog(
	clock: Clock,
	maxEntries: number,
	onEvent: (event: EmulatorEvent) => void,
): RequestLog {
	const entries = new BoundedList<RequestEntry>(maxEntries);
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
			status: null,
			durationMs: null,
			aborted: false,
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

	return {
		attach(app) {
			app.addHook('onRequest', async (request, reply) => begin(request, reply));
			app.addHook('preValidation', async (request) => {
				const entry = open.get(request);
				if (entry) entry.body = request.body ?? null;
			});
			// Known before the reply is on its way, so whoever got the reply finds it in the log.
			app.addHook('onSend', async (request, reply) => {
				const entry = open.get(request);
				if (entry) entry.status = reply.statusCode;
			});
		},
		begin,
		all: () => entries.all(),
		clear: () => entries.clear(),
	};
}
