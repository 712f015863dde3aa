import { comparedNumbers, internationalNumber } from './phoneNumbers';

/** Fields that hold phone numbers, in the records of services and in the ledger. */
const NUMBER_FIELDS: readonly string[] = ['to', 'from', 'number', 'caller'];

/** No text with one number is longer. */
const MAX_LENGTH = 100;
/** No number has more digits, even with an extension. A session GUID may have 32. */
const MAX_DIGITS = 24;
/** As many digits as one telephone of an area has. */
const END_LENGTH = 6;
/** The prefix that is dialed within a country only. */
const TRUNK_ZERO = /\(\s*0\s*\)/g;
/** An address, such as `sip:+49301234567;user=phone@192.0.2.1:5060` and `tel:+49-30-1234567`. */
const ADDRESS = /^[^,]*(?:sips?|tel):([^@>?:,]*)[^,]*$/i;
/** A parameter in front of the host, without those that dial further digits. */
const OTHER_PARAMETER = /;(?!ext|isub)[^;]*/gi;
/** What stands in front of an extension. */
const EXTENSION = /;?(?:ext(?:ension)?|isub|x)[.=:]?/gi;
const LETTER = /\p{L}/u;

/**
 * Whether something has the number: certainly, perhaps (the same telephone may be written in
 * another way), as a part of a longer number, or not at all.
 */
export type Match = 'same' | 'unclear' | 'part' | 'none';
const BEST_FIRST: readonly Match[] = ['same', 'unclear', 'part', 'none'];

/** A number that somebody looks for, and how it was understood. */
export interface Wanted {
	/** As it is written, at most 100 characters. */
	lookedFor: string;
	/** In international form, if that is certain. */
	readAs: string | null;
	/**
	 * A pattern for the `like` of databases. It finds more than the number: its last digits, in this
	 * order, whatever is between them. `null` for a text that is not a number.
	 */
	pattern: string | null;
}

export interface MatchedNumber {
	match: Match;
	/** The number that matches, as it is written. */
	matched: string | null;
}

export function wantedNumber(number: unknown): Wanted {
	const lookedFor = String(number ?? '')
		.slice(0, MAX_LENGTH)
		.trim();
	const readAs = international(lookedFor) ?? null;
	const digits = isNumberLike(lookedFor) ? lastDigits(readAs ?? lookedFor) : '';
	const pattern = digits === '' ? null : `%${[...digits].join('%')}%`;
	return { lookedFor, readAs, pattern };
}

/** The best match among the fields of a record that hold phone numbers, at any depth. */
export function matchNumber(wanted: Wanted, record: unknown): MatchedNumber {
	let best: MatchedNumber = { match: 'none', matched: null };
	if (wanted.pattern === null) return best;
	for (const written of numbersIn(record)) {
		const match = compare(wanted, written);
		if (BEST_FIRST.indexOf(match) < BEST_FIRST.indexOf(best.match)) {
			best = { match, matched: written.text };
		}
	}
	return best;
}

interface WrittenNumber {
	text: string;
	/** Whether it is the value of such a field. What is below one may be something else. */
	isDirect: boolean;
}

/** Where a value is: in a field of that kind, below one, or elsewhere. */
type Place = 'direct' | 'below' | 'elsewhere';

function numbersIn(value: unknown, place: Place = 'elsewhere'): WrittenNumber[] {
	if (value === null || value === undefined) return [];
	if (typeof value !== 'object') return writtenNumbers(value, place);
	const below = place === 'elsewhere' ? 'elsewhere' : 'below';
	return Object.entries(value).flatMap(([name, one]) => {
		if (Array.isArray(value)) return numbersIn(one, place);
		return numbersIn(one, NUMBER_FIELDS.includes(name.toLowerCase()) ? 'direct' : below);
	});
}

function writtenNumbers(value: unknown, place: Place): WrittenNumber[] {
	if (place === 'elsewhere') return [];
	const text = String(value).trim();
	// A column of a table takes an object as JSON.
	const parsed = /^[[{]/.test(text) ? parsedJson(text) : undefined;
	return parsed ? numbersIn(parsed, place) : [{ text, isDirect: place === 'direct' }];
}

function parsedJson(text: string): object | undefined {
	try {
		return JSON.parse(text) as object;
	} catch {
		return undefined;
	}
}

function compare({ lookedFor, readAs }: Wanted, { text, isDirect }: WrittenNumber): Match {
	const other = international(text);
	const isWrittenAlike = isDirect && withoutSpaces(text) === withoutSpaces(lookedFor);
	if (isWrittenAlike || (readAs !== null && other === readAs)) return 'same';
	if (mayBeSame({ lookedFor, readAs, text, other })) return 'unclear';
	return isDirect && isPart(readAs ?? lookedFor, other ?? text) ? 'part' : 'none';
}

function withoutSpaces(text: string): string {
	return text.normalize('NFKC').replace(/[\s\p{Cf}]/gu, '');
}

interface Pair {
	lookedFor: string;
	readAs: string | null;
	text: string;
	other: string | undefined;
}

/** Whether two numbers may reach one telephone, though they are written in different forms. */
function mayBeSame({ lookedFor, readAs, text, other }: Pair): boolean {
	const telephones = comparedNumbers(readAs);
	if (comparedNumbers(numberIn(text)).some((one) => telephones.includes(one))) return true;
	// Two numbers of the same length, or of two countries, are two telephones.
	const areOthers =
		readAs !== null &&
		other !== undefined &&
		(readAs.length === other.length || readAs.slice(0, 3) !== other.slice(0, 3));
	if (areOthers) return false;
	// One of them may have something behind it, such as an extension, or before it.
	const wantedEnd = endsOf(readAs ?? lookedFor).at(-1) ?? '';
	const end = endsOf(other ?? text).at(-1) ?? '';
	const isLong = end.length === END_LENGTH;
	return endsOf(text).includes(wantedEnd) || (isLong && endsOf(lookedFor).includes(end));
}

/** Of each group of digits, the last digits up to its end. */
function endsOf(text: string): string[] {
	let end = '';
	const groups = text.normalize('NFKC').match(/\d+/g) ?? [];
	return groups.map((group) => {
		end = (end + group).slice(-END_LENGTH);
		return end;
	});
}

function isPart(wanted: string, text: string): boolean {
	return digitsOf(text).includes(digitsOf(wanted));
}

/** The digits, without zeros in front of them: they are not dialed from everywhere. */
function digitsOf(text: string): string {
	return text.normalize('NFKC').replace(TRUNK_ZERO, '').replace(/\D/g, '').replace(/^0+/, '');
}

/** A number as + and digits; `undefined` if that would be guessed. */
function international(text: string): string | undefined {
	return text.length > MAX_LENGTH ? undefined : internationalNumber(numberIn(text));
}

/** A text without what makes it an address. */
function numberIn(text: string): string {
	const [, address] = (text.length <= MAX_LENGTH && ADDRESS.exec(text)) || [];
	return (address?.replace(OTHER_PARAMETER, '').replace(/%2B/i, '+') ?? text).normalize('NFKC');
}

function isNumberLike(text: string): boolean {
	const number = numberIn(text).replace(EXTENSION, '');
	const digits = digitsOf(number);
	return digits !== '' && digits.length <= MAX_DIGITS && !LETTER.test(number);
}

/** The last digits of a number, as far as they are not an extension. */
function lastDigits(text: string): string {
	const [number = ''] = numberIn(text).split(/[\p{L};,#]/u);
	const [, base = ''] = /^(.*\d)\D+\d{1,2}\D*$/.exec(number) ?? [];
	// Behind a hyphen or a slash, a few digits may be an extension.
	const digits = digitsOf(base);
	return (digits.length >= 8 ? digits : digitsOf(number)).slice(-END_LENGTH);
}
