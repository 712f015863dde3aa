import { fieldsIn } from '../../data/fields';
import type { PagingSettings } from '../apiCredential';
import type { Answer } from '../http/answer';
import { meaningOf, type Sign, signsIn } from './signs';

/** The query parameters of a request for one page. */
export type PageQuery = Record<string, string>;

/** An answer with a page of a list. */
export interface ReadPage {
	json: unknown;
	headers: Answer['headers'];
	/** How many records are on it. */
	read: number;
	/** What the page was asked for with. */
	query: PageQuery;
	/** How many pages, and records on them, were read before this one. */
	before: { pages: number; records: number };
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

/** What the first page is asked for with. */
export function firstPage(settings: PagingSettings): PageQuery {
	return settings.mode === 'parameter' ? { [settings.parameter]: String(settings.first) } : {};
}

/** What follows a page, as the user says. */
export function furtherPage(settings: PagingSettings, page: ReadPage): Further {
	switch (settings.mode) {
		case 'automatic':
			return nextPage(page);
		case 'complete':
			return {};
		case 'nextField':
			return byField(page, settings.field, settings.parameter);
		case 'parameter': {
			const { parameter, counts } = settings;
			const position = Number(page.query[parameter]) + (counts === 'pages' ? 1 : page.read);
			return page.read === 0 ? {} : { next: { ...page.query, [parameter]: String(position) } };
		}
	}
}

function byField({ json, query }: ReadPage, field: string, parameter: string): Further {
	const value = fieldsIn(json).find(({ path }) => path === field)?.value;
	if (value === undefined || value === null || value === '' || value === false) return {};
	if (typeof value === 'object') return { more: `the field '${field}' is not a URL or cursor` };
	const text = String(value);
	const next = queryOfAddress(text) ?? (parameter === '' ? undefined : { [parameter]: text });
	if (next) return { next: { ...query, ...next } };
	return {
		more: `the field '${field}' is not a URL with a query, and no 'Cursor Parameter' is set`,
	};
}

/** What an answer says about further pages. Which names count is in a table. */
export function nextPage(page: ReadPage): Further {
	const { json, headers, read, query, before } = page;
	const signs = signsIn(json, headers);
	const reference = signs.find(isReference);
	const next = reference ? queryOf(reference) : nextPosition(signs, page);
	if (next) return { next: { ...query, ...next } };

	// After several pages, a total that does not match comes from deletions in between.
	const isFirst = before.pages === 0;
	const counts = signs.find((sign) => isFirst && countsMore(sign, read));
	const more = reference ?? signs.find(saysMore) ?? counts;
	if (more) return { more: inWords(more) };
	const unclear = signs.find((sign) => isUnclear(sign, read));
	if (unclear) return { unclear: inWords(unclear) };
	return isFull(signs, page) ? { unclear: 'the page is full' } : {};
}

function inWords({ path, text }: Sign): string {
	return `the field '${path}' is ${text.slice(0, 40)}`;
}

/** Whether it names the next page. A mere flag does not. */
function isReference({ role, text }: Sign): boolean {
	return (role === 'next' || role === 'cursor') && isFilled(text) && !isFlag(text, true);
}

function isFilled(text: string): boolean {
	return !['', '0', '-1', 'false', 'null', 'undefined', '{}'].includes(text.toLowerCase());
}

function isFlag(text: string, flag: boolean): boolean {
	return text.toLowerCase() === String(flag);
}

function queryOf({ role, parameter, text, number }: Sign): PageQuery | undefined {
	if (parameter === undefined) return undefined;
	if (role === 'cursor') return { [parameter]: text };
	if (text.includes('?') || text.includes('/')) return queryOfAddress(text);
	return { [Number.isNaN(number) ? parameter : 'page']: text };
}

/**
 * The query of an address; `undefined` if it has none. Nothing else of it is used. Host and path stay ours, so that the API
 * key goes nowhere else.
 */
export function queryOfAddress(text: string): PageQuery | undefined {
	const query = /\?([^#]+)/.exec(text)?.[1];
	return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

/** The next page by its number, or by the position of its first record, if the answer says that there is one. */
function nextPosition(signs: Sign[], { read, before }: ReadPage): PageQuery | undefined {
	const numbers = signs.filter(({ number }) => number >= 0);
	const here =
		numbers.find(({ role }) => role === 'page') ?? numbers.find(({ role }) => role === 'offset');
	if (!here?.parameter || read === 0) return undefined;
	const readSoFar = before.records + read;
	const pages = numbers.find(({ role }) => role === 'pages');
	const total = numbers.find(({ role, number }) =>
		// A count may be that of this page.
		role === 'count' ? number > readSoFar : role === 'total' && number > 0,
	);
	let hasMore = signs.some(saysMore);
	if (total) hasMore = readSoFar < total.number;
	if (pages && here.role === 'page') hasMore = before.pages + 1 < pages.number;
	const step = here.role === 'page' ? 1 : read;
	return hasMore ? { [here.parameter]: String(here.number + step) } : undefined;
}

function saysMore({ role, text }: Sign): boolean {
	if (role === 'more') return isFlag(text, true);
	return (role === 'last' || role === 'pages') && isFlag(text, false);
}

function countsMore({ role, number }: Sign, read: number): boolean {
	if (role === 'pages') return number > 1;
	return (role === 'total' || role === 'count') && number > read;
}

/** Whether it may mean that there are more, and nothing explains it. */
function isUnclear({ role, text, number, mayMeanMore }: Sign, read: number): boolean {
	const isExplained = role !== undefined && role !== 'more' && !Number.isNaN(number);
	return mayMeanMore && isFilled(text) && number !== read && !isExplained;
}

/** Whether the page has as many records as a page can have, and nothing says whether there are more. */
function isFull(signs: Sign[], { read, query }: ReadPage): boolean {
	const isSaid = signs.some(({ role = 'size', number }) =>
		role === 'total' ? number > 0 : ['next', 'cursor', 'pages', 'more', 'last'].includes(role),
	);
	const said = signs.find(({ role, number }) => role === 'size' && number > 0);
	// In an answer, it may be the number of these records.
	const isSize = (name: string) => name === 'size' || meaningOf(name)?.role === 'size';
	const asked = Object.entries(query).find(([name]) => isSize(name));
	return !isSaid && read >= (said?.number ?? Number(asked?.[1]));
}
