import { booleanIn, fewNamesIn, fieldsNamed, jsonOpener } from '../../nodes/data/payload';

test.each([
	[true, true],
	[false, false],
	['true', true],
	[' False\n', false],
	['yes', undefined],
	['', undefined],
	[1, undefined],
	[null, undefined],
])('%j as a boolean: %s', (value, expected) => expect(booleanIn(value)).toBe(expected));

test('names are listed if they are few', () => {
	const object = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
	expect(fewNamesIn(object(2))).toEqual(['a0', 'a1']);
	expect(fewNamesIn(object(1_000))).toHaveLength(1_000);
	expect(fewNamesIn(object(1_001))).toEqual([]);
});

describe('JSON in a text', () => {
	test.each([
		['{"a":1}', { a: 1 }],
		[' \n[1]', [1]],
		['a [1]', 'a [1]'],
		['5', '5'],
		['{a}', '{a}'],
		[`${' '.repeat(100)}[1]`, `${' '.repeat(100)}[1]`],
		[7, 7],
	])('%j is %j', (value, expected) => expect(jsonOpener()(value)).toEqual(expected));

	test('is read up to 262,144 characters in all', () => {
		const json = (length: number) => `["${'x'.repeat(length - 4)}"]`;
		expect(jsonOpener()(json(262_144))).toHaveLength(1);
		expect(jsonOpener()(json(262_145))).toBe(json(262_145));
		const open = jsonOpener();
		expect(open(json(200_000))).toHaveLength(1);
		expect(open(json(100_000))).toBe(json(100_000));
		expect(open(json(62_144))).toHaveLength(1);
	});
});

describe('fields of a name', () => {
	const named = (payload: unknown) =>
		fieldsNamed(payload, (name) => name === 'id')?.map(({ value }) => value);

	test('are found beside the word for them in a pair only', () => {
		expect(named({ key: 'id', value: 5 })).toEqual([5]);
		expect(named({ key: 'id', value: 5, other: 6 })).toEqual([]);
	});

	test('are looked for among 50,000 values', () => {
		const fields = (count: number) =>
			Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, i]));
		// The payload itself counts too.
		expect(named({ ...fields(49_999), id: 7 })).toEqual([7]);
		expect(named({ ...fields(50_001), id: 7 })).toBeUndefined();
		expect(named({ list: Array.from({ length: 50_001 }, () => 1) })).toBeUndefined();
	});
});
