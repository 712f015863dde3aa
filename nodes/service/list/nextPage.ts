import { fieldsIn } from '../../data/fields';
import { plainName } from '../../data/json';
import type { PagingSettings } from '../apiCredential';
import { meaningOf, type Role } from './conventions';
import { countsMore, isFlag, isLastPage, saysEnd, saysLast, saysMore, totalOf } from './ends';
import type { PageQuery, ReadPage } from './readPage';
import { type Sign, signsIn } from './signs';
import { isFilled, isUnknown, leadsOn, PART_OF_ALL } from './unexplained';

export type { PageQuery, ReadPage };

/** What follows a page; nothing, if nothing shows that there are more records. */
export interface Further {
	/** Asks for the next page. */
	next?: PageQuery;
	/** What shows that there are more, in words, although no next page can be asked for. */
	more?: string;
	/** What may mean that there are more, in words. */
	unclear?: string;
}

/** The names of fields come from the service. Longer ones are cut in an error. */
const MAX_NAME_CHARS = 100;

/** What says whether there is another page. With none of them, only a full page is a sign of it. */
const ANSWERS: readonly Role[] = ['next', 'cursor', 'pages', 'lastPage', 'more', 'last', 'done'];

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
		case 'parameter':
			return byParameter(page, settings.parameter, settings.counts);
	}
}

function byField({ json, query }: ReadPage, field: string, parameter: string): Further {
	const value = fieldsIn(json).find(({ path }) => path === field)?.value;
	// The last page does not have the field, or it is empty there.
	if (value === undefined || value === null || value === '' || value === false) return {};
	if (typeof value === 'object') return { more: `the field '${field}' is not a URL or cursor` };

	const text = String(value);
	const address = queryOfAddress(text);
	if (address) return { next: { ...query, ...address } };
	if (parameter !== '') return { next: { ...query, [parameter]: text } };
	return {
		more: `the field '${field}' is not a URL with a query, and no 'Cursor Parameter' is set`,
	};
}

function byParameter(
	{ query, read }: ReadPage,
	parameter: string,
	counts: 'pages' | 'records',
): Further {
	// A page without records comes after the last one.
	if (read === 0) return {};
	const step = counts === 'pages' ? 1 : read;
	return { next: { ...query, [parameter]: String(Number(query[parameter]) + step) } };
}

/**
 * What an answer says about further pages. `conventions.ts` has the names that count.
 *
 * The first of these that applies decides: that this is all, that there are more, that there may be
 * more. A count of more records than were read beats what says that this is all.
 */
export function nextPage(page: ReadPage): Further {
	const { json, headers, read, query } = page;
	const signs = signsIn(json, headers);

	const count = signs.find((sign) => countsMore(sign, signs, page));
	const flag = signs.find(saysMore);
	// A cursor or an address may stand beside every page. What says that this is all beats it.
	if (!flag && !count && saysLast(signs, page)) return {};

	// An address, a number or a cursor of the next page.
	const news = signs.filter((sign) => !isEcho(sign, query));
	const reference = news.find(isReference);
	const referred = reference && queryOf(reference);
	if (referred) return { next: { ...query, ...referred } };

	// The number or the position of this page, if there is another one.
	const position = reference ? undefined : nextPosition(signs, page);
	if (position) return { next: { ...query, ...position } };

	// There are more, and no way to ask for them.
	const more = reference ?? flag ?? count;
	if (more) return { more: inWords(more) };

	// Something may mean that there are more. An end that is said explains what nobody knows.
	const isEnd = saysEnd(signs, page);
	const unclear = news.find((sign) => leadsOn(sign, read) || (!isEnd && isUnknown(sign, read)));
	if (unclear) return { unclear: inWords(unclear) };

	// The cursor of this page stands there without one of the next: this is the last one.
	if (signs.some(({ role }) => role === 'current')) return {};

	return isFull(news, page) ? { unclear: 'the page is full' } : {};
}

/**
 * A sign in words. A text may be a secret, such as a token, so only numbers and flags are shown,
 * and texts of the form `2 of 300`.
 */
function inWords({ path, text, number }: Sign): string {
	const isShown = number >= 0 || /^(?:true|false)$/i.test(text) || PART_OF_ALL.test(text);
	const field = `the field '${path.slice(0, MAX_NAME_CHARS)}'`;
	return isShown ? `${field} is ${text}` : `${field} has a value`;
}

/** Whether it names the next page. A mere flag does not. */
function isReference({ role, text }: Sign): boolean {
	return (role === 'next' || role === 'cursor') && isFilled(text) && !isFlag(text, true);
}

/** Whether it is a text that only repeats what this page was asked for with. */
function isEcho({ name, role, text }: Sign, query: PageQuery): boolean {
	if (role !== undefined && role !== 'cursor' && role !== 'current') return false;
	return Object.entries(query).some(
		([parameter, value]) => value === text && plainName(parameter) === plainName(name),
	);
}

function queryOf({ role, parameter, text, number }: Sign): PageQuery | undefined {
	if (parameter === undefined) return undefined;
	if (role === 'cursor') return { [parameter]: text };
	if (text.includes('?') || text.includes('/')) return queryOfAddress(text);
	return { [Number.isNaN(number) ? parameter : 'page']: text };
}

/**
 * The query of an address; `undefined` if it has none. Nothing else of it is used: host and path
 * stay ours, so that the API key goes nowhere else.
 */
export function queryOfAddress(text: string): PageQuery | undefined {
	const query = /\?([^#]+)/.exec(text)?.[1];
	return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

/** The next page by its number, or by the position of its first record, if there is one. */
function nextPosition(signs: Sign[], page: ReadPage): PageQuery | undefined {
	const { read } = page;
	const numbers = signs.filter(({ number }) => number >= 0);
	const byNumber = numbers.find(({ role }) => role === 'page');
	const here = byNumber ?? numbers.find(({ role }) => role === 'offset');
	// Asking from the same position again would bring the same page.
	if (here?.parameter === undefined || read === 0) return undefined;
	const step = byNumber ? 1 : read;
	const next = { [here.parameter]: String(here.number + step) };

	// The number of pages, or that of records, says it best.
	const isLast = byNumber && isLastPage(signs, page);
	if (isLast !== undefined) return isLast ? undefined : next;
	const total = totalOf(signs, page);
	if (total !== undefined) return page.before.records + read < total ? next : undefined;
	return signs.some(saysMore) ? next : undefined;
}

/** Whether the page has as many records as a page can have, and nothing says what follows. */
function isFull(signs: Sign[], { read, query }: ReadPage): boolean {
	const isAnswered = signs.some(
		({ role, number }) =>
			role !== undefined && (ANSWERS.includes(role) || (role === 'total' && number > 0)),
	);
	if (isAnswered) return false;
	const said = signs.find(({ role, number }) => role === 'size' && number > 0)?.number;
	if (said !== undefined) return read >= said;
	// `size` is no convention: in an answer, it may be the number of these records.
	const isSize = (name: string) => name === 'size' || meaningOf(name)?.role === 'size';
	const asked = Object.entries(query).find(([name]) => isSize(name))?.[1];
	return read >= Number(asked);
}
