const MONTHS =
	'january february march april may june july august september october november december'.split(
		' ',
	);

/** No place is further from UTC. */
const MAX_ZONE_MS = 14 * 3_600_000;

/** The time of day at the end of a text, with a zone or without. What follows a zone in brackets repeats it. */
const CLOCK =
	/[t ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?: ?([ap])m)?(?: ?(?=[zug+-])(?:z|utc|gmt)?(?:([+-])(\d{2}):?(\d{2})?)?(?: ?[[(][^\])]*[\])])?)?$/i;

/**
 * Reads a point in time in one of the usual spellings: ISO 8601, RFC 1123 and 2822, dates with an English name of the
 * month, `/Date(…)/` of .NET; seconds, milliseconds or microseconds since 1970. Without a zone, it is UTC.
 *
 * @returns milliseconds since 1970; NaN for anything else, also for a date such as 03/04/2026, which may be in March or
 * in April
 */
export function parseTime(value: unknown): number {
	if (!['number', 'string'].includes(typeof value) || String(value).length > 100) return NaN;
	const text = String(value).trim();
	if (typeof value === 'number' || /^\d{9,13}(?:\.\d+)?$|^\d{16}$/.test(text)) {
		return sinceEpoch(Number(text));
	}
	const [, milliseconds] = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text) ?? [];
	if (milliseconds !== undefined) return Number(milliseconds);
	return spelled(
		text
			.replace(/^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6')
			// The year at the end, as C writes it.
			.replace(/^(\w{3} \w{3} {1,2}\d{1,2}) ([\d:]+) (\d{4})$/, '$1 $3 $2'),
	);
}

/** The three spellings of a date in a header (RFC 9110, section 5.6.7). */
const HTTP_DATE =
	/^(?:[a-z]{3}, \d\d [a-z]{3} \d{4} [\d:]{8} gmt|[a-z]{6,9}, \d\d-[a-z]{3}-\d\d [\d:]{8} gmt|[a-z]{3} [a-z]{3} [ \d]\d [\d:]{8} \d{4})$/i;

/** @returns milliseconds since 1970; NaN for anything else */
export function parseHttpDate(text: string): number {
	// Years of two digits are of this century.
	return HTTP_DATE.test(text) ? parseTime(text.replace(/-(\d\d) /, '-20$1 ')) : NaN;
}

/** In seconds, 1e11 is the year 5138; in milliseconds, 1973. */
function sinceEpoch(value: number): number {
	if (value < 1e11) return value * 1000;
	if (value < 1e14) return value;
	return value < 1e17 ? value / 1000 : NaN;
}

function spelled(text: string): number {
	const clock = CLOCK.exec(text);
	const date = clock && dateIn(text.slice(0, clock.index));
	if (!date) return NaN;
	const [, hour, minute, second = '0', fraction = '0', half, sign, zoneHours, zoneMinutes = '0'] =
		clock;
	if (half && (Number(hour) < 1 || Number(hour) > 12)) return NaN;
	const hours = half ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour);
	const ms = Date.UTC(
		date.year,
		date.month - 1,
		date.day,
		hours,
		Number(minute),
		Number(second),
		Math.trunc(Number(`0.${fraction}`) * 1000),
	);
	// Date.UTC takes 30 February for 2 March, and a month 0 for December.
	const isReal =
		new Date(ms).getUTCDate() === date.day &&
		new Date(ms).getUTCMonth() === date.month - 1 &&
		Number(minute) < 60 &&
		Number(second) < 60;
	const zone = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes)) * 60_000;
	return isReal && zone <= MAX_ZONE_MS ? ms - (sign === '-' ? -zone : zone) : NaN;
}

function dateIn(text: string): { year: number; month: number; day: number } | undefined {
	const [, first = '', , middle = '', last = ''] =
		/^(\d+)([-/.])(\d{1,2})\2(\d+)$/.exec(text) ?? [];
	if (first.length === 4 && last.length <= 2) {
		return { year: Number(first), month: Number(middle), day: Number(last) };
	}
	if (first.length <= 2 && last.length === 4) {
		const [a, b] = [Number(first), Number(middle)];
		const isClear = a > 12 || b > 12 || a === b;
		return isClear ? { year: Number(last), month: Math.min(a, b), day: Math.max(a, b) } : undefined;
	}
	const [, day1, name1, name2, day2, year] =
		/^(?:[a-z]{3,9},? )?(?:(\d{1,2})[ -]([a-z]{3,9})|([a-z]{3,9})\.? {1,2}(\d{1,2})),?[ -](\d{4})$/i.exec(
			text,
		) ?? [];
	const name = (name1 ?? name2 ?? '').toLowerCase();
	const month = MONTHS.findIndex((one) => one.startsWith(name)) + 1;
	return { year: Number(year), month, day: Number(day1 ?? day2) };
}
