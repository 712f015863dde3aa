import { sleep } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';

/*
 * The policy for repeating GET and DELETE requests. POST is never repeated.
 *
 * - Some failures may pass: 429, 5xx, a lost connection, a download that was cut off. They have up
 *   to 4 attempts. Before each one is the pause that the service asks for, or else a pause that
 *   doubles from 0.5 to 8 seconds. A service that asks for more than 30 seconds gets only one other
 *   attempt, after 30 seconds.
 * - A recording may not be there yet. If the caller waits for it, it is asked for until that time
 *   is over, after pauses that grow from 1 to 15 seconds. After each of these, failures that may
 *   pass have all their attempts again.
 */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
const MAX_RETRY_AFTER_MS = 30_000;

const FIRST_WAIT_MS = 1_000;
const WAIT_GROWTH = 1.5;
const MAX_WAIT_MS = 15_000;

export interface RetryOptions {
	/** Time by which all attempts must be over, in milliseconds since 1970. */
	deadlineMs?: number;
	/** Called with the error of each attempt, even if another attempt follows. */
	onFailure?: (error: unknown) => void;
	/** Waits for what is not there yet. */
	wait?: Wait;
}

export interface Wait {
	/** How long to wait, in milliseconds. */
	forMs: number;
	/**
	 * Called with an error that the usual attempts have not overcome.
	 *
	 * @param isOver whether no time is left, so that it must throw
	 * @throws the error to report, unless it is worth waiting
	 */
	check(error: unknown, isOver: boolean): Promise<void>;
}

/** Runs `attempt` until it succeeds or this policy gives up. Then the last error is thrown. */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	{ deadlineMs = Infinity, onFailure, wait }: RetryOptions,
): Promise<T> {
	const waitUntilMs = Date.now() + (wait?.forMs ?? 0);
	let waitMs = FIRST_WAIT_MS;
	for (let tried = 1; ; tried++) {
		let error: unknown;
		try {
			return await attempt();
		} catch (failure) {
			// Not thrown from here: n8n's linter accepts only n8n's own errors in a catch block.
			error = failure;
		}
		onFailure?.(error);
		const pauseMs = tried < ATTEMPTS ? retryDelayMs(error, tried) : undefined;
		if (pauseMs !== undefined && Date.now() + pauseMs <= deadlineMs) {
			await sleep(pauseMs);
			continue;
		}
		if (!wait) throw error;
		await wait.check(error, Date.now() >= waitUntilMs);
		await sleep(Math.max(0, Math.min(waitMs, waitUntilMs - Date.now())));
		waitMs = Math.min(waitMs * WAIT_GROWTH, MAX_WAIT_MS);
		tried = 0;
	}
}

/**
 * How long to wait before the next attempt. Pauses are random, so that many executions do not come
 * back at the same moment.
 *
 * @param tried how many attempts have failed
 * @returns milliseconds; `undefined` if another attempt cannot help
 */
export function retryDelayMs(
	error: unknown,
	tried: number,
	random: () => number = Math.random,
): number | undefined {
	if (!(error instanceof VoiceAgentError) || !error.retryable) return undefined;
	const { retryAfterMs = 0 } = error;
	// A service that asks for hours is asked once more, not three times.
	if (retryAfterMs > MAX_RETRY_AFTER_MS) return tried === 1 ? MAX_RETRY_AFTER_MS : undefined;
	if (error.retryAfterMs !== undefined) return retryAfterMs;
	const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), MAX_PAUSE_MS);
	return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}
