import { safeExcerpt } from '../../nodes/service/http/excerpt';

const secret = 'k3y+/=';

test.each([
	['{"message":"to is missing"}', 'to is missing'],
	['{"error":{"code":"x","Message":"to is missing"}}', 'to is missing'],
	['{"title":"Bad","detail":"to is missing","errors":[]}', 'to is missing'],
	['{"title":"Not found","status":404}', 'Not found'],
	['{"message":"","error_description":"to is missing"}', 'to is missing'],
	['{"errors":[{"code":17},{"title":"to is missing"}]}', 'to is missing'],
	['{"detail":[{"msg":"to is missing"}]}', 'to is missing'],
	['[{"message":"to is missing"}]', 'to is missing'],
	['"to is missing"', 'to is missing'],
	['{ "To": ["is missing"] }', '{ "To": ["is missing"] }'],
	['{"errors":{"To":["is missing"]}}', '{"errors":{"To":["is missing"]}}'],
	['{"title":"Bad","errors":{"To":[1]}}', '{"title":"Bad","errors":{"To":[1]}}'],
	['null', 'null'],
	['to is\r\n missing\0', 'to is missing'],
	['<html><body>Bad</body></html>', undefined],
	['', undefined],
])('%j: %s', (page, expected) => expect(safeExcerpt(page, [secret])).toBe(expected));

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
