/**
 * A shorter text, or a number, may well be something else, so it is not looked for within other
 * letters and digits.
 */
const MIN_CHARS = 8;
/** An even shorter one is recognized only alone. */
const MIN_CHARS_OF_WORD = 4;

/** What is around a secret that is only a part of something longer. */
const PART_BEFORE = /[\p{L}\p{N}]$|\d[-:.]$/u;
const PART_AFTER = /^[\p{L}\p{N}]|^[-:.]\d/u;

/** Whether a text has one of these secrets in it. */
export type Holds = (text: string) => boolean;

/**
 * How to find secrets in the texts of items: as they are, backwards, with anything between their
 * characters, and as JSON, addresses, HTML, numbers, Base64 or Base64 in something longer write
 * them. What is found is hidden, so nothing else may be: each form is looked for in full. For the
 * texts of errors, of which nothing has to be shown, see `mayHold`.
 *
 * A secret that is short or has digits only is found only where nothing but it stands, so that a
 * password such as `2026` leaves times and phone numbers alone.
 */
export function finderOf(secrets: readonly string[]): Holds {
	const filled = secrets.filter((secret) => secret !== '');
	const alone = new Set(filled);
	const words = filled.filter(isWord).map((secret) => secret.toLowerCase());
	const forms = [...new Set(filled.filter(isDistinct).flatMap(formsOf).map(lettersAndDigits))];
	const shortest = Math.min(...[...filled, ...forms].map(({ length }) => length));
	return (text) => {
		// Most texts of a long list are done here.
		if (text.length < shortest) return false;
		if (alone.has(text)) return true;
		const lower = text.toLowerCase();
		if (words.some((word) => standsIn(lower, word))) return true;
		if (forms.length === 0) return false;
		const plain = lettersAndDigits(text);
		return forms.some((form) => plain.includes(form));
	};
}

/**
 * In lower case, without accents; those of other widths and fonts as in ASCII. Other alphabets
 * stay.
 */
export function lettersAndDigits(text: string): string {
	return (
		text
			.normalize('NFKD')
			.replace(/[^\p{L}\p{N}]/gu, '')
			// Of `ß`, the capital letters are SS.
			.toUpperCase()
			.toLowerCase()
	);
}

/** Whether a secret is so long, and has letters, that only it can be meant by these characters. */
function isDistinct(secret: string): boolean {
	const plain = lettersAndDigits(secret);
	return [...plain].length >= MIN_CHARS && /\p{L}/u.test(plain);
}

/** Whether a secret is long enough to be looked for in a sentence. */
function isWord({ length }: string): boolean {
	return length >= MIN_CHARS_OF_WORD;
}

/** Whether a secret is in a text, and not only as a part of a longer word, number or time. */
function standsIn(text: string, secret: string): boolean {
	for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
		const end = at + secret.length;
		const isPart =
			PART_BEFORE.test(text.slice(Math.max(0, at - 2), at)) ||
			PART_AFTER.test(text.slice(end, end + 2));
		if (!isPart) return true;
	}
	return false;
}

/** How others write a secret. What is between the characters does not matter. */
function formsOf(secret: string): string[] {
	const utf8 = Buffer.from(secret);
	const codes = Array.from(utf8);
	// From the bytes, because half of a pair of surrogates cannot be in an address.
	const address = encodeURIComponent(utf8.toString());
	const json = JSON.stringify(secret).slice(1, -1);
	const ascii = json.replace(/[^ -~]/g, (one) => `\\u${hexOf(one.charCodeAt(0), 4)}`);
	const entities = [...secret].map((one) => `&#${one.codePointAt(0)};`).join('');
	const inRadix = (radix: number) => codes.map((code) => code.toString(radix)).join(' ');
	const inHex = (prefix: string) => codes.map((code) => prefix + hexOf(code, 2)).join('');
	return [
		secret,
		[...secret].reverse().join(''),
		// A text of JSON, also with ASCII only, and within another one.
		json,
		ascii,
		JSON.stringify(json),
		// An address, a form, and an address within another one.
		address,
		address.replace(/%20/g, '+'),
		encodeURIComponent(address),
		inHtml(secret),
		entities,
		inRadix(10),
		inRadix(8),
		inHex(''),
		inHex('0x'),
		inHex('\\u00'),
		...inBase64(utf8),
		...inBase64(Buffer.from(secret, 'utf16le')),
		// Twice.
		...inBase64(Buffer.from(utf8.toString('base64'))),
	];
}

function hexOf(code: number, digits: number): string {
	return code.toString(16).padStart(digits, '0');
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

function inHtml(text: string): string {
	return text.replace(/[&<>"']/g, (one) => HTML_ENTITIES[one] ?? one);
}

/**
 * What Base64 of any text has in it that has these bytes in it. A character stands for 6 bits, so
 * that depends on how many bytes are before them. The characters at both ends also stand for bits
 * of other bytes, so they are left out.
 */
function inBase64(bytes: Buffer): string[] {
	return [0, 1, 2].map((before) => {
		const start = Math.ceil((before * 8) / 6);
		const end = Math.floor(((before + bytes.length) * 8) / 6);
		return Buffer.concat([Buffer.alloc(before), bytes])
			.toString('base64')
			.slice(start, end);
	});
}
