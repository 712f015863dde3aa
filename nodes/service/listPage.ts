import type { FoundList } from './listSearch';
import type { JsonObject } from './payload';
import { booleanIn, isJsonObject } from './payload';

/** The query parameters of a request for one page. */
export type PageQuery = Record<string, string>;

/** The headers of an answer, by name in lower case. */
export type Headers = Readonly<Record<string, unknown>>;

/** What an answer says about the pages of a list. Numbers are `undefined` if it does not have them. */
export interface ListPage {
	/** Asks for the next page; `undefined` if nothing points to one. */
	next: PageQuery | undefined;
	/** Whether there are more records; `undefined` if the answer does not say. */
	hasMore: boolean | undefined;
	/** The number or offset of the page. */
	start: number | undefined;
	pageSize: number | undefined;
	pages: number | undefined;
	total: number | undefined;
	/** Whether it has as many records as a page can have. */
	isFull: boolean;
}

interface PageOptions {
	headers?: Headers;
	/** The query of this page. */
	query?: PageQuery;
	/** The number or offset of the first page. */
	firstStart?: number;
}

/** Something that an answer says beside its records. */
interface Hint {
	name: string;
	/** The letters of the name in lower case. */
	plain: string;
	value: unknown;
}

/** Names of objects with information about pages: `meta.pagination`, `pageInfo`, `_links` … */
const PAGE_INFO = /pag|cursor|meta|links?$|^(?:result|list)?info$|^summary$/;

// Classes of plain names: `hasMore`, `has_next_page`, `moreAvailable` … are one of them.
const SAYS_MORE = /^(?:has|is|are|there|list|results?)*(?:more|next|truncated|partial|incomplete)/;
const SAYS_END = /^(?:has|is|at|no)*(?:last|end|eof|complete|final|done|finished|more)/;
const PAGE = /^(?:current)?page(?:number|no|index)?$|^number$/;
const OFFSET = /^(?:offset|skip|start(?:at|index|row)?)$/;
const PAGE_SIZE = /^(?:pagesize|(?:items|records|results)?perpage|limit|maxresults|size)$/;
const PAGES = /^(?:(?:total|last|num|numberof)pages?|pages|pages?(?:total|count))$/;
const COUNT =
	/^(?=.*(?:total|count|found|numberof))(?:total|count|found|numberof|num|of|all|overall|available|matching|items?|records?|elements?|results?|rows?|entries|hits?|objects?|recordings?)+$/;
const REMAINING = /^remaining(?:items?|records?|elements?|results?|rows?|recordings?)(?:count)?$/;
/** The next page: an address or number, or a value for the parameter that has the rest of the name. */
const NEXT =
	/^next(?:(?:page|records?|results?|items?)?(?:url|uri|link|href|page)?|(.*(?:token|cursor|marker|key|id|after|offset|start|skip|index|from)))$/;
const CURSOR = /^(?:continuation|resumption|skip|page)token$|^(?:continuation|cursor|marker)$/;
const LAST_KEY = /^last(?:evaluated)?key$/;

/** Reads what an answer with one page of a list says about further pages, in its body or in its headers. */
export function readListPage(
	{ records, envelopes }: Omit<FoundList, 'path'>,
	{ headers = {}, query = {}, firstStart }: PageOptions = {},
): ListPage {
	const hints = [...bodyHints(envelopes), ...headerHints(headers)];
	const [page] = countsIn(hints, PAGE);
	const [offset] = countsIn(hints, OFFSET);
	const [size] = countsIn(hints, PAGE_SIZE);
	const pages = countsIn(hints, PAGES)[0]?.value;
	const total = totalIn(hints, records.length);
	const start = (offset ?? page)?.value;
	const first = firstStart ?? start;

	// A field `size` may be the number of these records.
	const isFull = size !== undefined && size.plain !== 'size' && records.length >= size.value;
	let isLast: boolean | undefined;
	let byCount: PageQuery | undefined;
	if (offset) {
		const end = offset.value + records.length;
		isLast = total === undefined ? undefined : end - (first === 1 ? 1 : 0) >= total;
		byCount = { [offset.name]: String(end) };
	} else if (page) {
		const all = pages ?? (total && total / Math.max(size?.value ?? records.length, 1));
		isLast = all === undefined ? undefined : page.value + (first === 0 ? 1 : 0) >= all;
		byCount = numbered(String(page.value + 1), page.name);
	}

	const flag = flagIn(hints);
	const references = referencesIn(hints, page?.name);
	const isDue = flag ?? (records.length > 0 && (isLast === undefined ? isFull : !isLast));
	const parameters =
		references.find((one) => typeof one === 'object') ?? (isDue ? byCount : undefined);
	const asked = nextInLink(headers.link) ?? (parameters && { ...query, ...parameters });
	const next = flag === false ? undefined : asked;
	const isUnknown = !next && references.includes('unknown');
	const hasEnded = !next && (isLast ?? references.includes('none'));
	return {
		next,
		hasMore: flag ?? (isUnknown ? true : hasEnded ? false : undefined),
		start,
		pageSize: size?.value,
		pages,
		total,
		isFull,
	};
}

/** From the objects around the list, and those in them with information about pages. Outer objects come first. */
function bodyHints(envelopes: JsonObject[]): Hint[] {
	const sources = new Set(envelopes);
	const hints: Hint[] = [];
	// The loop also visits the sources that are added meanwhile.
	for (const source of sources) {
		for (const [name, value] of Object.entries(source)) {
			const plain = plainLetters(name.replace(/^@?odata\W/i, ''));
			hints.push({ name: lowerFirst(name), plain, value });
			if (!PAGE_INFO.test(plain)) continue;
			if (isJsonObject(value)) sources.add(value);
			// Links as a list: `{ "rel": "next", "href": "…" }`.
			for (const link of Array.isArray(value) ? value.filter(isJsonObject) : []) {
				if (link.rel === 'next') hints.push({ name: 'next', plain: 'next', value: link.href });
			}
		}
	}
	return hints;
}

function headerHints(headers: Headers): Hint[] {
	const [, offset, total] =
		/^(?!bytes)\w*\s*(?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(String(headers['content-range'])) ?? [];
	const hints = Object.entries({ offset, total, ...headers }).map(([header, value]) => {
		const name = header.replace(/^(?:x-)?(?:wp-|ms-)?/, '');
		return { name, plain: plainLetters(name), value };
	});
	return hints.flatMap((hint) => {
		if (typeof hint.value !== 'string') return [];
		// `X-Pagination: {"TotalCount": …}`.
		return hint.value.startsWith('{') ? bodyHints([jsonObjectIn(hint.value)]) : [hint];
	});
}

function jsonObjectIn(text: string): JsonObject {
	try {
		return JSON.parse(text) as JsonObject;
	} catch {
		return {};
	}
}

function plainLetters(name: string): string {
	return name.replace(/[^A-Za-z]/g, '').toLowerCase();
}

function countsIn(hints: Hint[], names: RegExp): Array<Hint & { value: number }> {
	return hints.flatMap((hint) =>
		names.test(hint.plain) && /^\d{1,15}$/.test(String(hint.value))
			? [{ ...hint, value: Number(hint.value) }]
			: [],
	);
}

/** The largest one. A mere `count` may be the number of these records. */
function totalIn(hints: Hint[], records: number): number | undefined {
	const totals = countsIn(hints, COUNT)
		.filter(({ plain, value }) => /total|found|of|all/.test(plain) || value > records)
		.map(({ value }) => value);
	return totals.length > 0 ? Math.max(...totals) : undefined;
}

/** Whether there are more, if the answer says so in clear words. */
function flagIn(hints: Hint[]): boolean | undefined {
	const flags = hints.flatMap(({ plain, value }) => {
		const isNumber = /^(?:has|is|more)/.test(plain) && /^[01]$/.test(String(value));
		const says = isNumber ? Number(value) === 1 : booleanIn(value);
		if (says === undefined) return [];
		if (SAYS_MORE.test(plain)) return [says];
		return SAYS_END.test(plain) ? [!says] : [];
	});
	flags.push(...countsIn(hints, REMAINING).map(({ value }) => value > 0));
	return flags.includes(true) || (flags.length > 0 ? false : undefined);
}

type Reference = PageQuery | 'unknown' | 'none';

/** What asks for the next page; `unknown` if there is one that cannot be asked for, `none` if there is none. */
function referencesIn(hints: Hint[], pageName: string | undefined): Reference[] {
	const nexts = hints.filter(({ plain }) => NEXT.test(plain));
	// A mere cursor may be the one of this page.
	const others = hints.filter(({ plain }) => CURSOR.test(plain) || LAST_KEY.test(plain));
	return (nexts.length > 0 ? nexts : others)
		.filter(({ value }) => booleanIn(value) === undefined && !Array.isArray(value))
		.map((hint) => referenceIn(hint, pageName));
}

function referenceIn({ name, plain, value }: Hint, pageName: string | undefined): Reference {
	const target = isJsonObject(value) ? (value.href ?? value.url ?? value) : value;
	if (isJsonObject(target)) return Object.keys(target).length > 0 ? 'unknown' : 'none';
	const text = String(target ?? '');
	if (['', '0', '-1'].includes(text)) return 'none';
	if (LAST_KEY.test(plain)) return 'unknown';
	if (CURSOR.test(plain)) return cursor(name, text);
	if (NEXT.exec(plain)?.[1]) return cursor(name.replace(/^.*?next[-_]?/i, ''), text);
	if (/^\d+$/.test(text)) return numbered(text, pageName);
	// An address or a query, or else a bare cursor.
	if (/[?=]/.test(text)) return queryOf(text);
	return text.includes('/') ? 'unknown' : { cursor: text };
}

/** Names the parameter both as the answer does and in camel case. */
function cursor(name: string, value: string): PageQuery {
	const own = lowerFirst(name);
	const camel = own.replace(/[-_]+(\w)/g, (_, letter: string) => letter.toUpperCase());
	return { [own]: value, [camel]: value, ...(own === 'token' && { nextToken: value }) };
}

/** Names the page both as the answer does and as `page`. */
function numbered(number: string, name = 'page'): PageQuery {
	return { page: number, [name]: number };
}

function lowerFirst(name: string): string {
	return name.charAt(0).toLowerCase() + name.slice(1);
}

function nextInLink(header: unknown): PageQuery | undefined {
	const [, address] = /<([^>]*)>\s*;[^,]*\brel=["']?[^"',;]*\bnext\b/i.exec(String(header)) ?? [];
	return address === undefined ? undefined : queryOf(address);
}

/** Only the query of an address is used. Host and path stay ours, so that the API key goes nowhere else. */
function queryOf(address: string): PageQuery {
	const query = address.includes('?') ? address.slice(address.indexOf('?') + 1) : address;
	return Object.fromEntries(new URLSearchParams(query.replace(/#.*$/s, '')));
}
