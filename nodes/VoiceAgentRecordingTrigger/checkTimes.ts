import type {
	CronExpression,
	ITriggerFunctions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

/** When to check for recordings, and when to report a failure. */

const MINUTE_MS = 60_000;

/** How often a failure is reported while it lasts. */
const REPEAT_MS = 60 * MINUTE_MS;

/** Once a minute, at a random second, so that processes of n8n do not all ask the service at the same moment. */
export function everyMinute(random: () => number = Math.random): CronExpression {
	return `${Math.floor(random() * 60)} * * * * *` as CronExpression;
}

/**
 * Whether a check is due at a tick; ticks come every minute. Counting from the last check works for any interval, even if
 * it does not divide an hour or a day, and is not affected by daylight saving time. Ticks may come half a minute early.
 */
export function isCheckDue(lastMs: number, nowMs: number, intervalMs: number): boolean {
	return nowMs < lastMs || nowMs - lastMs >= intervalMs - MINUTE_MS / 2;
}

/** Reports failures as failed executions: a new one immediately, a lasting one every hour. */
export class FailureReports {
	#last: { kind: string; atMs: number } | undefined;

	constructor(private readonly context: ITriggerFunctions) {}

	/** @param kind the same for as long as the failure lasts */
	failed(kind: string, failure: NodeApiError | NodeOperationError): void {
		this.context.logger.warn(`VoiceAgent Recording Trigger: ${failure.message}`);
		const nowMs = Date.now();
		const last = this.#last;
		// A clock that was set back must not silence it.
		if (last?.kind === kind && Math.abs(nowMs - last.atMs) < REPEAT_MS) return;
		this.#last = { kind, atMs: nowMs };
		this.context.saveFailedExecution(failure);
	}

	/** The next failure counts as a new one. */
	succeeded(): void {
		this.#last = undefined;
	}
}
