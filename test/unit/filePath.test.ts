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
	])('%j', (template, expected) => expect(pathFrom(template)).toBe(expected));

	test.each([
		['{time}_{from}_{sessionGuid}.{extension}', '14-03-22_unknown_abc-12345.opus'],
		['calls/{agent}/{from}.{extension}', 'calls/unknown/unknown.opus'],
	])('%j says what is missing', (template, expected) => expect(pathFrom(template)).toBe(expected));

	test('values of the call are shortened until the name is not too long', () => {
		const template = `${'x'.repeat(100)}_{a}_{b}_{sessionGuid}.opus`;
		const path = filePath(template, (name, maxBytes) =>
			name === 'sessionGuid'
				? 'abc-12345'
				: nameValue(`${'y'.repeat(14)}. ${'z'.repeat(50)}`, maxBytes),
		);
		expect(path).toBe(
			`${'x'.repeat(100)}_${'y'.repeat(14)}. ${'z'.repeat(14)}_${'y'.repeat(14)}. ${'z'.repeat(14)}_abc-12345.opus`,
		);
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
	['in any spelling and at any depth', { call: { To: '+15550100' } }, '+15550100'],
	['without what may be a pattern', { to: "{it's,`1`}" }, '-it-s,-1--'],
	['the first that can be used', { to: {}, call: { to: '+15550100' } }, '+15550100'],
	['unknown in more than can be searched', { to: '1', x: Array(60_000).fill(0) }, 'unknown'],
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
])('a moment in %s', (timeZone, date, time) =>
	expect(dateAndTime(Date.UTC(2026, 10, 21, 23, 30, 5), timeZone)).toEqual({ date, time }),
);

test('a moment that is not known', () =>
	expect(dateAndTime(NaN, 'Etc/UTC')).toStrictEqual({ date: undefined, time: undefined }));
