import type { FoundList } from './findList';
import type { JsonObject } from '../../data/payload';
import { booleanIn, fewNamesIn, isJsonObject, jsonOpener } from '../../data/payload';

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
	/** Whether a link names another page as the last one. */
	isBeforeLast: boolean;
	/** Asks for a page that may be this one: only its records show whether. */
	check: PageQuery | undefined;
}

interface PageOptions {
	headers?: Headers;
	/** The query of this page. */
	query?: PageQuery;
	/** Parameters that every page is asked for with. */
	added?: PageQuery;
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
const PAGE_INFO = /pag|cursor|meta|links?$|^(?:result|list)?info$|^summary$|^nav/;

/** How many objects are read around the list, and how many in each of these. */
const MAX_SOURCES = 100;
const MAX_HINTS = 5_000;
const MAX_LINK = 8_000;
const HEADER_PREFIX = /^(?:x-)?(?:(?:wp|ms|pagination|paging)-)?/;

/** `1 of 3`. */
const PAGE_OF = /^(?:page\s*)?(\d+)\s*(?:of|\/)\s*(\d+)$/i;

/** `1-25 of 300`. */
const RANGE_OF = /^(?!bytes)\D*\d+\s*[-–]\s*\d+\s*(?:of|\/)\s*(\d+)\D*$/;

const MESSAGES = /^(?:(?:user)?messages?|msg|warnings?|infos?|notes?|notices?|hints?|showing)$/;
/** After a number. */
const UNIT = /\s*(?:recordings?|records?|items?|results?|entries|rows|elements?)\s*$|\.0+$/i;
/** `Only 2 of 300 recordings are shown`. */
const SHOWN_OF = /\b(\d+) (?:out )?of (?:the |all )?(\d+)\b/i;
/** `The list was truncated`. */
const CUT =
	/\b(?:list|results?|response|answer|output) (?:(?:was|were|is|are|ha(?:s|ve) been) )?(?:truncated|incomplete|cut|limited)\b/i;

// Classes of plain names: `hasMore`, `has_next_page`, `moreAvailable` … are one of them.
const SAYS_MORE =
	/^(?:has|is|are|there|list|results?|)*(?:more|next|truncated)|^remaining(?:items?|records?|elements?|results?|rows?|recordings?)(?:count)?$/;
/** Says that there are more if it is true, and nothing otherwise: GitHub's `incomplete_results` is about something else. */
const SAYS_PART =
	/^(?:has|is|list|results?|reached|exceeded|transfer)*(?:partial|incomplete|overflow|capped|timed?out|limit(?:ed|reached|exceeded)?$)/;
const PART = /^(?:partial|truncated|incomplete)$/i;
const SAYS_END =
	/^(?:has|is|at|no|all)*(?:returned|last|end|eof|complete|final|done|finished|more)/;
/** May say it with a number. */
const IN_NUMBERS = /^(?:has|is|more|remaining|truncated|partial|incomplete)/;
const YES = /^(?:true|yes|y)$/i;
const NO = /^(?:false|no|n)$/i;
const PAGE = /^(?:current)?page(?:number|num|no|index)?$|^(?:number|current)$/;
const OFFSET = /^(?:page)?(?:offset|skip|start(?:at|index|row)?)$/;
const PAGE_SIZE =
	/^(?:pagesize|(?:items|records|results)?perpage|(?:page)?limit|maxresults|size|take|top)$/;
const PAGES = /^(?:(?:total|last|num|numberof)pages?|pages|pages?(?:total|count))$/;
const COUNT =
	/^(?=.*(?:total|count|found|numberof|match))(?:total|count|found|numberof|num|of|all|overall|available|match(?:ed|ing)|items?|records?|elements?|results?|rows?|entries|hits?|objects?|recordings?)+$/;
/** The next page: an address or number, or a value for the parameter that has the rest of the name. */
const NEXT =
	/^(?!has|is|no|are|there)(?:more(?:url|uri|link|href)|.*?next(?:(?:page|records?|results?|items?)?(?:url|uri|link|href|page|number|num|no)?|(.*(?:token|cursor|marker|bookmark|key|id|after|since|offset|start|skip|index|from|range|state))))$/;
const CURSOR =
	/^(?:continuation|resumption|skip|page)token$|^(?:continue|continuation|cursor|marker|bookmark|scrollid|pagestate|last(?:evaluated)?key)$/;

/** Links to pages, each under several names. */
const LAST = /^last(?:page)?(?:url|uri|link|href)?$/;
const FIRST = /^first(?:page)?(?:url|uri|link|href)?$/;
const SELF = /^(?:self|current|this)(?:page)?(?:url|uri|link|href)?$/;

/** Whether a query parameter only says how long a page may be. */
export function isPageSize(name: string): boolean {
	return PAGE_SIZE.test(plainOf(name));
}

/** Whether query parameters select one page of a list, or how long it is. */
export function selectsPage(query: PageQuery): boolean {
	const names = [PAGE, OFFSET, PAGE_SIZE, CURSOR];
	return Object.keys(query).some((name) => names.some((one) => one.test(plainOf(name))));
}

/** Reads what an answer with one page of a list says about further pages, in its body or in its headers. */
export function readListPage(
	{ records, envelopes }: Pick<FoundList, 'records' | 'envelopes'>,
	{ headers = {}, query = {}, added = {}, firstStart }: PageOptions = {},
): ListPage {
	const hints = hintsIn([...envelopes, asObject(headers)], records.length);
	const [offset] = countsIn(hints, OFFSET);
	const [page] = countsIn(hints, PAGE);
	const [size] = countsIn(hints, PAGE_SIZE);
	const pages = countsIn(hints, PAGES)[0]?.value ?? lastNumberIn(hints, records.length);
	const total = totalIn(hints, records.length);
	const [asked] = countsIn(hintsIn([added], 0), PAGE_SIZE);
	// A field `size` may be the number of these records.
	const longest = size?.plain === 'size' ? undefined : (size ?? asked)?.value;
	const last = towardsLast(hints, { ...added, ...query }, records.length);
	const isFull = records.length >= (longest ?? Infinity) && last !== 'here';

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
		[...references, last].find((one) => typeof one === 'object') ??
		(isDue ? byPosition : undefined);
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
		isBeforeLast: last !== undefined && last !== 'here',
		check:
			(isLast ?? flag ?? pages ?? total)
				? undefined
				: pageToCheck(hints, { ...added, ...query }, records.length),
	};
}

/** From the objects around the list, and those in them with information about pages. Outer objects come first. */
function hintsIn(envelopes: JsonObject[], records: number): Hint[] {
	// The headers come last.
	const sources = new Set([...envelopes.slice(0, MAX_SOURCES), ...envelopes.slice(-1)]);
	const hints: Hint[] = [];
	// The loop also visits the sources that are added meanwhile.
	for (const source of sources) {
		if (hints.length > MAX_HINTS) break;
		for (const name of fewNamesIn(source)) {
			const content = source[name];
			// `total: { "value": 300 }`.
			const value = isJsonObject(content) && 'value' in content ? content.value : content;
			const plain = plainOf(name);
			hints.push({ name: lowerFirst(name), plain, value });
			// `cursors: { before, after }`.
			if (plain === 'cursors' && isJsonObject(value)) sources.add({ nextAfter: value.after });
			const text = textOf(value).slice(0, 100).trim();
			const [, page, pages] = PAGE_OF.exec(text) ?? [];
			if (pages && /^(?:current)?page$|^pag(?:es|ing|ination)$/.test(plain)) {
				hints.push(hintOf('page', page));
				hints.push(hintOf('pages', pages));
			}
			const [, total] = RANGE_OF.exec(text) ?? [];
			if (total && /range|showing|displaying/.test(plain)) hints.push(hintOf('total', total));
			if (MESSAGES.test(plain)) hints.push(...hintsInWords([value].flat(), records));
			if (!PAGE_INFO.test(plain)) continue;
			// Links may be a list: `{ "rel": "next", "href": "…" }`.
			for (const one of [value].flat().slice(0, MAX_SOURCES).filter(isJsonObject)) {
				const relation = one.rel ?? one.relation;
				sources.add(relation === undefined ? one : { [String(relation)]: one });
			}
		}
	}
	return hints;
}

function hintOf(plain: string, value: unknown): Hint {
	return { name: plain, plain, value };
}

/** What a message says about the list. */
function hintsInWords(texts: unknown[], records: number): Hint[] {
	const text = texts.slice(0, MAX_SOURCES).map(textOf).join('; ').slice(0, 1_000);
	const [, shown, all] = SHOWN_OF.exec(text) ?? [];
	return [
		...(Number(shown) === records ? [hintOf('total', all)] : []),
		...(CUT.test(text) ? [hintOf('truncated', true)] : []),
	];
}

/** The headers as an object around the list. */
function asObject({ link, ...headers }: Headers): JsonObject {
	const linked = String(link)
		.slice(0, MAX_LINK)
		.split('<')
		.map((one) => one.split('>'));
	const links = ['next', 'self', 'first', 'last'].map((name) => {
		const relation = new RegExp(`\\brel\\s*=\\s*["']?[^"',;=]*\\b${name}\\b`, 'i');
		return [name, linked.find(([, says = '']) => relation.test(says))?.[0]];
	});
	const [, offset, total] =
		/^(?!bytes)[a-z_]*[\s=]*(?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec(String(headers['content-range'])) ??
		[];
	// `X-Pagination: {"TotalCount": …}`.
	const open = jsonOpener();
	return Object.fromEntries(
		Object.entries({ ...Object.fromEntries(links), offset, total, ...headers })
			.filter(([, value]) => typeof value === 'string')
			.map(([name, value]) => [name.replace(HEADER_PREFIX, ''), open(value)]),
	);
}

/** Not of a list, which may be the one of the recordings. */
function textOf(value: unknown): string {
	return typeof value === 'object' ? '' : String(value);
}

function countsIn(hints: Hint[], names: RegExp): Array<Hint & { text: string; value: number }> {
	return hints
		.filter(({ plain }) => names.test(plain))
		.map((hint) => ({ ...hint, text: countIn(hint.value) }))
		.filter(({ text }) => /^\d{1,15}$/.test(text))
		.map((hint) => ({ ...hint, value: Number(hint.text) }));
}

/** `1,300`, `1.300`, `300 recordings`: the digits of a number in words. */
function countIn(value: unknown): string {
	const text = textOf(value);
	return typeof value === 'string' && text.length < 100
		? text.replace(/(?<=\d)[,.'’_\s](?=\d{3}(?!\d))/g, '').replace(UNIT, '')
		: text;
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
		if (/^(?:status|state)$/.test(plain) && PART.test(text)) return [true];
		if (says === undefined) return [];
		if (SAYS_MORE.test(plain)) return [says];
		if (SAYS_PART.test(plain)) return says ? [true] : [];
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

/** The address of a link, or whatever else is there. */
function targetIn(value: unknown): unknown {
	const one: unknown = Array.isArray(value) && value.length < 2 ? value[0] : value;
	return isJsonObject(one) ? (one.href ?? one.url ?? one.uri ?? one.link ?? one) : one;
}

function referenceIn({ name, plain, value }: Hint, pageName: string): Reference {
	const target = targetIn(value);
	if (typeof target === 'object' && target !== null) {
		return Object.keys(target).length > 0 ? 'unknown' : 'none';
	}
	const text = String(target ?? '');
	if (['', '0', '-1'].includes(text)) return 'none';
	const [isNext, parameter] = NEXT.exec(plain) ?? [];
	if (isNext === undefined) return cursor(name, text);
	if (parameter) return cursor(name.replace(/.*?next[-_]?/i, ''), text);
	if (/^\d+$/.test(text)) return { page: text, [pageName]: text };
	// An address or a query, or else a bare cursor, which may be Base64.
	if (/^[\w+/-]+={1,2}$/.test(text)) return { cursor: text };
	if (!/[/?=]/.test(text)) return { cursor: text };
	const query = queryOf(text);
	return Object.keys(query).length > 0 ? query : 'unknown';
}

/**
 * What a link to the last page means: `here` if it leads to this page, else what asks for the next page towards it, or
 * `elsewhere` if that cannot be told. This page is where the link to itself leads, else where its query does, or that of
 * the first page, or else where the answer says.
 */
function towardsLast(
	hints: Hint[],
	query: PageQuery,
	records: number,
): PageQuery | 'here' | 'elsewhere' | undefined {
	const [last, self, first] = [LAST, SELF, FIRST].map((names) => linkIn(hints, names));
	if (!last) return undefined;
	const here = { ...first?.query, ...query, ...self?.query };
	const positionOf = (name: string) => {
		const kind = [OFFSET, PAGE].find((names) => names.test(plainOf(name)));
		return here[name] ?? (kind && countsIn(hints, kind)[0]?.text);
	};
	const [other, ...others] = Object.entries(last.query).filter(([name, to]) => {
		if (isPageSize(name)) return false;
		const from = positionOf(name);
		if (from !== undefined) return from !== to;
		const isNumber = /^\d*$/.test(to);
		return isNumber ? Number(to) > firstOf(name) : self || first || CURSOR.test(plainOf(name));
	});
	const path = (self ?? first)?.path;
	const isOtherPath =
		path === undefined
			? Number(/\/(\d+)$/.exec(last.path)?.[1]) > 1
			: !last.path.endsWith(path) && !path.endsWith(last.path);
	if (!other && !isOtherPath) return 'here';
	const [name = '', value] = other ?? [];
	const [from, to] = [positionOf(name), value].map(Number) as [number, number];
	if (isOtherPath || others.length > 0 || !Number.isInteger(from + to)) return 'elsewhere';
	if (from >= to) return 'here';
	const step = OFFSET.test(plainOf(name)) ? records : 1;
	return { ...last.query, [name]: String(Math.min(from + step, to)) };
}

/**
 * `{ first: 1, last: 2 }` with two records may be their positions, or those of the pages. And a link to page 1 as the last
 * one leads to this page, unless pages are counted from 0.
 */
function pageToCheck(hints: Hint[], query: PageQuery, records: number): PageQuery | undefined {
	const [to, from, page] = [LAST, FIRST, PAGE].map((names) => countsIn(hints, names)[0]?.value);
	if (to !== undefined && from !== undefined && page === undefined) {
		const next = Number(query.page ?? from) + 1;
		return to - from + 1 === records && next <= to ? { page: String(next) } : undefined;
	}
	const [last, self, first] = [LAST, SELF, FIRST].map((names) => linkIn(hints, names));
	if (!last || self || first || page !== undefined) return undefined;
	const isUnclear = Object.entries(last.query).some(
		([name, one]) => one === '1' && firstOf(name) === 1 && !isPageSize(name) && !(name in query),
	);
	return isUnclear ? last.query : undefined;
}

/** The number of the first page, or the first position, if nothing else says it. */
function firstOf(name: string): number {
	return /^(?:page)?(?:offset|skip)$/.test(plainOf(name)) ? 0 : 1;
}

function linkIn(hints: Hint[], names: RegExp): { path: string; query: PageQuery } | undefined {
	const address = hints
		.filter(({ plain }) => names.test(plain))
		.map(({ value }) => targetIn(value))
		.find((target) => typeof target === 'string' && /[/?=]/.test(target));
	if (typeof address !== 'string') return undefined;
	const path = address.replace(/^[a-z]+:\/\/[^/]*|[?#].*|\/(?=[?#]|$)/gis, '');
	return { path, query: queryOf(address) };
}

/** Names the last page or, beside the first one, the last position. */
function lastNumberIn(hints: Hint[], records: number): number | undefined {
	const [last, first, page] = [/^last$/, /^first$/, PAGE].map((one) => countsIn(hints, one)[0]);
	if (!last || (!first && !page)) return undefined;
	return first && last.value - first.value + 1 === records ? undefined : last.value;
}

/** Names the parameter both as the answer does and in camel case. */
function cursor(name: string, value: string): PageQuery {
	const own = lowerFirst(name);
	const camel = own.replace(/[-_]+(\w)/g, (_, letter: string) => letter.toUpperCase());
	return { [own]: value, [camel]: value, ...(own === 'token' && { nextToken: value }) };
}

/** The letters of a name in lower case. */
function plainOf(name: string): string {
	return name.replace(/@?odata\W|[^A-Za-z]/gi, '').toLowerCase();
}

function lowerFirst(name: string): string {
	return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Only the query of an address is used. Host and path stay ours, so that the API key goes nowhere else. */
function queryOf(address: string): PageQuery {
	const [path = '', ...query] = address.split('?');
	const text = query.length > 0 ? query.join('?') : path.includes('/') ? '' : path;
	return Object.fromEntries(new URLSearchParams(text.replace(/#.*/s, '')));
}
