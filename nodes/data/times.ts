/** ISO 8601 with a date and a time of day, also with a space between them and without a zone. */
const ISO_8601 =
	/^(\d{4}-\d\d-(\d\d))[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(?:Z|UTC|([+-]\d\d)(?::?(\d\d))?)?$/i;
/** RFC 1123 and RFC 9110, section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const RFC_1123 = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d (?:gmt|utc|[+-]\d{4})$/i;
/** No place is further from UTC. */
const MAX_ZONE_HOURS = 14;

/**
 * Reads a point in time: ISO 8601, RFC 1123, `/Date(…)/` of .NET; seconds, milliseconds or microseconds since 1970.
 * Without a zone, it is UTC.
 * @returns milliseconds since 1970; NaN for anything else, such as 03/04/2026, which may be in March or in April
 */
export function parseTime(value: unknown): number {
	if (typeof value === 'number') return sinceEpoch(value);
	if (typeof value !== 'string' || value.length > 100) return NaN;
	const text = value.trim();
	if (/^\d{9,13}(?:\.\d+)?$|^\d{16}$/.test(text)) return sinceEpoch(Number(text));
	const milliseconds = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text)?.[1];
	if (milliseconds !== undefined) return Number(milliseconds);
	if (RFC_1123.test(text)) return Date.parse(text);
	const found = ISO_8601.exec(text);
	if (!found) return NaN;
	const [, date, day, time, hours = '+00', minutes = '00'] = found;
	const isFar = Math.abs(Number(hours)) > MAX_ZONE_HOURS;
	// Without this, 30 February would be 2 March.
	const isReal = new Date(`${date}T00:00Z`).getUTCDate() === Number(day);
	const ms = Date.parse(`${date}T${time}${hours}:${minutes}`.replace(',', '.'));
	return isReal && !isFar ? ms : NaN;
}

/** In seconds, 1e11 is the year 5138; in milliseconds, 1973. */
function sinceEpoch(value: number): number {
	if (value < 1e11) return value * 1000;
	if (value < 1e14) return value;
	return value < 1e17 ? value / 1000 : NaN;
}
