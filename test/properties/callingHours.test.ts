import fc from 'fast-check';

import { requireCallingHours } from '../../nodes/VoiceAgent/call/callingHours';
import { outcomeOf, property } from './property';

const MINUTE = 60_000;
/** Hours of 2026, in UTC, around which clocks change. */
const CHANGES = [
	// Europe.
	'03-29T01',
	'10-25T01',
	// America.
	'03-08T10',
	'11-01T09',
	// Australia, and on Lord Howe by 30 minutes. In April, Chile follows half a day later.
	'04-04T15',
	'10-03T16',
	// On these days, no clock changes.
	'06-10T00',
];
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'];

const clocks = new Map(
	ZONES.map((timeZone) => {
		const format = { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' } as const;
		return [timeZone, new Intl.DateTimeFormat('en', format)];
	}),
);

/** Minutes since midnight of the wall clock, as ICU knows it. */
function clockIn(zone: string, ms: number): number {
	const [hours, minutes] = clocks.get(zone)?.format(ms).split(':').map(Number) ?? [];
	return (hours ?? NaN) * 60 + (minutes ?? NaN);
}

const asTime = (minutes: number) =>
	`${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

property(
	'nobody is called outside the calling hours, also while clocks change',
	5_000,
	[
		fc.constantFrom(...CHANGES),
		fc.integer({ min: -26 * 60, max: 26 * 60 }),
		fc.constantFrom(...ZONES),
		fc.integer({ min: 0, max: 23 * 60 }),
		fc.integer({ min: 1, max: 5 * 60 }),
	],
	async (change, offset, zone, from, length) => {
		const nowMs = Date.parse(`2026-${change}:00:00Z`) + offset * MINUTE;
		const until = Math.min(from + length, 24 * 60);
		const isAllowed = clockIn(zone, nowMs) >= from && clockIn(zone, nowMs) < until;
		const hours = `${asTime(from)}-${asTime(until)}`;
		const { reason } = await outcomeOf(() => requireCallingHours('+15550100', hours, zone, nowMs));
		expect(reason).toBe(isAllowed ? undefined : 'outsideCallingHours');
	},
);
