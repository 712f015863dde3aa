import { AFRICA_AND_AMERICAS } from './nationalNumbers/africaAndAmericas';
import { EUROPE_ASIA_PACIFIC } from './nationalNumbers/europeAsiaPacific';

/** What is dialed behind each country code. */
const NATIONAL_NUMBERS = new Map(
	Object.entries({ ...AFRICA_AND_AMERICAS, ...EUROPE_ASIA_PACIFIC }),
);

/** In international form: + or 00 (not 011, which is a number in other countries), then digits. */
const WRITTEN = /^\(?\s*(?:\+|00)([\d\s\p{Pd}./()]+)$/u;
/** Digits that stand together, and what is behind them. */
const GROUP = /(\d+)(\D*)/g;
/**
 * What only groups the digits of one number. A hyphen or a slash may be before an extension or a
 * second number.
 */
const GROUPING = /^[\s.]+$/;
/** A decimal fraction, as a spreadsheet writes numbers. */
const DECIMAL = /^\d+\.0+\s*$|\.0\s*$/;
/** The prefix that is dialed within a country only. */
const TRUNK_ZERO = /\(\s*0\s*\)/;

interface SameTelephone {
	/** How one of the numbers begins. */
	written: RegExp;
	/** How the other number begins, which stands for both. */
	compared: string;
}

/** Different numbers that reach one telephone. */
const SAME_TELEPHONE: readonly SameTelephone[] = [
	// Mexico: mobiles had a 1 until 2019.
	{ written: /^\+521(?=\d{10}$)/, compared: '+52' },
	// Argentina: to mobiles, 9 is dialed from abroad, and 15 behind the area code from within.
	{ written: /^\+549(?=\d{10}$)/, compared: '+54' },
	{ written: /^(\+5411)15(?=\d{8}$)/, compared: '$1' },
	{ written: /^(\+54\d{3})15(?=\d{7}$)/, compared: '$1' },
	{ written: /^(\+54\d{4})15(?=\d{6}$)/, compared: '$1' },
	// Brazil: mobiles have had a 9 behind the area code since 2016.
	{ written: /^(\+55\d\d)9(?=\d{8}$)/, compared: '$1' },
	// San Marino is reached through Italy too, and Palestine through Israel.
	{ written: /^\+39(?=0549\d{6}$)/, compared: '+378' },
	{ written: /^\+970/, compared: '+972' },
];

/**
 * A phone number without what only makes it readable: spaces, hyphens, dots, slashes, parentheses,
 * and a (0) behind the country code. 00 before the country code is +. Everything else stays, so
 * that it is not overlooked.
 */
export function plainNumber(number: unknown): string {
	// Of a number, a sign or a fraction stays.
	if (typeof number !== 'string') return String(JSON.stringify(number));
	return number
		.replace(/[\s\p{Cf}\p{Pd}./]/gu, '')
		.replace(/^(\(?(?:\+|00)\(?\d{1,3}\)?)\(0\)/, '$1')
		.replace(/\((?!0\))|(?<!\(0)\)/g, '')
		.replace(/^00/, '+');
}

/** A phone number, as far as it is certainly one. */
interface Reading {
	/** Country code and national number. */
	digits: string;
	/** The beginnings of it that are numbers too, and end where a space or a dot is. */
	shorter: string[];
}

/**
 * A phone number as + and digits.
 *
 * @returns `undefined` for what is not certainly one number: without a country code, with more or
 * fewer digits than its country has, with an extension or a second number, or with a prefix twice
 */
export function internationalNumber(number: unknown): string | undefined {
	const reading = readingOf(number);
	return reading && `+${reading.digits}`;
}

function readingOf(number: unknown): Reading | undefined {
	if (typeof number !== 'string') return undefined;
	const [, written] = WRITTEN.exec(number.replace(/\p{Cf}/gu, '').trim()) ?? [];
	if (written === undefined || DECIMAL.test(written)) return undefined;
	const groups = [...written.replace(TRUNK_ZERO, ' ').matchAll(GROUP)];
	const digits = groups.map(([, group]) => group).join('');
	const code = countryCodeOf(digits);
	if (code === undefined) return undefined;

	const national = digits.slice(code.length);
	const isWhole = (rest: string) => NATIONAL_NUMBERS.get(code)?.test(rest) === true;
	// It has more or fewer digits than numbers of its country.
	if (!isWhole(national)) return undefined;
	// In a country where a 0 may be dialed too, (0) may be a part of the number.
	const isTrunkPrefix = !isWhole(`0${national}`);
	if (!isZeroClear(written, code, isTrunkPrefix)) return undefined;
	if (isCodeRepeated(national, code, isWhole)) return undefined;

	const shorter: string[] = [];
	let beginning = '';
	for (const [, group = '', behind = ''] of groups.slice(0, -1)) {
		beginning += group;
		if (!isWhole(beginning.slice(code.length))) continue;
		// Behind it may be an extension, the end of a second number, or the 0 of a switchboard.
		if (!GROUPING.test(behind)) return undefined;
		shorter.push(beginning);
	}
	return { digits, shorter };
}

/** The country code that a number begins with. No code begins with another one. */
function countryCodeOf(digits: string): string | undefined {
	const starts = [1, 2, 3].map((length) => digits.slice(0, length));
	return starts.find((start) => NATIONAL_NUMBERS.has(start));
}

/** Whether a (0) is there once, behind the country code, and not dialed: in Italy it would be. */
function isZeroClear(written: string, code: string, isTrunkPrefix: boolean): boolean {
	const [start = '', behind, ...more] = written.split(TRUNK_ZERO);
	if (behind === undefined) return true;
	return start.replace(/\D/g, '') === code && more.length === 0 && isTrunkPrefix;
}

/** Whether the country code is there twice, as in +49 49 30 123456 and +49 49 030 123456. */
function isCodeRepeated(
	national: string,
	code: string,
	isWhole: (rest: string) => boolean,
): boolean {
	return national.startsWith(code) && isWhole(national.slice(code.length).replace(/^0/, ''));
}

/**
 * The number by which telephones are compared: the same one if two numbers reach one telephone. It
 * is not always one that can be dialed.
 *
 * @returns `undefined` for a number that {@link internationalNumber} cannot read
 */
export function comparedNumber(number: unknown): string | undefined {
	return comparedNumbers(number)[0];
}

/**
 * All telephones that a text may name, as {@link comparedNumber} has them. In a country whose
 * numbers differ in length, `+49 30 123456 12` is one number, or one with an extension behind a
 * space.
 *
 * @returns the whole number first; nothing for a number that {@link internationalNumber} cannot
 * read
 */
export function comparedNumbers(number: unknown): string[] {
	const reading = readingOf(number);
	if (!reading) return [];
	return [reading.digits, ...reading.shorter].map((digits) => inOneForm(`+${digits}`));
}

/** The number that stands for all that reach the same telephone. */
function inOneForm(international: string): string {
	for (const { written, compared } of SAME_TELEPHONE) {
		if (written.test(international)) return international.replace(written, compared);
	}
	return international;
}
