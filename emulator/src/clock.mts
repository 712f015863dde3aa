import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
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
	/**
	 * Lets this much time pass. Real time counts `speed` times, and a clock that is moved counts as
	 * far as it is moved.
	 *
	 * @returns false if the signal aborts first
	 */
	pass(ms: number, speed: number, signal: AbortSignal): Promise<boolean>;
}

/** A timer holds no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Later times do not fit a date of RFC 3339, and a year is room for the emulator to run on. */
const isUsable = (ms: number) => ms >= 0 && ms < Date.UTC(9999, 0);

export function createClock(initialOffset = 0): Clock {
	let offset = initialOffset;
	const moves = new EventEmitter().setMaxListeners(0);

	/** Until the clock is moved, but not longer than this. */
	async function untilMoved(ms: number, signal: AbortSignal): Promise<void> {
		const moved = new AbortController();
		const onMove = () => moved.abort();
		moves.once('move', onMove);
		await wait(ms, undefined, { signal: AbortSignal.any([signal, moved.signal]) }).catch(() => {});
		moves.off('move', onMove);
	}

	return {
		now: () => Date.now() + offset,
		advance: (ms) => {
			const moved = offset + Math.round(ms);
			if (!isUsable(Date.now() + moved)) {
				const message = 'ms would move the clock out of the years 1970 to 9999';
				throw new ServiceError(400, 'invalid_request', message, ['ms']);
			}
			offset = moved;
			moves.emit('move');
		},
		offset: () => offset,
		async pass(ms, speed, signal) {
			let left = speed === Infinity ? 0 : ms;
			while (left > 0 && !signal.aborted) {
				const before = { time: performance.now(), offset };
				await untilMoved(Math.min(Math.ceil(left / speed), LONGEST_TIMER_MS), signal);
				left -= (performance.now() - before.time) * speed + (offset - before.offset);
			}
			return !signal.aborted;
		},
	};
}

export function isoTime(ms: number): string {
	return new Date(ms).toISOString();
}
