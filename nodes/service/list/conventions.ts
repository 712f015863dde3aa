import { plainName } from '../../data/json';

/** What a field or header beside a list says about further pages. */
export type Role =
	/** The next page: an address, its number, or a cursor. */
	| 'next'
	/** A value for the next request. It may also stand beside the last page. */
	| 'cursor'
	/**
	 * The cursor that this page was asked for with, empty on the first page. The cursor of the next
	 * page has another name, and the last page does not have it. If this page was asked for with
	 * something else, nobody knows of which page this is the cursor.
	 */
	| 'currentCursor'
	/** The number of this page. */
	| 'page'
	/** The position of the first record. */
	| 'offset'
	/** How many pages there are. */
	| 'pages'
	/** The number of the last page, counted as pages are. A flag means what it does for `last`. */
	| 'lastPage'
	/** How many records there are on all pages. */
	| 'total'
	/** How many records there are, on this page or on all of them. */
	| 'count'
	/** How many records a page may have. */
	| 'maxPerPage'
	/** Where this page ends, or how large it is. It says nothing about others. */
	| 'aboutThisPage'
	/** True: there are more. False: this is all. */
	| 'more'
	/** True: there are more. False says nothing: this page may be complete, and not the last one. */
	| 'cut'
	/** True: this is all. False: there are more. */
	| 'last'
	/** False: there are more. True says nothing: it may be the request that is done. */
	| 'done';

/**
 * A name in any spelling, its role, and whose convention it is. The last column is the query
 * parameter that takes the value, spelled with underscores if the name is. Without one, the
 * parameter has the name that the answer has.
 */
type Row = readonly [name: string, role: Role, source: string, parameter?: string];

/** No standard: several public APIs call it so. */
const HABIT = 'public APIs';

const CONVENTIONS: readonly Row[] = [
	['next', 'next', 'RFC 8288, HAL, JSON:API, Django REST framework', 'cursor'],
	['nextLink', 'next', 'Microsoft Azure'],
	['odataNextLink', 'next', 'OData 4, Microsoft Graph: @odata.nextLink'],
	['nextPage', 'next', 'GitLab: X-Next-Page; Zendesk', 'page'],
	['nextPageUrl', 'next', 'Laravel'],
	['nextPageUri', 'next', 'Twilio'],
	['nextPageLink', 'next', 'Microsoft Partner Center'],
	['nextRecordsUrl', 'next', 'Salesforce'],
	['nextUri', 'next', 'Coinbase'],
	['nextUrl', 'next', HABIT],
	['nextHref', 'next', 'SoundCloud'],
	['lastEvaluatedKey', 'next', 'AWS DynamoDB', 'exclusiveStartKey'],

	['cursor', 'cursor', HABIT],
	['nextCursor', 'cursor', 'Slack', 'cursor'],
	['nextPageToken', 'cursor', 'Google AIP-158', 'pageToken'],
	['nextToken', 'cursor', 'AWS'],
	['nextMarker', 'cursor', 'AWS S3, version 1', 'marker'],
	['nextContinuationToken', 'cursor', 'AWS S3, version 2', 'continuation-token'],
	['continuationToken', 'cursor', 'Microsoft Azure'],
	['endCursor', 'cursor', 'Relay', 'after'],
	['cursorsAfter', 'cursor', 'Meta Graph API: paging.cursors.after', 'after'],
	['pagingAfter', 'cursor', 'HubSpot: paging.after', 'after'],
	['paginationKey', 'cursor', 'Retell AI'],
	['nextStartKey', 'cursor', 'Kazoo', 'startKey'],
	['startKey', 'currentCursor', 'Kazoo'],
	['nextOffset', 'cursor', HABIT, 'offset'],
	['nextPageNumber', 'cursor', HABIT, 'page'],

	['page', 'page', 'Kaminari, will_paginate'],
	['currentPage', 'page', 'Laravel', 'page'],
	['number', 'page', 'Spring Data', 'page'],
	['pageNumber', 'page', 'Spring Data: pageable.pageNumber'],
	['pageIndex', 'page', 'ASP.NET'],

	['offset', 'offset', 'Spotify'],
	['skip', 'offset', 'OData, LoopBack'],
	['start', 'offset', 'Solr, Jira'],
	['startIndex', 'offset', 'SCIM (RFC 7644), OpenSearch'],
	['from', 'offset', 'Elasticsearch, Laravel'],

	['totalPages', 'pages', 'Spring Data, WordPress: X-WP-TotalPages'],
	['totalPage', 'pages', HABIT],
	['pages', 'pages', 'Slack: paging.pages'],
	['pageCount', 'pages', 'Zoom'],
	['pagesCount', 'pages', HABIT],
	['pagesTotal', 'pages', 'Adyen'],
	['numPages', 'pages', 'Twilio, version 2010-04-01'],
	['numberOfPages', 'pages', HABIT],
	['noOfPages', 'pages', HABIT],
	['maxPages', 'pages', HABIT],
	['lastPage', 'lastPage', 'Laravel'],
	['maxPage', 'lastPage', 'Open States'],

	['total', 'total', 'Laravel, Elasticsearch: hits.total.value'],
	['totalCount', 'total', 'GitHub: total_count; X-Total-Count'],
	['totalResults', 'total', 'SCIM (RFC 7644), OpenSearch'],
	['totalElements', 'total', 'Spring Data'],
	['totalItems', 'total', 'Google, Hydra'],
	['totalSize', 'total', 'Google AIP-158, Salesforce'],
	['totalRecords', 'total', 'Zoom'],
	['totalRecordCount', 'total', HABIT],
	['totalRows', 'total', 'CouchDB'],
	['totalFound', 'total', HABIT],
	['found', 'total', HABIT],
	['numFound', 'total', 'Solr'],
	['itemsTotal', 'total', 'Adyen'],
	['odataCount', 'total', 'OData 4: @odata.count'],
	['outOf', 'total', HABIT],
	['count', 'count', 'Django REST framework'],

	['limit', 'maxPerPage', 'Spotify'],
	['perPage', 'maxPerPage', 'GitHub, Laravel'],
	['pageSize', 'maxPerPage', 'Google AIP-158'],
	['itemsPerPage', 'maxPerPage', 'SCIM (RFC 7644), OpenSearch'],
	['itemsOnPage', 'maxPerPage', HABIT],
	['maxResults', 'maxPerPage', 'Jira, AWS'],
	['take', 'maxPerPage', 'LoopBack'],
	['top', 'maxPerPage', 'OData: $top'],
	[
		'size',
		'aboutThisPage',
		'Spring Data: how many records a page may have; others: how many this one has',
	],
	['pageStart', 'aboutThisPage', HABIT],
	['pageEnd', 'aboutThisPage', HABIT],
	['end', 'aboutThisPage', 'Twilio, version 2010-04-01'],
	['to', 'aboutThisPage', 'Laravel'],

	['more', 'more', HABIT],
	['hasMore', 'more', 'Stripe: has_more'],
	['hasMorePages', 'more', 'Laravel'],
	['hasNext', 'more', 'ASP.NET'],
	['hasNextPage', 'more', 'Relay'],
	['moreResults', 'more', HABIT],
	['moreRecords', 'more', 'Zoho'],
	['truncated', 'more', HABIT],
	['isTruncated', 'more', 'AWS'],
	['incomplete', 'cut', HABIT],
	['incompleteResults', 'cut', 'GitHub'],
	['partial', 'cut', HABIT],
	['limitExceeded', 'cut', HABIT],
	['isLimited', 'cut', HABIT],
	['last', 'last', 'Spring Data'],
	['isLast', 'last', 'Jira'],
	['isLastPage', 'last', HABIT],
	['done', 'done', 'Salesforce'],
	['complete', 'done', HABIT],
];

export interface Meaning {
	role: Role;
	/** The query parameter that takes such a value when the next page is asked for. */
	parameter: string;
}

const BY_NAME = new Map(CONVENTIONS.map((row) => [plainName(row[0]), row]));

/**
 * What a name means; `undefined` if no convention says so. Some names mean something only together
 * with the one around them, such as `paging.after`.
 */
export function meaningOf(name: string, around = ''): Meaning | undefined {
	const row = BY_NAME.get(plainName(name)) ?? BY_NAME.get(plainName(around + name));
	if (!row) return undefined;
	const [, role, , parameter] = row;
	if (parameter === undefined) return { role, parameter: name };
	return { role, parameter: name.includes('_') ? withUnderscores(parameter) : parameter };
}

/** `page_token` for `pageToken` */
function withUnderscores(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
