import fc from 'fast-check';
import { sleep } from 'n8n-workflow';

import { parseJson } from '../../nodes/service/parseJson';

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

test('other work goes on while a long text is parsed', async () => {
	const rows = Array.from({ length: 200_000 }, (_, id) => ({ id, name: `call ${id}` }));
	let turns = 0;
	let isDone = false;
	const otherWork = async () => {
		for (; !isDone; turns++) await sleep(1);
	};
	const working = otherWork();
	const [list] = (await parseJson(JSON.stringify(rows))) as [unknown[]];
	isDone = true;
	await working;
	expect(list).toHaveLength(200_000);
	expect(turns).toBeGreaterThan(3);
});
