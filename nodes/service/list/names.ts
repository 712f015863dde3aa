/*
 * What is said about further pages beside a list: standards (RFC 8288, OData, HAL, JSON:API), and what several well-known
 * frameworks and APIs use. Another name is unclear, and the user can name it in the credential.
 */
import { plainName } from '../../data/json';

/** Names of fields, in any spelling. `name=parameter` if the query parameter that takes the value has another name, not its own. */
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

export interface Meaning {
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

/** Words in a name that may mean that there are more, and those in the names of pages that come before. */
const STEMS =
	'next more page pages cursor cursors offset total totals token truncated count remaining rest older shown marker bookmark scroll continue continuation';
const BEFORE = 'prev previous first self';

/** Whether a name that has no other meaning may mean that there are more records. */
export function mayMeanMore(name: string): boolean {
	const words = name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\d]+/u);
	const hasOneOf = (list: string) => list.split(' ').some((one) => words.includes(one));
	return hasOneOf(STEMS) && !hasOneOf(BEFORE);
}
