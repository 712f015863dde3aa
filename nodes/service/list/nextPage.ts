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
const ANSWERS: readonly Role[] = ['next', 'cursor', 'pages', 'more', 'last', 'done'];

/**
 * What may repeat the query, as cursors do in some services, and fields without a convention. Other
 * roles say the same if they repeat it: a `limit` is as large, and a `page` has that number.
 */
const CAN_ECHO: ReadonlyArray<Role | undefined> = ['cursor', 'currentCursor', undefined];

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
 * The first of these that applies decides: that this is all, that there are more, that there may be
 * more. A flag or a count that says that there are more beats what says that this is all.
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

	// The cursor of this page stands there without one of the next: this is the last one.
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
	if (!CAN_ECHO.includes(role)) return false;
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
	const isAnswered = signs.some(
		({ role, number = 0 }) =>
			role !== undefined && (ANSWERS.includes(role) || (role === 'total' && number > 0)),
	);
	if (isAnswered || isLastByNumber(signs, page) !== undefined) return false;
	const answered = signs.find(({ role, number = 0 }) => role === 'maxPerPage' && number > 0);
	if (answered?.number !== undefined) return page.pageRecords >= answered.number;
	// `size` is no convention: in an answer, it may be the number of these records.
	const isMaxPerPage = (name: string) => name === 'size' || meaningOf(name)?.role === 'maxPerPage';
	const asked = Object.entries(page.query).find(([name]) => isMaxPerPage(name));
	return asked !== undefined && page.pageRecords >= Number(asked[1]);
}
