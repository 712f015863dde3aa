import type { FastifyInstance, FastifyRequest } from 'fastify';
import { headerPairs } from './auth.mts';
import { type Clock, isoTime } from './clock.mts';
import { BoundedList, type EmulatorEvent } from './log.mts';
import type { RequestEntry } from './schemas.mts';

export interface RequestLog {
	/** Starts recording; call it before the routes are added. */
	attach(app: FastifyInstance): void;
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

	function attach(app: FastifyInstance): void {
		app.addHook('onRequest', async (request) => {
			if (isOwnPage(request.raw.url ?? '')) return;
			const entry: RequestEntry = {
				id: (lastId += 1),
				time: isoTime(clock.now()),
				method: request.method,
				path: request.raw.url ?? '',
				rawHeaders: headerPairs(request.raw.rawHeaders),
				body: null,
				status: null,
				durationMs: null,
				aborted: false,
			};
			open.set(request, entry);
			entries.push(entry);
		});
		app.addHook('preValidation', async (request) => {
			const entry = open.get(request);
			if (entry) entry.body = request.body ?? null;
		});
		app.addHook('onResponse', async (request, reply) => {
			const entry = open.get(request);
			if (!entry) return;
			entry.status = reply.statusCode;
			entry.durationMs = Math.round(reply.elapsedTime);
			entry.aborted = !reply.raw.writableFinished;
			onEvent({ type: 'request', entry });
		});
	}

	return { attach, all: () => entries.all(), clear: () => entries.clear() };
}
