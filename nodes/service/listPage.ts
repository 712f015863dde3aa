import { VoiceAgentError } from '../errors';
import type { JsonObject } from './payload';
import { isJsonObject, plainName } from './payload';

/** The query parameters of a request for one page. */
export type PageQuery = Record<string, string>;

export interface ListPage {
	records: JsonObject[];
	/** Asks for the next page; `undefined` if nothing points to one. */
	next: PageQuery | undefined;
	/** Whether there are more records; `undefined` if the answer does not say. */
	hasMore: boolean | undefined;
	/** Numbers in the answer; `undefined` if it does not have them. */
	page: number | undefined;
	pageSize: number | undefined;
	pages: number | undefined;
	total: number | undefined;
}

interface PageOptions {
	/** The query of this page. */
	query?: PageQuery;
	/** The `Link` header of the answer (RFC 8288). */
	link?: string;
	/** Whether pages are counted from 0. */
	isFromZero?: boolean;
}

/** What an answer says about its list, by {@link plainName}. */
type Hints = ReadonlyMap<string, { name: string; value: unknown }>;

/** Names of the list of records, for an answer that has more than one list. */
const LIST_NAMES = ['recordings', 'data', 'items', 'results', 'records', 'value'];
/** Names of lists that never hold the records. */
const OTHER_LISTS = /^(?:errors?|warnings?|messages?)$/i;

/** Names of objects with information about pages: `meta.pagination`, `pageInfo`, `_links` … */
const PAGE_INFO = /pag|cursor|meta|links?$|^(?:info|summary)$/i;

/** Names of a reference to the next page: an address, or a part of one. */
const NEXT_NAMES = ['next', 'nextpage', 'nextpageurl', 'nexturl', 'nextlink', '@odata.nextlink'];

/** Names of a cursor, and the query parameter that takes it. */
const CURSORS: Record<string, string> = {
	nextcursor: 'cursor',
	nextpagetoken: 'pageToken',
	nexttoken: 'token',
	continuationtoken: 'continuationToken',
};

/**
 * Reads one page of a list whose shape the service specification does not show: a list, or an object with a list in it
 * (`{ "recordings": [] }`, `{ "data": { "items": [] } }` …), with or without a hint at the next page. An empty body,
 * `null`, `{}` and `null` under a usual name of a list count as an empty list.
 *
 * @throws VoiceAgentError `unreadableList`
 */
export function readListPage(
	json: unknown,
	{ query = {}, link = '', isFromZero = false }: PageOptions = {},
): ListPage {
	const { list, envelopes } = findList(json);
	if (!list?.every(isJsonObject)) throw new VoiceAgentError('unreadableList');
	const hints = hintsIn(envelopes);
	const counts = countsIn(hints);
	const flag = ['hasmore', 'hasnext', 'hasnextpage']
		.map((name) => hints.get(name)?.value)
		.find((value) => typeof value === 'boolean');
	const { nextByCount, isLast } = positionOf(counts, list.length, isFromZero);
	const hasNextByCount = flag ?? (isLast === false && list.length > 0);
	const parameters = nextFromHints(hints, counts) ?? (hasNextByCount ? nextByCount : undefined);
	const next = nextFromLink(link) ?? (parameters && { ...query, ...parameters });
	const hasEnded =
		isLast ?? [...NEXT_NAMES, ...Object.keys(CURSORS)].some((name) => hints.has(name));
	return {
		records: list,
		next,
		hasMore: flag ?? (next === undefined && hasEnded ? false : undefined),
		page: counts.page?.value,
		pageSize: counts.pageSize?.value,
		pages: counts.pages?.value,
		total: counts.total?.value,
	};
}

/** The list in the outermost object that has one, and the objects around it, the outermost first. */
function findList(json: unknown): { list?: unknown[]; envelopes: JsonObject[] } {
	if (json === undefined || json === null) return { list: [], envelopes: [] };
	if (Array.isArray(json)) return { list: json as unknown[], envelopes: [] };
	if (!isJsonObject(json)) return { envelopes: [] };
	const candidates = [json, ...Object.values(json).filter(isJsonObject)];
	for (const candidate of candidates) {
		const list = listIn(candidate);
		if (list) return { list, envelopes: [json, candidate] };
	}
	const isEmpty = Object.keys(json).length === 0 || candidates.some(hasNullList);
	return isEmpty && !candidates.some(reportsError)
		? { list: [], envelopes: [json] }
		: { envelopes: [] };
}

function listIn(envelope: JsonObject): unknown[] | undefined {
	const lists = Object.entries(envelope).filter(
		(entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && !OTHER_LISTS.test(entry[0]),
	);
	const named = lists.find(([name]) => LIST_NAMES.includes(name.toLowerCase()));
	return (lists.length === 1 ? lists[0] : named)?.[1];
}

function hasNullList(envelope: JsonObject): boolean {
	return Object.entries(envelope).some(
		([name, value]) => value === null && LIST_NAMES.includes(name.toLowerCase()),
	);
}

/** An answer without a list that says `{ "success": false }` or `{ "error": "…" }` is not an empty list. */
function reportsError(envelope: JsonObject): boolean {
	return Object.entries(envelope).some(([name, value]) =>
		/^(?:success|succeeded|ok)$/i.test(name)
			? value === false
			: /^errors?$/i.test(name) && !!value && !(Array.isArray(value) && value.length === 0),
	);
}

/** From the objects around the list, and those in them with information about pages. Outer objects come first. */
function hintsIn(envelopes: JsonObject[]): Hints {
	const sources = new Set(envelopes);
	const hints = new Map<string, { name: string; value: unknown }>();
	// The loop also visits the sources that are added meanwhile.
	for (const source of sources) {
		for (const [name, value] of Object.entries(source)) {
			if (isJsonObject(value) && PAGE_INFO.test(name)) sources.add(value);
			const key = plainName(name);
			const plain = isJsonObject(value) ? value.href : value;
			if (plain === undefined || (hints.get(key)?.value ?? undefined) !== undefined) continue;
			hints.set(key, { name: name.charAt(0).toLowerCase() + name.slice(1), value: plain });
		}
	}
	return hints;
}

interface Count {
	/** As the answer spells it, with a lower-case first letter. */
	name: string;
	value: number;
}

type Counts = Partial<Record<'offset' | 'page' | 'pageSize' | 'pages' | 'total', Count>>;

function countsIn(hints: Hints): Counts {
	const count = (...names: string[]): Count | undefined => {
		for (const { name, value } of names.flatMap((one) => hints.get(one) ?? [])) {
			if (typeof value === 'number') return { name, value };
			if (typeof value === 'string' && /^\d{1,15}$/.test(value))
				return { name, value: Number(value) };
		}
		return undefined;
	};
	return {
		offset: count('offset', 'skip', 'start'),
		page: count('page', 'pagenumber', 'currentpage', 'pageindex'),
		pageSize: count('pagesize', 'perpage', 'limit', 'size'),
		pages: count('totalpages', 'pagecount', 'pages', 'lastpage'),
		total: count('total', 'totalcount', 'totalitems', 'totalrecords'),
	};
}

/** What asks for the next page, and whether this is the last one, as far as the counts show it. */
function positionOf(
	{ offset, page, pageSize, pages, total }: Counts,
	records: number,
	isFromZero: boolean,
): { nextByCount?: PageQuery; isLast?: boolean } {
	if (offset) {
		const end = offset.value + records;
		const isLast = total && end >= total.value;
		return { nextByCount: { [offset.name]: String(end) }, isLast };
	}
	if (!page) return {};
	const done = page.value + (isFromZero || page.value === 0 ? 1 : 0);
	const all = pages?.value ?? (total && total.value / Math.max(pageSize?.value ?? records, 1));
	return {
		nextByCount: byNumber(String(page.value + 1), page),
		isLast: all === undefined ? undefined : done >= all,
	};
}

/** Names the page both as the answer does and as `page`. */
function byNumber(number: string, page: Count | undefined): PageQuery {
	return { page: number, ...(page && { [page.name]: number }) };
}

function nextFromLink(header: string): PageQuery | undefined {
	const [, address] = /<([^>]*)>\s*;[^,]*\brel="?next\b/i.exec(header) ?? [];
	return address === undefined ? undefined : queryOf(address);
}

function nextFromHints(hints: Hints, { page }: Counts): PageQuery | undefined {
	for (const value of NEXT_NAMES.map((name) => hints.get(name)?.value)) {
		if (typeof value === 'number') return byNumber(String(value), page);
		if (typeof value !== 'string' || value === '') continue;
		// An address, a query, or a bare page number or cursor.
		if (/[/?=]/.test(value)) return queryOf(value);
		return /^\d+$/.test(value) ? byNumber(value, page) : { cursor: value };
	}
	for (const [name, parameter] of Object.entries(CURSORS)) {
		const value = hints.get(name)?.value;
		if (typeof value === 'string' && value !== '') return { [parameter]: value };
	}
	return undefined;
}

/** Only the query of an address is used. Host and path stay ours, so that the API key goes nowhere else. */
function queryOf(address: string): PageQuery {
	const query = address.includes('?') ? address.slice(address.indexOf('?') + 1) : address;
	return Object.fromEntries(new URLSearchParams(query.replace(/#.*$/s, '')));
}
