import { jsonParse } from 'n8n-workflow';

import { type Field, fieldsIn } from '../../data/fields';
import { isJsonObject, type JsonObject, plainName } from '../../data/json';
import type { Answer } from '../http/answer';

/*
 * What is said about further pages beside a list: standards (RFC 8288, OData, HAL, JSON:API), and
 * what several well-known frameworks and APIs use. Another name is unclear, and the user can name
 * it in the credential.
 */

/**
 * Names of fields, in any spelling. `name=parameter` if the query parameter that takes the value
 * has another name, not its own.
 */
const NAMES = {
	/** The next page: an address, its number, or a cursor. */
	next: 'next=cursor nextPage=page nextLink nextUrl nextUri nextHref nextPageUrl nextPageUri nextPageLink nextRecordsUrl odataNextLink lastEvaluatedKey=exclusiveStartKey',
	/** Values for the next request. */
	cursor:
		'cursor nextCursor=cursor nextPageToken=pageToken nextToken nextMarker=marker nextOffset=offset nextStartKey=startKey nextPageNumber=page continuationToken cursorsAfter=after endCursor=after',
	/** The number of this page. */
	page: 'page currentPage=page pageNumber pageIndex number=page',
	/** The position of the first record. */
	offset: 'offset skip start startIndex from',
	/** The number of pages. `lastPage` may also be a flag. */
	pages:
		'totalPages totalPage pages pageCount pagesCount pagesTotal numberOfPages noOfPages lastPage maxPage maxPages',
	/** The number of records on all pages. */
	total:
		'total totalCount totalResults totalElements totalItems totalSize totalRecords totalRecordCount totalRows totalFound found numFound itemsTotal odataCount outOf',
	/** The number of records, on this page or on all of them. */
	count: 'count',
	/** How many records a page may have. */
	size: 'limit perPage pageSize itemsPerPage itemsOnPage maxResults take top',
	/** Where this page is. It says nothing about others. */
	here: 'pageStart pageEnd',
	/** True means that there are more. */
	more: 'more hasMore hasNext hasNextPage moreResults moreRecords truncated isTruncated incomplete incompleteResults partial limitExceeded isLimited',
	/** False means that there are more, true means nothing. */
	last: 'last isLast isLastPage done complete',
};

type Role = keyof typeof NAMES;

interface Meaning {
	role: Role;
	/** The query parameter that takes the value. */
	parameter: string;
}

const MEANINGS: ReadonlyMap<string, { role: Role; parameter?: string }> = new Map(
	(Object.keys(NAMES) as Role[]).flatMap((role) =>
		NAMES[role].split(' ').map((entry) => {
			const [name = '', parameter] = entry.split('=');
			return [plainName(name), { role, parameter }];
		}),
	),
);

/** What a name means; `undefined` if no convention says so. */
export function meaningOf(name: string): Meaning | undefined {
	const meaning = MEANINGS.get(plainName(name));
	return meaning && { role: meaning.role, parameter: meaning.parameter ?? name };
}

/**
 * Words in a name that may mean that there are more, and those in the names of pages that come
 * before.
 */
const STEMS =
	'next more page pages cursor cursors offset total totals token truncated count remaining rest older shown marker bookmark scroll continue continuation';
const BEFORE = 'prev previous first self';

/** Whether a name that has no other meaning may mean that there are more records. */
function mayMeanMore(name: string): boolean {
	const words = name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\d]/u);
	const hasOneOf = (list: string) => list.split(' ').some((one) => words.includes(one));
	return hasOneOf(STEMS) && !hasOneOf(BEFORE);
}

/**
 * What an answer says beside its list about further pages. Without a role, nobody can know what it
 * means.
 */
export interface Sign extends Partial<Meaning> {
	/** Whether the name may mean that there are more records. */
	mayMeanMore: boolean;
	/** Where it is, with dots. */
	path: string;
	text: string;
	/** NaN for anything but a whole number, which may be text. */
	number: number;
}

/** Those in the body, the outermost first, and then those in the headers. */
export function signsIn(json: unknown, headers: Answer['headers']): Sign[] {
	const inHeaders = fieldsIn(headerFields(headers)).flatMap(signsOf);
	// There, only well-known names are about the list.
	return [...fieldsIn(json).flatMap(signsOf), ...inHeaders.filter(({ role }) => role)];
}

/**
 * What headers say about a list, as fields: links by their relation (RFC 8288), `X-Total-Count:
 * 300`, `X-Pagination: {"TotalCount": 300}`, `Content-Range: items 0-24/300`.
 */
function headerFields({ link, ...headers }: Answer['headers']): JsonObject {
	const links = linksIn(String(link)).map(({ address, parameters }) => [
		/\brel\s*=\s*"?([^";,]*)/i.exec(parameters)?.[1],
		address,
	]);
	// No two parts of it take the same characters, so it is read in one go, however long it is.
	const total = /^(?!bytes)[a-z]* ?[\d*-]+\/(\d+)$/i.exec(String(headers['content-range']))?.[1];
	const others = Object.entries(headers).map(([name, value]) => [
		name.replace(/^x-(?:wp-)?/, ''),
		name.endsWith('pagination') ? jsonParse(String(value), { fallbackValue: value }) : value,
	]);
	return Object.fromEntries([...links, ['total', total], ...others]) as JsonObject;
}

/** The links of a `Link` header: `<address>; parameters`. */
function linksIn(header: string): Array<{ address: string; parameters: string }> {
	const [, ...parts] = header.split('<');
	return parts
		.map((part) => ({ part, end: part.indexOf('>') }))
		.filter(({ end }) => end !== -1)
		.map(({ part, end }) => ({ address: part.slice(0, end), parameters: part.slice(end + 1) }));
}

function signsOf({ name, around, path, value }: Field): Sign[] {
	if (Array.isArray(value)) {
		const links = value.filter(isJsonObject).filter(({ rel }) => typeof rel === 'string');
		return links.map(({ rel, href }) => signOf(String(rel), '', `${path}.${String(rel)}`, href));
	}
	// `{ next: { href: "…" } }` and `{ total: { value: 3 } }`
	const wrappers = ['href', 'link', 'uri', 'url', 'value'];
	if (!isJsonObject(value)) {
		return [signOf(wrappers.includes(name) ? around : name, around, path, value)];
	}
	const sign = signOf(name, around, path, value);
	const isWrapper = wrappers.some((one) => one in value);
	// It says that there is a next page, and no parameter takes it.
	const isNext = sign.role === 'next' || /^next/i.test(name);
	return isNext && !isWrapper ? [{ ...sign, parameter: undefined }] : [];
}

function signOf(name: string, around: string, path: string, value: unknown): Sign {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
	const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
	const meaning = meaningOf(name) ?? meaningOf(`${around} ${name}`);
	return { ...meaning, mayMeanMore: mayMeanMore(name), path, text, number };
}
