import type { History } from '../../nodes/VoiceAgentRecordingTrigger/history';
import type { Rules } from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';
import { chooseWaiting } from '../../nodes/VoiceAgentRecordingTrigger/waitingRecordings';
import type { ListedRecording } from '../../nodes/service/listedRecording';
import { guid as keyOf, HOUR, listed, NOW } from '../properties/listed';

/** What becomes of recordings that the service purges before they could be archived. */

const RETENTION = 7 * 24 * HOUR;
const rules: Rules = {
	minimumAgeMs: 0,
	tryAgainAfterMs: 6 * HOUR,
	untilSuccess: true,
	mostPerCheck: 2,
	alarmAfterMs: 5 * 24 * HOUR,
};

/** In braces, as a service may write it. */
const guid = (number: number) => `{${keyOf(number)}}`;

/** A recording that is purged in that many hours. */
function recording(number: number, hoursLeft: number): ListedRecording {
	return listed(guid(number), NOW + hoursLeft * HOUR - RETENTION);
}

/** Lists again and again: `[hours later, listed]`. Resolves to what each check hands out. */
async function checks(
	steps: Array<[hours: number, list: ListedRecording[]]>,
	succeeded: number[] = [],
): Promise<string[][]> {
	let history: History = new Map();
	const all: string[][] = [];
	for (const [hours, list] of steps) {
		const page = { recordings: list, serviceTimeMs: NOW + hours * HOUR };
		const choice = await chooseWaiting([page], history, rules);
		all.push(choice.waiting.map(({ listed }) => listed.sessionGuid));
		const next = new Map([
			...choice.history,
			...choice.waiting.map(({ key, handedOut }) => [key, handedOut] as const),
		]);
		for (const key of succeeded.map(keyOf)) {
			const entry = next.get(key);
			if (entry) next.set(key, { ...entry, succeeded: true });
		}
		history = next;
	}
	return all;
}

const four = [recording(1, 1), recording(2, 2), recording(3, 3), recording(4, 90)];

test('one that was over the limit of its check is handed out once, after those that are listed', async () => {
	const five = recording(5, 99);
	expect(
		await checks([
			[0, four],
			[4, [recording(4, 90), five]],
			[4.1, [recording(4, 90), five]],
			[11, [recording(4, 90), five]],
		]),
	).toEqual([
		[guid(1), guid(2)],
		[guid(4), guid(5)],
		[guid(3)],
		// Those that failed, which is once more for those that are gone.
		[guid(4), guid(5)],
	]);
});

test('one that was handed out and has not succeeded is handed out once more after its pause', async () => {
	expect(
		await checks([
			[0, four.slice(0, 2)],
			[5, []],
			[6, []],
			[12, []],
			[18, []],
		]),
	).toEqual([[guid(1), guid(2)], [], [guid(1), guid(2)], [], []]);
});

test('one that has succeeded, or was deleted before its time, is not', async () => {
	const steps: Parameters<typeof checks>[0] = [
		[0, [recording(1, 1), recording(4, 90)]],
		// Somebody has deleted the second one.
		[2, []],
		[100, []],
	];
	expect(await checks(steps, [1])).toEqual([[guid(1), guid(4)], [], []]);
});

test('it is handed out as it was last listed, without its record', async () => {
	const last = { sessionGuid: guid(1), endMs: NOW };
	const history = new Map([[keyOf(1), { attempt: 0, lastMs: NOW, firstMs: NOW, last }]]);
	const page = { recordings: [], serviceTimeMs: NOW + RETENTION };
	const { waiting } = await chooseWaiting([page], history, rules);
	const retentionEndsAt = new Date(NOW + RETENTION).toISOString();
	expect(waiting).toMatchObject([
		{
			listed: { ...listed(guid(1), NOW), retentionEndsAt, hoursLeft: 0 },
			ageMs: RETENTION,
			alarm: true,
			isGone: true,
			handedOut: { attempt: 1 },
		},
	]);
});

test('no more than 1,000 are remembered beyond the limit, the oldest', async () => {
	const recordings = Array.from({ length: 1_100 }, (_, index) =>
		listed(`call-${String(index).padStart(8, '0')}`, NOW - index * 1000),
	);
	const page = { recordings, serviceTimeMs: NOW };
	const { history } = await chooseWaiting([page], new Map(), rules);
	expect(history.size).toBe(1_000);
	expect(history.has('call-00000098')).toBe(true);
	expect(history.has('call-00000097')).toBe(false);
});
