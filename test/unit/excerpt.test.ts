import { safeExcerpt } from '../../nodes/service/http/excerpt';

const secret = 'k3y+/=';

test.each([
	['{"message":"to is missing","detail":null,"errors":[]}', 'to is missing'],
	['[{"message":"to is missing"}]', 'to is missing'],
	['"to is missing"', 'to is missing'],
	[
		'{"error":{"message":"to is missing","code":17}}',
		'error.code: 17, error.message: to is missing',
	],
	[
		'{"detail":" ","errors":{"To":["is missing","is text"]}}',
		'errors.To: is text, errors.To: is missing',
	],
	['{"errors":[{"code":17},{"title":"Bad"}]}', 'errors.code: 17, errors.title: Bad'],
	['null', 'null'],
	['{}', '{}'],
	['to is\r\n missing\0', 'to is missing'],
	['<html><body>Bad</body></html>', undefined],
	['', undefined],
])('%j: %s', (page, expected) => expect(safeExcerpt(page, secret)).toBe(expected));

describe('a key that is echoed is removed [fault 42]', () => {
	const long = 'sk_live+Ab/9=Zq.7';
	const each = (form: (hex: string) => string) =>
		Buffer.from(long).toString('hex').replace(/../g, form);
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	test.each([
		['as a part of a URL', encodeURIComponent(long)],
		[
			'with lower-case escapes',
			encodeURIComponent(long).replace(/%../g, (one) => one.toLowerCase()),
		],
		['escaped twice', encodeURIComponent(encodeURIComponent(long))],
		['as a JSON text', long.replace('/', '\\/')],
		['in \\u', each((hex) => `\\u00${hex}`)],
		['in quoted-printable', long.replace('=', '=3D')],
		['in decimal entities', each((hex) => `&#${parseInt(hex, 16)};`)],
		['in hexadecimal entities', each((hex) => `&#x${hex};`)],
		['in hexadecimal', each((hex) => hex)],
		['in hexadecimal that begins elsewhere', `a${each((hex) => hex.toUpperCase())}`],
		['in Base64', base64(long)],
		['in Base64 for URLs', Buffer.from(long).toString('base64url')],
		['within longer Base64', base64(`Token: ${long}, refused`)],
		['within Base64 that begins elsewhere', base64(`some text, ${long}`).slice(1)],
		['in Base64 of a URL', base64(`https://h/?key=${encodeURIComponent(long)}`)],
		['in Base64 twice', base64(base64(long))],
		['in Base64 that is spread over lines', base64(long).replace(/.{10}/g, '$&\r\n')],
	])('%s: with all around it', (_form, echoed) => {
		expect(safeExcerpt(`bad key ${echoed} here`, long)).toBe('[redacted]');
	});

	test.each([
		long,
		long.toUpperCase(),
		long.replace('+', '&plus;').replace('/', '&amp;sol;').replace('=', '&equals;'),
	])('alone, if it is as it was sent: %s', (echoed) => {
		expect(safeExcerpt(`bad key ${echoed} here`, long)).toBe('bad key [redacted] here');
	});

	test('and what is escaped stays as it is without a key', () => {
		expect(safeExcerpt('100%20 \\d &amp; c2VjcmV0', long)).toBe('100%20 \\d &amp; c2VjcmV0');
	});
});

test('is cut short, and no part of a key is left where it is cut', () => {
	const most = 'x'.repeat(500);
	expect(safeExcerpt(most, secret)).toBe(most);
	expect(safeExcerpt(`${most}x`, secret)).toBe(`${most}…`);
	expect(safeExcerpt(`${'x'.repeat(497)}${secret}`, secret)).toBe(`${'x'.repeat(497)}[re…`);
});
