import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, isoTime } from '../clock.mts';
import { BoundedList, type EmulatorEvent, type LogBounds } from '../logs/log.mts';
import type { LogState } from '../logs/schemas.mts';
import type { WebhookPayload } from './payload.mts';
import { createReversingQueue } from './reversingQueue.mts';
import type { Delivery, DeliveryOptions, WebhookTargets } from './schemas.mts';
import { createSender } from './sender.mts';
import { signatureHeaders } from './signing.mts';

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
	const closing = new AbortController();
	const deliveries = new BoundedList<Delivery>(logBounds);
	const targets: Required<WebhookTargets> = { callStart: null, callEnd: null };
	let options = { ...defaultOptions };
	let lastId = 0;
	const sender = createSender(timeoutMs, closing.signal);
	const queue = createReversingQueue(closing.signal);

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
		await sender.send(delivery, payload);
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
			await sender.close();
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
