import { plainName } from '../../data/json';
import type { FoundList } from './findList';
import type { Headers, Hint } from './hints';
import { hintsIn } from './hints';
import { CURSOR, LAST, mayMeanMore, MORE, NEXT, OFFSET, PAGE, PAGES, SIZE, TOTAL } from './names';

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

/** Reads what the answers say about further pages. Which names count is in a table. */
export function furtherPages(): (page: ReadPage) => Further {
	/** Pages and positions are counted from 0 or from 1. */
	const firsts = new Map<string, number>();
	return ({ found, headers, query, isFirst }) => {
		const hints = hintsIn(found, headers);
		const read = found.records.length;
		const reference = hints.find(isReference);
		const asked = reference ? queryOf(reference) : nextPosition(hints, read, firsts);
		if (asked) return { next: { ...query, ...asked } };

		// After several pages, a total that does not match comes from deletions in between.
		const proof = hints.find(
			(hint) => hint === reference || saysMore(hint) || (isFirst && countsMore(hint, read)),
		);
		if (proof) return { more: inWords(proof) };
		const unclear = hints.find((hint) => isUnclear(hint, read)) ?? lastElsewhere(hints, query);
		if (unclear) return { unclear: inWords(unclear) };
		return isFull(hints, read, query) ? { unclear: 'the page is full' } : {};
	};
}

function inWords({ path, value }: Hint): string {
	const text = typeof value === 'object' ? 'not empty' : String(value).slice(0, 40);
	return `the field '${path}' is ${text}`;
}

/** Whether it names the next page. A mere flag does not. */
function isReference({ plain, value }: Hint): boolean {
	return (NEXT.has(plain) || CURSOR.has(plain)) && isFilled(value) && flagIn(value) === undefined;
}

/** Only the query of an address is used. Host and path stay ours, so that the API key goes nowhere else. */
function queryOf({ plain, value }: Hint): PageQuery | undefined {
	if (typeof value === 'object') return undefined;
	const text = String(value);
	const parameter = CURSOR.get(plain);
	if (parameter) return { [parameter]: text };
	const isAddress = text.includes('?') || text.includes('/');
	if (isAddress) return queryOfAddress(text);
	return /^\d+$/.test(text) || plain === 'nextpage' ? { page: text } : { cursor: text };
}

/** The query of an address; `undefined` if it has none. */
export function queryOfAddress(text: string): PageQuery | undefined {
	const query = /\?([^#]+)/.exec(text)?.[1];
	return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

/** The next page by its number or position, if the answer says that there is one. */
function nextPosition(
	hints: Hint[],
	read: number,
	firsts: Map<string, number>,
): PageQuery | undefined {
	const total = countIn(hints, TOTAL);
	const size = countIn(hints, SIZE) ?? read;
	const pages = countIn(hints, PAGES) ?? (total && Math.ceil(total / size));
	const steps = [
		{ parameters: PAGE, step: 1, end: pages },
		{ parameters: OFFSET, step: read, end: total },
	];
	for (const { parameters, step, end } of read === 0 ? [] : steps) {
		const here = hints.find(
			({ plain, value }) => parameters.has(plain) && Number.isFinite(numberIn(value)),
		);
		if (!here) continue;
		const position = numberIn(here.value);
		const first = firsts.get(here.plain) ?? Math.min(position, 1);
		firsts.set(here.plain, first);
		const isLast = end === undefined ? !hints.some(saysMore) : position - first + step >= end;
		return isLast
			? undefined
			: { [parameters.get(here.plain) ?? here.plain]: String(position + step) };
	}
	return undefined;
}

function countIn(
	hints: Array<Pick<Hint, 'plain' | 'value'>>,
	table: ReadonlySet<string>,
): number | undefined {
	const named = hints.filter(({ plain }) => table.has(plain));
	return named.map(({ value }) => numberIn(value)).find((count) => count > 0);
}

/** NaN for anything but a whole number, which may be text. */
function numberIn(value: unknown): number {
	return /^\d{1,15}$/.test(textOf(value)) ? Number(value) : NaN;
}

function saysMore({ plain, value }: Hint): boolean {
	const flag = flagIn(value);
	return (flag === true && MORE.has(plain)) || (flag === false && LAST.has(plain));
}

function countsMore({ plain, value }: Hint, read: number): boolean {
	return (TOTAL.has(plain) && numberIn(value) > read) || (PAGES.has(plain) && numberIn(value) > 1);
}

/** Not of an object, whose text may be anything. */
function textOf(value: unknown): string {
	return typeof value === 'object' ? '' : String(value);
}

function flagIn(value: unknown): boolean | undefined {
	const text = textOf(value).toLowerCase();
	return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

function isFilled(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
	return !['', '0', '-1', 'false', 'null', 'undefined'].includes(String(value));
}

/** Whether it may mean that there are more, and nothing explains it. */
function isUnclear({ name, plain, value, isHeader }: Hint, read: number): boolean {
	if (isHeader || !mayMeanMore(name) || !isFilled(value) || numberIn(value) === read) return false;
	const isNumber = !Number.isNaN(numberIn(value));
	const isExplained = [PAGE, OFFSET, PAGES, SIZE, TOTAL].some((table) => table.has(plain));
	return !(isExplained && isNumber);
}

/** A link to a last page that is not this one, if nothing is said about the next page. */
function lastElsewhere(hints: Hint[], query: PageQuery): Hint | undefined {
	const last = hints.find(({ plain, value }) => plain === 'last' && textOf(value).includes('?'));
	if (!last || hints.some(({ plain }) => NEXT.has(plain))) return undefined;
	const same = hints.filter(({ plain }) => plain === 'self' || plain === 'first');
	const addresses = [
		...same.map(({ value }) => value),
		`?${new URLSearchParams(query).toString()}`,
	];
	const isHere = addresses.some((one) => queryText(one) === queryText(last.value));
	return isHere ? undefined : last;
}

function queryText(address: unknown): string {
	return new URLSearchParams(textOf(address).replace(/^.*?\?/s, '')).toString();
}

/** Whether the page has as many records as a page can have, and nothing says whether there are more. */
function isFull(hints: Hint[], read: number, query: PageQuery): boolean {
	const asked = Object.entries(query).map(([name, value]) => ({ plain: plainName(name), value }));
	// A field `size` may be the number of these records.
	const said = hints.filter(({ plain }) => plain !== 'size');
	const size = countIn([...said, ...asked], SIZE);
	const saysEnd = ({ plain, value }: Hint) =>
		[NEXT, CURSOR, MORE, LAST, PAGES].some((table) => table.has(plain)) ||
		(TOTAL.has(plain) && plain !== 'count' && numberIn(value) === read);
	return size !== undefined && read >= size && !hints.some(saysEnd);
}
