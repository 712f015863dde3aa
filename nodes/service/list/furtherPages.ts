import type { FoundList } from './findList';
import type { Headers, Hint } from './hints';
import { hintsIn } from './hints';
import { meaningOf } from './names';

/** The query parameters of a request for one page. */
export type PageQuery = Record<string, string>;

/** An answer with a page of a list. */
export interface ReadPage {
	found: FoundList;
	json: unknown;
	headers: Headers;
	/** What the page was asked for with. */
	query: PageQuery;
	isFirst: boolean;
}

/** What follows a page; nothing, if nothing shows that there are more records. */
export interface Further {
	/** Asks for the next page. */
	next?: PageQuery;
	/** What shows that there are more, in words, although no next page can be asked for. */
	more?: string;
	/** What may mean that there are more, in words. */
	unclear?: string;
}

/** Texts of values that say nothing. */
const NOTHING = ['', '0', '-1', 'false', 'null', 'undefined', '{}'];

/** Reads what the answers say about further pages. Which names count is in a table. */
export function furtherPages(): (page: ReadPage) => Further {
	/** Pages and positions are counted from 0 or from 1. */
	let first = 1;
	return ({ found, json, headers, query, isFirst }) => {
		const hints = hintsIn(json, headers);
		const read = found.records.length;
		const here = positionIn(hints);
		if (isFirst && here) first = Math.min(here.number, 1);
		const reference = hints.find(isReference);
		const next = reference ? queryOf(reference) : here && nextPosition(hints, read, here, first);
		if (next) return { next: { ...query, ...next } };

		// After several pages, a total that does not match comes from deletions in between.
		const counts = isFirst ? hints.filter((hint) => countsMore(hint, read)) : [];
		const more = reference ?? hints.find(saysMore) ?? counts[0];
		if (more) return { more: inWords(more) };
		const unclear = hints.find((hint) => isUnclear(hint, read)) ?? lastElsewhere(hints, query);
		if (unclear) return { unclear: inWords(unclear) };
		return isFull(hints, read, query) ? { unclear: 'the page is full' } : {};
	};
}

function inWords({ path, text }: Hint): string {
	return `the field '${path}' is ${text.slice(0, 40)}`;
}

/** Whether it names the next page. A mere flag does not. */
function isReference({ role, text }: Hint): boolean {
	return (role === 'next' || role === 'cursor') && isFilled(text) && !isFlag(text, true);
}

function isFilled(text: string): boolean {
	return !NOTHING.includes(text.toLowerCase());
}

function isFlag(text: string, flag: boolean): boolean {
	return text.toLowerCase() === String(flag);
}

/** Only the query of an address is used. Host and path stay ours, so that the API key goes nowhere else. */
function queryOf({ role, parameter, text, number }: Hint): PageQuery | undefined {
	if (parameter === undefined) return undefined;
	if (role === 'cursor') return { [parameter]: text };
	if (text.includes('?') || text.includes('/')) return queryOfAddress(text);
	return { [number >= 0 ? 'page' : parameter]: text };
}

/** The query of an address; `undefined` if it has none. */
export function queryOfAddress(text: string): PageQuery | undefined {
	const query = /\?([^#]+)/.exec(text)?.[1];
	return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

/** The number of this page, or the position of its first record. */
function positionIn(hints: Hint[]): Hint | undefined {
	const positions = hints.filter(({ number }) => number >= 0);
	return (
		positions.find(({ role }) => role === 'page') ?? positions.find(({ role }) => role === 'offset')
	);
}

/** The next page by its number or position, if the answer says that there is one. */
function nextPosition(
	hints: Hint[],
	read: number,
	{ role, parameter = '', number }: Hint,
	first: number,
): PageQuery | undefined {
	if (read === 0) return undefined;
	const total = countIn(hints, 'total');
	const size = countIn(hints, 'size') ?? read;
	const pages = countIn(hints, 'pages') ?? (total && Math.ceil(total / size));
	const step = role === 'page' ? 1 : read;
	const end = role === 'page' ? pages : total;
	const isLast = end === undefined ? !hints.some(saysMore) : number - first + step >= end;
	return isLast ? undefined : { [parameter]: String(number + step) };
}

function countIn(hints: Hint[], role: Hint['role']): number | undefined {
	return hints.find((hint) => hint.role === role && hint.number > 0)?.number;
}

function saysMore({ name, role, text }: Hint): boolean {
	const isLast = role === 'last' || name === 'lastpage';
	return (role === 'more' && isFlag(text, true)) || (isLast && isFlag(text, false));
}

function countsMore({ role, number }: Hint, read: number): boolean {
	return (role === 'total' && number > read) || (role === 'pages' && number > 1);
}

/** Whether it may mean that there are more, and nothing explains it. */
function isUnclear({ role, text, number, mayMeanMore }: Hint, read: number): boolean {
	if (!mayMeanMore || !isFilled(text) || number === read) return false;
	const isExplained = role !== undefined && role !== 'more' && number >= 0;
	return !isExplained;
}

/** A link to a last page that is not this one, if nothing is said about the next page. */
function lastElsewhere(hints: Hint[], query: PageQuery): Hint | undefined {
	if (hints.some(({ role }) => role === 'next')) return undefined;
	const here = hints.filter(({ name }) => name === 'self' || name === 'first');
	return hints.find(({ name, text }) => {
		if (name !== 'last' || here.some((hint) => hint.text === text)) return false;
		const asked = Object.entries(queryOfAddress(text) ?? {});
		return asked.some(([parameter, value]) => query[parameter] !== value);
	});
}

/** Whether the page has as many records as a page can have, and nothing says whether there are more. */
function isFull(hints: Hint[], read: number, query: PageQuery): boolean {
	const asked = Object.entries(query).filter(([name]) => meaningOf(name)?.role === 'size');
	// A field `size` may be the number of these records.
	const said = countIn(
		hints.filter(({ name }) => name !== 'size'),
		'size',
	);
	const size = said ?? Number(asked[0]?.[1]);
	const isSaid = hints.some(
		({ name, role = 'size', number }) =>
			!['size', 'page', 'offset', 'total'].includes(role) ||
			(role === 'total' && name !== 'count' && number === read),
	);
	return read >= size && !isSaid;
}
