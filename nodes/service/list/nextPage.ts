import { fieldsIn } from '../../data/fields';
import { plainName } from '../../data/json';
import type { PagingSettings } from '../apiCredential';
import { meaningOf, type Role } from './conventions';
import { countsMore, hintsAtEnd, isFlag, isLastByNumber, saysLast, saysMore } from './ends';
import { nextPosition } from './nextPosition';
import type { PageQuery, ReadPage } from './readPage';
import { type Sign, signsIn } from './signs';
import { hintsAtMore, isFilled, isUnknown, PART_OF_ALL } from './unexplained';

export type { PageQuery, ReadPage };

/**
 * What follows a page; nothing, if nothing shows that there are more records. The first of the
 * three that is set counts.
 */
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

/**
 * Roles of signs that say whether there is another page. With none of them, only a full page is a
 * sign of it.
 */
const ROLES_ABOUT_END: readonly Role[] = ['next', 'cursor', 'pages', 'more', 'last', 'done'];

/**
 * Roles of signs that mean nothing if they only repeat the query; `undefined` is that of a field
 * without a convention. Any other sign means the same even then: a repeated `limit` is still the
 * limit.
 */
const VOID_AS_ECHO: ReadonlyArray<Role | undefined> = ['cursor', 'currentCursor', undefined];

/** What the first page is asked for with. */
export function firstPage(settings: PagingSettings): PageQuery {
	return settings.mode === 'parameter' ? { [settings.parameter]: String(settings.first) } : {};
}

/** What follows a page, as the user says. */
export function furtherPage(settings: PagingSettings, page: ReadPage): Further {
	switch (settings.mode) {
		case 'automatic':
			return bySigns(page);
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
	// The last page does not have the field, or it is empty there. Other values that mean nothing
	// elsewhere, such as 0, are values here: the user has said that the field leads on.
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
	{ query, pageRecords }: ReadPage,
	parameter: string,
	counts: 'pages' | 'records',
): Further {
	// A page without records comes after the last one.
	if (pageRecords === 0) return {};
	const step = counts === 'pages' ? 1 : pageRecords;
	return { next: { ...query, [parameter]: String(Number(query[parameter]) + step) } };
}

/**
 * What the signs in an answer say about further pages. `conventions.ts` has the names that count.
 *
 * The first of these that is there decides:
 *
 * 1. a sign that this is all, unless a flag or a count says that there are more
 * 2. a next page that can be asked for
 * 3. a sign that there are more
 * 4. a sign that may mean that there are more
 * 5. the cursor of this page without one of the next: this is all
 * 6. a full page: there may be more
 */
export function bySigns(page: ReadPage): Further {
	const { json, headers, pageRecords, query } = page;
	const signs = signsIn(json, headers);

	const count = signs.find((sign) => countsMore(sign, signs, page));
	const flag = signs.find(saysMore);
	// A cursor or an address may stand beside every page. What says that this is all beats it.
	if (!flag && !count && saysLast(signs, page)) return {};

	// An address, a number or a cursor of the next page.
	const ownSigns = signs.filter((sign) => !isEcho(sign, query));
	const reference = ownSigns.find(isReference);
	const referred = reference && queryOf(reference);
	if (referred) return { next: { ...query, ...referred } };

	// The number or the position of this page. A service that has a cursor does not page by number:
	// its numbers only describe the page.
	if (!reference) {
		const position = nextPosition(signs, page);
		if (position) return { next: { ...query, ...position } };
	}

	// There are more, and no way to ask for them.
	const more = reference ?? flag ?? count;
	if (more) return { more: inWords(more) };

	// Something may mean that there are more. If the answer hints that this is all, a sign that
	// nobody understands does not count. One whose words hint at more still does.
	const isEnd = hintsAtEnd(signs, page);
	const isDoubt = (sign: Sign) =>
		hintsAtMore(sign, pageRecords) || (!isEnd && isUnknown(sign, pageRecords));
	const doubt = ownSigns.find(isDoubt);
	if (doubt) return { unclear: inWords(doubt) };

	// A `currentCursor` that gets here is empty, repeats the query, or stands beside a hint at the
	// end. The service pages by cursor and gives none for a next page: this is the last one, even if
	// it is full.
	if (signs.some(({ role }) => role === 'currentCursor')) return {};

	return isFull(ownSigns, page) ? { unclear: 'the page is full' } : {};
}

/**
 * A sign in words. A text may be a secret, such as a token, so only numbers and flags are shown,
 * and texts of the form `2 of 300`.
 */
function inWords({ path, text, number }: Sign): string {
	const isNumberOrFlag = number !== undefined || isFlag(text, true) || isFlag(text, false);
	const field = `the field '${path.slice(0, MAX_NAME_CHARS)}'`;
	return isNumberOrFlag || PART_OF_ALL.test(text) ? `${field} is ${text}` : `${field} has a value`;
}

/** Whether it names the next page. A mere flag does not. */
function isReference({ role, text }: Sign): boolean {
	return (role === 'next' || role === 'cursor') && isFilled(text) && !isFlag(text, true);
}

/** Whether a sign only repeats what this page was asked for with. */
function isEcho({ name, role, text }: Sign, query: PageQuery): boolean {
	if (!VOID_AS_ECHO.includes(role)) return false;
	return Object.entries(query).some(
		([parameter, value]) => value === text && plainName(parameter) === plainName(name),
	);
}

/** What a reference to the next page asks for it with; `undefined` if it cannot be asked for. */
function queryOf({ role, name, parameter, text, number }: Sign): PageQuery | undefined {
	// An object, such as `next: { id: 7 }`: nobody knows how to ask with it.
	if (parameter === undefined) return undefined;
	if (role === 'cursor' || isRecordKey(name)) return { [parameter]: text };
	if (isAddress(text)) return queryOfAddress(text);
	// `next: 2` is the number of a page.
	return { [number === undefined ? parameter : 'page']: text };
}

/** Whether a value is the key of a record, as in DynamoDB: even a number is no page number. */
function isRecordKey(name: string): boolean {
	return plainName(name) === 'lastevaluatedkey';
}

/**
 * Whether a reference is an address. A cursor in Base64 may have a slash too. Nothing is asked for
 * with that one, and the list is reported as incomplete.
 */
function isAddress(text: string): boolean {
	return text.includes('?') || text.includes('/');
}

/**
 * The query of an address; `undefined` if it has none. Nothing else of it is used: host and path
 * stay ours, so that the API key goes nowhere else.
 */
export function queryOfAddress(text: string): PageQuery | undefined {
	const query = /\?([^#]+)/.exec(text)?.[1];
	return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

/** Whether the page has as many records as a page can have, and nothing says what follows. */
function isFull(signs: Sign[], page: ReadPage): boolean {
	const isEndTold = signs.some(
		({ role, number = 0 }) =>
			role !== undefined && (ROLES_ABOUT_END.includes(role) || (role === 'total' && number > 0)),
	);
	if (isEndTold || isLastByNumber(signs, page) !== undefined) return false;
	const sizeInAnswer = signs.find(({ role, number = 0 }) => role === 'maxPerPage' && number > 0);
	if (sizeInAnswer?.number !== undefined) return page.pageRecords >= sizeInAnswer.number;
	// `size` is no convention: in an answer, it may be the number of these records.
	const isMaxPerPage = (name: string) => name === 'size' || meaningOf(name)?.role === 'maxPerPage';
	const sizeInQuery = Object.entries(page.query).find(([name]) => isMaxPerPage(name))?.[1];
	return sizeInQuery !== undefined && page.pageRecords >= Number(sizeInQuery);
}
