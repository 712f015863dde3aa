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
	return signs.find((sign) => sign.role === role && sign.number >= 0)?.number;
}

/** The number of records on all pages. A `count` is that only if it is more than was read. */
export function totalOf(signs: Sign[], { read, before }: ReadPage): number | undefined {
	const readSoFar = before.records + read;
	return signs.find(
		({ role, number }) =>
			(role === 'total' && number > 0) || (role === 'count' && number > readSoFar),
	)?.number;
}

/** Whether as many pages were read as there are; `undefined` if no number says how many. */
export function isLastPage(signs: Sign[], { before }: ReadPage): boolean | undefined {
	const here = numberOf(signs, 'page');
	const last = numberOf(signs, 'lastPage');
	// Both may count from 0.
	if (here !== undefined && last !== undefined) return here >= last;
	const pages = numberOf(signs, 'pages') ?? last;
	// The user may have asked for a later page, and pages may count from 0 or 1.
	return pages === undefined ? undefined : Math.max(here ?? 0, before.pages + 1) >= pages;
}

export function saysMore({ role, text }: Sign): boolean {
	if (role === 'more' || role === 'cut') return isFlag(text, true);
	const isLastOne = role === 'last' || role === 'lastPage' || role === 'done';
	return isLastOne && isFlag(text, false);
}

/** Whether it counts more pages, or more records, than were read. */
export function countsMore({ role, number }: Sign, signs: Sign[], page: ReadPage): boolean {
	// After several pages, a total that does not match comes from deletions in between.
	if (page.before.pages > 0) return false;
	// The user has asked for a later page. How many records are before it is not known.
	const here = numberOf(signs, 'page') ?? numberOf(signs, 'offset') ?? 0;
	if (here > 1) return false;
	if (role === 'pages' || role === 'lastPage') return number > 1;
	return (role === 'total' || role === 'count') && number > page.read;
}

/** Whether a flag or the number of pages says that this page is the last one. */
export function saysLast(signs: Sign[], page: ReadPage): boolean {
	const flag = signs.some(({ role, text }) => {
		if (role === 'more') return isFlag(text, false);
		return (role === 'last' || role === 'lastPage') && isFlag(text, true);
	});
	return flag || isLastPage(signs, page) === true;
}

/** Whether anything says that this is all: also an empty reference, or a total of what was read. */
export function saysEnd(signs: Sign[], page: ReadPage): boolean {
	const isEmpty = ({ role, text }: Sign) =>
		(role === 'next' || role === 'cursor') && !isFilled(text);
	const total = totalOf(signs, page);
	return signs.some(isEmpty) || total === page.before.records + page.read;
}
