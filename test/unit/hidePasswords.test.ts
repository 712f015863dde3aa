import { hidePasswords, withoutPasswords, withoutSecrets } from '../../nodes/data/hidePasswords';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const password = 'Grüße "an" die/Welt+9';
const bytes = Buffer.from(password);
const each = (form: (code: number) => string, separator = '') =>
	Array.from(bytes, form).join(separator);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What everybody needs to know of a call. It stays as it is, whatever is hidden beside it. */
const call = {
	sessionGuid: GUID,
	to: '+15550100100',
	from: 15550100100,
	endedAt: '2026-11-27T10:00:00.000Z',
	durationSeconds: 2026,
	words: ['a', 'b'],
	flags: [true, null, 1],
};

describe('a password is hidden by its name', () => {
	test.each([
		{ password },
		{ Password: password },
		{ recording: { password } },
		{ recording_password: password },
		{ 'call.passphrase': password },
		{ encryptionPassword: { text: password } },
		{ fields: [{ name: 'password', value: { text: password } }] },
		{ fields: [{ key: 'RecordCallPassword', value: { text: password } }] },
		{ fields: ['recordCallPassword', password] },
		{ password: 12345678 },
	])('%j', (more) => {
		const hidden = withoutPasswords({ ...call, ...more }, []);
		expect(JSON.stringify(hidden)).not.toContain('Welt');
		expect(JSON.stringify(hidden)).not.toContain('12345678');
		expect(hidden).toMatchObject(call);
	});

	test('a flag about a password, and a password that is null, stay', () => {
		const flags = { hasPassword: true, isPasswordProtected: false, password: null };
		expect(withoutPasswords(flags, [])).toEqual(flags);
	});
});

describe('a password that is known is hidden by its value', () => {
	test.each([
		['as it is', password],
		['in capital letters', password.toUpperCase()],
		['in a sentence', `Encrypted with ${password}, as asked.`],
		['without spaces', password.replace(/\s/g, '')],
		['with hyphens', [...password].join('-')],
		['with zero-width spaces', [...password].join('\u200b')],
		['decomposed', password.normalize('NFD')],
		['backwards', [...password].reverse().join('')],
		['in a text of JSON', JSON.stringify({ p: password })],
		['in a text of JSON in a text of JSON', JSON.stringify(JSON.stringify({ p: password }))],
		['in a text of ASCII', password.replace('ü', '\\u00fc').replace('ß', '\\u00df')],
		['in an address', `https://h/?p=${encodeURIComponent(password)}`],
		['in an address in an address', encodeURIComponent(encodeURIComponent(password))],
		['in a form', String(new URLSearchParams({ p: password }))],
		['in HTML', `<p>${password.replace(/"/g, '&quot;')}</p>`],
		['in hexadecimal', bytes.toString('hex')],
		['in hexadecimal with hyphens', bytes.toString('hex').toUpperCase().replace(/../g, '$&-')],
		['in hexadecimal as an array of C', each((code) => `0x${code.toString(16)}`, ', ')],
		['in decimal numbers', each((code) => String(code), ', ')],
		['in Base64', base64(password)],
		['in Base64 for URLs', bytes.toString('base64url')],
		['in Base64 in groups', base64(password).replace(/.{4}/g, '$& ')],
		['in longer Base64', base64(`the password is ${password} and no other`)],
		['in longer Base64 that begins elsewhere', base64(`password ${password}!`)],
		['in Base64 twice', base64(base64(password))],
		['in Base64 of UTF-16', Buffer.from(password, 'utf16le').toString('base64')],
		['in Base64 in an address', encodeURIComponent(base64(`${password}>>>???`))],
		['in Base64 of an address', base64(`https://h/?p=${encodeURIComponent(password)}&q=1`)],
		['in Base64 of JSON', base64(JSON.stringify({ a: { p: password } }))],
		['in Base64 of hexadecimal', base64(bytes.toString('hex').toUpperCase())],
		['in hexadecimal of Base64', Buffer.from(base64(password)).toString('hex').toUpperCase()],
		['in hexadecimal of JSON', Buffer.from(JSON.stringify(password)).toString('hex')],
		[
			'in hexadecimal entities',
			[...password].map((c) => `&#x${c.charCodeAt(0).toString(16)};`).join(''),
		],
		['in binary numbers', each((code) => code.toString(2).padStart(8, '0'), ' ')],
		['as escaped HTML in an address', encodeURIComponent(password.replace(/"/g, '&quot;'))],
	])('%s', (_form, echoed) => {
		const places = [
			{ 'encryption.key': echoed },
			{ encryption: { key: echoed } },
			{ args: ['x', echoed, 7] },
			{ fields: [{ name: 'k', value: { text: echoed } }] },
			{ [echoed]: true },
		];
		for (const place of places) {
			const hidden = withoutPasswords({ ...call, ...place }, [
				password,
				'another, longer password',
			]);
			expect(JSON.stringify(hidden)).not.toContain(JSON.stringify(echoed).slice(1, -1));
			expect(hidden).toMatchObject(call);
		}
	});

	test('as a list of its characters or bytes', () => {
		const lists = { characters: [...password], data: { type: 'Buffer', data: [...bytes] } };
		expect(withoutPasswords({ ...call, ...lists }, [password])).toEqual({
			...call,
			characters: '[redacted]',
			data: { type: 'Buffer', data: '[redacted]' },
		});
	});

	test.each(['2026', '20261127', '15550100', '3f25', 'a', '0', 'to', 'from', 'call', '10:00'])(
		'a short password, or a number, hides no time, number or session GUID: %s',
		(short) => {
			const { sessionGuid, to, from, endedAt } = call;
			const hidden = withoutPasswords(call, [short]);
			expect(hidden).toMatchObject({ sessionGuid, to, from, endedAt });
			expect(withoutPasswords({ value: short }, [short])).toEqual({ value: '[redacted]' });
		},
	);

	test.each(['k3y!', '20261127', 'secret'])(
		'a short password is hidden in a sentence: %s',
		(short) => {
			const hidden = withoutPasswords({ says: `It was (${short}).` }, [short]);
			expect(hidden).toEqual({ says: '[redacted]' });
		},
	);

	test.each(['k3y!', '20261127', 'Secret7'])(
		'a short password is hidden in an encoding: %s',
		(short) => {
			const utf8 = Buffer.from(short);
			for (const echoed of [base64(short), utf8.toString('base64url'), utf8.toString('hex')]) {
				for (const says of [echoed, echoed.toUpperCase(), `It was ${echoed}, as asked.`]) {
					expect(withoutPasswords({ ...call, says }, [short])).toEqual({
						...call,
						says: '[redacted]',
					});
				}
			}
		},
	);

	test.each(['recording', 'Telephone', 'SESSIONGUID', 'sessionguid'])(
		'a password that is a word, %s, leaves the names of fields alone',
		(word) => {
			const record = { recordingId: GUID, telephoneNumber: '+15550100100', sessionGuid: GUID };
			expect(withoutPasswords(record, [word])).toEqual(record);
			expect(withoutPasswords({ says: `It is ${word}` }, [word])).toEqual({ says: '[redacted]' });
		},
	);

	test('a number that is the password is hidden', () => {
		expect(withoutPasswords({ pin: 20261127 }, ['20261127'])).toEqual({ pin: '[redacted]' });
	});

	test('half of a pair of surrogates is no error', () => {
		expect(withoutPasswords({ text: 'x \ud83d, password' }, ['\ud83d, password'])).toEqual({
			text: '[redacted]',
		});
	});

	test('without a secret, or with an empty one, everything stays', () => {
		const document = { ...call, text: password };
		for (const secrets of [[], ['']]) expect(withoutPasswords(document, secrets)).toEqual(document);
	});
});

test('a copy leaves the document as it was', () => {
	const document = { inner: { password } };
	expect(withoutPasswords(document, [])).toEqual({ inner: { password: '[redacted]' } });
	expect(document).toEqual({ inner: { password } });
	hidePasswords(document);
	expect(document).toEqual({ inner: { password: '[redacted]' } });
});

test('a document that is a text itself is hidden', () => {
	expect(withoutPasswords(`It is ${password}`, [password])).toBe('[redacted]');
});

test('in a text about passwords, only the values of secrets are hidden', () => {
	const document = { properties: { recordCallPassword: { example: password } }, password: 'x' };
	expect(withoutSecrets(document, [password])).toEqual({
		properties: { recordCallPassword: { example: '[redacted]' } },
		password: 'x',
	});
});
