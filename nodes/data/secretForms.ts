/**
 * A shorter text, or a number, may well be something else, so it is not looked for within other
 * letters and digits.
 */
const MIN_CHARS = 8;
/** An even shorter one is recognized only alone. */
const MIN_CHARS_OF_WORD = 4;
/** Forms are looked up by so many characters, which each of them has. */
const START_CHARS = MIN_CHARS;

/** What is around a secret that is only a part of something longer. */
const PART_BEFORE = /[\p{L}\p{N}]$|\d[-:.]$/u;
const PART_AFTER = /^[\p{L}\p{N}]|^[-:.]\d/u;

/**
 * Whether a text has one of these secrets in it.
 *
 * @param what the text is; a value by default
 */
export type Holds = (text: string, what?: 'name' | 'value') => boolean;

/**
 * A password that is a word, such as `Recording`. The names of fields have words in them, and
 * without its name, a session GUID would not be found and the recording be lost.
 */
const WORD = /^\p{L}?\p{Ll}+$|^\p{Lu}+$/u;

/** The finders that were made last: those of an account are asked for with each item. */
const findersBySecrets = new Map<string, Holds>();
const MAX_REMEMBERED = 50;

/**
 * How to find secrets in the texts of items: as they are, backwards, with anything between their
 * characters, and as JSON, addresses, HTML, numbers, Base64 or Base64 in something longer write
 * them, also if one of these writes what another one has written. What is found is hidden, so
 * nothing else may be: each form is looked for in full. For the texts of errors, of which nothing
 * has to be shown, see `mayHold`.
 *
 * A secret that is short or has digits only is found only where nothing but it stands, so that a
 * password such as `2026` leaves times and phone numbers alone.
 */
export function finderOf(secrets: readonly string[]): Holds {
	const key = JSON.stringify(secrets);
	const known = findersBySecrets.get(key);
	if (known) return known;
	const finder = newFinder(secrets);
	if (findersBySecrets.size >= MAX_REMEMBERED) findersBySecrets.clear();
	findersBySecrets.set(key, finder);
	return finder;
}

function newFinder(secrets: readonly string[]): Holds {
	const filled = secrets.filter((secret) => secret !== '');
	const inValues = finderIn(filled);
	const inNames = finderIn(filled.filter((secret) => isWord(secret) && !WORD.test(secret)));
	return (text, what) => (what === 'name' ? inNames(text) : inValues(text));
}

function finderIn(secrets: readonly string[]): (text: string) => boolean {
	const alone = new Set(secrets);
	const words = secrets.filter(isWord).flatMap((secret) => [secret, ...encodedWords(secret)]);
	const lowerWords = [...new Set(words.map((word) => word.toLowerCase()))];
	const formsByStart = new Map<string, string[]>();
	for (const form of new Set(secrets.filter(isDistinct).flatMap(foundForms))) {
		const start = form.slice(0, START_CHARS);
		formsByStart.set(start, [...(formsByStart.get(start) ?? []), form]);
	}
	const shortest = Math.min(START_CHARS, ...secrets.map(({ length }) => length));
	return (text) => {
		// Most texts of a long list are done here.
		if (secrets.length === 0 || text.length < shortest) return false;
		if (alone.has(text)) return true;
		const lower = text.toLowerCase();
		if (lowerWords.some((word) => standsIn(lower, word))) return true;
		return formsByStart.size > 0 && hasForm(lettersAndDigits(text), formsByStart);
	};
}

/** Whether one of the forms is in a text, which is gone through once. */
function hasForm(plain: string, formsByStart: ReadonlyMap<string, readonly string[]>): boolean {
	for (let at = 0; at + START_CHARS <= plain.length; at++) {
		const forms = formsByStart.get(plain.slice(at, at + START_CHARS)) ?? [];
		if (forms.some((form) => plain.startsWith(form, at))) return true;
	}
	return false;
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

/**
 * What a secret that is short may be written as. In full, and as a word: Base64 of four characters
 * has eight.
 */
function encodedWords(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const base64 = bytes.toString('base64').replace(/={1,2}$/, '');
	return [base64, bytes.toString('base64url'), bytes.toString('hex'), inAddress(secret)];
}

/** All forms of a secret as letters and digits, also one form within another. */
function foundForms(secret: string): string[] {
	const once = formsOf(secret);
	const all = [...once, ...once.flatMap(outerFormsOf)];
	return [...new Set(all.map(lettersAndDigits))].filter(({ length }) => length >= START_CHARS);
}

/** How others write what is already written in some form. */
function outerFormsOf(form: string): string[] {
	const utf8 = Buffer.from(form);
	return [inAddress(form), JSON.stringify(form), utf8.toString('hex'), ...inBase64(utf8)];
}

/** How others write a secret. What is between the characters does not matter. */
function formsOf(secret: string): string[] {
	const utf8 = Buffer.from(secret);
	const codes = Array.from(utf8);
	const address = inAddress(secret);
	const json = JSON.stringify(secret).slice(1, -1);
	const ascii = json.replace(/[^ -~]/g, (one) => `\\u${hexOf(one.charCodeAt(0), 4)}`);
	const entities = [...secret].map((one) => `&#${one.codePointAt(0)};`).join('');
	const hexEntities = [...secret].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join('');
	const inRadix = (radix: number) => codes.map((code) => code.toString(radix)).join(' ');
	const inHex = (prefix: string) => codes.map((code) => prefix + hexOf(code, 2)).join('');
	return [
		secret,
		[...secret].reverse().join(''),
		// A text of JSON, also with ASCII only.
		json,
		ascii,
		// An address, and a form.
		address,
		address.replace(/%20/g, '+'),
		inHtml(secret),
		entities,
		hexEntities,
		inRadix(10),
		inRadix(8),
		codes.map((code) => code.toString(2).padStart(8, '0')).join(' '),
		inHex(''),
		inHex('').toUpperCase(),
		inHex('0x'),
		inHex('\\u00'),
		// With what Base64 adds to a number of bytes that three does not divide.
		utf8.toString('base64'),
		...inBase64(utf8),
		...inBase64(Buffer.from(secret, 'utf16le')),
	];
}

/** From the bytes, because half of a pair of surrogates cannot be in an address. */
function inAddress(text: string): string {
	return encodeURIComponent(Buffer.from(text).toString());
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
