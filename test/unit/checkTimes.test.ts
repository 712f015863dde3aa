import {
	everyMinute,
	FailureReports,
	isCheckDue,
} from '../../nodes/VoiceAgentRecordingTrigger/checkTimes';

const MINUTE = 60_000;

test('ticks come once a minute, at a random second', () => {
	expect(everyMinute(() => 0)).toBe('0 * * * * *');
	expect(everyMinute(() => 0.9999)).toBe('59 * * * * *');
});

test.each([1, 5, 7, 60, 90])('every %i minutes, whatever the jitter of the ticks', (minutes) => {
	const jitter = [0, 400, -400, 900, -900];
	let last = 0;
	const checks: number[] = [];
	for (let tick = 1; tick <= 3 * minutes; tick++) {
		const now = tick * MINUTE + (jitter[tick % jitter.length] ?? 0);
		if (!isCheckDue(last, now, minutes * MINUTE)) continue;
		last = now;
		checks.push(tick);
	}
	expect(checks).toEqual([minutes, 2 * minutes, 3 * minutes]);
});

test('half a minute before its time, a check is due', () => {
	expect(isCheckDue(0, 4.5 * MINUTE, 5 * MINUTE)).toBe(true);
	expect(isCheckDue(0, 4.5 * MINUTE - 1, 5 * MINUTE)).toBe(false);
	expect(isCheckDue(0, 0, 5 * MINUTE)).toBe(false);
});

test('a clock that was put back does not stop the checks', () => {
	expect(isCheckDue(1_000_000, 500_000, 5 * MINUTE)).toBe(true);
});

test('a failure is reported when it begins, when it changes, hourly, and anew after a success', () => {
	const reports = new FailureReports();
	expect(reports.failed('401', 0)).toBe(true);
	expect(reports.failed('401', 59 * MINUTE)).toBe(false);
	expect(reports.failed('401', 60 * MINUTE)).toBe(true);
	expect(reports.failed('500', 61 * MINUTE)).toBe(true);
	expect(reports.failed('500', 62 * MINUTE)).toBe(false);
	reports.succeeded();
	expect(reports.failed('500', 63 * MINUTE)).toBe(true);
});

test('a clock that was set back does not silence a failure that lasts', () => {
	const reports = new FailureReports();
	expect(reports.failed('500', 1_000 * MINUTE)).toBe(true);
	expect(reports.failed('500', 999 * MINUTE)).toBe(false);
	expect(reports.failed('500', 100 * MINUTE)).toBe(true);
	expect(reports.failed('500', 101 * MINUTE)).toBe(false);
});
