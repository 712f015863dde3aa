import { readListPage, type Headers } from '../../nodes/service/list/listPage';

const records = [{ a: 1 }, { a: 2 }];

describe('the next page', () => {
	const next = (hints: object, query?: Record<string, string>, headers?: Headers) =>
		readListPage({ records, envelopes: [{ ...hints }] }, { query, headers }).next;

	test.each([
		[
			'a full address',
			{ next: 'https://elsewhere.example/other?page=2&size=2' },
			{ page: '2', size: '2' },
		],
		['a path', { nextPageUrl: '/api/customer/recordings?cursor=abc#x' }, { cursor: 'abc' }],
		['a query', { nextLink: '?offset=2' }, { offset: '2' }],
		['OData', { '@odata.nextLink': 'https://h/x?$skip=2' }, { $skip: '2' }],
		['more', { moreUrl: '/x?page=3' }, { page: '3' }],
		['a page in words', { page: '1 of 3' }, { page: '2' }],
		['a page in a text', { meta: { pagination: '2/3' } }, { page: '3' }],
		['nested links', { links: { next: '/x?page=3' } }, { page: '3' }],
		['HAL', { _links: { next: { href: '/x?page=3' } } }, { page: '3' }],
		['two levels down', { meta: { pagination: { page: 1, totalPages: 2 } } }, { page: '2' }],
		[
			'what is further out comes first',
			{ next: '?page=2', links: { next: '?page=9' } },
			{ page: '2' },
		],
		['null says nothing', { next: null, links: { next: '?page=2' } }, { page: '2' }],
		['a number', { nextPage: 2 }, { page: '2' }],
		['a number as text', { next_page: '2' }, { page: '2' }],
		['a bare cursor', { next: 'abc' }, { cursor: 'abc' }],
		['a bare cursor of Base64', { next: 'a/bc==' }, { cursor: 'a/bc==' }],
		['nextCursor', { nextCursor: 'abc' }, { cursor: 'abc' }],
		['next_page_token', { next_page_token: 'abc' }, { pageToken: 'abc', page_token: 'abc' }],
		['nextToken', { NextToken: 'abc' }, { token: 'abc', nextToken: 'abc' }],
		['a number as a cursor', { nextOffset: 100 }, { offset: '100' }],
		['next_offset', { next_offset: '100' }, { offset: '100' }],
		['a cursor of Base64', { nextCursor: 'a/b?c==' }, { cursor: 'a/b?c==' }],
		['a cursor without next', { cursor: 'abc' }, { cursor: 'abc' }],
		['its own cursor and the next', { cursor: 'abc', nextCursor: 'def' }, { cursor: 'def' }],
		[
			'links in a list',
			{
				links: [
					{ rel: 'self', href: '/x' },
					{ rel: 'next', href: '/x?page=2' },
				],
			},
			{ page: '2' },
		],
		['a list of links by name', { _links: { next: [{ href: '?page=2' }] } }, { page: '2' }],
		[
			'a link with another word for its address',
			{ links: [{ rel: 'next', uri: '?page=2' }] },
			{ page: '2' },
		],
		[
			'a cursor with a link',
			{ paging: { next: { after: 'abc', link: '?after=abc' } } },
			{ after: 'abc' },
		],
		['nextPageNumber', { nextPageNumber: 2 }, { page: '2' }],
		['PageNum', { PageNum: 1, Pages: 3 }, { page: '2', pageNum: '2' }],
		['nextSince', { nextSince: 7 }, { since: '7' }],
		['cursors', { paging: { cursors: { before: 'x', after: 'abc' } } }, { after: 'abc' }],
		['continue', { continue: 'abc' }, { continue: 'abc' }],
		['a prefix', { recordings_next: '?page=2' }, { page: '2' }],
		['a token with a prefix', { recordingsNextToken: 'abc' }, { token: 'abc', nextToken: 'abc' }],
		['a relation', { link: [{ relation: 'next', url: '?page=2' }] }, { page: '2' }],
		['a namespace', { _links: { 'ns:next': { href: '?page=2' } } }, { page: '2' }],
		['a navigation', { nav: { next: '?page=2' } }, { page: '2' }],
		['GitHub', { incomplete_results: false, next: '?page=2' }, { page: '2' }],
		['nextPageState', { nextPageState: 'abc' }, { pageState: 'abc' }],
		['a bookmark', { bookmark: 'abc' }, { bookmark: 'abc' }],
		['a last key', { lastKey: 'abc' }, { lastKey: 'abc' }],
		['an address of records', { nextRecordsUrl: '/query?after=7' }, { after: '7' }],
		[
			'Spring',
			{ number: 0, size: 2, totalElements: 3, totalPages: 2, last: false },
			{ page: '1', number: '1' },
		],
		[
			'from 1 by position',
			{ startIndex: 1, itemsPerPage: 2, totalResults: 3 },
			{ startIndex: '3' },
		],
		['a full page', { page: 1, pageSize: 2 }, { page: '2' }],
		['not the last page', { page: 1, isLastPage: false }, { page: '2' }],
		['a boolean as text', { page: 1, hasNextPage: 'true' }, { page: '2' }],
		['a boolean as number', { page: 1, has_more: 1 }, { page: '2' }],
		['continuationToken', { continuationToken: 'abc' }, { continuationToken: 'abc' }],
		['total pages', { page: 1, totalPages: 2 }, { page: '2' }],
		['a total', { page: 1, pageSize: 2, total: 3 }, { page: '2' }],
		['as text', { page: '1', totalPages: '2' }, { page: '2' }],
		['its own name', { pageNumber: 1, totalPages: 2 }, { page: '2', pageNumber: '2' }],
		['PascalCase', { PageNumber: 1, TotalPages: 2 }, { page: '2', pageNumber: '2' }],
		['snake_case', { current_page: 1, last_page: 2 }, { page: '2', current_page: '2' }],
		['from 0', { pageIndex: 0, pageSize: 2, total: 3 }, { page: '1', pageIndex: '1' }],
		['an offset', { offset: 4, limit: 2, total: 7 }, { offset: '6' }],
		['an offset and hasMore', { Skip: 4, hasMore: true }, { skip: '6' }],
		['hasMore', { page: 4, hasMore: true }, { page: '5' }],
		['information about results', { resultInfo: { next: '?page=2' } }, { page: '2' }],
		['information', { info: { next: '?page=2' } }, { page: '2' }],
		['a summary', { summary: { next: '?page=2' } }, { page: '2' }],
		['many pages in words', { page: ' Page  12 of 345 ' }, { page: '13' }],
		['pages in words without spaces', { page: 'page1/12' }, { page: '2' }],
		['a start', { start: 0, total: 5 }, { start: '2' }],
		['per page', { perPage: 2, page: 1 }, { page: '2' }],
		['an address of a record', { nextRecordUrl: '?after=7' }, { after: '7' }],
		['a link to results', { nextResultLink: '?after=7' }, { after: '7' }],
		['a link to an item', { nextItemHref: '?after=7' }, { after: '7' }],
		['a long number', { nextPage: 12 }, { page: '12' }],
		['what begins like a number', { nextPage: '2abc' }, { cursor: '2abc' }],
		['a query without question mark', { next: 'page=2' }, { page: '2' }],
		['a question mark in a query', { next: '/x?q=a?b&page=2' }, { q: 'a?b', page: '2' }],
		['a fragment', { next: '/x?page=2#page=3' }, { page: '2' }],
		['separators', { scroll__id: 'abc' }, { scroll__id: 'abc', scrollId: 'abc' }],
	])('%s', (_name, hints, expected) => expect(next(hints)).toEqual(expected));

	test.each([
		['no hint', {}],
		['null', { next: null, nextCursor: null }],
		['an empty text', { next: '' }],
		['the last of all pages', { page: 2, totalPages: 2 }],
		['all of the total', { page: 1, pageSize: 2, total: 2 }],
		['hasNextPage is false', { page: 1, totalPages: 3, hasNextPage: false }],
		['numbers of something else', { page: 1, storage: { total: 5000 } }],
		['the last offset', { offset: 5, limit: 2, total: 7 }],
		['hasMore is false', { page: 4, hasMore: false }],
		['hasMore is false, with a cursor', { cursor: 'abc', hasMore: false }],
		['a page that is not full', { page: 1, pageSize: 3 }],
		['a page that has a size', { page: 1, size: 2 }],
		['the last of all positions', { startIndex: 1, itemsPerPage: 2, totalResults: 2 }],
		['a time', { nextPurgeAt: '2026-11-22T00:00:00Z', nextCheckSeconds: 60 }],
		['a cursor of 0', { nextCursor: 0 }],
		['a path', { next: '/recordings/pages/2' }],
		['a cursor of -1', { nextCursor: -1 }],
		['that there is one', { next: true }],
		['a page in a title', { title: '1 of 3' }],
		['a page in a page title', { pageTitle: '1 of 3' }],
		['a page of a homepage', { homepage: '1 of 3' }],
		['a page of subpages', { subpages: '1 of 3' }],
		['a page in pages of something', { pagesOfBook: '1 of 3' }],
		['a date as page', { page: '11/1/3' }],
		['a page of files', { page: '1 of 3 files' }],
		['a title of a page', { pageTitle: 1, totalPages: 3 }],
		['a current user', { currentUser: 1, totalPages: 3 }],
		['an offset of a time', { utcOffset: 0, total: 5 }],
		['an offset in seconds', { offsetSeconds: 0, total: 5 }],
		['when they were taken', { takenAt: 2, page: 1 }],
		['other pages', { otherTotalPages: 3, page: 1 }],
		['whether there is one', { hasNext: 'abc' }],
		['a type of tokens', { pageTokenType: 'abc' }],
		['a token of a homepage', { homepageToken: 'abc' }],
		['a type of cursors', { cursorType: 'abc' }],
		['a precursor', { precursor: 'abc' }],
		['a last keyword', { lastKeyword: 'abc' }],
		['objects of something else', { linkset: { next: '?page=2' } }],
		['information about a server', { serverInfo: { next: '?page=2' } }],
		['an information text', { infoText: { next: '?page=2' } }],
		['a summary of an account', { accountSummary: { next: '?page=2' } }],
		['a text of a summary', { summaryText: { next: '?page=2' } }],
		['what begins otherwise', { unnavigable: { next: '?page=2' } }],
	])('%s: none', (_name, hints) => expect(next(hints)).toBeUndefined());

	test('the Link header, whatever else is in it', () => {
		const link = '<https://h/x?page=1>; rel="first", <https://h/x?page=3>; rel="next"';
		expect(next({}, {}, { link })).toEqual({ page: '3' });
		const previous = '<https://h/x?page=1>; rel="prev"';
		expect(next({}, {}, { link: previous })).toBeUndefined();
		expect(next({}, {}, { link: '<https://h/x?page=3>; rel="last next"' })).toEqual({ page: '3' });
	});

	test.each([
		'; REL=Next',
		'; title="a, b"; rel="next"',
		'; rel = next',
		";title='x;y' ; rel='next'",
	])('a Link header with %s', (says) =>
		expect(next({}, {}, { link: `<?page=3>${says}` })).toEqual({ page: '3' }),
	);

	test('none after an empty page by its number alone', () => {
		const empty = { records: [], envelopes: [{ page: 1, totalPages: 3 }] };
		expect(readListPage(empty).next).toBeUndefined();
	});

	test('the last page, counted from 0', () => {
		const last = { records, envelopes: [{ pageIndex: 1, totalPages: 2 }] };
		expect(readListPage(last, { firstStart: 0 }).next).toBeUndefined();
	});

	test('other query parameters are kept', () => {
		expect(next({ nextCursor: 'abc' }, { from: '2026-11-01', cursor: 'xyz' })).toEqual({
			from: '2026-11-01',
			cursor: 'abc',
		});
	});
});

describe('the headers', () => {
	const read = (headers: Headers) => readListPage({ records, envelopes: [] }, { headers });

	test.each<[string, Headers, object]>([
		['X-Next-Page', { 'x-next-page': '2' }, { next: { page: '2' } }],
		[
			'no X-Next-Page',
			{ 'x-next-page': '', 'x-total-pages': '1' },
			{ next: undefined, hasMore: false },
		],
		['X-Page', { 'x-page': '1', 'x-total-pages': '2' }, { next: { page: '2' } }],
		['X-Total-Count', { 'x-total-count': '300' }, { next: undefined, total: 300 }],
		['X-WP-Total', { 'x-wp-total': '3', 'x-wp-totalpages': '2' }, { total: 3, pages: 2 }],
		[
			'X-Pagination',
			{ 'x-pagination': '{"CurrentPage":1,"TotalPages":2,"HasNext":true}' },
			{ next: { page: '2', currentPage: '2' }, hasMore: true },
		],
		['Content-Range', { 'content-range': 'items 0-1/300' }, { next: { offset: '2' }, total: 300 }],
		['Content-Range without unit', { 'content-range': '0-1/2' }, { next: undefined, total: 2 }],
		['Content-Range with an equals sign', { 'content-range': 'recordings=0-1/5' }, { total: 5 }],
		[
			'Pagination-Count',
			{ 'pagination-count': '5', 'pagination-page': '1', 'pagination-limit': '2' },
			{ next: { page: '2' }, total: 5, pageSize: 2 },
		],
		[
			'X-Pagination-Current-Page',
			{ 'x-pagination-current-page': '1', 'x-pagination-page-count': '3' },
			{ next: { page: '2' }, pages: 3 },
		],
		['Content-Range, later', { 'content-range': 'items 10-19/300' }, { next: { offset: '12' } }],
		[
			'Content-Range with unknown total',
			{ 'content-range': 'items 10-19/*' },
			{ total: undefined },
		],
		['Content-Range and more', { 'content-range': 'items 0-1/300x' }, { next: undefined }],
		[
			'a link to this page and the last one',
			{ link: '</r?part=a>; rel="self", </r?part=b>; rel="last"' },
			{ isBeforeLast: true },
		],
		['Next-Range', { 'next-range': 'id ]abc..' }, { next: { range: 'id ]abc..' } }],
		[
			'a link to a path',
			{ link: '</recordings/pages/2>; rel="next"' },
			{ next: undefined, hasMore: true },
		],
		['X-Next-Cursor', { 'x-next-cursor': 'abc' }, { next: { cursor: 'abc' } }],
		['X-Has-More', { 'x-has-more': 'true' }, { hasMore: true }],
		['what is no JSON', { 'x-pagination': '{' }, { next: undefined, hasMore: undefined }],
		[
			'of something else',
			{
				'content-range': 'bytes 0-1/300',
				'content-length': '300',
				'x-ratelimit-limit': '300',
				'x-ratelimit-remaining': '299',
				'last-modified': 'today',
				'x-total-time': '300',
				'set-cookie': ['next=1'],
			},
			{ next: undefined, hasMore: undefined, total: undefined, pageSize: undefined },
		],
	])('%s', (_name, headers, expected) => expect(read(headers)).toMatchObject(expected));
});

describe('whether there are more', () => {
	const hasMore = (hints: object) => readListPage({ records, envelopes: [{ ...hints }] }).hasMore;

	test.each([
		{ hasMore: true },
		{ has_more: 'True' },
		{ isTruncated: true },
		{ more: true },
		{ moreAvailable: true },
		{ moreRecords: 1 },
		{ moreRecords: 12 },
		{ hasMore: 'yes' },
		{ truncated: 1 },
		{ isLastPage: 'N' },
		{ next: ['2026-11-14', 'abc'] },
		{ isLastPage: false },
		{ last: false },
		{ done: false },
		{ complete: false },
		{ endOfList: false },
		{ partial: true },
		{ hasNextPage: 'true' },
		{ nextToken: { sessionGuid: 'x', endedAt: 5 } },
		{ lastEvaluatedKey: { id: 1 } },
		{ next: '/recordings/pages/2' },
		{ next: '/recordings;page=2' },
		{ next: 'https://h/recordings#page=2' },
		{ warnings: ['The list was truncated to 2'] },
		{ message: 'Results are incomplete' },
		{ message: 'The result was cut' },
		{ message: 'List truncated' },
		{ remainingItems: 5 },
		{ limitReached: true },
		{ timed_out: true },
		{ exceededTransferLimit: true },
		{ allReturned: false },
		{ status: 'partial' },
		{ state: 'TRUNCATED' },
		{ first: true, last: false },
		{ pageInfo: { hasNextPage: true, endCursor: 'abc' } },
		{ hasMore: ' true ' },
		{ thereAreMore: true },
		{ resultTruncated: true },
		{ remainingItem: 1 },
		{ remainingRecord: 1 },
		{ remainingElement: 1 },
		{ remainingResult: 1 },
		{ remainingRow: 1 },
		{ remainingRecording: 1 },
		{ remainingItemsCount: ' 3 ' },
		{ resultPartial: true },
		{ timeout: true },
	])('%j', (hints) => expect(hasMore(hints)).toBe(true));

	test.each([
		{ hasMore: false },
		{ isTruncated: 'false' },
		{ last: true },
		{ done: true },
		{ next: null },
		{ nextToken: {} },
		{ hasMore: 'No' },
		{ next: [] },
		{ lastEvaluatedKey: null },
		{ next: '', previous: 'abc' },
		{ page: 1, pages: 1 },
		{ moreRecords: 0 },
		{ remainingItems: '0' },
	])('%j: no', (hints) => expect(hasMore(hints)).toBe(false));

	test.each([
		{},
		{ status: 'ok' },
		{ moreInfo: 'https://docs.example/' },
		{ limited: false },
		{ message: 'Recordings of more than 2 hours are cut off' },
		{ timed_out: false, timeout: 30 },
		{ incomplete_results: false },
		{ limit: 1 },
		{ hasMore: 'constructor' },
		{ first: true },
		{ nextStep: 'Download them' },
		{ last: '2026-11-14' },
		{ account: { hasMore: true } },
		{ hasMore: { toString: null }, total: { toString: 5 } },
		{ nevermore: true },
		{ quotaRemainingItems: 'yes' },
		{ remainingItemsQuota: 5 },
		{ impartial: true },
		{ limitations: true },
		{ state: 'impartial' },
		{ state: 'partially' },
		{ substate: 'partial' },
		{ statusText: 'partial' },
		{ notLast: true },
		{ noMore: 5 },
		{ moreRecords: '5x' },
		{ hasMore: 'yesterday' },
		{ hasMore: 'piano' },
		{ hasMore: 'never' },
	])('%j: unknown', (hints) => expect(hasMore(hints)).toBeUndefined());
});

describe('how many there are', () => {
	const total = (hints: object) => readListPage({ records, envelopes: [{ ...hints }] }).total;

	test.each([
		{ total: 300 },
		{ totalCount: '300' },
		{ total_results: 300 },
		{ totalRows: 300 },
		{ totalElements: 300 },
		{ recordsTotal: 300, recordsFiltered: 2 },
		{ numFound: 300 },
		{ numberOfRecords: 300 },
		{ '@odata.count': 300 },
		{ count: 300 },
		{ meta: { result: 5, total_items: 300 } },
		{ total: { value: 300, relation: 'eq' } },
		{ matched: 300 },
		{ showing: '1-2 of 300' },
		{ range: '0-1/300' },
		{ message: 'Only the first 2 of 300 recordings are shown' },
		{ warnings: ['2 out of 300'] },
		{ total: '300 recordings' },
		{ total: '300.0' },
		{ total: '300.00' },
		...['recording', 'record', 'item', 'result', 'element'].map((unit) => ({
			total: `300${unit} `,
		})),
		...['warning', 'info', 'note', 'notice', 'hint'].map((name) => ({ [name]: '2 of 300' })),
		{ warnings: ['slow', '2 of 300'] },
		{ showing: 'Recordings 11 - 25  of  300 in all' },
		{ totalCount: 3, total: 300 },
		{ totalItem: 300 },
		{ totalRecord: 300 },
		{ totalElement: 300 },
		{ totalResult: 300 },
		{ totalRow: 300 },
		{ totalHit: 300 },
		{ totalObject: 300 },
		{ totalRecording: 300 },
		{ 'odata.count': 300 },
		{ 'recordings@odata.count': 300 },
	])('%j', (hints) => expect(total(hints)).toBe(300));

	test('as many as were read, of a number with more digits', () => {
		const dozen = Array.from({ length: 12 }, () => ({ a: 1 }));
		const { total } = readListPage({ records: dozen, envelopes: [{ message: '12 of 300' }] });
		expect(total).toBe(300);
	});

	test.each(['1,300,000', '1.300.000', "1'300'000", '1 300 000', '1_300_000'])(
		'with a thousands separator: %s',
		(text) => expect(total({ total: text })).toBe(1_300_000),
	);

	test.each([
		{ count: 2 },
		{ totalBytes: 300 },
		{ range: '2026-11-01/2026-11-30' },
		{ period: '1-2/300' },
		{ totalDurationSeconds: 300 },
		{ totalCalls: 300 },
		{ totalPages: 300 },
		{ number: 300 },
		{ storage: { total: 300 } },
		{ total: 1.125 },
		{ message: 'Page 1 of 300' },
		{ message: '12 of 300' },
		{ systemMessage: '2 of 300' },
		{ messageId: '2 of 300' },
		{ total: '300 recordings today' },
		{ total: 'items 300' },
		{ range: '1-2 of 300 on page 1' },
		{ total: '300.05' },
		{ storageTotal: 300 },
	])('%j: unknown', (hints) => expect(total(hints)).toBeUndefined());
});

describe('whether a link names another page as the last one', () => {
	const read = (hints: object) => readListPage({ records, envelopes: [{ ...hints }] });

	test.each([
		{ first: '/r?part=a', last: '/r?part=b' },
		{ self: '/r?part=a', last: '/r?part=b' },
		{ last: '/r?page=12' },
		{ last: '/r?offset=1' },
		{ last: '/r?pageSkip=1' },
		{ last: '/r/pages/14' },
		{ self: '/r/pages/a', last: '/r/pages/d' },
		{ first: '/r/pages/a', last: '/r/pages/d' },
		{ self: '/r?page=1&set=1', last: '/r?page=4&set=2' },
		{ self: '/to/http://h1/r', last: '/to/http://h2/r' },
		// The first one is no address.
		{ last: 5, links: { last: '/r?page=4' } },
		{ last: 'abc', links: { last: '/r?page=4' } },
		{ last: ['/r?page=1', '/r'], links: { last: '/r?page=4' } },
	])('%j', (hints) => expect(read(hints).isBeforeLast).toBe(true));

	test.each([
		{ last: '/r?part=b' },
		{ last: '/r/pages/1' },
		{ last: '/r/4/pages' },
		{ last: '/r?utcOffset=1' },
		{ last: '/r?offsetUnit=1' },
		{ last: '/r?page=1' },
		{ podcastLast: '/r?page=4' },
		{ lastRecordingUrl: '/r?page=4' },
		{ atFirst: '/r?part=a', last: '/r?part=b' },
		{ firstSeenUrl: '/r?part=a', last: '/r?part=b' },
		{ myself: '/r?part=a', last: '/r?part=b' },
		{ currentUserUrl: '/r?part=a', last: '/r?part=b' },
		{ self: '/r?page=5', last: '/r?page=4' },
		{ self: '/r?page=04', last: '/r?page=4' },
		{ self: '/r/pages/d', last: '/r/pages/d' },
		{ self: '/api/r', last: '/r' },
		{ self: '/r', last: '/api/r' },
		{ self: '/r/a/', last: '/r/a' },
		{ self: 'https://h1.example/r/a', last: 'https://h2.example/r/a' },
	])('%j: no', (hints) => expect(read(hints).isBeforeLast).toBe(false));

	test('a next page towards it is asked for only if that is clear', () => {
		const towards = (self: string, last: string) => read({ links: { self, last } }).next;
		expect(towards('/r?page=1', '/r?page=4')).toEqual({ page: '2' });
		expect(towards('/r?page=1&set=1', '/r?page=4&set=2')).toBeUndefined();
		expect(towards('/a?page=1', '/b?page=4')).toBeUndefined();
	});

	test('a page that is the last one was not cut off', () => {
		const links = { self: '/r?page=1', last: '/r?page=1' };
		expect(read({ limit: 2, links }).isFull).toBe(false);
		expect(read({ limit: 2 }).isFull).toBe(true);
		expect(read({}).isFull).toBe(false);
	});
});

test.each([
	[{ first: 1, last: 9 }, 9],
	[{ page: 1, last: 9 }, 9],
	[{ first: 1, last: 2 }, undefined],
	[{ last: 9 }, undefined],
	[{ page: 1, theLast: 9 }, undefined],
	[{ page: 1, lastSeen: 9 }, undefined],
	[{ veryFirst: 1, last: 9 }, undefined],
	[{ firstSeen: 1, last: 9 }, undefined],
	[{ page: '1 of 12' }, 12],
])('how many pages there are: %j, %s', (hints, pages) => {
	expect(readListPage({ records, envelopes: [{ ...hints }] }).pages).toBe(pages);
});

describe('what is read at most', () => {
	const total = (envelopes: Array<Record<string, unknown>>) =>
		readListPage({ records, envelopes: [...envelopes, { total: 300 }] }).total;
	const many = (count: number) =>
		Array.from({ length: count }, (_, index) =>
			Object.fromEntries(Array.from({ length: 1_000 }, (_, name) => [`a${index}x${name}`, 0])),
		);

	test('100 objects around the list, and the headers', () => {
		const empty = (count: number) => Array.from({ length: count }, () => ({}));
		expect(total(empty(99))).toBe(300);
		expect(total(empty(100))).toBeUndefined();
		const list = { records, envelopes: empty(100) };
		expect(readListPage(list, { headers: { 'x-total-count': '300' } }).total).toBe(300);
	});

	test('5,000 fields around the list', () => {
		expect(total(many(5))).toBe(300);
		expect(total(many(6))).toBeUndefined();
	});

	test('100 links', () => {
		const links = (count: number) => ({
			links: [
				...Array.from({ length: count }, () => ({ rel: 'item', href: '/r/1' })),
				{ rel: 'next', href: '?page=2' },
			],
		});
		const next = (count: number) => readListPage({ records, envelopes: [links(count)] }).next;
		expect(next(99)).toEqual({ page: '2' });
		expect(next(100)).toBeUndefined();
	});

	test('8,000 characters of the Link header', () => {
		const link = (length: number) => ({
			link: `<${'x'.repeat(length)}>; rel="item", <?page=2>; rel="next"`,
		});
		const next = (length: number) =>
			readListPage({ records, envelopes: [] }, { headers: link(length) }).next;
		expect(next(7_000)).toEqual({ page: '2' });
		expect(next(8_000)).toBeUndefined();
	});
});
