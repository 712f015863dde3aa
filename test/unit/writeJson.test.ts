import { base64Chunks } from '../../nodes/recordingFile/chunks';
import { enteredObject, jsonPieces, jsonText } from '../../nodes/data/writeJson';

async function written(value: unknown, indent?: string): Promise<string> {
	const pieces: string[] = [];
	for await (const piece of jsonPieces(value, { indent })) pieces.push(piece);
	return pieces.join('');
}

test.each([
	['values', [1, -0, NaN, true, null, 'a"\n\u{1f600}\ud800', undefined]],
	['nothing', [{}, [], { a: {} }, '']],
	['what is left out', { a: undefined, b: () => 1, c: Symbol('c'), d: 1, e: undefined }],
	['dates', { at: new Date(0), list: [new Date(1)] }],
	['names', { 'a"b': 1, 2: 2, '': 3 }],
	['an own prototype', Object.assign(Object.create(null), { a: [{ b: [1, 2] }, 'c'] })],
	['a value that is no container', 'text'],
])('%s: the same as JSON.stringify', async (_name, value) => {
	expect(await written(value)).toBe(JSON.stringify(value));
	expect(await written(value, '\t')).toBe(JSON.stringify(value, undefined, '\t'));
});

test('names in an order of the caller', async () => {
	const namesOf = (object: object) => Object.keys(object).sort();
	let text = '';
	for await (const piece of jsonPieces({ b: [{ d: 1, c: 2 }], a: 3 }, { namesOf })) text += piece;
	expect(text).toBe('{"a":3,"b":[{"c":2,"d":1}]}');
});

test('a long text, cut within a character', async () => {
	const long = `a${'\u{1f600}'.repeat(1_000_000)}`;
	expect(JSON.parse(await written({ [long]: long }))).toEqual({ [long]: long });
});

test('long JSON comes in pieces of about a megabyte', async () => {
	const lengths: number[] = [];
	const texts = Array.from({ length: 5 }, () => 'x'.repeat(400_000));
	for await (const { length } of jsonPieces(texts)) lengths.push(length);
	expect(lengths).toHaveLength(2);
	expect(Math.max(...lengths)).toBeLessThan(1.5 * 1024 * 1024);
});

test.each([
	['{', /^'JSON' is not valid JSON: ./],
	['[]', /^'JSON' is not a JSON object$/],
	['null', /^'JSON' is not a JSON object$/],
	[5, /^'JSON' is not a JSON object$/],
	[undefined, /^'JSON' is not a JSON object$/],
])('%j is no object', (value, message) =>
	expect(() => enteredObject(value, 'JSON')).toThrow(message),
);

test('an object is taken as it is', () => {
	const value = { a: 1 };
	expect(enteredObject(value, 'JSON')).toBe(value);
});

test('so much may be sent: 1,048,576 characters', async () => {
	// The quotation marks count.
	const longest = 'x'.repeat(1_048_574);
	expect(await jsonText(longest)).toHaveLength(1_048_576);
	const refused = jsonText([longest]).then(() => undefined, String);
	expect(await refused).toMatch('The request has more than 1048576 characters');
	const text = JSON.stringify({ a: 'x'.repeat(1_048_568) });
	expect(JSON.stringify(enteredObject(text, 'JSON'))).toBe(text);
	expect(() => enteredObject(`${text} `, 'JSON')).toThrow("'JSON' has more than 1048576 char");
});

describe('Base64 in pieces', () => {
	const content = Buffer.from(Array.from({ length: 2_000_003 }, (_, index) => (index * 7) % 256));
	const base64 = content.toString('base64');
	test.each([
		['padding', base64],
		['lines', base64.replace(/.{76}/g, '$&\r\n')],
		['the characters of URLs', content.toString('base64url')],
		['nothing', ''],
	])('%s', async (_name, text) => {
		const chunks: Uint8Array[] = [];
		for await (const chunk of base64Chunks(text)) chunks.push(chunk);
		expect(Buffer.concat(chunks).equals(text === '' ? Buffer.alloc(0) : content)).toBe(true);
	});
});
