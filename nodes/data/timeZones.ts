import { AFRICA_AND_AMERICAS } from './timeZones/africaAndAmericas';
import { EUROPE_ASIA_PACIFIC } from './timeZones/europeAsiaPacific';

const ZONES: Readonly<Record<string, readonly string[]>> = {
	...AFRICA_AND_AMERICAS,
	...EUROPE_ASIA_PACIFIC,
};

/** Longer ones first: Guam, with 1671, is far from the rest of code 1. */
const CODES = Object.keys(ZONES).sort((one, other) => other.length - one.length);

/**
 * The time zones in which somebody with this number may be: all of its country. Its area does not
 * count, because a mobile number stays the same when its owner moves.
 *
 * @param number + and digits
 * @returns nothing for a number of no country, such as one of a satellite
 */
export function timeZonesOf(number: string): readonly string[] {
	const code = CODES.find((one) => number.startsWith(`+${one}`));
	return code === undefined ? [] : (ZONES[code] ?? []);
}

/** A moment as the clock on the wall shows it. */
export interface LocalTime {
	/** 1 for Monday to 7 for Sunday. */
	weekday: number;
	/** Since midnight. */
	minutes: number;
	/** Such as `Fri 21:14`. */
	text: string;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const formats = new Map<string, Intl.DateTimeFormat>();

/** @returns `undefined` if there is no such zone */
export function localTime(zone: string, ms: number): LocalTime | undefined {
	const format = formats.get(zone) ?? formatOf(zone);
	if (!format) return undefined;
	formats.set(zone, format);
	const parts = format.formatToParts(ms);
	const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
	const [weekday, hour, minute] = [part('weekday'), part('hour'), part('minute')];
	return {
		weekday: WEEKDAYS.indexOf(weekday) + 1,
		minutes: Number(hour) * 60 + Number(minute),
		text: `${weekday} ${hour}:${minute}`,
	};
}

/** A name such as `Europe/Berlin`. Node 22 takes an offset too, which has no summer time. */
const NAME = /^[A-Za-z]/;

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
	if (!NAME.test(timeZone)) return undefined;
	const shown = { weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
	try {
		return new Intl.DateTimeFormat('en-US', { ...shown, timeZone, hourCycle: 'h23' });
	} catch {
		return undefined;
	}
}
