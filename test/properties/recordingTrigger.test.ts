import fc from 'fast-check';

import type { History, Listed } from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';
import {
	attemptName,
	chooseWaiting,
	readHistory,
	storedHistory,
} from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';
import { property } from './property';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-20T12:00:00Z');

/** What happens to a service and to n8n, one after the other. `which` is a recording, counted round. */
type Step =
	| { kind: 'pass'; minutes: number }
	| { kind: 'call'; showsEnd: boolean }
	| { kind: 'check'; order: number; without: number[] }
	| { kind: 'archive'; which: number }
	| { kind: 'clockBack'; minutes: number }
	| { kind: 'historyLost' };

const steps = fc.array(
	fc.oneof<Array<{ arbitrary: fc.Arbitrary<Step>; weight: number }>>(
		{
			arbitrary: fc.record({
				kind: fc.constant('pass'),
				minutes: fc.integer({ min: 1, max: 600 }),
			}),
			weight: 4,
		},
		{ arbitrary: fc.record({ kind: fc.constant('call'), showsEnd: fc.boolean() }), weight: 4 },
		{
			arbitrary: fc.record({
				kind: fc.constant('check'),
				order: fc.nat({ max: 7 }),
				without: fc.array(fc.nat({ max: 9 }), { maxLength: 2 }),
			}),
			weight: 8,
		},
		{
			arbitrary: fc.record({ kind: fc.constant('archive'), which: fc.nat({ max: 9 }) }),
			weight: 2,
		},
		{
			arbitrary: fc.record({
				kind: fc.constant('clockBack'),
				minutes: fc.integer({ min: 1, max: 300 }),
			}),
			weight: 1,
		},
		{ arbitrary: fc.record({ kind: fc.constant('historyLost') }), weight: 1 },
	),
	{ minLength: 5, maxLength: 60 },
);

const rules = fc.record({
	minimumAgeMs: fc.constantFrom(0, 15 * MINUTE, 2 * HOUR),
	minimumAgeWithoutEndMs: fc.constantFrom(0, HOUR),
	tryAgainAfterMs: fc.constantFrom(30 * MINUTE, 6 * HOUR),
	untilSuccess: fc.constant(false),
	mostPerCheck: fc.constantFrom(1, 2, 25),
	alarmAfterMs: fc.constant(120 * HOUR),
});

/** A recording at the service, and what became of it; times as they really pass. */
interface Recording extends Listed {
	sessionGuid: string;
	endedMs: number;
	seenMs?: number;
	handedOutMs?: number;
	/** Names of its attempts, which n8n keeps. */
	names: Set<string>;
}

property(
	'each recording is handed out until it is gone, and never twice within the pause',
	1_500,
	[steps, rules],
	async (story, given) => {
		let nowMs = START;
		let clockBackMs = 0;
		let made = 0;
		let stored: unknown = {};
		let atService: Recording[] = [];
		const reported = new Set<string>();

		async function check(list: Recording[]): Promise<void> {
			// The history is stored as JSON, and read by the next check, which may be in another n8n.
			const history: History = await readHistory(JSON.parse(JSON.stringify(stored)));
			const purged = ({ sessionGuid }: { sessionGuid: string }) => ({
				...{ sessionGuid, callEndedAt: null, endedMs: NaN, names: new Set<string>() },
			});
			const page = { recordings: list, serviceTimeMs: nowMs - clockBackMs };
			const choice = await chooseWaiting([page], history, given, purged);
			const handedOut = choice.waiting.map(({ key, handedOut }) => [key, handedOut] as const);
			stored = await storedHistory(new Map([...choice.history, ...handedOut]));

			const { mostPerCheck, tryAgainAfterMs, minimumAgeMs, minimumAgeWithoutEndMs } = given;
			expect(choice.waiting.length).toBeLessThanOrEqual(mostPerCheck);
			const isListed = ({ listed }: { listed: Listed }) =>
				list.some(({ sessionGuid }) => sessionGuid === listed.sessionGuid);
			const listed = choice.waiting.filter(isListed);
			// Those that were purged come last.
			expect(choice.waiting.slice(0, listed.length)).toEqual(listed);
			for (const { listed: one, endMs } of choice.waiting.slice(listed.length)) {
				expect(nowMs - clockBackMs - Number(endMs)).toBeGreaterThanOrEqual(168 * HOUR);
				expect(reported).not.toContain(one.sessionGuid);
				reported.add(one.sessionGuid);
			}
			const ends = listed.map(({ endMs }) => endMs ?? Infinity);
			expect(ends).toEqual([...ends].sort((a, b) => a - b));
			const latest = Math.max(...ends);
			for (const { callEndedAt, names, sessionGuid } of list) {
				const endMs = Date.parse(callEndedAt ?? '');
				const isDue = names.size === 0 && nowMs - clockBackMs - endMs >= minimumAgeMs;
				if (!isDue || endMs >= latest) continue;
				// Nothing younger goes first.
				expect(choice.waiting.map(({ listed }) => listed.sessionGuid)).toContain(sessionGuid);
			}
			for (const one of list) one.seenMs ??= nowMs;
			for (const waiting of listed) {
				const one = list.find(({ sessionGuid }) => sessionGuid === waiting.listed.sessionGuid);
				if (!one) throw new Error('it is not listed');
				const name = attemptName(waiting, given);
				// n8n refuses to start an execution a second time.
				if (one.names.has(name)) continue;
				one.names.add(name);
				if (one.handedOutMs !== undefined) {
					expect(nowMs - one.handedOutMs).toBeGreaterThanOrEqual(tryAgainAfterMs);
				}
				if (one.callEndedAt === null) {
					expect(nowMs - Number(one.seenMs)).toBeGreaterThanOrEqual(minimumAgeWithoutEndMs);
				} else {
					expect(nowMs - one.endedMs).toBeGreaterThanOrEqual(minimumAgeMs);
				}
				one.handedOutMs = nowMs;
			}
		}

		for (const step of story) {
			if (step.kind === 'pass') nowMs += step.minutes * MINUTE;
			if (step.kind === 'clockBack') clockBackMs += step.minutes * MINUTE;
			if (step.kind === 'archive') {
				atService = atService.filter((_, index) => index !== step.which % atService.length);
			}
			if (step.kind === 'call') {
				made += 1;
				atService.push({
					sessionGuid: `call-${String(made).padStart(8, '0')}`,
					callEndedAt: step.showsEnd ? new Date(nowMs - clockBackMs).toISOString() : null,
					endedMs: nowMs,
					names: new Set(),
				});
			}
			if (step.kind === 'historyLost') stored = {};
			if (step.kind === 'check') {
				const turned = atService.map(
					(_, index) => atService[(index + step.order) % atService.length],
				);
				await check(
					turned.filter((one, index) => one && !step.without.includes(index)) as Recording[],
				);
			}
		}

		// From now on, the list is complete and nothing is archived: each has its turn. n8n may refuse the first one.
		await check(atService);
		const { minimumAgeMs, minimumAgeWithoutEndMs, tryAgainAfterMs, mostPerCheck } = given;
		nowMs += clockBackMs;
		const fromMs = nowMs;
		for (let turn = 0; turn < 3; turn++) {
			nowMs += Math.max(minimumAgeMs, minimumAgeWithoutEndMs, tryAgainAfterMs);
			for (let checks = 0; checks < atService.length / mostPerCheck; checks++) {
				await check(atService);
				nowMs += 1;
			}
		}
		for (const one of atService) expect(one.handedOutMs).toBeGreaterThanOrEqual(fromMs);
	},
	{ isLong: true },
);
