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
 * How to find secrets in texts of others: as they are, backwards, with anything between their
 * characters, and as JSON, addresses, HTML, numbers, Base64 or Base64 in something longer write
 * them.
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
		if (text.length < shortest) return false;
		const lower = text.toLowerCase();
		if (alone.has(text) || words.some((word) => standsIn(lower, word))) return true;
		const plain = forms.length > 0 ? lettersAndDigits(text) : '';
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

/** Whether it can only be meant wherever its letters and digits are. */
function isDistinct(secret: string): boolean {
	const plain = lettersAndDigits(secret);
	return [...plain].length >= MIN_CHARS && /\p{L}/u.test(plain);
}

function isWord({ length }: string): boolean {
	return length >= MIN_CHARS_OF_WORD;
}

/** Whether it stands somewhere where it is not a part of a longer word, number or time. */
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

function formsOf(secret: string): string[] {
	const utf8 = Buffer.from(secret);
	const codes = Array.from(utf8);
	// From the bytes, because half of a pair of surrogates cannot be in an address.
	const address = encodeURIComponent(utf8.toString());
	const json = JSON.stringify(secret).slice(1, -1);
	const ascii = json.replace(/[^ -~]/g, (one) => `\\u${hexOf(one.charCodeAt(0), 4)}`);
	return [
		secret,
		[...secret].reverse().join(''),
		...[json, ascii, JSON.stringify(json)],
		...[address, address.replace(/%20/g, '+'), encodeURIComponent(address)],
		...[inHtml(secret), [...secret].map((one) => `&#${one.codePointAt(0)};`).join('')],
		...[10, 8].map((radix) => codes.map((code) => code.toString(radix)).join(' ')),
		...['', '0x', '\\u00'].map((prefix) => codes.map((code) => prefix + hexOf(code, 2)).join('')),
		...[utf8, Buffer.from(secret, 'utf16le'), Buffer.from(utf8.toString('base64'))].flatMap(
			inBase64,
		),
	];
}

function hexOf(code: number, digits: number): string {
	return code.toString(16).padStart(digits, '0');
}

function inHtml(text: string): string {
	const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
	return text.replace(/[&<>"']/g, (one) => entities[one as keyof typeof entities]);
}

/**
 * What Base64 of any text has in it that has these bytes in it: it depends on how many bytes are
 * before them.
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
