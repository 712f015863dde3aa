import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type Clock, isoTime } from '../clock.mts';
import { messageOf } from '../errors.mts';
import { BoundedList, type EmulatorEvent, type LogBounds } from '../logs/log.mts';
import type { LogState } from '../logs/schemas.mts';
import type { WebhookPayload } from './payload.mts';
import { createReversingQueue } from './reversingQueue.mts';
import type { Delivery, DeliveryOptions, WebhookTargets } from './schemas.mts';
import { signatureHeaders } from './signing.mts';

/** A longer reply counts as unreadable. Instructions need a fraction of it. */
const MAX_REPLY_BYTES = 256 * 1024;
const MAX_CONNECTIONS_PER_TARGET = 64;

export type WebhookEvent = Delivery['event'];

export interface Webhooks {
	targets(): Required<WebhookTargets>;
	setTargets(targets: WebhookTargets): void;
	/** How webhooks are delivered. The specification does not show the service's rules. */
	options(): Required<DeliveryOptions>;
	/** An omitted option stays as it is. */
	setOptions(options: DeliveryOptions): void;
	/** Goes back to one attempt without a secret. */
	resetOptions(): void;
	/**
	 * Sends one webhook, with the retries, copies and delays that are set, and records each attempt.
	 * Never rejects: what went wrong is in `error` of the delivery. Resolves with the last attempt
	 * of the first copy, or with null when the event has no target.
	 */
	deliver(
		event: WebhookEvent,
		sessionGuid: string,
		payload: WebhookPayload,
	): Promise<Delivery | null>;
	deliveries(): Delivery[];
	deliveriesState(): LogState;
	clear(): void;
	close(): Promise<void>;
}

/** What every attempt to deliver one webhook has in common. */
interface Order {
	event: WebhookEvent;
	sessionGuid: string;
	target: string;
	payload: WebhookPayload;
	/** The same for each attempt. */
	id: string;
}

const defaultOptions: Required<DeliveryOptions> = {
	retries: 0,
	retryDelayMs: 1000,
	copies: 1,
	delayMs: 0,
	reorder: 1,
	reorderWaitMs: 1000,
	secret: null,
	signing: null,
};

/** @param timeoutMs longest time from connecting to the end of the reply */
export function createWebhooks(
	clock: Clock,
	{ timeoutMs, logBounds }: { timeoutMs: number; logBounds: LogBounds },
	onEvent: (event: EmulatorEvent) => void,
): Webhooks {
	const agent = new Agent({
		connections: MAX_CONNECTIONS_PER_TARGET,
		// Each webhook gets a connection of its own. A receiver may close an idle one just when the
		// next webhook is sent on it.
		pipelining: 0,
		connect: { timeout: timeoutMs },
		headersTimeout: timeoutMs,
		bodyTimeout: timeoutMs,
		maxResponseSize: MAX_REPLY_BYTES,
	});
	const closing = new AbortController();
	const deliveries = new BoundedList<Delivery>(logBounds);
	const targets: Required<WebhookTargets> = { callStart: null, callEnd: null };
	let options = { ...defaultOptions };
	let lastId = 0;
	const queue = createReversingQueue(closing.signal);

	/** Fills in the outcome. If only the body fails, the status is still known. */
	async function send(delivery: Delivery, { method, text }: WebhookPayload): Promise<void> {
		try {
			const reply = await request(delivery.url, {
				method,
				headers: delivery.requestHeaders,
				body: method === 'GET' ? null : text,
				dispatcher: agent,
				// The agent's timeouts restart with every byte. This one does not.
				signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
			});
			delivery.status = reply.statusCode;
			delivery.replyBody = await reply.body.text();
			// A redirect is not followed, because only the configured target may read the event.
			if (reply.statusCode < 200 || reply.statusCode > 299) {
				delivery.error = `the reply has status ${reply.statusCode}`;
			}
		} catch (error) {
			delivery.error = closing.signal.aborted
				? 'the emulator stopped meanwhile'
				: isTimeout(error)
					? `no complete reply within ${timeoutMs} ms`
					: messageOf(error);
		}
	}

	async function attempt(order: Order, number: number, copy: number): Promise<Delivery> {
		const { secret, signing } = options;
		const { payload } = order;
		const query = {
			...payload.query,
			...(secret?.in === 'query' && { [secret.name]: secret.value }),
		};
		const delivery: Delivery = {
			id: (lastId += 1),
			event: order.event,
			sessionGuid: order.sessionGuid,
			url: withQuery(order.target, query),
			startedAt: isoTime(clock.now()),
			durationMs: 0,
			attempt: number,
			copy,
			requestHeaders: {
				...(payload.contentType !== undefined && { 'content-type': payload.contentType }),
				accept: 'application/json',
				'user-agent': 'voiceagent-emulator',
				...(secret?.in === 'header' && { [secret.name]: secret.value }),
				...(signing &&
					signatureHeaders(payload.text, signing, { id: order.id, nowMs: clock.now() })),
			},
			requestBody: payload.fields,
			status: null,
			replyBody: null,
			error: null,
		};
		const start = performance.now();
		await send(delivery, payload);
		delivery.durationMs = Math.round(performance.now() - start);
		deliveries.push(delivery);
		onEvent({ type: 'delivery', entry: delivery });
		return delivery;
	}

	async function attemptUntilDone(order: Order, copy: number): Promise<Delivery> {
		let delivery = await attempt(order, 1, copy);
		for (let number = 2; delivery.error && number <= options.retries + 1; number += 1) {
			if (!(await pause(options.retryDelayMs, closing.signal))) break;
			delivery = await attempt(order, number, copy);
		}
		return delivery;
	}

	async function deliverCopies(order: Order): Promise<Delivery> {
		const others = Array.from({ length: options.copies - 1 }, (_, index) => index + 2);
		const first = attemptUntilDone(order, 1);
		await Promise.all(others.map((copy) => attemptUntilDone(order, copy)));
		return first;
	}

	return {
		targets: () => ({ ...targets }),
		setTargets({ callStart, callEnd }) {
			if (callStart !== undefined) targets.callStart = callStart;
			if (callEnd !== undefined) targets.callEnd = callEnd;
		},
		options: () => ({ ...options }),
		setOptions(change) {
			const given = Object.entries(change).filter(([, value]) => value !== undefined);
			options = { ...options, ...(Object.fromEntries(given) as DeliveryOptions) };
		},
		resetOptions() {
			options = { ...defaultOptions };
		},
		async deliver(event, sessionGuid, payload) {
			const target = event === 'CallStart' ? targets.callStart : targets.callEnd;
			if (target === null) return null;
			const order = { event, sessionGuid, target, payload, id: `msg_${randomUUID()}` };
			await pause(options.delayMs, closing.signal);
			// A call waits for the reply to its CallStart, so that is never held back.
			if (event === 'CallStart' || options.reorder === 1) return deliverCopies(order);
			return queue.run(options.reorder, options.reorderWaitMs, () => deliverCopies(order));
		},
		deliveries: () => deliveries.all(),
		deliveriesState: () => deliveries.state(),
		clear: () => deliveries.clear(),
		async close() {
			closing.abort();
			await agent.destroy();
		},
	};
}

/** @returns false if the emulator stops first */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
	if (ms === 0) return !signal.aborted;
	try {
		await wait(ms, undefined, { signal });
		return true;
	} catch {
		return false;
	}
}

function withQuery(url: string, query: Record<string, string>): string {
	const entries = Object.entries(query);
	if (entries.length === 0) return url;
	const changed = new URL(url);
	for (const [name, value] of entries) changed.searchParams.append(name, value);
	return changed.href;
}

function isTimeout(error: unknown): boolean {
	return (
		error instanceof Error &&
		(error.name === 'TimeoutError' ||
			/^UND_ERR_.*TIMEOUT$/.test(String(Reflect.get(error, 'code'))))
	);
}
