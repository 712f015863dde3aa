import { type Clock, isoTime } from '../clock.mts';
import type { Delivery } from '../webhooks/schemas.mts';
import type { LogEntry, LogState, RequestEntry } from './schemas.mts';

/** What `onEvent` of the options receives, as it happens. */
export type EmulatorEvent =
	| { type: 'log'; entry: LogEntry }
	| { type: 'request'; entry: RequestEntry }
	| { type: 'delivery'; entry: Delivery };

/** How much each log keeps. */
export interface LogBounds {
	entries: number;
	/** Size of the entries as JSON. */
	bytes: number;
}

/** A list that drops its oldest entries to keep memory bounded. It always keeps the newest one. */
export class BoundedList<T> {
	/** The entries in their order, with their sizes. */
	readonly #sizes = new Map<T, number>();
	readonly #max: LogBounds;
	#bytes = 0;
	#dropped = 0;

	constructor(max: LogBounds) {
		this.#max = max;
	}

	push(entry: T): void {
		this.#sizes.set(entry, 0);
		this.update(entry);
	}

	/** Measures an entry that has changed. One that was dropped meanwhile stays so. */
	update(entry: T): void {
		const before = this.#sizes.get(entry);
		if (before === undefined) return;
		const size = Buffer.byteLength(JSON.stringify(entry));
		this.#sizes.set(entry, size);
		this.#bytes += size - before;
		for (const [oldest, bytes] of this.#sizes) {
			const isWithin = this.#sizes.size <= this.#max.entries && this.#bytes <= this.#max.bytes;
			if (isWithin || this.#sizes.size === 1) break;
			this.#sizes.delete(oldest);
			this.#bytes -= bytes;
			this.#dropped += 1;
		}
	}

	all(): T[] {
		return [...this.#sizes.keys()];
	}

	state(): LogState {
		return { entries: this.#sizes.size, bytes: this.#bytes, dropped: this.#dropped };
	}

	/** Empties the list and forgets what was dropped. */
	clear(): void {
		this.#sizes.clear();
		this.#bytes = 0;
		this.#dropped = 0;
	}
}

export interface Log {
	/** Writes one line. Neither passwords nor API keys may be part of `message`. */
	write(level: LogEntry['level'], message: string, sessionGuid?: string): void;
	all(): LogEntry[];
	state(): LogState;
	clear(): void;
}

export function createLog(
	clock: Clock,
	max: LogBounds,
	onEvent: (event: EmulatorEvent) => void,
): Log {
	const entries = new BoundedList<LogEntry>(max);
	return {
		write(level, message, sessionGuid) {
			const entry: LogEntry = {
				time: isoTime(clock.now()),
				level,
				sessionGuid: sessionGuid ?? null,
				message,
			};
			entries.push(entry);
			onEvent({ type: 'log', entry });
		},
		all: () => entries.all(),
		state: () => entries.state(),
		clear: () => entries.clear(),
	};
}
