/**
 * Of a secret, this part of its letters and digits in a row must not be shown, within these limits.
 */
const PART = 0.4;
const MIN_RUN = 8;
const MAX_RUN = 12;
/** With fewer letters and digits, a secret cannot be told from other text. */
const MIN_COMPARABLE = 3;
/** So many encodings around each other are undone. */
const MAX_LAYERS = 4;
/** Of all that a text may stand for. More is not looked at, and nothing is shown. */
const MAX_CHARS = 1_000_000;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** How a number stands for a character: its digits, and what may be around them. */
const RADIXES = [
	{ radix: 16, token: /^(?:0?x|u)?([\da-f]{1,8})h?$/i },
	{ radix: 10, token: /^(\d{1,8})$/ },
	{ radix: 8, token: /^(?:0?o)?([0-7]{1,8})$/i },
	{ radix: 2, token: /^(?:0?b)?([01]{1,16})$/i },
] as const;

/** How digits without anything between them stand for characters: so many for each. */
const WIDTHS = [
	{ radix: 16, width: 2, others: /[^\da-f]/gi },
	{ radix: 10, width: 3, others: /\D/g },
	{ radix: 8, width: 3, others: /[^0-7]/g },
	{ radix: 2, width: 8, others: /[^01]/g },
	{ radix: 2, width: 7, others: /[^01]/g },
] as const;

/**
 * Whether a text may have a secret in it, or a good part of it: as it is or backwards, in any
 * letter case, with anything between its characters, or in one of the encodings below, also around
 * each other.
 *
 * What only separates is never looked at. So it does not matter what it is.
 */
export function mayHold(text: string, secret: string): boolean {
	const plain = lettersAndDigits(secret);
	if (plain.length < MIN_COMPARABLE) return true;
	const part = Math.min(MAX_RUN, Math.max(MIN_RUN, Math.floor(plain.length * PART)));
	const length = Math.min(part, plain.length);
	const runs = runsOf(plain, length);
	const numbers = numbersOf(secret, length);

	const seen = new Set<string>();
	let layer = [text];
	let chars = 0;
	for (let depth = 0; depth <= MAX_LAYERS; depth++) {
		for (const form of layer) {
			chars += form.length;
			if (chars > MAX_CHARS) return true;
			const own = lettersAndDigits(form);
			const digits = own.replace(/\D/g, '');
			if (runs.some((run) => own.includes(run))) return true;
			if (numbers.some((run) => digits.includes(run))) return true;
			seen.add(form);
		}
		const next = layer.flatMap(decodings).map((form) => readable(form, length));
		layer = [...new Set(next)].filter((form) => form !== '' && !seen.has(form));
	}
	return false;
}

/** In lower case, without accents; those of other widths and fonts as in ASCII. */
function lettersAndDigits(text: string): string {
	return text
		.normalize('NFKD')
		.replace(/[^a-z\d]/gi, '')
		.toLowerCase();
}

function backwards(text: string): string {
	return [...text].reverse().join('');
}

function runsOf(text: string, length: number): string[] {
	const starts = Math.max(0, text.length - length) + 1;
	return Array.from({ length: starts }, (_, start) => text.slice(start, start + length));
}

/** The runs of a secret as decimal and octal numbers without anything between them. */
function numbersOf(secret: string, length: number): string[] {
	const codes = runsOf(secret, length).map((run) => Array.from(Buffer.from(run)));
	return [10, 8].flatMap((radix) =>
		codes.map((run) => run.map((code) => code.toString(radix)).join('')),
	);
}

/**
 * Of what was decoded, the parts that are long enough to be a part of the secret. What is not text
 * is no secret.
 */
function readable(form: string, length: number): string {
	const parts = form.replace(/\0/g, '').match(/[\x20-\x7e\s]+/g) ?? [];
	return parts.filter((part) => part.length >= length).join('\n');
}

/** What a text, or a part of it, may stand for. */
function decodings(text: string): string[] {
	return [
		backwards(text),
		unescaped(text),
		...ofNumbers(text),
		...ofDigits(text),
		...ofBase64(text),
		...ofBase32(text),
	];
}

/**
 * `%2f`, `=2F`, `\x2f`, `\u002f` and `&#x2f;` as the character that they stand for, without
 * entities such as `&sol;`.
 */
function unescaped(text: string): string {
	return text
		.replace(/(?:[%=]|\\x|\\u00|&#x0*)([\da-f]{2});?/gi, (_, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		)
		.replace(/&#0*(\d{2,3});?/g, (_, code: string) => String.fromCharCode(Number(code)))
		.replace(/<[^<>]{0,100}>|&(?:\w{1,20};)+/g, '');
}

/**
 * Numbers with something between them: `0x2f`, `\u002f`, `47`, `\057`. What is no number is left
 * out.
 */
function ofNumbers(text: string): string[] {
	const tokens = text.match(/[\da-z]+/gi) ?? [];
	return RADIXES.map(({ radix, token }) => {
		const digits = tokens.flatMap((one) => token.exec(one)?.[1] ?? []);
		return digits.map((one) => String.fromCharCode(parseInt(one, radix))).join('');
	});
}

/** Digits of which so many are a character, wherever they begin. */
function ofDigits(text: string): string[] {
	return WIDTHS.flatMap(({ radix, width, others }) => {
		const digits = text.replace(others, '');
		return Array.from({ length: width }, (_, start) => {
			const codes = digits.slice(start).match(new RegExp(`.{${width}}`, 'g')) ?? [];
			return codes.map((code) => String.fromCharCode(parseInt(code, radix))).join('');
		});
	});
}

/** In both alphabets, and where what separates is a character of them, wherever it begins. */
function ofBase64(text: string): string[] {
	const streams = [text.replace(/[^\w+/-]/g, ''), text.replace(/[^a-z\d]/gi, '')];
	return streams.flatMap((stream) =>
		[0, 1, 2, 3].map((start) => Buffer.from(stream.slice(start), 'base64').toString('latin1')),
	);
}

/** RFC 4648, section 6. */
function ofBase32(text: string): string[] {
	const bits = [...text.toUpperCase()]
		.map((one) => BASE32.indexOf(one))
		.filter((value) => value >= 0)
		.map((value) => value.toString(2).padStart(5, '0'))
		.join('');
	return Array.from({ length: 8 }, (_, start) => {
		const bytes = bits.slice(start).match(/.{8}/g) ?? [];
		return bytes.map((byte) => String.fromCharCode(parseInt(byte, 2))).join('');
	});
}
