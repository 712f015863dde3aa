import { outputPath } from '../../nodes/VoiceAgent/recording/file/output';
import { dateAndTime, filePath, nameValue } from '../../nodes/VoiceAgent/recording/file/filePath';

const values: Record<string, string> = {
	name: 'abc-12345',
	sessionGuid: 'abc-12345',
	date: '2026-11-21',
	time: '14-03-22',
	to: '+15550100',
	extension: 'opus',
};
const valueOf = (placeholder: string) => values[placeholder];
const pathFrom = (template: string) => filePath(template, valueOf);

describe('the path of a file', () => {
	test.each([
		['{name}.{extension}', 'abc-12345.opus'],
		['  {name}.{extension}\n', 'abc-12345.opus'],
		['call {name} as {extension}', 'call abc-12345 as opus'],
		['密码.{extension}', '密码.opus'],
		[
			'{date}/{time}_{to}_{sessionGuid}.{extension}',
			'2026-11-21/14-03-22_+15550100_abc-12345.opus',
		],
		['.{name}', '.abc-12345'],
		['{not a placeholder}.{extension}', '{not a placeholder}.opus'],
		['con.{extension}', '_con.opus'],
		['NUL/aux', '_NUL/_aux'],
		['falcon.{extension}', 'falcon.opus'],
		['COM1', '_COM1'],
		['lpt9.{extension}', '_lpt9.opus'],
		['calls / {name}', 'calls/abc-12345'],
		['x'.repeat(200), 'x'.repeat(200)],
	])('of the template %j is %s', (template, expected) => {
		expect(pathFrom(template)).toBe(expected);
	});

	test.each([
		['{time}_{from}_{sessionGuid}.{extension}', '14-03-22_unknown_abc-12345.opus'],
		['calls/{agent}/{from}.{extension}', 'calls/unknown/unknown.opus'],
	])('of the template %j says which value is unknown: %s', (template, expected) => {
		expect(pathFrom(template)).toBe(expected);
	});

	test('has shorter values of the call if it would be too long', () => {
		const start = 'x'.repeat(100);
		const value = (lastCharacters: number) => `${'y'.repeat(14)}. ${'z'.repeat(lastCharacters)}`;
		const template = `${start}_{a}_{b}_{sessionGuid}.opus`;
		const path = filePath(template, (name, maxBytes) =>
			name === 'sessionGuid' ? 'abc-12345' : nameValue(value(50), maxBytes),
		);
		expect(path).toBe(`${start}_${value(14)}_${value(14)}_abc-12345.opus`);
	});

	test.each([
		'../{name}',
		'calls/../../{name}',
		'calls/./{name}',
		'a\\b',
		'a\nb',
		'/{name}',
		'a//{name}',
		'..',
		'C:/{name}',
		'calls./{name}',
		'{name}.',
		'',
		'calls/',
		'{date}/',
		'x'.repeat(201),
		// 201 bytes.
		'界'.repeat(67),
		`${'x'.repeat(201)}/{name}`,
	])('%j is refused', (template) =>
		expect(() => pathFrom(template)).toThrow("'Output File Name' must be a file name"),
	);
});

test.each([
	['found in any spelling and at any depth', { call: { To: '+15550100' } }, '+15550100'],
	['output without characters that may be a pattern', { to: "{it's,`1`}" }, '-it-s,-1--'],
	['the first one that can be used', { to: {}, call: { to: '+15550100' } }, '+15550100'],
	['unknown if the item is too large to search', { to: '1', x: Array(60_000).fill(0) }, 'unknown'],
])('a field of the input item is %s', (_what, json, expected) => {
	const format = { format: 'opus', extension: 'opus', mimeType: '' } as never;
	const about = { baseName: 'call', sessionGuid: null, format };
	expect(outputPath(json, 'Etc/UTC', about, '{to}').path).toBe(expected);
});

test.each([
	['a caller who is called so', { to: 'unknown' }, []],
	['a value that is missing', { from: '1' }, ['to']],
])('unknown in a path: %s', (_what, json, missing) => {
	const format = { format: 'opus', extension: 'opus', mimeType: '' } as never;
	const about = { baseName: 'call', sessionGuid: null, format };
	const path = outputPath(json, 'Etc/UTC', about, '{name}_{to}');
	expect(path).toEqual({ path: 'call_unknown', missing });
});

test('the year and the month of the call are in the time zone of the workflow', () => {
	const format = { format: 'opus', extension: 'opus', mimeType: '' } as never;
	const about = { baseName: 'call', sessionGuid: null, format };
	const json = { endedAt: '2025-12-31T23:30:00Z' };
	const { path, missing } = outputPath(json, 'Asia/Tokyo', about, '{year}/{month}/{name}');
	expect([path, missing]).toEqual(['2026/01/call', []]);
	const unknown = outputPath({}, 'Asia/Tokyo', about, '{year}/{name}');
	expect(unknown).toEqual({ path: 'unknown/call', missing: ['year'] });
});

describe('a value from outside', () => {
	test.each([
		['+1 555 0100', '+1 555 0100'],
		[15550100, '15550100'],
		['../../etc/passwd', '-..-etc-passwd'],
		['a/b\\c:d', 'a-b-c-d'],
		['..', undefined],
		['  .hidden. ', 'hidden'],
		['Mu\u0308ller', 'Müller'],
		['gpj.\u202Efile', 'gpj.file'],
		['a\u0000b\r\nc', 'a-b--c'],
		['😀'.repeat(40), '😀'.repeat(15)],
		['a'.repeat(59) + '😀', 'a'.repeat(59)],
		[`${'a'.repeat(59)} b`, 'a'.repeat(59)],
		// No more than the first characters is looked at.
		[`${'\u200B'.repeat(60)}x`, undefined],
		['\uD800', undefined],
		['', undefined],
		[null, undefined],
		[{ to: 1 }, undefined],
		[true, undefined],
	])('%j becomes %j', (value, expected) => expect(nameValue(value)).toBe(expected));
});

test.each([
	['Etc/UTC', '2026-11-21', '23-30-05'],
	['Europe/Berlin', '2026-11-22', '00-30-05'],
])('the date and time of a moment are those in %s', (timeZone, date, time) =>
	expect(dateAndTime(Date.UTC(2026, 10, 21, 23, 30, 5), timeZone)).toEqual({ date, time }),
);

test('a moment that is not known has no date and no time', () =>
	expect(dateAndTime(NaN, 'Etc/UTC')).toStrictEqual({ date: undefined, time: undefined }));
