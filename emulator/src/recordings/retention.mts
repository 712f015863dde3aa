/**
 * How long a recording is kept after its call ended, whether or not it was downloaded
 * (service specification, Limits: 7 days).
 */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** How often the timer looks for recordings whose retention is over, in milliseconds. */
const SWEEP_INTERVAL_MS = 30_000;

/**
 * Purges by a timer, for runs in which nobody lists or downloads.
 * @returns stops it
 */
export function startRetention(purge: () => Promise<void>): () => void {
	const timer = setInterval(() => void purge(), SWEEP_INTERVAL_MS);
	// The timer alone is no reason to keep the process alive.
	timer.unref();
	return () => clearInterval(timer);
}
