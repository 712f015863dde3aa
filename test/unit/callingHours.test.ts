import { timeZonesOf } from '../../nodes/data/timeZones';
import { requireCallingHours } from '../../nodes/VoiceAgent/call/callingHours';

/** Friday: 11:30 in Berlin, 05:30 in New York, 00:30 in Honolulu and 23:30 in Auckland. */
const FRIDAY = Date.parse('2026-11-27T10:30:00Z');
const OUTSIDE = "No call is placed outside 'Calling Hours': it is";

const refusal = (number: unknown, hours: string, zone?: unknown, ms = FRIDAY) => {
	try {
		requireCallingHours(number, hours, zone, ms);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
};

test.each([
	['+4930123456', 'Mon-Fri 09:00-20:00', undefined],
	['+4930123456', 'Friday 11:30-11:31', ''],
	['+4930123456', 'Sat 10:00-14:00; fri 9:00–12:00', null],
	['+4930123456', '00:00-24:00', undefined],
	['+15550100', 'Mon-Fri 09:00-20:00', 'Europe/Berlin'],
	['+6491234567', 'Thu-Mon 23:00-24:00', 'Pacific/Auckland'],
	['not clear', 'Mon-Fri 09:00-20:00', 'Europe/Berlin'],
	// In all zones of North America, it is between midnight and 7:00.
	['+12125550100', 'Fri 00:00-07:01', undefined],
])('%s is called within %j, time zone %j', (number, hours, zone) => {
	expect(refusal(number, hours, zone)).toBeUndefined();
});

test.each([
	['+4930123456', 'Mon-Thu 09:00-20:00', undefined, `${OUTSIDE} Fri 11:30 in Europe/Berlin`],
	['+4930123456', '09:00-11:30', undefined, `${OUTSIDE} Fri 11:30 in Europe/Berlin`],
	['+4930123456', '11:31-24:00', undefined, `${OUTSIDE} Fri 11:30 in Europe/Berlin`],
	['+4930123456', 'Sat-Thu 00:00-24:00', undefined, `${OUTSIDE} Fri 11:30 in Europe/Berlin`],
	['+4930123456', '9:00-20:00', 'Pacific/Auckland', `${OUTSIDE} Fri 23:30 in Pacific/Auckland`],
	// It is night in some zones of the country.
	['+12125550100', '01:00-24:00', undefined, `${OUTSIDE} Fri 00:30 in America/Adak`],
	['+74951234567', '09:00-20:00', undefined, `${OUTSIDE} Fri 20:30 in Asia/Vladivostok`],
])('%s is not called within %j, time zone %j', (number, hours, zone, message) => {
	expect(refusal(number, hours, zone)).toBe(message);
});

test.each([
	['+870123456789', undefined, 'the time zone of +870123456789 is not known'],
	['030 123456', undefined, 'the time zone of a number that is not clear is not known'],
	[undefined, '', 'the time zone of a number that is not clear is not known'],
	['+4930123456', 'Mars/Olympus', "'Time Zone' has 'Mars/Olympus'"],
	['+4930123456', '+01:00', "'Time Zone' has '+01:00'"],
])('%s with the time zone %j is not called', (number, zone, detail) => {
	const message = `The call was not placed: ${detail}`;
	expect(refusal(number, '00:00-24:00', zone)).toContain(message);
});

test.each([
	['', "'Calling Hours' is empty"],
	[' ; ', "'Calling Hours' is empty"],
	['always', "'Calling Hours' has 'always'"],
	['Mon-Fri', "'Calling Hours' has 'Mon-Fri'"],
	['Mo-Fr 09:00-20:00', "'Calling Hours' has 'Mo-Fr 09:00-20:00'"],
	['20:00-09:00', "'Calling Hours' has '20:00-09:00'"],
	['09:00-09:00', "'Calling Hours' has '09:00-09:00'"],
	['09:00-24:01', "'Calling Hours' has '09:00-24:01'"],
	['08:60-20:00', "'Calling Hours' has '08:60-20:00'"],
	['09:00-20:00, Sat', "'Calling Hours' has 'Sat'"],
	['9-20', "'Calling Hours' has '9-20'"],
])('%j cannot be used, so nobody is called', (hours, message) => {
	expect(refusal('+4930123456', hours)).toContain(message);
});

test('a country with one code has the zones of all its parts', () => {
	expect(timeZonesOf('+4930123456')).toEqual(['Europe/Berlin']);
	expect(timeZonesOf('+34911234567')).toEqual(['Europe/Madrid', 'Atlantic/Canary']);
	expect(timeZonesOf('+16711234567')).toEqual(['Pacific/Guam']);
	expect(timeZonesOf('+12125550100')).toContain('Pacific/Honolulu');
	expect(timeZonesOf('+881612345678')).toEqual([]);
});
