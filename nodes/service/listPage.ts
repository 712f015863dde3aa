import type { FoundList } from './listSearch';
import type { JsonObject } from './payload';
import { booleanIn, isJsonObject, jsonOpener } from './payload';

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

const MAX_NAMES = 1_000;
/** So many objects around the list, and in each of them, are read. */
const MAX_SOURCES = 100;
const MAX_HINTS = 5_000;
const MAX_LINK = 8_000;
const HEADER_PREFIX = /^(?:x-)?(?:(?:wp|ms|pagination|paging)-)?/;

// Classes of plain names: `hasMore`, `has_next_page`, `moreAvailable` … are one of them.
const SAYS_MORE =
	/^(?:has|is|are|there|list|results?)*(?:more|next|truncated|partial|incomplete)|^remaining(?:items?|records?|elements?|results?|rows?|recordings?)(?:count)?$/;
const SAYS_END = /^(?:has|is|at|no)*(?:last|end|eof|complete|final|done|finished|more)/;
/** May say it with a number. */
const IN_NUMBERS = /^(?:has|is|more|remaining|truncated|partial|incomplete)/;
const YES = /^(?:true|yes|y)$/i;
const NO = /^(?:false|no|n)$/i;
const PAGE = /^(?:current)?page(?:number|num|no|index)?$|^number$/;
const OFFSET = /^(?:offset|skip|start(?:at|index|row)?)$/;
const PAGE_SIZE = /^(?:pagesize|(?:items|records|results)?perpage|limit|maxresults|size)$/;
const PAGES = /^(?:(?:total|last|num|numberof)pages?|pages|pages?(?:total|count))$/;
const COUNT =
	/^(?=.*(?:total|count|found|numberof|match))(?:total|count|found|numberof|num|of|all|overall|available|match(?:ed|ing)|items?|records?|elements?|results?|rows?|entries|hits?|objects?|recordings?)+$/;
/** The next page: an address or number, or a value for the parameter that has the rest of the name. */
const NEXT =
	/^next(?:(?:page|records?|results?|items?)?(?:url|uri|link|href|page|number|num|no)?|(.*(?:token|cursor|marker|bookmark|key|id|after|since|offset|start|skip|index|from|range|state)))$/;
const CURSOR =
	/^(?:continuation|resumption|skip|page)token$|^(?:continuation|cursor|marker|bookmark|scrollid|pagestate|last(?:evaluated)?key)$/;

/** Reads what an answer with one page of a list says about further pages, in its body or in its headers. */
export function readListPage(
	{ records, envelopes }: Omit<FoundList, 'path'>,
	{ headers = {}, query = {}, firstStart }: PageOptions = {},
): ListPage {
	const hints = hintsIn([...envelopes, asObject(headers)]);
	const [offset] = countsIn(hints, OFFSET);
	const [page] = countsIn(hints, PAGE);
	const [size] = countsIn(hints, PAGE_SIZE);
	const pages = countsIn(hints, PAGES)[0]?.value;
	const total = totalIn(hints, records.length);
	// A field `size` may be the number of these records.
	const isFull = size !== undefined && size.plain !== 'size' && records.length >= size.value;

	const position = offset ?? page;
	const start = position?.value;
	const first = firstStart ?? start;
	const origin = first === 0 || first === 1 ? first : offset ? 0 : 1;
	const nextStart = (start ?? 0) + (offset ? records.length : 1);
	const inPages = pages ?? (total && total / Math.max(size?.value ?? records.length, 1));
	const end = position && (offset ? total : inPages);
	const isLast = end === undefined ? undefined : nextStart - origin >= end;

	const flag = flagIn(hints);
	const references = referencesIn(hints, page?.name);
	const isDue = flag ?? (records.length > 0 && (isLast === undefined ? isFull : !isLast));
	const byPosition = position && {
		...(!offset && { page: String(nextStart) }),
		[position.name]: String(nextStart),
	};
	const parameters =
		references.find((one) => typeof one === 'object') ?? (isDue ? byPosition : undefined);
	const next = flag === false ? undefined : parameters && { ...query, ...parameters };
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
function hintsIn(envelopes: JsonObject[]): Hint[] {
	// The headers come last.
	const sources = new Set([...envelopes.slice(0, MAX_SOURCES), ...envelopes.slice(-1)]);
	const hints: Hint[] = [];
	// The loop also visits the sources that are added meanwhile.
	for (const source of sources) {
		// With so many names, it is the list itself, by identifier.
		if (Object.keys(source).length > MAX_NAMES || hints.length > MAX_HINTS) continue;
		for (const [name, content] of Object.entries(source)) {
			// `total: { "value": 300 }`.
			const value = isJsonObject(content) && 'value' in content ? content.value : content;
			const plain = name.replace(/^@?odata\W|[^A-Za-z]/gi, '').toLowerCase();
			hints.push({ name: lowerFirst(name), plain, value });
			const inner = PAGE_INFO.test(plain)
				? [value].flat().slice(0, MAX_SOURCES).filter(isJsonObject)
				: [];
			// Links may be a list: `{ "rel": "next", "href": "…" }`.
			for (const one of inner) sources.add('rel' in one ? { [String(one.rel)]: one } : one);
		}
	}
	return hints;
}

/** The headers as an object around the list. */
function asObject({ link, ...headers }: Headers): JsonObject {
	const [, next] =
		/<([^<>]*)>\s*;[^,]*\brel=["']?[^"',;]*\bnext\b/i.exec(String(link).slice(0, MAX_LINK)) ?? [];
	const [, offset, total] =
		/^(?!bytes)[a-z_]*[\s=]*(?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec(String(headers['content-range'])) ??
		[];
	// `X-Pagination: {"TotalCount": …}`.
	const open = jsonOpener();
	return Object.fromEntries(
		Object.entries({ next, offset, total, ...headers })
			.filter(([, value]) => typeof value === 'string')
			.map(([name, value]) => [name.replace(HEADER_PREFIX, ''), open(value)]),
	);
}

/** Not of a list, which may be the one of the recordings. */
function textOf(value: unknown): string {
	return typeof value === 'object' ? '' : String(value);
}

function countsIn(hints: Hint[], names: RegExp): Array<Hint & { value: number }> {
	return hints
		.filter(({ plain, value }) => names.test(plain) && /^\d{1,15}$/.test(textOf(value)))
		.map((hint) => ({ ...hint, value: Number(hint.value) }));
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
		const text = textOf(value).trim();
		const isNumber = IN_NUMBERS.test(plain) && /^\d+$/.test(text);
		const says = isNumber
			? Number(text) > 0
			: YES.test(text) || (NO.test(text) ? false : undefined);
		if (says === undefined) return [];
		if (SAYS_MORE.test(plain)) return [says];
		return SAYS_END.test(plain) ? [!says] : [];
	});
	return flags.includes(true) || (flags.length > 0 ? false : undefined);
}

type Reference = PageQuery | 'unknown' | 'none';

/** What asks for the next page; `unknown` if there is one that cannot be asked for, `none` if there is none. */
function referencesIn(hints: Hint[], pageName = 'page'): Reference[] {
	const named = (names: RegExp) =>
		hints.filter(({ plain, value }) => names.test(plain) && booleanIn(value) === undefined);
	const nexts = named(NEXT);
	// A mere cursor may be the one of this page.
	return (nexts.length > 0 ? nexts : named(CURSOR)).map((hint) => referenceIn(hint, pageName));
}

function referenceIn({ name, plain, value }: Hint, pageName: string): Reference {
	const one: unknown = Array.isArray(value) && value.length < 2 ? value[0] : value;
	const target = isJsonObject(one) ? (one.href ?? one.url ?? one.uri ?? one.link ?? one) : one;
	if (typeof target === 'object' && target !== null) {
		return Object.keys(target).length > 0 ? 'unknown' : 'none';
	}
	const text = String(target ?? '');
	if (['', '0', '-1'].includes(text)) return 'none';
	const [isNext, parameter] = NEXT.exec(plain) ?? [];
	if (isNext === undefined) return cursor(name, text);
	if (parameter) return cursor(name.replace(/^.*?next[-_]?/i, ''), text);
	if (/^\d+$/.test(text)) return { page: text, [pageName]: text };
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

function lowerFirst(name: string): string {
	return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Only the query of an address is used. Host and path stay ours, so that the API key goes nowhere else. */
function queryOf(address: string): PageQuery {
	const query = address.includes('?') ? address.slice(address.indexOf('?') + 1) : address;
	return Object.fromEntries(new URLSearchParams(query.replace(/#.*$/s, '')));
}
