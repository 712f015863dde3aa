/** At the end of a time: `Z`, ` GMT`, `+02`, `+0200` or `+02:00`. */
const ZONE = / ?(?:Z|UTC?|GMT|([+-]\d\d)(?::?(\d\d))?)$/i;
/** ISO 8601 with a date and a time of day, also with a space between them, without its zone. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)$/i;
/**
 * RFC 1123, RFC 5322 and RFC 9110, section 5.6.7, without its zone: `Sun, 06 Nov 1994 08:49:37`.
 * The weekday and the seconds may be missing. For the zero, there may be a space, or nothing.
 */
const RFC_1123 = /^(?:[a-z]{3}, ? ?)?(\d\d?) ([a-z]{3}) (\d{4}) (\d\d:\d\d(?::\d\d)?)$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/**
 * Earlier times stand for "none", such as .NET's year 1, or are other numbers, such as durations.
 */
export const EARLIEST_MS = Date.UTC(2002, 0, 1);
/** No place is further from UTC. */
const MAX_ZONE_HOURS = 14;

/**
 * Reads a point in time: ISO 8601, RFC 1123, `/Date(…)/` of .NET; seconds, milliseconds or
 * microseconds since 1970. Without a zone, it is UTC, whatever field it is in.
 *
 * @returns milliseconds since 1970; NaN for anything else, such as 03/04/2026, which may be in
 * March or in April
 */
export function parseTime(value: unknown): number {
	if (typeof value === 'number') return sinceEpoch(value);
	if (typeof value !== 'string' || value.length > 100) return NaN;
	const text = value.trim();
	if (/^\d{9,13}(?:\.\d+)?$|^\d{16}$/.test(text)) return sinceEpoch(Number(text));
	const milliseconds = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text)?.[1];
	if (milliseconds !== undefined) return Number(milliseconds);

	const zone = ZONE.exec(text);
	const local = zone ? text.slice(0, zone.index) : text;
	const [, hours = '+00', minutes = '00'] = zone ?? [];
	if (Math.abs(Number(hours)) > MAX_ZONE_HOURS) return NaN;

	const iso = ISO_8601.exec(local);
	const rfc = zone && RFC_1123.exec(local);
	const [date = '', time = ''] = iso?.slice(1) ?? (rfc ? dateAndTime(rfc) : []);
	// Without this, 30 February would be 2 March.
	const isReal = new Date(`${date}T00:00Z`).getUTCDate() === Number(date.slice(-2));
	return isReal ? Date.parse(`${date}T${time}${hours}:${minutes}`.replace(',', '.')) : NaN;
}

/** A time in the form of RFC 1123, as ISO 8601 writes it. A month of another name is no date. */
function dateAndTime([, day = '', name = '', year = '', time = '']: string[]): string[] {
	const month = MONTHS.indexOf(name.toLowerCase()) + 1;
	const twoDigits = (part: string | number) => String(part).padStart(2, '0');
	return [`${year}-${twoDigits(month)}-${twoDigits(day)}`, time];
}

/** In seconds, 1e11 is the year 5138; in milliseconds, 1973. */
function sinceEpoch(value: number): number {
	if (value < 1e11) return value * 1000;
	if (value < 1e14) return value;
	return value < 1e17 ? value / 1000 : NaN;
}
