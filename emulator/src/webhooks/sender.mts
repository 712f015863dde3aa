import { Agent, request } from 'undici';
import { messageOf } from '../errors.mts';
import type { WebhookPayload } from './payload.mts';
import type { Delivery } from './schemas.mts';

/** A longer reply counts as unreadable. Instructions need a fraction of it. */
const MAX_REPLY_BYTES = 256 * 1024;
const MAX_CONNECTIONS_PER_TARGET = 64;

export interface Sender {
	/** Fills in the outcome. If only the body fails, the status is still known. */
	send(delivery: Delivery, payload: WebhookPayload): Promise<void>;
	close(): Promise<void>;
}

/**
 * Sends webhooks over HTTP.
 *
 * @param timeoutMs longest time from connecting to the end of the reply
 * @param closing aborts when the emulator stops
 */
export function createSender(timeoutMs: number, closing: AbortSignal): Sender {
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

	function reasonOf(error: unknown): string {
		if (closing.aborted) return 'the emulator stopped meanwhile';
		if (isTimeout(error)) return `no complete reply within ${timeoutMs} ms`;
		return messageOf(error);
	}

	return {
		async send(delivery, { method, text }) {
			try {
				const reply = await request(delivery.url, {
					method,
					headers: delivery.requestHeaders,
					body: method === 'GET' ? null : text,
					dispatcher: agent,
					// The agent's timeouts restart with every byte. This one does not.
					signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
				});
				delivery.status = reply.statusCode;
				delivery.replyBody = await reply.body.text();
				// A redirect is not followed, because only the configured target may read the event.
				if (reply.statusCode < 200 || reply.statusCode > 299) {
					delivery.error = `the reply has status ${reply.statusCode}`;
				}
			} catch (error) {
				delivery.error = reasonOf(error);
			}
		},
		close: () => agent.destroy(),
	};
}

function isTimeout(error: unknown): boolean {
	return (
		error instanceof Error &&
		(error.name === 'TimeoutError' ||
			/^UND_ERR_.*TIMEOUT$/.test(String(Reflect.get(error, 'code'))))
	);
}
