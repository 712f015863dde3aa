import fc from 'fast-check';

import { parseJson } from '../../nodes/data/parseJson';
import { fewNamesIn } from '../../nodes/data/payload';

const DEEP = 100_000;

describe('JSON', () => {
	test.each([
		'null',
		' 5 ',
		'-1.5e+3',
		'"a"',
		'"\\u00e4\\n\\"\\\\"',
		'"\\\\"',
		'[]',
		'{}',
		' [ 1 , [ ] , { } , "]" ] ',
		'{"a":{"b":[true,false,null]},"c":"}","a":2}',
		'{"":0,"__proto__":{"x":1},"constructor":1}',
		'"\u2028 ä \ud83d\ude00"',
	])('%s', async (text) => expect(await parseJson(text)).toEqual([JSON.parse(text)]));

	test('whatever it is, it is read as JSON.parse reads it', async () => {
		await fc.assert(
			fc.asyncProperty(fc.json({ maxDepth: 5 }), async (text) => {
				expect(await parseJson(text)).toEqual([JSON.parse(text)]);
			}),
		);
	});

	test('what is cut off or altered is not read as something else', async () => {
		const text = '{"a":[1,2,{"b":"c,}"}],"d":-1.5,"e":true}';
		for (let end = 1; end < text.length; end++) {
			expect(await parseJson(text.slice(0, end))).toBeUndefined();
		}
		for (let at = 0; at < text.length; at++) {
			const altered = text.slice(0, at) + text.slice(at + 1);
			let expected: unknown[] | undefined;
			try {
				expected = [JSON.parse(altered)];
			} catch {
				expected = undefined;
			}
			expect(await parseJson(altered)).toEqual(expected);
		}
	});

	test.each([
		'[1,]',
		'[,1]',
		'{"a":1,}',
		'{,}',
		'{"a"}',
		'{"a":}',
		'{a:1}',
		"{'a':1}",
		'[1 2]',
		'[1 2 3]',
		'{1:2}',
		'{null:1}',
		'[1}',
		']',
		'[01]',
		'[1.]',
		'[.5]',
		'[+1]',
		'[NaN]',
		'"\n"',
		'"\\x"',
		'"\\',
		'tru',
		'nullx',
		'hello',
		'5 apples',
		'{"a":1}}',
	])('%s is none', async (text) => expect(await parseJson(text)).toBeUndefined());

	test('a key that changes no prototype', async () => {
		const [value] = (await parseJson('{"__proto__":{"x":1}}')) as [Record<string, unknown>];
		expect(value.x).toBeUndefined();
		expect(Object.keys(value)).toEqual(['__proto__']);
	});

	test('a key that changes no prototype can be changed itself', async () => {
		const text = '{"__proto__":{"x":1},"a":1}';
		const [value] = (await parseJson(text)) as [object];
		expect(Object.getOwnPropertyDescriptors(value)).toEqual(
			Object.getOwnPropertyDescriptors(JSON.parse(text)),
		);
	});

	test('a byte order mark', async () => expect(await parseJson('\ufeff [1]')).toEqual([[1]]));
});

test.each([
	['lines', '{"a":1}\n{"a":2}\r\n\n[3]\n'],
	['a sequence (RFC 7464)', '\u001e{"a":1}\n\u001e{"a":2}\n\u001e[3]\n'],
])('several values: %s', async (_name, text) =>
	expect(await parseJson(text)).toEqual([{ a: 1 }, { a: 2 }, [3]]),
);

test.each([
	['lists', '['.repeat(DEEP) + ']'.repeat(DEEP)],
	['objects', '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP)],
])('%s nested too deep', async (_name, text) =>
	expect(parseJson(text)).rejects.toThrow('too large: it is nested deeper than 64 levels'),
);

const MEGA = 1024 * 1024;

test.each([
	['a text', `["${'x'.repeat(MEGA + 1)}"]`, 'a text has more than 1048576 characters'],
	['escapes', `["${'\\"'.repeat(MEGA / 2 + 1)}"]`, 'a text has more than 1048576 characters'],
	['blanks', `[${' '.repeat(MEGA + 1)}]`, 'it has more than 1048576 blanks in a row'],
	['a name', `{"${'x'.repeat(1_000)}":1}`, 'the name of a field has more than 1000 characters'],
	[
		'an object',
		`{${Array.from({ length: 125_001 }, (_, index) => `"${index}":1`).join()}}`,
		'an object has more than 125000 fields',
	],
	['a list', `[0${',0'.repeat(250_000)}]`, 'a list has more than 250000 elements'],
	['lines', '0\n'.repeat(250_001), 'a list has more than 250000 elements'],
])('%s too long', async (_name, text, problem) =>
	expect(parseJson(text)).rejects.toThrow(`too large: ${problem}`),
);

test('as long as it may be, in pieces of any length', async () => {
	const value = {
		text: 'x'.repeat(MEGA - 10),
		fields: Object.fromEntries(Array.from({ length: 120_000 }, (_, index) => [`f${index}`, 'ä"'])),
	};
	const text = JSON.stringify(value).replace('{', `{${' '.repeat(MEGA)}`);
	for (const length of [999_983, 3 * MEGA]) {
		const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
			text.slice(index * length, (index + 1) * length),
		);
		expect(await parseJson(pieces)).toEqual([value]);
	}
});

test('an object with more than 1,000 fields has content, and says nothing beside it', async () => {
	const names = Array.from({ length: 1_001 }, (_, index) => `f${index}`);
	const read = async (count: number) => {
		const fields = Object.fromEntries(names.slice(0, count).map((name) => [name, 1]));
		return fewNamesIn((await parseJson(JSON.stringify(fields)))?.[0] as object);
	};
	expect(await read(1)).toEqual(['f0']);
	expect(await read(1_000)).toHaveLength(1_000);
	expect(await read(1_001)).toEqual([]);
});
