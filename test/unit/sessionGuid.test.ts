import {
	canonicalSessionGuid,
	findSessionGuid,
	isSessionGuid,
	parseSessionGuid,
} from '../../nodes/service/sessionGuid';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2d6c1a-0000-4000-8000-123456789abc';

describe('what a session GUID is', () => {
	test.each([
		GUID,
		GUID.toUpperCase(),
		`{${GUID}}`,
		GUID.replaceAll('-', ''),
		'call_20261121_0001',
	])('%s is one', (value) => expect(isSessionGuid(value)).toBe(true));

	test.each([
		'../../secret1',
		'%2e%2e%2f1',
		'..\\..\\x1',
		'..',
		'abcdefg1?b',
		'abcdefg1#',
		'abcdefg1/b',
		`{${GUID}`,
		'undefined',
		'short1',
		'',
	])("'%s' is not a session GUID", (value) => expect(isSessionGuid(value)).toBe(false));

	test.each([
		['fullwidth digits', GUID.replace('3', '\uff13')],
		['right-to-left mark', `\u200f${GUID}`],
		['a line break at the end', `${GUID}\n`],
		['NUL', `${GUID}\0`],
		['1 MB', 'a1'.repeat(500_000)],
	])('%s is not part of a session GUID', (_name, value) =>
		expect(isSessionGuid(value)).toBe(false),
	);

	test.each([[null], [undefined], [42], [[GUID]], [{ GUID }], [true]])('%p is none', (value) =>
		expect(isSessionGuid(value)).toBe(false),
	);

	test('one form for comparison', () => {
		expect(canonicalSessionGuid(`{${GUID.toUpperCase()}}`)).toBe(GUID);
		const digits = GUID.replaceAll('-', '');
		expect(canonicalSessionGuid(digits.toUpperCase())).toBe(digits);
	});

	test.each(['AbCdEfGh1', '{AbCdEfGh1}', `X${GUID}`, `${GUID.toUpperCase()}0`])(
		'%s is no GUID, so letter case counts',
		(identifier) => {
			expect(canonicalSessionGuid(identifier)).toBe(identifier.replace(/[{}]/g, ''));
		},
	);

	test('a parameter may have spaces around it; otherwise the error says what is wrong', () => {
		expect(parseSessionGuid(` ${GUID}\n`)).toBe(GUID);
		expect(() => parseSessionGuid('')).toThrow('The session GUID cannot be used: it is empty');
		expect(() => parseSessionGuid('../x')).toThrow('characters or a length');
		expect(() => parseSessionGuid(7)).toThrow('it is not text');
	});
});

describe('finding it in a payload', () => {
	test.each([
		['camelCase', { sessionGuid: GUID }],
		['PascalCase', { SessionGuid: GUID }],
		['snake_case', { session_guid: GUID }],
		['upper case', { SESSIONGUID: GUID }],
		['kebab-case', { 'session-guid': GUID }],
		['nested', { event: 'CallEnd', data: { SessionGuid: GUID } }],
		['spaces around', { sessionGuid: ` ${GUID} ` }],
		['the top before the nested', { sessionGuid: GUID, parent: { sessionGuid: OTHER } }],
		['twice the same', { a: { sessionGuid: GUID }, b: { sessionGuid: GUID.toUpperCase() } }],
	])('%s', (_name, payload) => {
		expect(findSessionGuid(payload)).toEqual({ sessionGuid: GUID });
	});

	test.each([
		['nothing', {}, "the payload has no field 'sessionGuid'"],
		['null', null, 'the payload is not an object'],
		['text', 'text', 'the payload is not an object'],
		['an array', [{ sessionGuid: GUID }], 'the payload is not an object'],
		['a null GUID', { sessionGuid: null }, "field 'sessionGuid' does not hold a session GUID"],
		['a number', { sessionGuid: 12345678 }, "field 'sessionGuid' does not hold a session GUID"],
		['a list', { sessionGuid: [GUID] }, "field 'sessionGuid' does not hold a session GUID"],
		['a path', { sessionGuid: '../../x1' }, "field 'sessionGuid' does not hold a session GUID"],
		[
			'two levels down',
			{ a: { b: { sessionGuid: GUID } } },
			"the payload has no field 'sessionGuid'",
		],
		[
			'two different ones',
			{ a: { sessionGuid: GUID }, b: { sessionGuid: OTHER } },
			"field 'sessionGuid' occurs more than once with different values",
		],
		[
			'only inherited',
			JSON.parse(`{"__proto__":{"__proto__":{"sessionGuid":"${GUID}"}}}`),
			"the payload has no field 'sessionGuid'",
		],
	])('%s', (_name, payload, problem) => {
		expect(findSessionGuid(payload)).toEqual({ problem });
	});

	test('a field that the user names is read and nothing else', () => {
		const payload = { call: { reference: GUID }, sessionGuid: OTHER, 'with.dots': OTHER };
		expect(findSessionGuid(payload, 'call.reference')).toEqual({ sessionGuid: GUID });
		expect(findSessionGuid(payload, 'with.dots')).toEqual({ sessionGuid: OTHER });
		expect(findSessionGuid(payload, 'call.other')).toEqual({
			problem: "the payload has no field 'call.other'",
		});
		expect(findSessionGuid(payload, 'constructor.name')).toHaveProperty('problem');
	});
});
