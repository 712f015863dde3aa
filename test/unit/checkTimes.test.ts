import type { ITriggerFunctions, NodeOperationError } from 'n8n-workflow';

import { everyMinute, isCheckDue } from '../../nodes/VoiceAgentRecordingTrigger/checks';
import { FailureReports } from '../../nodes/VoiceAgentRecordingTrigger/failureReports';

const MINUTE = 60_000;

test('ticks come once a minute, at a random second', () => {
	expect(everyMinute(() => 0)).toBe('0 * * * * *');
	expect(everyMinute(() => 0.9999)).toBe('59 * * * * *');
});

test.each([1, 5, 7, 60, 90])('a check is due every %i minutes, though ticks jitter', (minutes) => {
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
	/** A check that fails in this way, or succeeds. */
	interface Check {
		minute: number;
		failure?: string;
	}

	/** @returns the minutes at which a failure is reported */
	function reportedAt(checks: Check[]): number[] {
		const reported: number[] = [];
		const now = jest.spyOn(Date, 'now');
		const saveFailedExecution = () => reported.push(Date.now() / MINUTE);
		const context = { logger: { warn: jest.fn() }, saveFailedExecution };
		const reports = new FailureReports(context as unknown as ITriggerFunctions);
		for (const { minute, failure } of checks) {
			now.mockReturnValue(minute * MINUTE);
			if (failure === undefined) reports.succeeded();
			else reports.failed(failure, new Error(failure) as NodeOperationError);
		}
		now.mockRestore();
		return reported;
	}

	test('is reported when it begins, when it changes, hourly, and anew after a success', () => {
		const checks: Check[] = [
			{ minute: 0, failure: '401' },
			{ minute: 59, failure: '401' },
			{ minute: 60, failure: '401' },
			{ minute: 61, failure: '500' },
			{ minute: 62, failure: '500' },
			{ minute: 62 },
			{ minute: 63, failure: '500' },
		];
		expect(reportedAt(checks)).toEqual([0, 60, 61, 63]);
	});

	test('that lasts is not silenced by a clock that was set back', () => {
		const checks: Check[] = [1_000, 999, 100, 101].map((minute) => ({ minute, failure: '500' }));
		expect(reportedAt(checks)).toEqual([1_000, 100]);
	});
});
