import { safeExcerpt as excerptOf } from '../../nodes/service/http/excerpt';

// From jest.config.js.
declare const publicErrors: Array<{ body: unknown; says: string[] }>;

const secret = 'k3y+/=';

const safeExcerpt = (page: string, apiKey: string | undefined) =>
	excerptOf(page, apiKey === undefined ? undefined : { apiKey });

test.each([
	['{"message":"to is missing","detail":null,"errors":[]}', 'to is missing'],
	['[{"message":"to is missing"}]', 'to is missing'],
	['"to is missing"', 'to is missing'],
	['{"errors":{"phone":["is invalid"]}}', 'errors.phone: is invalid'],
	['{"phone":"is invalid"}', 'phone: is invalid'],
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

const HIDDEN = '[hidden: the answer may contain the API key]';

describe('an answer that may hold the key is not shown [fault 42]', () => {
	const long = 'sk_live+Ab/9=Zq.7Jw4Tx2Kd';
	const bytes = Buffer.from(long);
	const hex = bytes.toString('hex');
	const each = (form: (code: number) => string, separator = '') =>
		Array.from(bytes, form).join(separator);
	const spread = (separator: string, text = long) => [...text].join(separator);
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const base32 = () => {
		const bits = each((code) => code.toString(2).padStart(8, '0'));
		const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
		return (bits.match(/.{5}/g) ?? []).map((one) => alphabet[parseInt(one, 2)]).join('');
	};
	const reversed = [...long].reverse().join('');
	const wide = (text: string) =>
		text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));

	test.each([
		['without its last character', long.slice(0, -1)],
		['without its first character', long.slice(1)],
		['cut to its first half', long.slice(0, 13)],
		['cut to its second half', long.slice(-13)],
		['with stars in the middle', `${long.slice(0, 11)}*****${long.slice(-4)}`],
		['backwards', reversed],
		['with spaces', spread(' ')],
		['with commas', spread(', ')],
		['with dots', spread('.')],
		['with line breaks', spread('\r\n')],
		['with zero-width spaces', spread('\u200b')],
		['with soft hyphens', spread('\u00ad')],
		['with word joiners', spread('\u2060')],
		['with combining marks', spread('\u0336')],
		['with emoji', spread('🔑')],
		['with tags of HTML', spread('</b><b>')],
		['in quotes', spread('","')],
		['full-width', wide(long)],
		[
			'in bold letters of mathematics',
			long.replace(/[a-z]/g, (one) => String.fromCodePoint(0x1d41a + one.charCodeAt(0) - 97)),
		],
		['with entities', long.replace('+', '&plus;').replace('/', '&amp;sol;')],
		['as a part of a URL', encodeURIComponent(long)],
		['escaped twice', encodeURIComponent(encodeURIComponent(long))],
		['each character escaped', each((code) => `%${code.toString(16)}`)],
		['as a JSON text', long.replace('/', '\\/')],
		['in \\u', each((code) => `\\u00${code.toString(16)}`)],
		['in \\u of a text in a text', each((code) => `\\\\u00${code.toString(16)}`)],
		['in U+', each((code) => `U+00${code.toString(16).toUpperCase()}`, ' ')],
		['in \\x', each((code) => `\\x${code.toString(16)}`)],
		['in quoted-printable', each((code) => `=${code.toString(16).toUpperCase()}`)],
		['in decimal entities', each((code) => `&#${code};`)],
		['in decimal entities with zeros', each((code) => `&#0000${code};`)],
		['in hexadecimal entities', each((code) => `&#x${code.toString(16)};`)],
		['in hexadecimal', hex],
		['in hexadecimal that begins elsewhere', `a${hex.toUpperCase()}`],
		['in hexadecimal with hyphens', hex.toUpperCase().replace(/..(?=.)/g, '$&-')],
		['in hexadecimal with colons', hex.replace(/..(?=.)/g, '$&:')],
		['in hexadecimal of four digits', hex.replace(/.{4}/g, '$& ')],
		['in hexadecimal like a GUID', hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')],
		['in hexadecimal of 16 bits', each((code) => code.toString(16).padStart(4, '0'))],
		['in hexadecimal as an array of C', each((code) => `0x${code.toString(16)}`, ', ')],
		['in hexadecimal of a half', hex.slice(0, 26)],
		['in hexadecimal backwards', Buffer.from(reversed).toString('hex')],
		['in decimal numbers', each((code) => String(code), ', ')],
		['in decimal numbers in a row', each((code) => String(code))],
		['in decimal numbers of three digits', each((code) => String(code).padStart(3, '0'))],
		['in decimal numbers of a half', each((code) => String(code), ' ').slice(0, 50)],
		['in octal numbers', each((code) => code.toString(8), ' ')],
		['in octal escapes', each((code) => `\\${code.toString(8).padStart(3, '0')}`)],
		['in octal numbers in a row', each((code) => code.toString(8))],
		['in binary numbers', each((code) => code.toString(2).padStart(8, '0'), ' ')],
		['in binary numbers in a row', each((code) => code.toString(2).padStart(8, '0'))],
		['in binary numbers of 7 bits', each((code) => code.toString(2).padStart(7, '0'))],
		['in Base64', base64(long)],
		['in Base64 for URLs', bytes.toString('base64url')],
		['in Base64 in groups', base64(long).replace(/.{4}/g, '$& ')],
		['in Base64 in groups with dots', base64(long).replace(/.{4}/g, '$&.')],
		['within longer Base64', base64(`Token: ${long}, refused`)],
		['within Base64 that begins elsewhere', base64(`some text, ${long}`).slice(1)],
		['in Base64 of a URL', base64(`https://h/?key=${encodeURIComponent(long)}`)],
		['in Base64 of hexadecimal', base64(hex.replace(/../g, '$&-'))],
		['in Base64 twice', base64(base64(long))],
		['in hexadecimal of Base64', Buffer.from(base64(long)).toString('hex')],
		['in Base64 that is spread over lines', base64(long).replace(/.{10}/g, '$&\r\n')],
		['in Base64 backwards', [...base64(long)].reverse().join('')],
		['in UTF-16 and Base64', Buffer.from(long, 'utf16le').toString('base64')],
		['in Base32', base32()],
		['in Base32 in small letters, in groups', base32().toLowerCase().replace(/.{4}/g, '$&-')],
	])('the key %s', (_form, echoed) => {
		expect(safeExcerpt(`bad key ${echoed} here`, long)).toBe(HIDDEN);
		expect(safeExcerpt(JSON.stringify({ code: 17, message: `bad ${echoed}` }), long)).toBe(HIDDEN);
		expect(safeExcerpt(JSON.stringify({ [echoed]: 'is not valid', code: 17 }), long)).toBe(HIDDEN);
	});

	test.each([
		['two fields', [long.slice(0, 12), long.slice(12)]],
		['four fields', [long.slice(0, 6), long.slice(6, 12), long.slice(12, 18), long.slice(18)]],
		['a field for each character', [...long]],
		['a field for each number', [...bytes]],
		['fields in hexadecimal', [hex.slice(0, 10), hex.slice(10, 20), hex.slice(20)]],
	])('the key in %s', (_form, parts) => {
		const fields = Object.fromEntries(parts.map((part, index) => [`part${index}`, part]));
		expect(safeExcerpt(JSON.stringify({ ...fields, code: 'x' }), long)).toBe(HIDDEN);
		expect(safeExcerpt(JSON.stringify({ parts }), long)).toBe(HIDDEN);
	});

	test('the key in a field for each character, behind long fields', () => {
		const noise = Object.fromEntries([...'abcdefgh'].map((name) => [name, 'no'.repeat(240)]));
		const parts = [...long].map((character) => ({ character }));
		expect(safeExcerpt(JSON.stringify({ ...noise, parts }), long)).toBe(HIDDEN);
	});

	test.each([long, long.toUpperCase(), long.toLowerCase()])(
		'only %s itself is hidden if the answer repeats it as it was sent',
		(echoed) => {
			expect(safeExcerpt(`bad key ${echoed} here`, long)).toBe('bad key [redacted] here');
			const twice = `bad key ${echoed}, ${bytes.toString('hex')}`;
			expect(safeExcerpt(twice, long)).toBe(HIDDEN);
		},
	);

	test('the key in an encoding that is not known: the word that may be the key is hidden', () => {
		// Base58 of the key.
		const echoed = '2vfUVX9kPqZ3mTn4RjWb7cLxEyAsHdGfKo';
		const said = safeExcerpt(`bad key ${echoed}, ask for trace 3f2504e0-4f89-41d3-9a0c`, long);
		expect(said).toBe('bad key [hidden], ask for trace 3f2504e0-4f89-41d3-9a0c');
	});

	test.each(['demo-key', 'k3y+/=', 'a1b2', '12345678'])(
		'a short key, %s, is hidden, and no word besides',
		(short) => {
			expect(safeExcerpt(`bad key ${short}`, short)).toBe('bad key [redacted]');
			expect(safeExcerpt(`bad key ${[...short].join('-')}`, short)).toBe(HIDDEN);
			expect(safeExcerpt(`bad key ${Buffer.from(short).toString('hex')}`, short)).toBe(HIDDEN);
			const readable = 'The number +15550100 is not valid (code 21211, request 7f-3)';
			expect(safeExcerpt(readable, short)).toBe(readable);
		},
	);

	test('a key with hardly a letter or digit hides every answer, which may have it', () => {
		expect(safeExcerpt('to is missing', '+/=+/=')).toBe(HIDDEN);
	});
});

describe('what does not hold the key stays as it is', () => {
	const keys = [
		'demo-key',
		'sk_live_51HkQbVJw4Tx2KdZq7Ab9',
		'voiceagent_live_8f2c41d09a7b4e63',
		'3f2504e0-4f89-41d3-9a0c-0305e82c3301',
		'0123456789abcdef0123456789abcdef',
		'920481736455',
		'correcthorsebatterystaple',
	];

	test.each(keys)('%s: each sentence of a public API is read', (key) => {
		const silent = publicErrors.filter(({ body, says }) => {
			const shown = String(safeExcerpt(JSON.stringify(body), key));
			return !says.some((sentence) => shown.includes(sentence));
		});
		expect(silent).toEqual([]);
	});

	test.each([
		'100%20 \\d &amp; c2VjcmV0',
		'No recording 9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b, ended 2026-11-01T10:00:00.000Z',
		'See https://api.example.com/docs/errors#21211 (request 01-4bf92f3577b34da6a3ce929d0e0e4736)',
		'VoiceAgent is busy: 1 2 3 4 5 6 7 8 9 10 11 12',
	])('%s', (text) => {
		for (const key of keys) expect(safeExcerpt(text, key)).toBe(text);
	});

	test('without a key, nothing is hidden', () => {
		const text = 'bad key 2vfUVX9kPqZ3mTn4RjWb7cLxEyAsHdGfKo';
		expect(safeExcerpt(text, undefined)).toBe(text);
	});
});

test('an excerpt is cut short, and no part of a key is left where it is cut', () => {
	const most = 'x'.repeat(500);
	expect(safeExcerpt(most, secret)).toBe(most);
	expect(safeExcerpt(`${most}x`, secret)).toBe(`${most}…`);
	expect(safeExcerpt(`${'x'.repeat(497)}${secret}`, secret)).toBe(`${'x'.repeat(497)}[re…`);
});

describe('the other secrets of an account are not shown', () => {
	const account = (...secrets: string[]) => ({ apiKey: secret, secrets: [secret, ...secrets] });
	const hidden = '[hidden: the answer contains a secret of the credential]';
	const password = 'Grüße "an" die/Welt+9';

	test('what is repeated as it was sent is cut out', () => {
		const says = JSON.stringify({ message: 'too short: hunter2-hunter2', code: 17 });
		const shown = 'code: 17, message: too short: [redacted]';
		expect(excerptOf(says, account('hunter2-hunter2'))).toBe(shown);
	});

	test.each([
		['in Base64', Buffer.from(password).toString('base64')],
		['in hexadecimal', Buffer.from(password).toString('hex').toUpperCase()],
		['in an address', encodeURIComponent(password)],
		['in Base64 of an address', Buffer.from(encodeURIComponent(password)).toString('base64')],
		['in Base64 three times', [1, 2, 3].reduce((text) => btoa(text), 'Hunter2-hunter2')],
	])('%s, nothing is', (_form, echoed) => {
		expect(excerptOf(`It was ${echoed}.`, account(password, 'Hunter2-hunter2'))).toBe(hidden);
	});

	test.each(['2026', 'secret', 'recording'])(
		'a password that is a word, %s, hides little',
		(word) => {
			const says = 'recordingsecret20261127 is not valid';
			const shown = word === 'recording' ? '[redacted]secret20261127 is not valid' : says;
			expect(excerptOf(says, account(word))).toBe(shown);
			expect(excerptOf(`It was (${word}).`, account(word))).not.toContain(`(${word})`);
		},
	);
});
