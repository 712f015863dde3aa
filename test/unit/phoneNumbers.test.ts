import {
	comparedNumber,
	comparedNumbers,
	internationalNumber,
} from '../../nodes/data/phoneNumbers';

interface MobileNumber {
	country: string;
	code: string;
	national: string;
	longest: number;
}

const mobileNumbers = jest.requireActual<MobileNumber[]>('../vectors/mobileNumbers.json');

test('a mobile number of each country is read, and one with too many digits is not', () => {
	expect(mobileNumbers.length).toBeGreaterThan(240);
	for (const { country, code, national, longest } of mobileNumbers) {
		const number = `+${code}${national}`;
		const read = [number, `+${code} ${national}`, `00${code}-${national}`].map(internationalNumber);
		expect([country, ...read]).toEqual([country, number, number, number]);
		const tooLong = `+${code}${national.padEnd(longest + 1, '5')}`;
		expect([country, internationalNumber(tooLong)]).toEqual([country, undefined]);
	}
});

test.each([
	['+4930123456', '+4930123456'],
	['+49 (0)30 123456', '+4930123456'],
	['0049 ( 0 ) 30 / 123456', '+4930123456'],
	['(+49) (0)30.123456', '+4930123456'],
	['\u202a+49\u00a030\u2011123456\u202c', '+4930123456'],
	['+49 151 234 56789', '+4915123456789'],
	['+44 (0)20 7946 0958', '+442079460958'],
	['+39 312 345 6789', '+393123456789'],
	['+39 06 698 12345', '+390669812345'],
	['+225 07 12 34 56 78', '+2250712345678'],
	['+1 (555) 010-0100', '+15550100100'],
	['+1.555.010.01.00', '+15550100100'],
	['+1 555-0100', '+15550100'],
	['+1 (555) 010-0', '+15550100'],
])('%j is read as %s', (written, number) => {
	expect(internationalNumber(written)).toBe(number);
});

describe('a number is unclear if it is', () => {
	const cases: Record<string, unknown[]> = {
		'not text': [4930123456, 15550100100, null, undefined, {}, ['+15550100']],
		'text without a number': ['', ' ', '+', '00', 'Mrs. Miller', '+1 555 0I0 0100', '+٤٩٣٠١٢٣٤٥٦'],
		'without a country code': [
			'030 123456',
			'(0)30 123456',
			'8 495 123-45-67',
			'011 49 30 123457',
			'+0301234567',
			'x+49(0)30123456',
			'tel:+4930123456',
		],
		'of no country': ['+9990000000', '+2101234567', '+3791234567'],
		'with more digits than its country has': [
			'+15550100100555',
			'+1555010010001',
			'+1-555-010-0100-555',
			'+1 555 010 0100 123',
			'+493012345678901',
			'+33 1 23 45 67 89 0',
		],
		'with fewer digits than its country has': ['+1 555 010 010', '+1 2345678', '+442079', '+49 30'],
		'with an extension': [
			'+1 555 010 0100 x123',
			'+4930123456 ext. 4',
			'+1 555 010 0100;ext=5',
			'+1 555 010 0100#5',
			'+4930123456, 7',
			'+49 30 123456-1234',
			'+49 30 123456 (12)',
			'+43 1 58858-0',
		],
		'that of a switchboard, or a decimal number': [
			'+49 30 123456-0',
			'+49 30 123456 - 0',
			'+15550100100.0',
			'+4930123456.0',
			'+4930123456.00',
			'+1 555 010 010.0',
			'+1.555e10',
		],
		'with a second number': [
			'+49 30 123472 / 73',
			'+49 30 123456/78',
			'+43 1 12345 / 12346',
			'+1 555 010 0100 / 01',
			'+49 30 123456 / +49 30 123457',
			'+49+30123456',
		],
		'with the country code twice': [
			'+1 1 555 555 0123',
			'+44 44 20 7946 0958',
			'+4949 30 123456',
			'+49 49 030 123456',
			'+49 0049 30 123456',
			'+39 39 06 6981234',
			'+81 81 3 1234 5678',
		],
		'with a prefix of calls within the country': [
			'+49 030 123456',
			'+7 8 495 123 45 67',
			'+370 8 5 212 3456',
			'+370 8 612 34567',
			'+36 06 1 234 5678',
			'+36 6 1 234 5678',
			'+52 01 55 1234 5678',
			'+52 044 55 1234 5678',
			'+55 0 15 11 91234 5678',
			'+44 020 7946 0958',
		],
		'with a (0) that may be dialed': [
			'+39 (0)6 1234567',
			'+39( 0 )6 1234567',
			'+225 (0)7 12 34 56 78',
			'+242 (0)6 123 4567',
		],
		'with a (0) somewhere else': ['+49 30 (0) 123456', '+49 (0)(0)30 123456', '+4 (0) 930 123456'],
		'of a plan that has changed': [
			// Italy without its 0, and a fixed line that looks like a mobile number.
			'+39 6 698124',
			'+39 35 1234567',
			// Ivory Coast, Benin and Gabon before 2021, 2024 and 2019.
			'+225 07 12 34 56',
			'+229 95 12 34 56',
			'+241 06 03 12 34',
			'+241 1 44 12 34',
			// Colombia, Vietnam, the Philippines, Egypt and San Marino.
			'+57 1 2345678',
			'+84 169 123 4567',
			'+63 2 123 4567',
			'+20 12 345 6789',
			'+378 886377',
		],
	};
	for (const [what, numbers] of Object.entries(cases)) {
		test.each(numbers.map((number) => [number]))(`${what}: %j`, (number) => {
			expect(internationalNumber(number)).toBeUndefined();
			expect(comparedNumber(number)).toBeUndefined();
		});
	}
});

test.each([
	['+49 30 123456 12', ['+493012345612', '+4930123456']],
	['+49 30 123456 0', ['+49301234560', '+4930123456']],
	['+49 170 123 45 67', ['+491701234567']],
	['+49 30 1234 5678', ['+493012345678', '+49301234']],
	['+46 8 123 456 78', ['+46812345678', '+468123456']],
	['+39 06 1234 5678', ['+390612345678', '+39061234']],
	['+54 9 11 2345 6789', ['+541123456789']],
	['+43.1.58858.0', []],
	['+43 1 58858-0', []],
])('with spaces, %s may be one number or one with an extension: %j', (written, telephones) => {
	const all = comparedNumbers(written);
	expect(all.slice(0, 1)).toEqual(telephones.slice(0, 1));
	expect(all).toEqual(expect.arrayContaining(telephones));
	if (telephones.length === 0) expect(all).toEqual([]);
});

test.each([
	['Mexico', ['+52 1 55 1234 5678', '+525512345678']],
	[
		'Argentina, area code 11',
		['+54 9 11 2345 6789', '+541123456789', '+54 11 15 2345-6789', '0054 9 11 2345 6789'],
	],
	['Argentina, area code 221', ['+54 9 221 123 4567', '+54 221 1234567', '+54 221 15 123 4567']],
	['Argentina, area code 2966', ['+54 9 2966 123456', '+54 2966 123456', '+54 2966 15 123456']],
	['Brazil', ['+55 11 1234 5678', '+5511912345678', '+55 (11) 91234-5678']],
	['San Marino', ['+378 0549 886377', '+39 0549 886377']],
	['Palestine', ['+970 59 912 3456', '+972 59 912 3456']],
])('numbers of one telephone are equal: %s', (_country, numbers) => {
	expect(new Set(numbers.map(comparedNumber)).size).toBe(1);
	// Only the comparison changes them: what is dialed stays.
	const digits = numbers.map((number) => `+${number.replace(/\D/g, '').replace(/^00/, '')}`);
	expect(numbers.map(internationalNumber)).toEqual(digits);
});

test.each([
	['+525512345678', '+525512345679'],
	['+541123456789', '+549221234567'],
	['+5511912345678', '+5521912345678'],
	['+5511912345678', '+5511812345678'],
	['+390669812345', '+390669812346'],
])('numbers of two telephones are not equal: %s and %s', (one, other) => {
	expect(comparedNumber(one)).not.toBe(comparedNumber(other));
});
