import { parseTime } from '../../data/times';
import { EARLIEST_MS } from '../retention';
import type { Sign } from './signs';
import {
	answer,
	before,
	budgets,
	counts,
	edges,
	ends,
	further,
	identifiers,
	others,
	pages,
} from './subjects';

/** `2/300`, `2 of 300` and `1-2 of 300`. */
export const PART_OF_ALL = /^(?:\d{1,9} ?- ?)?\d{1,9} ?(?:\/|of) ?(\d{1,15})$/;

/** Whether a value says anything at all. */
export function isFilled(text: string): boolean {
	return !['', '0', '-1', 'false', 'null', 'undefined', '{}', '[]'].includes(text.toLowerCase());
}

/**
 * Whether a sign leads on by its words, such as `older` or `remaining`, although no convention says
 * how. Whatever else the answer says, it may mean that there are more records.
 *
 * @param read how many records are on the page
 */
export function leadsOn(sign: Sign, read: number): boolean {
	const { role, name, text, number } = sign;
	const words = wordsIn(name);
	if (isElsewhere(sign)) return false;
	// `isFinished: false`
	if (text.toLowerCase() === 'false') return hasOneOf(ends, words);
	if (!isFilled(text) || isDecimal(text)) return false;
	// A convention explains the number. A flag that is a number is not explained.
	if (role !== undefined && role !== 'more' && number >= 0) return false;
	if (Number(PART_OF_ALL.exec(text)?.[1]) > read) return true;
	if (hasOneOf(further, words)) return true;
	// A number of one page, or of no more records than were read, does not lead on.
	if (hasOneOf(pages, words)) return !(number <= 1 || number === read);
	return hasOneOf(counts, words) && !(number <= read);
}

/**
 * Whether nobody can know what a sign means, so that it may mean that there are more records. What
 * is not known to be harmless may: a list that is taken for whole can hide a recording until it is
 * purged.
 *
 * @param read how many records are on the page
 */
export function isUnknown(sign: Sign, read: number): boolean {
	const { role, name, path, text, number } = sign;
	if (isElsewhere(sign) || !isFilled(text) || isDecimal(text)) return false;
	// On a page that was not asked for by its cursor, it may be that of the next one.
	if (role === 'current') return true;
	// A convention explains the name, although not this value, such as a `limit` in words.
	if (role !== undefined) return false;
	const words = wordsIn(name);
	const around = wordsAround(path);
	// With the identifier of a record, the next page can be asked for.
	if (hasOneOf(identifiers, words)) {
		if (hasOneOf(further, around)) return true;
		if (hasOneOf(edges, words)) return isOpaque(text);
	}
	// As many as were read are the ones that were read.
	if (number === read) return false;
	if (hasOneOf(answer, words) || hasOneOf(others, [...words, ...around])) return false;
	if (isTime(text)) return false;
	// A number, a flag or a cursor may mean more. A plain word only says what something is.
	const isInPaging = hasOneOf(further, around) || hasOneOf(pages, around);
	return number >= 0 || text.toLowerCase() === 'true' || isOpaque(text) || isInPaging;
}

/** Whether it is about something else, or about a page that comes before. */
function isElsewhere({ name, path }: Sign): boolean {
	const words = wordsIn(name);
	return hasOneOf(budgets, [...words, ...wordsAround(path)]) || hasOneOf(before, words);
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

/** A part is no number of records. */
function isDecimal(text: string): boolean {
	return /^-?\d{1,15}\.\d+$/.test(text);
}

function isTime(text: string): boolean {
	const number = Number(text);
	return parseTime(Number.isNaN(number) ? text : number) >= EARLIEST_MS;
}

/** Whether a text looks like a cursor: one piece with a digit, and no address or list. */
function isOpaque(text: string): boolean {
	return /\d/.test(text) && !/[\s/@[{]/.test(text);
}
