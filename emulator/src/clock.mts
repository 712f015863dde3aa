import { ServiceError } from './errors.mts';

/**
 * The emulator's time: the machine's clock plus an offset that a test can move. Everything that
 * carries a date (records, webhooks, the `Date` header, retention) asks this clock.
 */
export interface Clock {
	/** Milliseconds since 1970-01-01 UTC. */
	now(): number;
	/**
	 * Moves the clock by `ms`, rounded to whole milliseconds; negative values move it back.
	 *
	 * @throws ServiceError 400 for a time before 1970 or after 9999
	 */
	advance(ms: number): void;
	/** How far the clock is ahead of the machine's, in milliseconds. */
	offset(): number;
}

/** Later times do not fit a date of RFC 3339, and a year is room for the emulator to run on. */
const isUsable = (ms: number) => ms >= 0 && ms < Date.UTC(9999, 0);

export function createClock(initialOffset = 0): Clock {
	let offset = initialOffset;
	return {
		now: () => Date.now() + offset,
		advance: (ms) => {
			const moved = offset + Math.round(ms);
			if (!isUsable(Date.now() + moved)) {
				const message = 'ms would move the clock out of the years 1970 to 9999';
				throw new ServiceError(400, 'invalid_request', message, ['ms']);
			}
			offset = moved;
		},
		offset: () => offset,
	};
}

export function isoTime(ms: number): string {
	return new Date(ms).toISOString();
}
