import { internationalNumber } from '../../data/phoneNumbers';
import { localTime, timeZonesOf, type LocalTime } from '../../data/timeZones';
import { invalid, VoiceAgentError } from '../../errors';
import type { Field } from '../../fields/field';
import { callRefused } from './callGuard';

export const callingHoursField = {
	displayName: 'Calling Hours',
	name: 'callingHours',
	type: 'string',
	default: '',
	placeholder: 'e.g. Mon-Fri 09:00-20:00, Sat 10:00-14:00',
	description:
		'When a number may be called, in its own time zone: days and hours, with commas between them. A call at another time is refused.',
} as const satisfies Field;

export const timeZoneField = {
	displayName: 'Time Zone',
	name: 'timeZone',
	type: 'string',
	default: '',
	placeholder: 'e.g. Europe/Berlin',
	description:
		"Time zone of the number, for 'Calling Hours'. If empty, it follows from the country code: a country with several zones is called only if all of them are within the hours.",
	// An empty cell of a table is null.
	ignoreValidationDuringExecution: true,
} as const satisfies Field;

/** Days and a time of day, in which calls are allowed. */
interface Hours {
	weekdays: readonly number[];
	/** Minutes since midnight; the last one is not allowed any more. */
	from: number;
	until: number;
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];
const MIDNIGHT = 24 * 60;

/** `Mon-Fri 09:00-20:00`, `Sat 10:00-14:00` or `09:00-20:00`. */
const ENTRY = /^(?:([a-z]+)(?:\s*[-–]\s*([a-z]+))?\s+)?(\d\d?):(\d\d)\s*[-–]\s*(\d\d?):(\d\d)$/i;

/**
 * Why a number may not be called now.
 *
 * @param number as it is dialed
 * @param hours `undefined` if calls are allowed at all times
 * @param timeZone if empty, that of the country of the number
 * @returns `outsideCallingHours`, or `callRefused` if the time zone is not known
 * @throws VoiceAgentError `invalidParameter` for hours that cannot be read
 */
export function callingHoursObjection(
	number: unknown,
	hours: string | undefined,
	timeZone: unknown,
	now = Date.now(),
): VoiceAgentError | undefined {
	if (hours === undefined) return undefined;
	const allowed = parseCallingHours(hours);
	const { zones, problem } = zonesOf(number, timeZone);
	if (problem !== undefined) return callRefused(problem);
	for (const zone of zones) {
		const time = localTime(zone, now);
		if (!time) {
			return callRefused(`'Time Zone' has '${zone.slice(0, 64)}': enter one such as Europe/Berlin`);
		}
		if (isWithin(time, allowed)) continue;
		const detail = `it is ${time.text} in ${zone}`;
		return new VoiceAgentError('outsideCallingHours', { detail });
	}
	return undefined;
}

/**
 * Refuses a call outside the calling hours of a number.
 *
 * @throws VoiceAgentError see {@link callingHoursObjection}
 */
export function requireCallingHours(...values: Parameters<typeof callingHoursObjection>): void {
	const objection = callingHoursObjection(...values);
	if (objection) throw objection;
}

/** @throws VoiceAgentError `invalidParameter` */
function parseCallingHours(text: string): Hours[] {
	const entries = text.split(/[,;\n]/).map((entry) => entry.trim());
	const filled = entries.filter((entry) => entry !== '');
	if (filled.length === 0) throw invalid("'Calling Hours' is empty");
	return filled.map(hoursOf);
}

function hoursOf(entry: string): Hours {
	const [, first, last = first, ...times] = ENTRY.exec(entry) ?? [];
	const [fromHour = NaN, fromMinute = NaN, hour = NaN, minute = NaN] = times.map(Number);
	const weekdays = weekdaysOf(first, last);
	const [from, until] = [fromHour * 60 + fromMinute, hour * 60 + minute];
	const isTimes = from < until && until <= MIDNIGHT && fromMinute < 60 && minute < 60;
	if (isTimes && weekdays) return { weekdays, from, until };
	throw invalid(
		`'Calling Hours' has '${entry.slice(0, 64)}': enter days and hours of one day, such as Mon-Fri 09:00-20:00`,
	);
}

/** @returns `undefined` if a word is no day */
function weekdaysOf(first?: string, last?: string): number[] | undefined {
	if (first === undefined || last === undefined) return ALL_DAYS;
	const [from, to] = [weekdayOf(first), weekdayOf(last)];
	if (from === 0 || to === 0) return undefined;
	// From Saturday to Monday, the week begins anew.
	return ALL_DAYS.filter((day) =>
		from <= to ? from <= day && day <= to : day >= from || day <= to,
	);
}

/** From 1; 0 for a word that is no day. */
function weekdayOf(word: string): number {
	const name = word.toLowerCase();
	return DAYS.findIndex((day) => name === day || name === day.slice(0, 3)) + 1;
}

/** The time zones in which a number may be, or why they are not known. */
function zonesOf(
	number: unknown,
	timeZone: unknown,
): { zones: readonly string[]; problem?: string } {
	const entered = String(timeZone ?? '').trim();
	if (entered !== '') return { zones: [entered] };
	const dialed = internationalNumber(number);
	if (dialed === undefined) {
		const unclear = 'the time zone of a number that is not clear is not known';
		return { zones: [], problem: `${unclear}: enter + and all digits, or 'Time Zone'` };
	}
	const zones = timeZonesOf(dialed);
	if (zones.length > 0) return { zones };
	return { zones, problem: `the time zone of ${dialed} is not known: enter 'Time Zone'` };
}

function isWithin({ weekday, minutes }: LocalTime, allowed: readonly Hours[]): boolean {
	return allowed.some(
		({ weekdays, from, until }) => weekdays.includes(weekday) && from <= minutes && minutes < until,
	);
}
