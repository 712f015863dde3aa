/** ITU-T E.164: + and up to 15 digits. A country code, of which those with three digits are the rest, and a 0 behind it. */
const INTERNATIONAL =
	/^\+(?=[1-9]\d{6,14}$)([17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(0?)/;
/** Where numbers begin with a 0 that is dialed from abroad too. 999 is of no country. */
const WITH_ZERO = ['39', '225', '229', '241', '242', '378', '999'];

/**
 * A phone number without what only makes it readable: spaces, hyphens, dots, slashes, parentheses, and a (0) behind the
 * country code. 00 before the country code is +. Everything else stays, so that it is not overlooked.
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

/** The form in which numbers are compared: + and digits. `undefined` if it would be guessed, such as the country code. */
export function internationalNumber(number: unknown): string | undefined {
	const plain = plainNumber(number);
	const found = INTERNATIONAL.exec(plain);
	if (!found) return undefined;
	const [, code, zero] = found;
	const isWithZero = WITH_ZERO.some((one) => one === code);
	// Whether (0) is dialed there cannot be known.
	const isClear = isWithZero ? !/\(\s*0\s*\)/.test(String(number)) : zero === '';
	return isClear ? plain : undefined;
}
