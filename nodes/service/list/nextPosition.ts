import { isLastByNumber, saysMore, totalOf } from './ends';
import type { PageQuery, ReadPage } from './readPage';
import type { Sign } from './signs';

/** The next page by its number, or by the position of its first record, if there is one. */
export function nextPosition(signs: Sign[], page: ReadPage): PageQuery | undefined {
	// The next position would be the same one again, and the next number is beyond the last page.
	if (page.pageRecords === 0) return undefined;
	const numbers = signs.filter(({ number }) => number !== undefined);
	const pageNumber = numbers.find(({ role }) => role === 'page');
	if (pageNumber) return nextNumber(pageNumber, signs, page);
	const offset = numbers.find(({ role }) => role === 'offset');
	return offset && nextOffset(offset, signs, page);
}

function nextNumber(
	{ parameter, number = 0 }: Sign,
	signs: Sign[],
	page: ReadPage,
): PageQuery | undefined {
	if (parameter === undefined) return undefined;
	// The number of pages says it best.
	const isLast = isLastByNumber(signs, page) ?? !hasMoreRecords(signs, page);
	return isLast ? undefined : { [parameter]: String(number + 1) };
}

function nextOffset(
	{ parameter, number = 0 }: Sign,
	signs: Sign[],
	page: ReadPage,
): PageQuery | undefined {
	if (parameter === undefined || !hasMoreRecords(signs, page)) return undefined;
	return { [parameter]: String(number + page.pageRecords) };
}

/** Whether the total is more than was read. Without a total, a flag says it. */
function hasMoreRecords(signs: Sign[], page: ReadPage): boolean {
	const total = totalOf(signs, page);
	if (total === undefined) return signs.some(saysMore);
	return page.earlier.records + page.pageRecords < total;
}
