import { VoiceAgentError } from './errors';
import type { JsonObject } from './payload';
import { isJsonObject } from './payload';

/** Query parameters that lead to the next page. */
export type NextPage = Record<string, string>;

export interface ListPage {
	records: JsonObject[];
	/** `undefined` where nothing points to a further page. */
	next: NextPage | undefined;
}

/** Names that a list of records goes by when an answer holds more than one list. */
const LIST_NAMES = ['recordings', 'data', 'items', 'results', 'records', 'value'];

/** Names of a reference to the next page: an address, or a part of one. */
const NEXT_NAMES = ['next', 'nextpage', 'nextpageurl', 'nexturl', 'nextlink', '@odata.nextlink'];

/** Names of a cursor, and the query parameter that hands it back. */
const CURSORS: Record<string, string> = {
	nextcursor: 'cursor',
	nextpagetoken: 'pageToken',
	nexttoken: 'token',
	continuationtoken: 'continuationToken',
};

/**
 * Reads one page of a list whose shape the service specification does not show: a list, or an object with a list in it
 * (`{ "recordings": [] }`, `{ "data": { "items": [] } }` …), with or without a hint at the next page.
 *
 * @param query parameters that this page was asked for with
 * @param linkHeader the `Link` header of the answer (RFC 8288)
 * @throws VoiceAgentError `unreadableList`
 */
export function readListPage(json: unknown, query: NextPage = {}, linkHeader = ''): ListPage {
	const envelopes = isJsonObject(json) ? [json, ...Object.values(json).filter(isJsonObject)] : [];
	const records = Array.isArray(json) ? (json as unknown[]) : findList(envelopes);
	if (!records?.every(isJsonObject)) throw new VoiceAgentError('unreadableList');
	const next = nextFromLink(linkHeader) ?? nextFromEnvelopes(envelopes, query, records.length);
	return { records, next: records.length > 0 ? next : undefined };
}

/** The list in the outermost object that has one. */
function findList(envelopes: JsonObject[]): unknown[] | undefined {
	for (const envelope of envelopes) {
		const lists = Object.entries(envelope).filter((entry): entry is [string, unknown[]] =>
			Array.isArray(entry[1]),
		);
		if (lists.length === 1) return lists[0]?.[1];
		const named = lists.find(([name]) => LIST_NAMES.includes(name.toLowerCase()));
		if (named) return named[1];
	}
	return undefined;
}

function nextFromLink(header: string): NextPage | undefined {
	const [, address] = /<([^>]*)>\s*;[^,]*\brel="?next\b/i.exec(header) ?? [];
	return address === undefined ? undefined : queryOf(address);
}

function nextFromEnvelopes(
	envelopes: JsonObject[],
	query: NextPage,
	count: number,
): NextPage | undefined {
	const hints = new Map(
		envelopes.flatMap((envelope) =>
			Object.entries(envelope).map(([name, value]) => [simplified(name), value] as const),
		),
	);
	for (const name of NEXT_NAMES) {
		const value = hints.get(name);
		if (typeof value === 'number') return { ...query, page: String(value) };
		if (typeof value === 'string' && value !== '') return { ...query, ...pageReference(value) };
	}
	for (const [name, parameter] of Object.entries(CURSORS)) {
		const value = hints.get(name);
		if (typeof value === 'string' && value !== '') return { ...query, [parameter]: value };
	}
	return nextByNumber(hints, query, count);
}

/** Pages that are only counted: `offset` or `page` with a total, `page` with `totalPages` or with `hasMore`. */
function nextByNumber(
	hints: Map<string, unknown>,
	query: NextPage,
	count: number,
): NextPage | undefined {
	const number = (...names: string[]) =>
		names.map((name) => hints.get(name)).find((value) => typeof value === 'number');
	const total = number('total', 'totalcount', 'totalitems');
	const offset = number('offset', 'skip', 'start');
	if (offset !== undefined && total !== undefined) {
		const name = ['offset', 'skip', 'start'].find((one) => hints.has(one)) ?? 'offset';
		return offset + count < total ? { ...query, [name]: String(offset + count) } : undefined;
	}
	const page = number('page', 'pagenumber', 'currentpage', 'pageindex');
	if (page === undefined) return undefined;
	const pageSize = number('pagesize', 'perpage', 'limit', 'size') ?? count;
	const first = number('pageindex') === undefined ? 1 : 0;
	const pages =
		number('totalpages', 'pagecount', 'pages') ??
		(total === undefined ? undefined : Math.ceil(total / Math.max(pageSize, 1)));
	const hasMore =
		pages === undefined
			? hints.get('hasmore') === true || hints.get('hasnextpage') === true
			: page - first + 1 < pages;
	return hasMore ? { ...query, page: String(page + 1) } : undefined;
}

/** An address, a query, or a bare page number or cursor. */
function pageReference(value: string): NextPage {
	if (/[/?=]/.test(value)) return queryOf(value);
	return /^\d+$/.test(value) ? { page: value } : { cursor: value };
}

/** Only the query of an address is used: host and path are ours, so that the API key goes nowhere else. */
function queryOf(address: string): NextPage {
	const query = address.includes('?') ? address.slice(address.indexOf('?') + 1) : address;
	return Object.fromEntries(new URLSearchParams(query.replace(/#.*$/s, '')));
}

function simplified(name: string): string {
	return name.replace(/[-_ ]/g, '').toLowerCase();
}
