import { type Match, matchNumber, wantedNumber } from '../../nodes/data/matchNumber';

const NUMBER = '+4930123456';
const matchOf = (text: unknown, number: unknown = NUMBER): Match =>
	matchNumber(wantedNumber(number), { to: text }).match;

describe('one telephone, as services, switchboards and people write it', () => {
	test.each([
		'+49 30 123456',
		'+49 (30) 12-34.56',
		'+49 (0)30 123456',
		'+49(0)30/123456',
		'0049 30 123456',
		'00 49 (0) 30 123456',
		'sip:+4930123456@192.0.2.1:5060;user=phone',
		'<sips:%2B4930123456@example.com>',
		'"Jane" <sip:+4930123456;npdi@example.com>;tag=1',
		'tel:+49-30-123456',
		'TEL:+49-30-123456;phone-context=example.com',
		'＋４９ ３０ １２３４５６',
		'\u202A+49 30 123456\u202C',
	])('%s is the number', (text) => {
		expect([matchOf(text), matchOf(NUMBER, text)]).toEqual(['same', 'same']);
		expect(wantedNumber(text).readAs).toBe(NUMBER);
	});
});

describe('nobody is forgotten by a guess, and nobody is overlooked', () => {
	test.each([
		'030 123456',
		'4930123456',
		'011 49 30 123456',
		'+49 030 123456',
		'+49 49 30 123456',
		'+49 30 123456 ext 2',
		'+49 30 123456x2',
		'tel:+4930123456;ext=2',
		'+49 30 123456 / 57',
		'+49 30 123456-0',
		'sip:30123456@example.com',
	])('%s is unclear, but the same where it is written so', (text) => {
		expect([matchOf(text), matchOf(NUMBER, text)]).toEqual(['unclear', 'unclear']);
		expect([matchOf(text, text), wantedNumber(text).readAs]).toEqual(['same', null]);
	});

	test.each([4930123456, '+4930123456, +4940999999', '+4930123456 12'])('%j is unclear', (text) => {
		expect(matchOf(text)).toBe('unclear');
	});

	test.each([
		['+525512345678', '+52 1 55 1234 5678'],
		['+541123456789', '+54 9 11 2345 6789'],
		['+551112345678', '+55 11 91234-5678'],
		['+3906698124', '+39 6 698124'],
	])('%s and %s may reach one telephone', (one, other) => {
		expect([matchOf(one, other), matchOf(other, one)]).toEqual(['unclear', 'unclear']);
	});

	test('numbers that their country cannot have are compared as they are written', () => {
		expect([matchOf('+49 30 1', '+49301'), matchOf('+49-301', '+49301')]).toEqual([
			'same',
			'unclear',
		]);
	});
});

test.each(['+4930123457', '+41 44 212 34 56', '+49 30 12345', '', null, 'unknown', {}])(
	'%j is another number',
	(text) => {
		expect(matchOf(text)).toBe('none');
	},
);

test.each(['', ' ', '+', 'unknown', null, '0d9a3c5e-7b1f-4a62-9c84-1e5f20a7b311'])(
	'%j is no number to look for',
	(number) => {
		expect(wantedNumber(number)).toMatchObject({ readAs: null, pattern: null });
		expect([matchOf(number, number), matchOf(NUMBER, number)]).toEqual(['none', 'none']);
	},
);

test.each(['4930', '0301', '23', '+49 30 1', '049 (30) 123'])('%s is a part of it', (number) => {
	expect(matchOf(NUMBER, number)).toBe('part');
});

/** As a database compares it. */
function isLike(text: string, pattern: string | null): boolean {
	const digits = [...(pattern ?? 'none')].filter((one) => one !== '%');
	return new RegExp(digits.join('.*')).test(text);
}

test.each([
	'+44 20 7946 0123',
	'020 7946 0123',
	'(020) 7946-0123',
	'+44 (0)20 79460123',
	'0044 20 7946 0123',
	'+44 20 7946 0123 ext 42',
	'+44 20 7946 0123-42',
	'sip:+442079460123@example.com',
	'0207946',
	'+44 20',
	'0123',
])('the pattern of %s finds the number in any form', (number) => {
	const { pattern } = wantedNumber(number);
	expect(pattern).toMatch(/^%(\d%){1,6}$/);
	for (const stored of [
		'+442079460123',
		'+44 (0)20 7946 0123',
		'020 7946 0123',
		'sip:+442079460123@192.0.2.1',
		'+44 20 7946 0123 x7',
	]) {
		// Without its country, a number cannot be found by the code of that country.
		if (number === '+44 20' && stored.startsWith('020')) continue;
		// Two extensions are two telephones.
		if (number.endsWith('42') && stored.endsWith('x7')) continue;
		expect([stored, isLike(stored, pattern)]).toEqual([stored, true]);
		expect(['same', 'unclear', 'part']).toContain(matchOf(stored, number));
	}
});

describe('numbers are read from fields of numbers only, at any depth', () => {
	test.each([
		{ to: NUMBER },
		{ FROM: NUMBER },
		{ from: { phoneNumber: NUMBER, name: 'Jane' } },
		{ from: JSON.stringify({ phoneNumber: NUMBER, name: 'Jane' }) },
		{ call: { legs: [{ Caller: [NUMBER] }] } },
		{ participants: [{ number: NUMBER }] },
		{ to: '+4940999999', from: '+49 30 123456' },
	])('%j has it', (record) => {
		expect(matchNumber(wantedNumber(NUMBER), record).match).toBe('same');
	});

	test.each([
		{ sizeBytes: 4930123456, durationSeconds: '4930123456' },
		{ note: NUMBER, summary: `Call ${NUMBER} back` },
		{ files: { sizeBytes: 4930123456 } },
	])('%j has not', (record) => {
		const nothing = { match: 'none', matched: null };
		expect(matchNumber(wantedNumber(NUMBER), record)).toEqual(nothing);
	});

	test('what is below such a field is certain in international form only', () => {
		const record = { from: { id: '4930123456' } };
		expect(matchNumber(wantedNumber('4930123456'), record)).toEqual({
			match: 'unclear',
			matched: '4930123456',
		});
	});
});

test('a long text takes no long time', () => {
	const start = performance.now();
	const digits = '1'.repeat(500_000);
	const spaces = ' '.repeat(500_000);
	const groups = '1 '.repeat(250_000);
	for (const text of [`sip:${digits}${spaces}`, `+4930${spaces}123${digits}`, `+49${groups}`]) {
		expect(matchOf(text)).toBe('none');
		matchOf(NUMBER, text);
	}
	expect(performance.now() - start).toBeLessThan(5_000);
});
