import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { safeExcerpt } from '../../nodes/service/http/excerpt';

const secret = 'k3y+/=';

test.each([
	['{"message":"to is missing"}', 'to is missing'],
	['{"error":{"code":"x","message":"to is missing"}}', 'to is missing'],
	['{"title":"Bad","detail":"to is missing"}', 'to is missing'],
	['{"error":"to is missing"}', 'to is missing'],
	['{"error":"invalid","error_description":"to is missing"}', 'to is missing'],
	['{"message":"","title":"to is missing"}', 'to is missing'],
	['{ "errors": ["to is missing"] }', 'to is missing'],
	['{"detail":[{"loc":["to"],"msg":"to is missing"}]}', 'to is missing'],
	[
		'{"title":"Some are wrong","errors":{"To":["The To field is required."]}}',
		'{"title":"Some are wrong","errors":{"To":["The To field is required."]}}',
	],
	['[{"message":"to is missing"}]', 'to is missing'],
	['{"code":17,"request":{"to":1}}', '{"code":17,"request":{"to":1}}'],
	['null', 'null'],
	['17', '17'],
	['to is\r\n missing\0', 'to is missing'],
	['<html><body>Bad</body></html>', undefined],
	['', undefined],
])('%s: %s', (page, expected) => expect(safeExcerpt(page, [secret])).toBe(expected));

test('what was parsed is not parsed again', () =>
	expect(safeExcerpt('{"message":"a"}', [], { message: 'b' })).toBe('b'));

const vectors = join(__dirname, '../../../shared/vectors/errors.json');
const testVectors = existsSync(vectors) ? test : test.skip;

testVectors('of public APIs, the sentence is shown (published vectors)', () => {
	const answers = JSON.parse(readFileSync(vectors, 'utf8')) as Array<{
		body: unknown;
		says: string[];
	}>;
	const silent = answers.filter(({ body, says }) => {
		const page = typeof body === 'string' ? body : JSON.stringify(body);
		const shown = safeExcerpt(page, [secret]) ?? '';
		return !says.some((text) => shown.includes(text));
	});
	expect(silent).toEqual([]);
});

test('a key that is echoed is removed in any encoding [fault 42]', () => {
	const bytes = Buffer.from(secret);
	const page = [
		secret,
		encodeURIComponent(secret),
		bytes.toString('base64'),
		bytes.toString('hex'),
	].join(' ');
	expect(safeExcerpt(page, [secret])).toBe('[redacted] [redacted] [redacted] [redacted]');
	expect(safeExcerpt('bad key k\\"y', ['k"y'])).toBe('bad key [redacted]');
});

test('is cut short, and no part of a key is left where it is cut', () => {
	const most = 'x'.repeat(300);
	expect(safeExcerpt(most, [secret])).toBe(most);
	expect(safeExcerpt(`${most}x`, [secret])).toBe(`${most}…`);
	expect(safeExcerpt(`${'x'.repeat(297)}${secret}`, [secret])).toBe(`${'x'.repeat(297)}[re…`);
});
