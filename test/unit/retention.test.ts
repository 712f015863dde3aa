import { findCallEnd, retentionOf } from '../../nodes/service/retention';

const END = Date.parse('2026-11-14T12:00:00Z');

describe('the end of a call', () => {
	test.each([
		['ISO 8601', { endedAt: '2026-11-14T12:00:00Z' }],
		['another zone', { EndTime: '2026-11-14T14:00:00+02:00' }],
		['without a zone: UTC', { end_time: '2026-11-14 12:00:00' }],
		['seconds', { callEnd: END / 1000 }],
		['milliseconds', { callEndedAt: END }],
		['nested', { call: { endDate: '2026-11-14T12:00:00.000Z' } }],
	])('%s', (_name, record) => expect(findCallEnd(record)).toBe(END));

	test.each([
		['nothing', {}],
		['another time', { startedAt: '2026-11-14T12:00:00Z' }],
		['another word', { endpoint: '2026-11-14T12:00:00Z', legend: END }],
		['a date without a time', { endedAt: '2026-11-14' }],
		['null', { endedAt: null }],
		['nanoseconds', { endedAt: END * 1e6 }],
		['a negative number', { endedAt: -5 }],
		['not a number', { endedAt: NaN }],
		['no record', null],
	])('%s is none', (_name, record) => expect(findCallEnd(record)).toBeUndefined());

	test('a field that the user names', () => {
		expect(findCallEnd({ times: { over: END }, endedAt: 5 }, 'times.over')).toBe(END);
	});
});

test('a recording is kept for 7 days', () => {
	const now = Date.parse('2026-11-20T10:30:00Z');
	expect(retentionOf(END, now)).toEqual({
		retentionEndsAt: '2026-11-21T12:00:00.000Z',
		hoursLeft: 25.5,
	});
	expect(retentionOf(END, now + 30 * 3_600_000).hoursLeft).toBe(-4.5);
});
