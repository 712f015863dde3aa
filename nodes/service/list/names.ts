/*
 * What is said about further pages beside a list, by plain name: standards (RFC 8288, OData, HAL, JSON:API), and what
 * several well-known frameworks and APIs use. Another name is unclear, and the user can name it in the credential.
 */

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** The next page: an address, its number, or a cursor. */
export const NEXT = names(
	'next nextpage nextlink nexturl nexturi nexthref nextpageurl nextpagelink nextrecordsurl odatanextlink',
);

/** Values for the next request, with the parameter that takes them. */
export const CURSOR: ReadonlyMap<string, string> = new Map(
	Object.entries({
		cursor: 'cursor',
		nextcursor: 'cursor',
		nextpagetoken: 'pageToken',
		nexttoken: 'nextToken',
		nextmarker: 'marker',
		nextoffset: 'offset',
		nextstartkey: 'startKey',
		nextpagenumber: 'page',
		continuationtoken: 'continuationToken',
		cursorsafter: 'after',
		endcursor: 'after',
	}),
);

/** The number of this page, with the parameter that asks for another one. */
export const PAGE: ReadonlyMap<string, string> = new Map(
	Object.entries({
		page: 'page',
		currentpage: 'page',
		pagenumber: 'pageNumber',
		pageindex: 'pageIndex',
		number: 'page',
	}),
);

/** The position of the first record, with the same. */
export const OFFSET: ReadonlyMap<string, string> = new Map(
	Object.entries({
		offset: 'offset',
		skip: 'skip',
		start: 'start',
		startindex: 'startIndex',
		from: 'from',
	}),
);

/** The number of pages. */
export const PAGES = names(
	'totalpages totalpage pages pagecount pagescount pagestotal numberofpages noofpages lastpage maxpage maxpages',
);

/** The number of records, on this page or on all of them. More than were read means that there are more. */
export const TOTAL = names(
	'total totalcount totalresults totalelements totalitems totalsize totalrecords totalrecordcount totalrows totalfound found numfound itemstotal count odatacount outof',
);

/** How many records a page may have. */
export const SIZE = names(
	'limit perpage pagesize size itemsperpage itemsonpage maxresults take top',
);

/** True means that there are more. */
export const MORE = names(
	'more hasmore hasnext hasnextpage moreresults morerecords truncated istruncated incomplete incompleteresults partial limitexceeded islimited',
);

/** False means that there are more, true means nothing. */
export const LAST = names('last islast lastpage islastpage done complete');

/** Words in a name that may mean that there are more. */
const STEMS = names(
	'next more page pages cursor cursors offset total totals token truncated count remaining rest older shown',
);

/** Words in the names of pages that come before. */
const BEFORE = names('prev previous first self');

/** Whether a name that has no other meaning may mean that there are more records. */
export function mayMeanMore(name: string): boolean {
	const words = name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\d]+/u);
	return words.some((word) => STEMS.has(word)) && !words.some((word) => BEFORE.has(word));
}
