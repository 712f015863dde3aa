import { findCallEnd, retentionOf } from '../../nodes/service/retention';

const END = Date.parse('2026-11-14T12:00:00Z');
const NOW = Date.parse('2026-11-20T10:30:00Z');

const many = Array<unknown>(50_001).fill(0);

describe('the end of a call', () => {
	test.each([
		['ISO 8601', { endedAt: '2026-11-14T12:00:00Z' }],
		['another zone', { EndTime: '2026-11-14T14:00:00+02:00' }],
		['without a zone: UTC', { end_time: '2026-11-14 12:00:00' }],
		['seconds', { callEnd: END / 1000 }],
		['milliseconds', { endedAt: END }],
		['nested', { call: { endDate: '2026-11-14T12:00:00.000Z' } }],
		['parts of the call, further out', { parts: [{ end: END - 1 }], call: { info: { end: END } } }],
		['parts of the call only', { parts: [{ end: END }, { end: END + 1 }] }],
		['a name of 100 characters', { [`endutc${'at'.repeat(47)}`]: END }],
	])('is found: %s', (_name, record) => expect(findCallEnd(record, NOW)).toBe(END));

	test.each([
		['nothing', {}],
		['another time', { startedAt: END, weekend: END, endpoint: END }],
		['a date without a time', { endedAt: '2026-11-14' }],
		['null', { endedAt: null }],
		['nanoseconds', { endedAt: END * 1e6 }],
		['no record', null],
		["not yet: .NET's first day", { endedAt: '0001-01-01T00:00:00' }],
		['not yet, in seconds', { endedAt: 253402300799 }],
		['a duration', { end: 183.4 }],
		['0', { endedAt: 0 }],
		[
			'the parts of a time, as Java writes them',
			{ endedAt: [2026, 11, 14, 12, 0, 0, 987_654_321] },
		],
		['a place in a file', { end: { byte: 1_000_000_000 } }],
		['two days from now', { endedAt: '2026-11-22T10:30:01Z' }],
		['a name of 101 characters', { [`end${'at'.repeat(49)}`]: END }],
		['a time among more values than are searched', { other: [...many, { endedAt: END }] }],
	])('%s is none', (_name, record) => expect(findCallEnd(record, NOW)).toBeUndefined());

	test('is found in the outermost levels of a record with more values than are searched', () => {
		expect(findCallEnd({ other: many, call: { endedAt: END } }, NOW)).toBe(END);
	});

	test('may be up to two days ahead, and not before 2002', () => {
		const latest = NOW + 48 * 3_600_000;
		expect(findCallEnd({ endedAt: latest }, NOW)).toBe(latest);
		const earliest = Date.UTC(2002, 0, 1);
		expect(findCallEnd({ endedAt: earliest }, NOW)).toBe(earliest);
	});

	test('is the first of several that can be one', () => {
		const record = { callEnd: '0001-01-01T00:00:00', call: { endedAt: END } };
		expect(findCallEnd(record, NOW)).toBe(END);
	});

	test('is read from the field that the user names', () => {
		expect(findCallEnd({ times: { over: END }, endedAt: 5 }, NOW, 'times.over')).toBe(END);
		expect(findCallEnd({ calls: [{ over: END }] }, NOW, 'calls.over')).toBe(END);
	});
});

test('a recording is kept for 7 days', () => {
	expect(retentionOf(END, NOW)).toEqual({
		keptUntil: '2026-11-21T12:00:00.000Z',
		hoursLeft: 25.5,
	});
	expect(retentionOf(END, NOW + 30 * 3_600_000).hoursLeft).toBe(-4.5);
});
