import { sleep } from 'n8n-workflow';

import { waitingItem } from '../../nodes/VoiceAgentRecordingTrigger/executions';
import type { History } from '../../nodes/VoiceAgentRecordingTrigger/history';
import { readHistory } from '../../nodes/VoiceAgentRecordingTrigger/history';
import {
	attemptName,
	type Rules,
	type Waiting,
} from '../../nodes/VoiceAgentRecordingTrigger/waiting';
import { chooseWaiting } from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';
import type { ListedRecording } from '../../nodes/service/recordings';
import { guid, HOUR, listed, NOW } from '../properties/listed';

const rules: Rules = {
	minimumAgeMs: 0,
	tryAgainAfterMs: 6 * HOUR,
	untilSuccess: false,
	mostPerCheck: 100,
};
const none: History = new Map();

function recording(number: number, ageHours: number | null): ListedRecording {
	return listed(guid(number), ageHours === null ? null : NOW - ageHours * HOUR);
}

const pageOf = (recordings: ListedRecording[], serviceTimeMs = NOW) => ({
	recordings,
	serviceTimeMs,
	incomplete: undefined,
});

/** Numbers of the recordings that are handed out. */
async function chosen(
	list: ListedRecording[],
	{ history = none, now = NOW, ...changed }: Partial<Rules> & { history?: History; now?: number },
) {
	const choice = await chooseWaiting([pageOf(list, now)], history, { ...rules, ...changed });
	const numbers = choice.waiting.map((one) => Number(one.listed.sessionGuid.slice(-12)));
	const handedOut = choice.waiting.map((one) => [one.key, one.handedOut] as const);
	return { ...choice, numbers, history: new Map([...choice.history, ...handedOut]) };
}

test('a recording is left alone if a success is enough, for as long as it is listed', async () => {
	const list = [recording(1, 3), recording(2, 2)];
	let { history } = await chosen(list, {});
	const entry = { attempt: 1, lastMs: NOW, sinceMs: NOW, succeeded: true } as const;
	history = new Map([...history, [guid(1), entry]]);
	for (const hours of [6, 50, 160]) {
		const now = NOW + hours * HOUR;
		// What is left alone does not count as one of the most per check.
		const later = { history, now, untilSuccess: true, mostPerCheck: 1 };
		const choice = await chosen(list, later);
		expect(choice.numbers).toEqual([2]);
		history = choice.history;
	}
});

describe('which recordings are handed out', () => {
	const list = [recording(1, 2), recording(2, 50), recording(3, null), recording(4, 7)];

	test('the oldest first, those of unknown age last, in the order of the list', async () => {
		expect((await chosen([recording(9, null), ...list], {})).numbers).toEqual([2, 4, 1, 9, 3]);
	});

	test('none that is younger than the minimum age', async () => {
		expect((await chosen(list, { minimumAgeMs: 7 * HOUR })).numbers).toEqual([2, 4]);
	});

	test('without an end of the call, its age counts from when the recording was first seen', async () => {
		const unknown = [recording(3, null)];
		const rules = { minimumAgeMs: HOUR };
		const first = await chosen(unknown, rules);
		expect(first.numbers).toEqual([]);
		const early = await chosen(unknown, { ...rules, history: first.history, now: NOW + HOUR - 1 });
		expect(early.numbers).toEqual([]);
		const due = await chosen(unknown, { ...rules, history: early.history, now: NOW + HOUR });
		expect(due.waiting).toMatchObject([{ endMs: null, handedOut: { attempt: 1 } }]);
		expect(due.numbers).toEqual([3]);
		expect((await chosen(unknown, { ...rules, now: NOW + HOUR })).numbers).toEqual([]);
	});

	test('the end of the call decides as soon as it is known', async () => {
		const live = await chosen([recording(1, null)], { minimumAgeMs: HOUR });
		const ended = { minimumAgeMs: HOUR, history: live.history, now: NOW + 1.5 * HOUR };
		expect((await chosen([recording(1, -1)], ended)).numbers).toEqual([]);
		expect((await chosen([recording(1, -0.5)], ended)).numbers).toEqual([1]);
	});

	test('none whose call ends in the future, by a clock that is ahead', async () => {
		const ahead = [recording(1, -0.1)];
		expect((await chosen(ahead, {})).numbers).toEqual([]);
		expect((await chosen(ahead, { now: NOW + HOUR / 10 })).numbers).toEqual([1]);
	});

	test('no more than the most per check; the next check goes on with the others', async () => {
		const first = await chosen(list, { mostPerCheck: 3 });
		expect(first.numbers).toEqual([2, 4, 1]);
		const second = await chosen(list, { mostPerCheck: 3, history: first.history });
		expect(second.numbers).toEqual([3]);
	});

	test('35,000 recordings do not keep the event loop to themselves', async () => {
		const many = Array.from({ length: 35_000 }, (_, number) => recording(number, number % 100));
		let hadTurn = false;
		void sleep(0).then(() => (hadTurn = true));
		const { waiting } = await chosen(many, {});
		expect(waiting).toHaveLength(rules.mostPerCheck);
		expect(hadTurn).toBe(true);
	});

	test('the oldest of all, whatever page they are on', async () => {
		const pages = Array.from({ length: 60 }, (_, page) =>
			pageOf(Array.from({ length: 60 }, (_, index) => recording(index * 60 + page, index + 1))),
		);
		const { waiting } = await chooseWaiting(pages, none, { ...rules, mostPerCheck: 61 });
		const numbers = waiting.map(({ key }) => Number(key.slice(-12)));
		expect(numbers).toEqual([...Array.from({ length: 60 }, (_, page) => 3540 + page), 3480]);
	});

	test('one, if its session GUID is listed in two spellings', async () => {
		const written = { ...recording(10, 1), sessionGuid: `{${guid(10).toUpperCase()}}` };
		const { waiting } = await chosen([written, recording(10, 1)], {});
		expect(waiting).toHaveLength(1);
		expect(waiting[0]?.listed.sessionGuid).toBe(written.sessionGuid);
		expect(waiting[0]?.key).toBe(guid(10));
	});

	test('with an alarm from an age of 5 days on, or from 5 days after it was first seen', async () => {
		const alarms = async (...given: Parameters<typeof chosen>) => {
			const { waiting } = await chosen(...given);
			return waiting.map((one) => {
				const { ageHours, alarm, attempt } = waitingItem(one).json;
				return [ageHours, alarm, attempt];
			});
		};
		expect(await alarms([recording(1, 120), recording(2, 119.75)], {})).toEqual([
			[120, true, 1],
			[119.8, false, 1],
		]);
		const history = new Map([[guid(1), { attempt: 8, lastMs: 0, sinceMs: NOW - 119 * HOUR }]]);
		expect(await alarms([recording(1, null)], { history })).toEqual([[null, false, 9]]);
		const later = { history, now: NOW + HOUR };
		expect(await alarms([recording(1, null)], later)).toEqual([[null, true, 9]]);
	});
});

describe('a recording that was handed out', () => {
	const list = [recording(1, 1)];

	test('is handed out again after the pause, as the next attempt', async () => {
		const first = await chosen(list, {});
		expect(first.waiting[0]).toMatchObject({ key: guid(1), handedOut: { attempt: 1 } });
		const early = await chosen(list, { history: first.history, now: NOW + 6 * HOUR - 1 });
		expect(early.numbers).toEqual([]);
		expect(early.history).toEqual(first.history);
		const second = await chosen(list, { history: early.history, now: NOW + 6 * HOUR });
		expect(second.waiting[0]).toMatchObject({ key: guid(1), handedOut: { attempt: 2 } });
		expect(second.history.get(guid(1))).toMatchObject({
			attempt: 2,
			lastMs: NOW + 6 * HOUR,
			sinceMs: NOW - HOUR,
		});
	});

	test('is forgotten after the pause if it is no longer listed', async () => {
		const { history } = await chosen(list, {});
		const soon = await chosen([], { history, now: NOW + HOUR });
		expect([...soon.history.keys()]).toEqual([...history.keys()]);
		expect((await chosen([], { history: soon.history, now: NOW + 6 * HOUR })).history.size).toBe(0);
	});
});

interface Attempt {
	which: string;
	endMs: number | null;
	attemptsBefore: number;
	/** Since the end of the call, or since 1970 if that is unknown. */
	lastAfterHours: number;
	name: string;
}
const attempts: Attempt[] = [
	{ which: 'the first one', endMs: null, attemptsBefore: 0, lastAfterHours: 0, name: '1' },
	{
		which: 'a later one without an end of the call, by pauses since 1970',
		endMs: null,
		attemptsBefore: 1,
		lastAfterHours: 17.9,
		name: String(18 * HOUR),
	},
	{
		which: 'a later one, by pauses since the call',
		endMs: NOW + HOUR,
		attemptsBefore: 1,
		lastAfterHours: 9.1,
		name: String(NOW + 13 * HOUR),
	},
	{
		which: 'one at the end of a pause, by the beginning of the next',
		endMs: NOW,
		attemptsBefore: 2,
		lastAfterHours: 14.9,
		name: String(NOW + 12 * HOUR),
	},
];
test.each(attempts)('an attempt has a name: $which', (row) => {
	const { endMs, attemptsBefore, lastAfterHours, name } = row;
	const lastMs = (endMs ?? 0) + lastAfterHours * HOUR;
	const before = { attempt: attemptsBefore, lastMs, sinceMs: 0 };
	expect(attemptName({ key: 'call', endMs, before } as Waiting, rules)).toBe(`call:${name}`);
});

describe('recordings that the service has purged before they were archived', () => {
	const purgeRules: Rules = { ...rules, untilSuccess: true, mostPerCheck: 2 };
	const RETENTION = 7 * 24 * HOUR;
	/** In braces, as a service may write it. */
	const braced = (number: number) => `{${guid(number)}}`;

	const leftFor = (number: number, hoursLeft: number) =>
		listed(braced(number), NOW + hoursLeft * HOUR - RETENTION);

	/**
	 * Checks a list again and again.
	 *
	 * @param steps when each check comes, in hours, and what is listed then
	 * @param succeeded numbers of the recordings whose executions succeed
	 * @returns the session GUIDs that each check hands out
	 */
	async function checks(
		steps: Array<[hours: number, list: ListedRecording[]]>,
		succeeded: number[] = [],
	): Promise<string[][]> {
		let history = none;
		const all: string[][] = [];
		for (const [hours, list] of steps) {
			const now = NOW + hours * HOUR;
			const choice = await chosen(list, { ...purgeRules, history, now });
			all.push(choice.waiting.map(({ listed }) => listed.sessionGuid));
			const entries = [...choice.history].map(([key, entry]) => {
				const isDone = succeeded.some((number) => guid(number) === key);
				return [key, isDone ? { ...entry, succeeded: true as const } : entry] as const;
			});
			history = new Map(entries);
		}
		return all;
	}

	const four = [leftFor(1, 1), leftFor(2, 2), leftFor(3, 3), leftFor(4, 90)];

	test('are handed out once if a check had no room for them, after those that are listed', async () => {
		const five = leftFor(5, 99);
		expect(
			await checks([
				[0, four],
				[4, [leftFor(4, 90), five]],
				[4.1, [leftFor(4, 90), five]],
				[11, [leftFor(4, 90), five]],
			]),
		).toEqual([
			[braced(1), braced(2)],
			[braced(4), braced(5)],
			[braced(3)],
			// The executions have failed, so both are handed out again after the pause.
			[braced(4), braced(5)],
		]);
	});

	test('are handed out once more after the pause if they have not succeeded', async () => {
		expect(
			await checks([
				[0, four.slice(0, 2)],
				[5, []],
				[6, []],
				[12, []],
				[18, []],
			]),
		).toEqual([[braced(1), braced(2)], [], [braced(1), braced(2)], [], []]);
	});

	test('are not handed out if they have succeeded, or were deleted before their time', async () => {
		const steps: Parameters<typeof checks>[0] = [
			[0, [leftFor(1, 1), leftFor(4, 90)]],
			// Somebody has deleted the second one.
			[2, []],
			[100, []],
		];
		expect(await checks(steps, [1])).toEqual([[braced(1), braced(4)], [], []]);
	});

	test('are handed out as they were last listed, without their records', async () => {
		const entry = { attempt: 0, lastMs: NOW, sinceMs: NOW, listedAs: braced(1) };
		const history = new Map([[guid(1), entry]]);
		const page = pageOf([], NOW + RETENTION);
		const { waiting } = await chooseWaiting([page], history, purgeRules);
		const keptUntil = new Date(NOW + RETENTION).toISOString();
		const left = { recordingKey: guid(1), keptUntil, hoursLeft: 0 };
		expect(waiting).toMatchObject([
			{
				listed: { ...listed(braced(1), NOW), ...left },
				isGone: true,
				handedOut: { attempt: 1 },
			},
		]);
		const events = waiting.map((one) => waitingItem(one).json.event);
		expect(events).toEqual(['recordingLost']);
	});

	test('are remembered beyond the limit, but no more than the 1,000 oldest', async () => {
		const recordings = Array.from({ length: 1_100 }, (_, index) =>
			listed(`call-${String(index).padStart(8, '0')}`, NOW - index * 1000),
		);
		const { history } = await chooseWaiting([pageOf(recordings)], none, purgeRules);
		expect(history.size).toBe(1_000);
		expect(history.has('call-00000098')).toBe(true);
		expect(history.has('call-00000097')).toBe(false);
	});
});

describe('a stored history', () => {
	const entry = { attempt: 0, lastMs: 2, sinceMs: 3, succeeded: true, listedAs: guid(1) };

	test('is read as it was stored', () => {
		expect([...readHistory(JSON.parse(JSON.stringify({ a: entry })))]).toStrictEqual([
			['a', entry],
		]);
	});

	test.each([
		[undefined],
		[null],
		[{ a: 1 }],
		[{ a: null }],
		[{ a: [1, 2, 3] }],
		[{ a: { ...entry, attempt: '1' } }],
		[{ a: { ...entry, lastMs: -1 } }],
		[{ a: { ...entry, sinceMs: undefined } }],
		[{ a: { ...entry, listedAs: 1 } }],
	])('that is %j is empty', (stored) => expect(readHistory(stored).size).toBe(0));
});
