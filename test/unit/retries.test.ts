import { sleep } from 'n8n-workflow';

import type { Reason } from '../../nodes/errors';
import { VoiceAgentError } from '../../nodes/errors';
import { retryDelayMs, withRetries } from '../../nodes/service/http/retries';

// Pauses are recorded and advance the clock.
jest.mock('n8n-workflow', () => ({ sleep: jest.fn() }));

let nowMs = 0;
let pauses: number[] = [];
beforeEach(() => {
	nowMs = 1_000_000;
	pauses = [];
	jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
	jest.spyOn(Math, 'random').mockReturnValue(1);
	jest.mocked(sleep).mockImplementation(async (ms) => {
		pauses.push(ms);
		nowMs += ms;
	});
});

describe('pauses after failures that may pass', () => {
	const passing = new VoiceAgentError('serverError', { retryable: true });

	test('grow, are random within their upper half, and end at 8 s', () => {
		const pauses = [1, 2, 3, 9].map((tried) => [
			retryDelayMs(passing, tried, () => 0),
			retryDelayMs(passing, tried, () => 1),
		]);
		expect(pauses).toEqual([
			[250, 500],
			[500, 1_000],
			[1_000, 2_000],
			[4_000, 8_000],
		]);
	});

	test('do not follow lasting failures and unknown errors, which are not repeated', () => {
		expect(retryDelayMs(new VoiceAgentError('unauthorized'), 1)).toBeUndefined();
		expect(retryDelayMs(new Error('disk full'), 1)).toBeUndefined();
	});

	test('are what the service asks for, up to half a minute; a longer one is taken only once', () => {
		const asked = (retryAfterMs: number, tried = 1) =>
			retryDelayMs(new VoiceAgentError('rateLimited', { retryable: true, retryAfterMs }), tried);
		expect(asked(5_000)).toBe(5_000);
		expect(asked(30_000, 2)).toBe(30_000);
		expect(asked(30_001)).toBe(30_000);
		expect(asked(30_001, 2)).toBeUndefined();
	});
});

const passing = () => new VoiceAgentError('serverError', { retryable: true });
const lasting = () => new VoiceAgentError('unauthorized');

/** Fails with these errors in turn, then succeeds. */
function failing(...errors: unknown[]) {
	const left = [...errors];
	return jest.fn(async () => {
		const error = left.shift();
		if (error !== undefined) throw error;
		return 'done';
	});
}

describe('failures that may pass', () => {
	test('are repeated up to three times, with growing pauses', async () => {
		const attempt = failing(passing(), passing(), passing());
		await expect(withRetries(attempt, {})).resolves.toBe('done');
		expect(attempt).toHaveBeenCalledTimes(4);
		expect(pauses).toEqual([500, 1_000, 2_000]);
	});

	test('end with the error of the fourth attempt', async () => {
		const last = passing();
		const attempt = failing(passing(), passing(), passing(), last);
		const onFailure = jest.fn();
		await expect(withRetries(attempt, { onFailure })).rejects.toBe(last);
		expect(attempt).toHaveBeenCalledTimes(4);
		expect(onFailure).toHaveBeenCalledTimes(4);
		expect(onFailure).toHaveBeenLastCalledWith(last);
	});

	test.each([lasting(), new Error('disk full')])('%s is not repeated', async (error) => {
		const attempt = failing(error);
		await expect(withRetries(attempt, {})).rejects.toBe(error);
		expect(attempt).toHaveBeenCalledTimes(1);
		expect(pauses).toEqual([]);
	});

	test.each([
		[500 + 999, [500]],
		[500 + 1_000, [500, 1_000]],
	])('are repeated only if the pause ends by a deadline %i ms away', async (forMs, expected) => {
		const attempt = failing(passing(), passing(), passing());
		await expect(withRetries(attempt, { deadlineMs: nowMs + forMs })).rejects.toThrow();
		expect(attempt).toHaveBeenCalledTimes(expected.length + 1);
		expect(pauses).toEqual(expected);
	});
});

describe('a recording that is not there yet', () => {
	const absent = () => new VoiceAgentError('recordingGone');
	const waiting = (forMs: number, ...reasons: Reason[]) => ({
		forMs,
		check: jest.fn(async (error: unknown, isOver: boolean) => {
			const isAwaited = error instanceof VoiceAgentError && reasons.includes(error.reason);
			if (isOver || !isAwaited) throw error;
		}),
	});

	test('is waited for with growing pauses', async () => {
		const attempt = failing(...Array.from({ length: 9 }, absent));
		const wait = waiting(1_000_000, 'recordingGone');
		await expect(withRetries(attempt, { wait })).resolves.toBe('done');
		expect(pauses.map(Math.round)).toEqual([
			1_000, 1_500, 2_250, 3_375, 5_063, 7_594, 11_391, 15_000, 15_000,
		]);
	});

	test('is tried a last time when the wait is over, and then the check reports', async () => {
		const attempt = failing(...Array.from({ length: 9 }, absent));
		const wait = waiting(2_000, 'recordingGone');
		await expect(withRetries(attempt, { wait })).rejects.toMatchObject({ reason: 'recordingGone' });
		expect(pauses).toEqual([1_000, 1_000]);
		expect(attempt).toHaveBeenCalledTimes(3);
		expect(wait.check.mock.calls.map(([, isOver]) => isOver)).toEqual([false, false, true]);
	});

	test('leaves failures that may pass all their attempts each time', async () => {
		const attempt = failing(passing(), absent(), passing(), passing(), passing());
		await expect(withRetries(attempt, { wait: waiting(60_000, 'recordingGone') })).resolves.toBe(
			'done',
		);
		expect(pauses).toEqual([500, 1_000, 500, 1_000, 2_000]);
	});
});
