import {
	canonicalSessionGuid,
	findSessionGuid,
	isGuid,
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
	])('%s is a session GUID', (value) => expect(isSessionGuid(value)).toBe(true));

	test.each([
		'../../secret1',
		'..\\..\\x1',
		'abcdefg1?b',
		'abcdefg1#',
		`{${GUID}`,
		'undefined',
		'short1',
		'',
		'00000000-0000-0000-0000-000000000000',
		'{00000000000000000000000000000000}',
	])("'%s' is not a session GUID [fault 34] [security 4]", (value) => expect(isSessionGuid(value)).toBe(false));

	test.each([
		['fullwidth digits', GUID.replace('3', '\uff13')],
		['right-to-left mark', `\u200f${GUID}`],
		['a line break at the end', `${GUID}\n`],
		['NUL', `${GUID}\0`],
		['1 MB', 'a1'.repeat(500_000)],
	])('%s is not part of a session GUID [fault 35]', (_name, value) =>
		expect(isSessionGuid(value)).toBe(false),
	);

	test.each([[null], [undefined], [42], [[GUID]], [{ GUID }], [true]])(
		'%p is not a session GUID',
		(value) => expect(isSessionGuid(value)).toBe(false),
	);

	test.each([GUID, GUID.toUpperCase(), GUID.replaceAll('-', ''), `{${GUID}}`])(
		'%s has the usual form',
		(value) => expect(isGuid(value)).toBe(true),
	);

	test.each([
		['call_20261121_0001'],
		[`{${GUID}`],
		[`${GUID}}`],
		[`${GUID}0`],
		[`0${GUID}`],
		[`(${GUID})`],
		[`{${GUID}0`],
		[`0${GUID}}`],
		[[GUID]],
		[undefined],
	])('%j does not have the usual form', (value) => expect(isGuid(value)).toBe(false));

	test('all spellings have one form for comparison [fault 36]', () => {
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
		for (const nothing of ['', undefined, null]) {
			expect(() => parseSessionGuid(nothing)).toThrow("'Recording' is empty");
		}
		for (const wrong of ['../x', 7]) {
			expect(() => parseSessionGuid(wrong)).toThrow("'Recording' must be a session GUID: 8 to 64");
		}
	});
});

describe('in a payload', () => {
	test.each([
		['camelCase', { sessionGuid: GUID }],
		['PascalCase', { SessionGuid: GUID }],
		['snake_case', { session_guid: GUID }],
		['upper case', { SESSIONGUID: GUID }],
		['kebab-case', { 'session-guid': GUID }],
		['nested', { event: 'CallEnd', data: { SessionGuid: GUID } }],
		['spaces around', { sessionGuid: ` ${GUID} ` }],
		['in a list', { events: [{ type: 'ended', call: { session_guid: GUID } }] }],
		['split', { session: { guid: GUID, id: 7 } }],
		['brackets', { 'call[sessionGuid]': GUID, 'call[id]': 'a1b2c3d4e5' }],
		['dots', { 'call.session_guid': GUID }],
		['a namespace', { 'ns2:sessionguid': GUID, $: { 'xmlns:ns2': 'urn:call' } }],
		['an empty one beside it', { sessionGuid: '', data: { sessionGuid: GUID } }],
		['null beside it', { sessionGuid: null, data: { sessionGuid: GUID } }],
		['no value beside it', { sessionGuid: undefined, data: { sessionGuid: GUID } }],
		['others beside it', { sessionGuid: GUID, parentSessionGuid: OTHER, guid: OTHER, id: OTHER }],
		['twice the same', { a: { sessionGuid: GUID }, b: { sessionGuid: GUID.toUpperCase() } }],
	])('the session GUID is found: %s', (_name, payload) => {
		expect(findSessionGuid(payload)).toMatchObject({ sessionGuid: GUID });
	});

	const MISSING = "the payload has no field 'sessionGuid'";
	const OTHER_CONTENT = "field 'sessionGuid' does not hold a session GUID";
	const TWO = "field 'sessionGuid' occurs more than once with different values";

	test.each([
		['nothing', {}, MISSING],
		['text', GUID, MISSING],
		['another name', { parentSessionGuid: GUID, sessionGuidOfParent: GUID }, MISSING],
		['a null GUID', { sessionGuid: null }, MISSING],
		['a number', { sessionGuid: 12345678 }, OTHER_CONTENT],
		['a number beside it', { sessionGuid: 12345678, data: { sessionGuid: GUID } }, OTHER_CONTENT],
		['a path', { sessionGuid: '../../x1' }, OTHER_CONTENT],
		['another one further in', { sessionGuid: GUID, parent: { sessionGuid: OTHER } }, TWO],
		['two different ones', { a: { sessionGuid: GUID }, b: { sessionGuid: OTHER } }, TWO],
	])('no session GUID is found: %s', (_name, payload, problem) => {
		expect(findSessionGuid(payload)).toEqual({ problem });
	});

	test('a field that the user names is read and nothing else', () => {
		const payload = { call: { reference: GUID }, sessionGuid: OTHER, 'with.dots': OTHER };
		expect(findSessionGuid(payload, 'call.reference')).toEqual({ sessionGuid: GUID });
		expect(findSessionGuid(payload, 'with.dots')).toMatchObject({ sessionGuid: OTHER });
		expect(findSessionGuid(payload, 'call.other')).toEqual({
			problem: "the payload has no field 'call.other'",
		});
		expect(findSessionGuid(payload, 'constructor.name')).toHaveProperty('problem');
		expect(findSessionGuid([payload], 'call.reference')).toMatchObject({ sessionGuid: GUID });
		const inLists = { calls: [{ id: 'first-1' }, { reference: GUID }] };
		expect(findSessionGuid(inLists, 'calls.reference')).toMatchObject({ sessionGuid: GUID });
	});

	describe('that is too large to search,', () => {
		const tooMuch = {
			problem:
				"the payload has more than 50000 values or 64 levels, and no field 'sessionGuid' in the outermost ones: name the one that has it as 'Session GUID Field'",
		};
		const nested = (levels: number) =>
			JSON.parse(
				`${'{"a":'.repeat(levels)}{"sessionGuid":"${GUID}"}${'}'.repeat(levels)}`,
			) as unknown;
		const wide = { sessionGuid: GUID, items: Array.from({ length: 500_000 }, (_, id) => ({ id })) };

		const found = { sessionGuid: GUID };

		test('with many values, the outermost are searched, and the problem says so', () => {
			expect(findSessionGuid(wide)).toEqual(found);
			// In whichever order: what does not fit is left out.
			expect(findSessionGuid({ items: wide.items, call: found })).toEqual(found);
			expect(findSessionGuid({ items: wide.items })).toEqual(tooMuch);
			expect(findSessionGuid({ items: [...wide.items, found] })).toEqual(tooMuch);
			// The payload and its field count too.
			const items = Array<unknown>(49_997).fill(0);
			expect(findSessionGuid({ items: [...items, found] })).toEqual(found);
			expect(findSessionGuid({ items: [...items, 0, found] })).toEqual(tooMuch);
			expect(findSessionGuid({ items: [...items, 0], call: found })).toEqual(found);
			const other = [...items, 0, { sessionGuid: OTHER }];
			expect(findSessionGuid({ items: other, call: found })).toEqual(found);
			expect(findSessionGuid({ data: wide }, 'data.sessionGuid')).toEqual(found);
		});

		test('with many levels, the outermost are searched, and the problem says so', () => {
			expect(findSessionGuid(nested(64))).toEqual(found);
			expect(findSessionGuid(nested(65))).toEqual(tooMuch);
			expect(findSessionGuid({ ...found, ...(nested(100_000) as object) })).toEqual(found);
			expect(findSessionGuid(nested(100_000))).toEqual(tooMuch);
			const lists = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown;
			const named = { problem: tooMuch.problem.replace("'sessionGuid'", "'a.b'") };
			expect(findSessionGuid(lists, 'a.b')).toEqual(named);
		});
	});
});
