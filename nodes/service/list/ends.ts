import type { Role } from './conventions';
import type { ReadPage } from './readPage';
import type { Sign } from './signs';
import { isFilled } from './unexplained';

/* What flags and numbers beside a list say about its end. */

export function isFlag(text: string, flag: boolean): boolean {
	return text.toLowerCase() === String(flag);
}

/** The first whole number with a role. */
function numberOf(signs: Sign[], role: Role): number | undefined {
	return signs.find((sign) => sign.role === role && sign.number !== undefined)?.number;
}

/** The number of records on all pages. A `count` is that only if it is more than was read. */
export function totalOf(signs: Sign[], { pageRecords, earlier }: ReadPage): number | undefined {
	const totalRead = earlier.records + pageRecords;
	const total = signs.find(({ role, number = 0 }) => {
		return (role === 'total' && number > 0) || (role === 'count' && number > totalRead);
	});
	return total?.number;
}

/**
 * Whether numbers say that this page is the last one.
 *
 * @returns `false` if they say that it is not the last one; `undefined` if they do not tell
 */
export function isLastByNumber(signs: Sign[], { earlier }: ReadPage): boolean | undefined {
	const page = numberOf(signs, 'page');
	const pages = numberOf(signs, 'pages');
	const lastPage = numberOf(signs, 'lastPage');

	// Both count from 0, or both from 1.
	if (page !== undefined && lastPage !== undefined) return page >= lastPage;

	// Nobody knows whether `page` counts from 0 or from 1, so it may be less than the number of pages
	// that were read. It is more if the user has asked for a later page.
	const pagesReached = Math.max(page ?? 0, earlier.pages + 1);
	if (pages !== undefined) return pagesReached >= pages;

	// Here only `lastPage` is left, without `page`. With 2 pages, it is 1 or 2. So if it equals the
	// number of pages read, this is the last page or the one before it.
	if (lastPage === undefined || pagesReached === lastPage) return undefined;
	return pagesReached > lastPage;
}

export function saysMore({ role, text }: Sign): boolean {
	if (role === 'more' || role === 'cut') return isFlag(text, true);
	const isAboutEnd = role === 'last' || role === 'lastPage' || role === 'done';
	return isAboutEnd && isFlag(text, false);
}

/**
 * On the first page only: whether a sign counts more pages than one, or more records than the page
 * has.
 */
export function countsMore({ role, number = 0 }: Sign, signs: Sign[], page: ReadPage): boolean {
	// After several pages, a total that does not match comes from deletions in between.
	if (page.earlier.pages > 0) return false;
	// Above 1, the user has asked for a later page, and how many records are before it is not known.
	// 0 and 1 may both be the first page or record.
	const position = numberOf(signs, 'page') ?? numberOf(signs, 'offset') ?? 0;
	if (position > 1) return false;
	if (role === 'pages' || role === 'lastPage') return number > 1;
	return (role === 'total' || role === 'count') && number > page.pageRecords;
}

/** Whether a flag or the number of pages says that this page is the last one. */
export function saysLast(signs: Sign[], page: ReadPage): boolean {
	const flag = signs.some(({ role, text }) => {
		if (role === 'more') return isFlag(text, false);
		// Not `done: true`: the request may be done. Not `cut: false`: just this page may be whole.
		return (role === 'last' || role === 'lastPage') && isFlag(text, true);
	});
	return flag || isLastByNumber(signs, page) === true;
}

/**
 * Whether an empty reference to the next page, or a total of as many records as were read, lets
 * this page look like the last one. That is weaker than {@link saysLast}, which the caller has
 * asked before.
 */
export function hintsAtEnd(signs: Sign[], page: ReadPage): boolean {
	const isEmptyReference = ({ role, text }: Sign) =>
		(role === 'next' || role === 'cursor') && !isFilled(text);
	const totalRead = page.earlier.records + page.pageRecords;
	return signs.some(isEmptyReference) || totalOf(signs, page) === totalRead;
}
