/**
 * How long a recording is kept after its call ended, whether or not it was downloaded
 * (service specification, Limits: 7 days).
 */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Time between two purges, in milliseconds. */
const SWEEP_INTERVAL_MS = 30_000;

/**
 * Purges regularly, because otherwise only requests do.
 *
 * @returns a function that stops it
 */
export function startRetention(purge: () => Promise<void>): () => void {
	const timer = setInterval(() => void purge(), SWEEP_INTERVAL_MS);
	// The timer alone must not keep the process alive.
	timer.unref();
	return () => clearInterval(timer);
}
