import fc from 'fast-check';
import { DateTime, Settings } from 'luxon';

import { codeOf } from './node';
import { property } from './property';

const choose = codeOf('call-campaign', 'Choose the numbers to call') as (
	...globals: unknown[]
) => Array<{ json: { decision: string; notAfter: string } }>;

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

function decide(nowMs: number, zone: string, settings: object) {
	const row = { id: 1, number: '+15550100', zone, calledAt: null };
	const outputs: Record<string, object[]> = {
		Settings: [
			{ callsPerMinute: 1, callsAtOnce: 1, callsPerNumberAndDay: 1, callMinutes: 1, ...settings },
		],
		'Get numbers and recent calls': [row],
	};
	const dataOf = (items: object[]) => {
		const all = items.map((json) => ({ json }));
		return { all: () => all, first: () => all[0] };
	};
	Settings.now = () => nowMs;
	try {
		const checked = dataOf([{ to: row.number, isBlocked: false }]);
		const [first] = choose((name: string) => dataOf(outputs[name] ?? []), checked, DateTime);
		return first?.json;
	} finally {
		Settings.now = () => Date.now();
	}
}

const asTime = (minutes: number) =>
	`${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

property(
	'a campaign calls nobody in quiet hours, also while clocks change',
	5_000,
	[
		fc.constantFrom(...CHANGES),
		fc.integer({ min: -26 * 60, max: 26 * 60 }),
		fc.constantFrom(...ZONES),
		fc.integer({ min: 0, max: 23 * 60 }),
		fc.integer({ min: 1, max: 5 * 60 }),
	],
	(change, offset, zone, from, length) => {
		const nowMs = Date.parse(`2026-${change}:00:00Z`) + offset * MINUTE;
		const until = Math.min(from + length, 24 * 60);
		const isAllowed = (ms: number) => clockIn(zone, ms) >= from && clockIn(zone, ms) < until;
		const callFrom = asTime(from);
		const settings = {
			testRun: true,
			callFrom,
			callUntil: asTime(until),
			callDays: '1,2,3,4,5,6,7',
		};
		const decision = decide(nowMs, zone, settings);
		expect(decision?.decision).toBe(isAllowed(nowMs) ? 'now' : 'later');
		if (decision?.decision !== 'now') return;
		const notAfterMs = Date.parse(decision.notAfter);
		expect(notAfterMs).toBeGreaterThan(nowMs);
		for (let ms = nowMs; ms < notAfterMs; ms += MINUTE) expect(isAllowed(ms)).toBe(true);
	},
);
