import { EARLIEST_MS, parseTime } from '../../data/times';
import type { Sign } from './signs';
import * as subjects from './subjects';

/** `2/300`, `2 of 300` and `1-2 of 300`. */
export const PART_OF_ALL = /^(?:\d{1,9} ?- ?)?\d{1,9} ?(?:\/|of) ?(\d{1,15})$/;

/** Whether a value says anything at all. */
export function isFilled(text: string): boolean {
	return !['', '0', '-1', 'false', 'null', 'undefined', '{}', '[]'].includes(text.toLowerCase());
}

/**
 * Whether a sign hints at more records by its words, such as `older` or `remaining`, although no
 * convention says how. It counts whatever else the answer says.
 *
 * @param pageRecords how many records are on the page
 */
export function hintsAtMore(sign: Sign, pageRecords: number): boolean {
	const { role, name, text, number } = sign;
	const words = wordsIn(name);
	if (isElsewhere(sign)) return false;

	// `isFinished: false`
	if (text.toLowerCase() === 'false') return hasOneOf(subjects.ends, words);
	if (!isFilled(text) || isDecimal(text)) return false;

	// A convention explains `limit: 50`. It does not explain `hasMore: 5`.
	if (role !== undefined && role !== 'more' && number !== undefined) return false;

	// `shown: "2 of 300"`
	const all = PART_OF_ALL.exec(text)?.[1];
	if (all !== undefined && Number(all) > pageRecords) return true;

	if (hasOneOf(subjects.further, words)) return true;

	// `pagesInAll: 1` is nothing beyond this page, nor is a page size of as many records as it has
	// (`pageLength: 25`).
	if (hasOneOf(subjects.pages, words)) {
		return number === undefined || (number > 1 && number !== pageRecords);
	}
	// Nor is a number of no more records than are on this page.
	if (hasOneOf(subjects.counts, words)) return number === undefined || number > pageRecords;
	return false;
}

/**
 * Whether nobody can know what a sign means, so that it may mean that there are more records. A
 * sign counts as long as it is not known to be harmless: a list that is taken for whole can hide a
 * recording until it is purged.
 *
 * @param pageRecords how many records are on the page
 */
export function isUnknown(sign: Sign, pageRecords: number): boolean {
	const { role, name, path, text } = sign;
	if (isElsewhere(sign) || !isFilled(text) || isDecimal(text)) return false;

	// It does not repeat the query (see `Role`), so it may be the cursor of the next page.
	if (role === 'currentCursor') return true;
	// A convention explains the name, although not this value, such as a `limit` in words.
	if (role !== undefined) return false;

	// The identifier of a record, from which the next page may be asked for. In an object about
	// paging, such as `paging.id`, it has no other use. The name alone, such as `lastId`, may have
	// one, so there the value must look like a cursor too.
	const words = wordsIn(name);
	const isIdentifier = hasOneOf(subjects.identifiers, words);
	if (isIdentifier && hasOneOf(subjects.further, wordsAround(path))) return true;
	if (isIdentifier && hasOneOf(subjects.edges, words)) return looksLikeCursor(text);

	return !isHarmless(sign, pageRecords) && mayMeanMore(sign);
}

/**
 * Whether it is about something else that is counted, such as `quota.remaining`, or about a page
 * that comes before. Unlike the subjects in isHarmless(), these use the same words as paging.
 */
function isElsewhere({ name, path }: Sign): boolean {
	const words = wordsIn(name);
	const all = [...words, ...wordsAround(path)];
	return hasOneOf(subjects.budgets, all) || hasOneOf(subjects.before, words);
}

/** Whether it counts this page, is about the answer or about something else, or is a time. */
function isHarmless({ name, path, text, number }: Sign, pageRecords: number): boolean {
	const words = wordsIn(name);
	return (
		number === pageRecords ||
		hasOneOf(subjects.answer, words) ||
		hasOneOf(subjects.others, [...words, ...wordsAround(path)]) ||
		isTime(text)
	);
}

/** Whether it is a number, a flag, a cursor, or about paging. A plain word only says what it is. */
function mayMeanMore({ path, text, number }: Sign): boolean {
	const around = wordsAround(path);
	return (
		number !== undefined ||
		text.toLowerCase() === 'true' ||
		looksLikeCursor(text) ||
		hasOneOf(subjects.further, around) ||
		hasOneOf(subjects.pages, around)
	);
}

function hasOneOf(known: ReadonlySet<string>, words: string[]): boolean {
	return words.some((word) => known.has(word));
}

/** The words of a name: `next_page-ID` and `nextPageId` have three. */
function wordsIn(name: string): string[] {
	return name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\d]/u);
}

/** The words in the names of the objects around it. */
function wordsAround(path: string): string[] {
	return path.split('.').slice(0, -1).flatMap(wordsIn);
}

/** Whether a text is a number with decimals, which counts no records. */
function isDecimal(text: string): boolean {
	return /^-?\d{1,15}\.\d+$/.test(text);
}

function isTime(text: string): boolean {
	const number = Number(text);
	return parseTime(Number.isNaN(number) ? text : number) >= EARLIEST_MS;
}

/** Whether a text looks like a cursor: one piece with a digit, and no address or list. */
function looksLikeCursor(text: string): boolean {
	return /\d/.test(text) && !/[\s/@[{]/.test(text);
}
