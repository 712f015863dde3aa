import fc from 'fast-check';

import { readHistory, storedEntry } from '../../nodes/VoiceAgentRecordingTrigger/history';
import {
	attemptName,
	chooseWaiting,
} from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';
import type { ListedRecording } from '../../nodes/service/listedRecording';
import { listed } from './listed';
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
	minimumAgeMs: fc.constantFrom(0, HOUR, 2 * HOUR),
	tryAgainAfterMs: fc.constantFrom(30 * MINUTE, 6 * HOUR),
	untilSuccess: fc.constant(false),
	mostPerCheck: fc.constantFrom(1, 2, 25),
});

/** A recording at the service, and what became of it; times as they really pass. */
interface Recording extends ListedRecording {
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
			const serviceTimeMs = nowMs - clockBackMs;
			const { mostPerCheck, tryAgainAfterMs, minimumAgeMs } = given;
			// The history is stored as JSON, and read by the next check, which may be in another n8n.
			const history = readHistory(JSON.parse(JSON.stringify(stored)));
			const { waiting, ...choice } = await chooseWaiting(
				[{ recordings: list, serviceTimeMs, incomplete: undefined }],
				history,
				given,
			);
			const handedOut = waiting.map((one) => [one.key, one.handedOut] as const);
			const entries = [...choice.history, ...handedOut];
			stored = Object.fromEntries(entries.map(([key, entry]) => [key, storedEntry(entry)]));

			expect(waiting.length).toBeLessThanOrEqual(mostPerCheck);
			for (const { isGone, listed, endMs } of waiting) {
				if (!isGone) continue;
				expect(serviceTimeMs - Number(endMs)).toBeGreaterThanOrEqual(168 * HOUR);
				expect(reported).not.toContain(listed.sessionGuid);
				reported.add(listed.sessionGuid);
			}
			const ends = waiting.map(({ isGone, endMs }) => [Number(isGone), endMs ?? Infinity] as const);
			expect(ends).toEqual([...ends].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
			const latest = Math.max(...ends.map(([isGone, endMs]) => (isGone ? -Infinity : endMs)));
			for (const { callEndedAt, names, sessionGuid } of list) {
				const endMs = Date.parse(callEndedAt ?? '');
				const isDue = names.size === 0 && serviceTimeMs - endMs >= minimumAgeMs;
				// Nothing younger goes first.
				if (isDue && endMs < latest) expect(new Map(handedOut).has(sessionGuid)).toBe(true);
			}
			for (const one of list) one.seenMs ??= nowMs;
			for (const chosen of waiting) {
				const one = list.find(({ sessionGuid }) => sessionGuid === chosen.key);
				expect(one === undefined).toBe(chosen.isGone);
				const name = attemptName(chosen, given);
				// n8n refuses to start an execution a second time.
				if (!one || one.names.has(name)) continue;
				one.names.add(name);
				if (one.handedOutMs !== undefined) {
					expect(nowMs - one.handedOutMs).toBeGreaterThanOrEqual(tryAgainAfterMs);
				}
				const fromMs = one.callEndedAt === null ? Number(one.seenMs) : one.endedMs;
				expect(nowMs - fromMs).toBeGreaterThanOrEqual(minimumAgeMs);
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
					...listed(
						`call-${String(made).padStart(8, '0')}`,
						step.showsEnd ? nowMs - clockBackMs : null,
					),
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
		const { minimumAgeMs, tryAgainAfterMs, mostPerCheck } = given;
		nowMs += clockBackMs;
		const fromMs = nowMs;
		for (let turn = 0; turn < 3; turn++) {
			nowMs += Math.max(minimumAgeMs, tryAgainAfterMs);
			for (let checks = 0; checks < atService.length / mostPerCheck; checks++) {
				await check(atService);
				nowMs += 1;
			}
		}
		for (const one of atService) expect(one.handedOutMs).toBeGreaterThanOrEqual(fromMs);
	},
	{ isLong: true },
);
