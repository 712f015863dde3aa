/** When to look at the service, and when to tell that looking at it failed. */

const MINUTE_MS = 60_000;

/** How often the same failure is told while it lasts. */
const REPEAT_MS = 60 * MINUTE_MS;

/** Once a minute. */
export const EVERY_MINUTE = '* * * * *';

/**
 * A cron expression without seconds, at a second of its own: so that not everybody asks the service at the same moment,
 * nor two processes of n8n. One with seconds stays as it is.
 */
export function atOwnSecond(expression: string, random: () => number = Math.random): string {
	const fields = expression.trim().split(/\s+/);
	return fields.length === 5 ? [Math.floor(random() * 60), ...fields].join(' ') : expression.trim();
}

/**
 * Whether a check is due at one of the ticks that come every minute. Counting from the last check suits any interval,
 * also one that does not divide an hour or a day, and does not notice daylight saving. Half a minute is allowed for
 * ticks that come early.
 */
export function isCheckDue(lastMs: number, nowMs: number, intervalMs: number): boolean {
	return nowMs < lastMs || nowMs - lastMs >= intervalMs - MINUTE_MS / 2;
}

/** Tells which failures to report: a new one at once, one that lasts every hour. */
export class FailureReports {
	#last: { text: string; atMs: number } | undefined;

	/** Whether this failure is to be reported now. */
	failed(text: string, nowMs: number): boolean {
		const last = this.#last;
		const isDue = !last || last.text !== text || nowMs - last.atMs >= REPEAT_MS;
		if (isDue) this.#last = { text, atMs: nowMs };
		return isDue;
	}

	/** The next failure is a new one. */
	succeeded(): void {
		this.#last = undefined;
	}
}
