/**
 * The emulator's time: the machine's clock plus an offset that a test can move. Everything that
 * carries a date (records, webhooks, the `Date` header, retention) asks this clock.
 */
export interface Clock {
	/** Milliseconds since 1970-01-01 UTC. */
	now(): number;
	/** Moves the clock by `ms` milliseconds; negative values move it back. */
	advance(ms: number): void;
	/** How far the clock is ahead of the machine's, in milliseconds. */
	offset(): number;
}

export function createClock(initialOffset = 0): Clock {
	let offset = initialOffset;
	return {
		now: () => Date.now() + offset,
		advance: (ms) => {
			offset += ms;
		},
		offset: () => offset,
	};
}

export function isoTime(ms: number): string {
	return new Date(ms).toISOString();
}
