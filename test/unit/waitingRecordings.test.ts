import type {
	History,
	Listed,
	Rules,
} from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';
import {
	chooseWaiting,
	readHistory,
	storedHistory,
} from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');
const rules: Rules = {
	minimumAgeMs: 0,
	tryAgainAfterMs: 6 * HOUR,
	mostPerCheck: 100,
	alarmAfterMs: 5 * 24 * HOUR,
};
const none: History = new Map();

const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

function recording(number: number, ageHours: number | null): Listed {
	const callEndedAt = ageHours === null ? null : new Date(NOW - ageHours * HOUR).toISOString();
	return { sessionGuid: guid(number), callEndedAt };
}

/** Numbers of the recordings that are handed out. */
function chosen(
	list: Listed[],
	{ history = none, now = NOW, ...changed }: Partial<Rules> & { history?: History; now?: number },
) {
	const choice = chooseWaiting(list, history, { ...rules, ...changed }, now);
	const numbers = choice.waiting.map(({ listed }) => Number(listed.sessionGuid.slice(-12)));
	const handedOut = choice.waiting.map((one) => [one.key, one.handedOut] as const);
	return { ...choice, numbers, history: new Map([...choice.history, ...handedOut]) };
}

describe('which recordings are handed out', () => {
	const list = [recording(1, 2), recording(2, 50), recording(3, null), recording(4, 7)];

	test('the oldest first, those of unknown age last, in the order of the list', () => {
		expect(chosen([recording(9, null), ...list], {}).numbers).toEqual([2, 4, 1, 9, 3]);
	});

	test('none that is known to be younger than the minimum age', () => {
		const { numbers, passedOver } = chosen(list, { minimumAgeMs: 7 * HOUR });
		expect(numbers).toEqual([2, 4, 3]);
		expect(passedOver.tooYoung).toBe(1);
	});

	test('no more than the most per check; the next check goes on with the others', () => {
		const first = chosen(list, { mostPerCheck: 3 });
		expect(first.numbers).toEqual([2, 4, 1]);
		expect(first.passedOver.overLimit).toBe(1);
		const second = chosen(list, { mostPerCheck: 3, history: first.history });
		expect(second.numbers).toEqual([3]);
		expect(second.passedOver.handedOut).toBe(3);
	});

	test('a record without a session GUID is counted and passed over', () => {
		const { numbers, passedOver } = chosen([{ sessionGuid: null, callEndedAt: null }, ...list], {});
		expect(numbers).toHaveLength(4);
		expect(passedOver.withoutGuid).toBe(1);
	});

	test('identifiers that are no GUIDs differ by their letter case', () => {
		const records = ['AbCdEfGh1', 'abcdefgh1'].map((sessionGuid) => ({
			sessionGuid,
			callEndedAt: null,
		}));
		const { waiting } = chooseWaiting(records, none, rules, NOW);
		expect(waiting.map(({ key }) => key)).toEqual(['AbCdEfGh1', 'abcdefgh1']);
	});

	test('one recording in two ways of writing is one', () => {
		const written = { ...recording(10, 1), sessionGuid: `{${guid(10).toUpperCase()}}` };
		const { waiting } = chosen([written, recording(10, 1)], {});
		expect(waiting).toHaveLength(1);
		expect(waiting[0]?.listed.sessionGuid).toBe(written.sessionGuid);
		expect(waiting[0]?.key).toBe(guid(10));
	});

	test('ages and alarm', () => {
		const five = recording(1, 5 * 24);
		const almost = recording(2, 5 * 24 - 0.25);
		expect(chosen([five, almost], {}).waiting).toMatchObject([
			{ ageHours: 120, alarm: true },
			{ ageHours: 119.8, alarm: false },
		]);
	});

	test('without an end of the call, the alarm counts from the first attempt', () => {
		const list = [recording(1, null)];
		const history = new Map([[guid(1), { attempt: 8, lastMs: 0, firstMs: NOW - 119 * HOUR }]]);
		expect(chosen(list, { history }).waiting).toMatchObject([{ ageHours: null, alarm: false }]);
		const later = chosen(list, { history, now: NOW + HOUR }).waiting;
		expect(later).toMatchObject([{ ageHours: null, alarm: true, handedOut: { attempt: 9 } }]);
	});
});

describe('again', () => {
	const list = [recording(1, 1)];

	test('not before its time, then with the next number', () => {
		const first = chosen(list, {});
		expect(first.waiting[0]).toMatchObject({ key: guid(1), handedOut: { attempt: 1 } });
		const early = chosen(list, { history: first.history, now: NOW + 6 * HOUR - 1 });
		expect(early.numbers).toEqual([]);
		expect(early.history).toEqual(first.history);
		const second = chosen(list, { history: early.history, now: NOW + 6 * HOUR });
		expect(second.waiting[0]).toMatchObject({ key: guid(1), handedOut: { attempt: 2 } });
		expect(second.history.get(guid(1))).toEqual({
			attempt: 2,
			lastMs: NOW + 6 * HOUR,
			firstMs: NOW,
		});
	});

	test('a recording that is no longer listed is forgotten once it could be handed out again', () => {
		const { history } = chosen(list, {});
		const soon = chosen([], { history, now: NOW + HOUR });
		expect(soon.history).toEqual(history);
		expect(chosen([], { history: soon.history, now: NOW + 6 * HOUR }).history.size).toBe(0);
	});

	test('a service that puts its clock back by a day delays nothing by more than the usual time', () => {
		const history = new Map([[guid(1), { attempt: 1, lastMs: NOW + 24 * HOUR, firstMs: NOW }]]);
		const corrected = chosen(list, { history });
		expect(corrected.numbers).toEqual([]);
		expect(chosen(list, { history: corrected.history, now: NOW + 6 * HOUR }).numbers).toEqual([1]);
	});

	// Each process has its own history. They share only the keys that are taken.
	test('however many processes look, attempts are apart and none is made twice', () => {
		const taken = new Map<string, number>();
		const processes = [none, none, none];
		const times = [0, 1, 2, 359, 361, 400, 719, 720, 722, 761, 1100];
		for (const [turn, minutes] of times.entries()) {
			const at = NOW + minutes * 60_000;
			for (const [index, history] of processes.entries()) {
				// The last process begins late, and one of them loses its history.
				if (index === 2 && turn < 2) continue;
				const known = turn === 5 && index === 1 ? none : history;
				const choice = chosen(list, { history: known, now: at + index });
				processes[index] = choice.history;
				for (const { key, handedOut } of choice.waiting) {
					const attempt = `${key}:${handedOut.attempt}`;
					if (!taken.has(attempt)) taken.set(attempt, at + index);
				}
			}
		}
		const starts = [...taken.values()];
		expect(starts.length).toBeGreaterThan(2);
		for (const [index, start] of starts.slice(1).entries()) {
			expect(start - (starts[index] ?? 0)).toBeGreaterThanOrEqual(6 * HOUR);
		}
	});
});

test('the history survives being stored as JSON', () => {
	const { history } = chosen([recording(1, 1), recording(2, null)], {});
	const stored = JSON.parse(JSON.stringify(storedHistory(history))) as unknown;
	expect(readHistory(stored)).toEqual(history);
});

test.each([
	['nothing', undefined],
	['null', null],
	['a list', [1]],
	['text', 'history'],
	['other entries', { a: 1, b: [1], c: ['1', 2, 3], d: [1, null, 3], e: [-1, 0, 0] }],
])('a stored history that is %s is empty', (_name, stored) => {
	expect(readHistory(stored).size).toBe(0);
});
