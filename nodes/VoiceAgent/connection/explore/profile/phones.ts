import { randomInt } from 'node:crypto';

/** A number of a country that nobody has, or nobody will: how it begins, and what it becomes. */
type Reserved = readonly [written: RegExp, filler: (digits: string) => string];

function end(count: number): string {
	return String(randomInt(10 ** count)).padStart(count, '0');
}

/**
 * Numbers for fiction: North American Numbering Plan (555-01XX), Ofcom, Bundesnetzagentur, ACMA,
 * Arcep.
 */
const RESERVED: readonly Reserved[] = [
	[/^1\d{10}$/, () => `1${randomInt(201, 990)}55501${end(2)}`],
	[/^155501\d\d$/, () => `155501${end(2)}`],
	[/^447\d{9}$/, () => `447700900${end(3)}`],
	[/^44\d{10}$/, () => `441632960${end(3)}`],
	[/^4930\d{8}$/, () => `493023125${end(3)}`],
	[/^491[567]\d{9}$/, () => `4915228817${end(3)}`],
	[/^61[2378]\d{8}$/, () => `61${[2, 3, 7, 8][randomInt(4)]}5550${end(4)}`],
	[/^614\d{8}$/, () => `61491570${end(3)}`],
	[/^33[1-5]\d{8}$/, () => `33199${end(6).replace(/^../, '00')}`],
	[/^33[67]\d{8}$/, () => `3363998${end(4)}`],
];

/** Country codes of one and two digits; all others have three (ITU-T E.164). */
const SHORT_CODES = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * Another number of the same country and length: one for fiction, or else one with zeros, with
 * which no number begins behind a country code.
 *
 * @param digits of an international number, with its country code
 */
export function phoneFiller(digits: string): string {
	const filler = RESERVED.find(([written]) => written.test(digits))?.[1](digits);
	if (filler?.length === digits.length) return filler;
	const code = SHORT_CODES.exec(digits)?.[0] ?? digits.slice(0, 3);
	const rest = digits.length - code.length;
	const room = Math.min(3, rest);
	return `${code}${end(room).padStart(rest, '0')}`;
}
