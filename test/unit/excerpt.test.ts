import { safeExcerpt } from '../../nodes/service/http/excerpt';

const secret = 'k3y+/=';

test.each([
	['{"message":"to is missing"}', 'to is missing'],
	['{"error":{"code":"x","message":"to is missing"}}', 'to is missing'],
	['{"title":"Bad","detail":"to is missing"}', 'to is missing'],
	['{"error":"to is missing"}', 'to is missing'],
	['{"message":"","title":"to is missing"}', 'to is missing'],
	['{ "errors": ["to is missing"] }', '{ "errors": ["to is missing"] }'],
	['null', 'null'],
	['to is\r\n missing\0', 'to is missing'],
	['<html><body>Bad</body></html>', undefined],
	['', undefined],
	[{ code: 17, request: { to: 1 } }, '{"code":17,"request":{"to":1}}'],
	[{ error: { detail: 'to is missing' } }, 'to is missing'],
	[{ error: { code: 17 } }, '{"error":{"code":17}}'],
	[17, '17'],
	[undefined, undefined],
])('%j: %s', (content, expected) => expect(safeExcerpt(content, [secret])).toBe(expected));

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
	const most = 'x'.repeat(200);
	expect(safeExcerpt(most, [secret])).toBe(most);
	expect(safeExcerpt(`${most}x`, [secret])).toBe(`${most}…`);
	expect(safeExcerpt(`${'x'.repeat(197)}${secret}`, [secret])).toBe(`${'x'.repeat(197)}[re…`);
});
