import { Agent, request } from 'undici';
import { type Clock, isoTime } from './clock.mts';
import { messageOf } from './errors.mts';
import type { EmulatorEvent } from './log.mts';
import { BoundedList } from './log.mts';
import type { Delivery, WebhookTargets } from './schemas.mts';

/** A longer reply counts as unreadable; instructions need a fraction of it. */
const MAX_REPLY_BYTES = 256 * 1024;
const MAX_CONNECTIONS_PER_TARGET = 64;

export type WebhookEvent = Delivery['event'];

export interface Webhooks {
	targets(): Required<WebhookTargets>;
	setTargets(targets: WebhookTargets): void;
	/**
	 * Sends one webhook, once, and records it. Never rejects: what went wrong is in `error` of the
	 * delivery. Resolves with null when the event has no target.
	 */
	deliver(
		event: WebhookEvent,
		sessionGuid: string,
		body: Record<string, unknown>,
	): Promise<Delivery | null>;
	deliveries(): Delivery[];
	clear(): void;
	close(): Promise<void>;
}

/** @param timeoutMs longest time from connecting to the end of the reply */
export function createWebhooks(
	clock: Clock,
	{ timeoutMs, maxEntries }: { timeoutMs: number; maxEntries: number },
	onEvent: (event: EmulatorEvent) => void,
): Webhooks {
	const agent = new Agent({
		connections: MAX_CONNECTIONS_PER_TARGET,
		connect: { timeout: timeoutMs },
		headersTimeout: timeoutMs,
		bodyTimeout: timeoutMs,
		maxResponseSize: MAX_REPLY_BYTES,
	});
	const closing = new AbortController();
	const deliveries = new BoundedList<Delivery>(maxEntries);
	const targets: Required<WebhookTargets> = { callStart: null, callEnd: null };
	let lastId = 0;

	/** Fills in the outcome; the status stays known when only the body fails. */
	async function send(delivery: Delivery): Promise<void> {
		try {
			const reply = await request(delivery.url, {
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					accept: 'application/json',
					'user-agent': 'voiceagent-emulator',
				},
				body: JSON.stringify(delivery.requestBody),
				dispatcher: agent,
				// The time-outs of the agent restart with every byte, this one does not.
				signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
			});
			delivery.status = reply.statusCode;
			delivery.replyBody = await reply.body.text();
			// Redirects are not followed: the body of the event belongs to the configured target.
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

	return {
		targets: () => ({ ...targets }),
		setTargets({ callStart, callEnd }) {
			if (callStart !== undefined) targets.callStart = callStart;
			if (callEnd !== undefined) targets.callEnd = callEnd;
		},
		async deliver(event, sessionGuid, body) {
			const url = event === 'CallStart' ? targets.callStart : targets.callEnd;
			if (url === null) return null;
			const delivery: Delivery = {
				id: (lastId += 1),
				event,
				sessionGuid,
				url,
				startedAt: isoTime(clock.now()),
				durationMs: 0,
				requestBody: body,
				status: null,
				replyBody: null,
				error: null,
			};
			const start = performance.now();
			await send(delivery);
			delivery.durationMs = Math.round(performance.now() - start);
			deliveries.push(delivery);
			onEvent({ type: 'delivery', entry: delivery });
			return delivery;
		},
		deliveries: () => deliveries.all(),
		clear: () => deliveries.clear(),
		async close() {
			closing.abort();
			await agent.destroy();
		},
	};
}

function isTimeout(error: unknown): boolean {
	return (
		error instanceof Error &&
		(error.name === 'TimeoutError' ||
			/^UND_ERR_.*TIMEOUT$/.test(String(Reflect.get(error, 'code'))))
	);
}
