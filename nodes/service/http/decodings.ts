/**
 * What a text may stand for, if it is written in some encoding: as numbers, in Base64 or Base32,
 * with escapes, or backwards. Nothing says where an encoded part begins, and what separates its
 * characters, so each possibility is a decoding of its own. Most of them are no text at all.
 */

interface Radix {
	radix: number;
	/** A number in it that stands for one character, with what may be around its digits. */
	number: RegExp;
}

/** How numbers with something between them stand for characters. */
const RADIXES: readonly Radix[] = [
	{ radix: 16, number: /^(?:0?x|u)?([\da-f]{1,8})h?$/i },
	{ radix: 10, number: /^(\d{1,8})$/ },
	{ radix: 8, number: /^(?:0?o)?([0-7]{1,8})$/i },
	{ radix: 2, number: /^(?:0?b)?([01]{1,16})$/i },
];

interface Width {
	radix: number;
	/** So many digits stand for one character. */
	digits: number;
	/** What is not a digit. */
	others: RegExp;
}

/** How digits without anything certain between them stand for characters. */
const WIDTHS: readonly Width[] = [
	{ radix: 16, digits: 2, others: /[^\da-f]/gi },
	{ radix: 10, digits: 3, others: /\D/g },
	{ radix: 8, digits: 3, others: /[^0-7]/g },
	{ radix: 2, digits: 8, others: /[^01]/g },
	{ radix: 2, digits: 7, others: /[^01]/g },
];

/** RFC 4648, section 6. Each character stands for 5 bits. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32_BITS = 5;
/** RFC 4648, section 4. So many characters stand for 3 bytes. */
const BASE64_GROUP = 4;

/** What a text, or a part of it, may stand for. */
export function decodings(text: string): string[] {
	return [
		backwards(text),
		unescaped(text),
		...ofNumbers(text),
		...ofDigits(text),
		...ofBase64(text),
		...ofBase32(text),
	];
}

function backwards(text: string): string {
	return [...text].reverse().join('');
}

/**
 * `%2f`, `=2F`, `\x2f`, `\u002f` and `&#x2f;` as the character that they stand for, without tags
 * and without entities such as `&sol;`.
 */
function unescaped(text: string): string {
	return text
		.replace(/(?:[%=]|\\x|\\u00|&#x0*)([\da-f]{2});?/gi, (_all, hex: string) =>
			characterOf(hex, 16),
		)
		.replace(/&#0*(\d{2,3});?/g, (_all, code: string) => characterOf(code, 10))
		.replace(/<[^<>]{0,100}>|&(?:\w{1,20};)+/g, '');
}

function characterOf(digits: string, radix: number): string {
	return String.fromCharCode(parseInt(digits, radix));
}

/**
 * Numbers with something between them: `0x2f`, `\u002f`, `47`, `\057`. Words that are not numbers
 * are left out.
 */
function ofNumbers(text: string): string[] {
	const words = text.match(/[\da-z]+/gi) ?? [];
	return RADIXES.map(({ radix, number }) => {
		const digits = words.flatMap((word) => number.exec(word)?.[1] ?? []);
		return digits.map((one) => characterOf(one, radix)).join('');
	});
}

function ofDigits(text: string): string[] {
	const decoded: string[] = [];
	for (const { radix, digits, others } of WIDTHS) {
		const stream = text.replace(others, '');
		for (let start = 0; start < digits; start++) {
			const codes = piecesOf(stream.slice(start), digits);
			decoded.push(codes.map((code) => characterOf(code, radix)).join(''));
		}
	}
	return decoded;
}

/** In the alphabet for URLs too, and where what separates is a character of an alphabet. */
function ofBase64(text: string): string[] {
	const decoded: string[] = [];
	for (const others of [/[^\w+/-]/g, /[^a-z\d]/gi]) {
		const stream = text.replace(others, '');
		for (let start = 0; start < BASE64_GROUP; start++) {
			decoded.push(Buffer.from(stream.slice(start), 'base64').toString('latin1'));
		}
	}
	return decoded;
}

function ofBase32(text: string): string[] {
	let bits = '';
	for (const character of text.toUpperCase()) {
		const value = BASE32.indexOf(character);
		if (value >= 0) bits += value.toString(2).padStart(BASE32_BITS, '0');
	}
	const decoded: string[] = [];
	for (let start = 0; start < 8; start++) {
		const bytes = piecesOf(bits.slice(start), 8);
		decoded.push(bytes.map((byte) => characterOf(byte, 2)).join(''));
	}
	return decoded;
}

/** The pieces of this length, without what is left at the end. */
function piecesOf(text: string, length: number): string[] {
	const pieces: string[] = [];
	for (let at = 0; at + length <= text.length; at += length) {
		pieces.push(text.slice(at, at + length));
	}
	return pieces;
}
