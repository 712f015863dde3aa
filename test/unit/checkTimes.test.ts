import type { ITriggerFunctions, NodeOperationError } from 'n8n-workflow';

import { everyMinute, isCheckDue } from '../../nodes/VoiceAgentRecordingTrigger/checks';
import { FailureReports } from '../../nodes/VoiceAgentRecordingTrigger/executions';

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

describe('a failure', () => {
	/** At these minutes, of these kinds; an empty one is a success. Resolves to the minutes at which it is reported. */
	function reportedAt(failures: Array<[minute: number, kind: string]>): number[] {
		const reported: number[] = [];
		const now = jest.spyOn(Date, 'now');
		const saveFailedExecution = () => reported.push(Date.now() / MINUTE);
		const context = { logger: { warn: jest.fn() }, saveFailedExecution };
		const reports = new FailureReports(context as unknown as ITriggerFunctions);
		for (const [minute, kind] of failures) {
			now.mockReturnValue(minute * MINUTE);
			if (kind === '') reports.succeeded();
			else reports.failed(kind, new Error(kind) as NodeOperationError);
		}
		now.mockRestore();
		return reported;
	}

	test('is reported when it begins, when it changes, hourly, and anew after a success', () => {
		const lasting: Array<[number, string]> = [
			[0, '401'],
			[59, '401'],
			[60, '401'],
		];
		expect(reportedAt([...lasting, [61, '500'], [62, '500'], [62, ''], [63, '500']])).toEqual([
			0, 60, 61, 63,
		]);
	});

	test('that lasts is not silenced by a clock that was set back', () => {
		const back: Array<[number, string]> = [
			[1_000, '500'],
			[999, '500'],
			[100, '500'],
			[101, '500'],
		];
		expect(reportedAt(back)).toEqual([1_000, 100]);
	});
});
