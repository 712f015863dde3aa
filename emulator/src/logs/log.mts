import { type Clock, isoTime } from '../clock.mts';
import type { Delivery } from '../webhooks/deliverySchema.mts';
import type { LogEntry } from './logSchema.mts';
import type { RequestEntry } from './requestSchema.mts';

/** What `onEvent` of the options receives, as it happens. */
export type EmulatorEvent =
	| { type: 'log'; entry: LogEntry }
	| { type: 'request'; entry: RequestEntry }
	| { type: 'delivery'; entry: Delivery };

/** A list that forgets its oldest entries, so that memory stays bounded. */
export class BoundedList<T> {
	#entries: T[] = [];
	readonly #max: number;

	constructor(max: number) {
		this.#max = max;
	}

	push(entry: T): void {
		this.#entries.push(entry);
		// Cutting a tenth at a time keeps push cheap on average.
		if (this.#entries.length > this.#max * 1.1) this.#entries = this.#entries.slice(-this.#max);
	}

	all(): T[] {
		return this.#entries.slice(-this.#max);
	}

	clear(): void {
		this.#entries = [];
	}
}

export interface Log {
	/** Writes one line. Neither passwords nor API keys may be part of `message`. */
	write(level: LogEntry['level'], message: string, sessionGuid?: string): void;
	all(): LogEntry[];
	clear(): void;
}

export function createLog(clock: Clock, max: number, onEvent: (event: EmulatorEvent) => void): Log {
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
		clear: () => entries.clear(),
	};
}
