import { randomInt } from 'node:crypto';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const YEAR_MS = 365 * DAY_MS;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** At the end of a time. */
const ZONE = /(?: ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)(?![\p{L}\d]))?/u;
const CLOCK = /\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?/;
/** ISO 8601 with a date and a time of day. Its fraction of a second and its zone stay. */
export const ISO_TIME = joined(/(?<!\d)\d{4}-\d\d-\d\d[Tt ]/, CLOCK, ZONE);
/** RFC 1123 and RFC 9110. */
export const RFC_TIME = joined(
	/(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ?)?\b\d\d? /,
	/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} /,
	CLOCK,
	ZONE,
);
export const ISO_DATE = /(?<!\d)\d{4}-\d\d-\d\d(?!\d)/;

/** Times that stand for "none" or "never". */
const NO_TIME = /^(?:0001|9999|1970-01-01)/;

function joined(...parts: RegExp[]): RegExp {
	return new RegExp(parts.map(({ source }) => source).join(''), 'u');
}

/** Moves all times into the past by the same random time. Their format stays. */
export class ShiftedTimes {
	/** Whole minutes, because some formats have no seconds. */
	private readonly offsetMs = randomInt(30 * 24 * 60, 400 * 24 * 60) * MINUTE_MS;
	private readonly nowMs = Date.now();

	iso(text: string): string {
		if (NO_TIME.test(text)) return text;
		const ms = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 16)}:00Z`);
		if (Number.isNaN(ms)) return text.replace(/\d/g, '0');
		const shifted = new Date(ms - this.offsetMs).toISOString();
		return `${shifted.slice(0, 10)}${text.charAt(10)}${shifted.slice(11, 16)}${text.slice(16)}`;
	}

	date(text: string): string {
		if (NO_TIME.test(text)) return text;
		const ms = Date.parse(`${text}T12:00Z`);
		if (Number.isNaN(ms)) return text.replace(/\d/g, '0');
		return new Date(ms - this.offsetMs).toISOString().slice(0, 10);
	}

	rfc(text: string): string {
		const parts = /(\d\d?) (\w{3}) (\d{4}) (\d\d:\d\d)(.*)$/.exec(text) ?? [];
		const [, day = '1', month = '', year = '', time = '', seconds = ''] = parts;
		const ms = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day));
		const [hours, minutes] = time.split(':').map(Number);
		const at = new Date(ms + ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS - this.offsetMs);
		const date = String(at.getUTCDate()).padStart(day.length, '0');
		const named = /^\D*/.exec(text)?.[0] ?? '';
		const weekday =
			named === '' ? '' : named.replace(/[A-Z][a-z]{2}/, WEEKDAYS[at.getUTCDay()] ?? '');
		const clock = at.toISOString().slice(11, 16);
		return `${weekday}${date} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()} ${clock}${seconds}`;
	}

	/** Seconds, milliseconds or microseconds since 1970; `undefined` for any other number. */
	epoch(value: number): number | undefined {
		const unit = [1000, 1, 0.001].find((one) => this.isNear(value * one));
		return unit === undefined ? undefined : value - this.offsetMs / unit;
	}

	/** Whether it is a time of these years. Other numbers are something else. */
	private isNear(ms: number): boolean {
		return ms > this.nowMs - 5 * YEAR_MS && ms < this.nowMs + YEAR_MS;
	}
}
