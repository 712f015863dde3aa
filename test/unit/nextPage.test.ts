import type { PagingSettings } from '../../nodes/service/apiCredential';
import type { Further, PageQuery, ReadPage } from '../../nodes/service/list/nextPage';
import { bySigns, firstPage, furtherPage } from '../../nodes/service/list/nextPage';

const recordings = [{ sessionGuid: 'session-0001' }, { sessionGuid: 'session-0002' }];

/** An answer with two records, by default on the first page. */
function pageOf(beside: object, page: Partial<ReadPage> = {}): ReadPage {
	const earlier = { pages: 0, records: 0 };
	return {
		json: { recordings, ...beside },
		headers: {},
		pageRecords: 2,
		query: {},
		earlier,
		...page,
	};
}

const later = (pages: number) => ({ earlier: { pages, records: 2 * pages } });

const after = (beside: object, page?: Partial<ReadPage>): Further => bySigns(pageOf(beside, page));

describe('the next page', () => {
	test.each<[object, PageQuery]>([
		[{ next: 'https://elsewhere.example/x?cursor=a%2Bb&size=2#top' }, { cursor: 'a+b', size: '2' }],
		[{ links: { next: '?page=2' } }, { page: '2' }],
		[{ _links: { next: { href: '/recordings?page=2' } } }, { page: '2' }],
		[{ links: [{ rel: 'next', href: '/recordings?page=2' }] }, { page: '2' }],
		[{ '@odata.nextLink': '/recordings?$skip=2' }, { $skip: '2' }],
		[{ paging: { next: { after: 'x', link: '/recordings?after=x' } } }, { after: 'x' }],
		[{ next: 'abc' }, { cursor: 'abc' }],
		[{ next_page: 2 }, { page: '2' }],
		[{ nextPageToken: 'abc' }, { pageToken: 'abc' }],
		[{ meta: { next_cursor: 'abc' } }, { cursor: 'abc' }],
		[{ pageInfo: { hasNextPage: true, endCursor: 'abc' } }, { after: 'abc' }],
		[{ paging: { cursors: { before: 'x', after: 'abc' } } }, { after: 'abc' }],
		[{ page: 1, totalPages: 2 }, { page: '2' }],
		[{ number: 0, totalPages: 2, size: 2, last: false }, { page: '1' }],
		[{ page: '1', pageSize: 2, total: '3' }, { page: '2' }],
		[{ page_number: 1, totalPages: 2 }, { page_number: '2' }],
		[{ page: 1, hasMore: true }, { page: '2' }],
		[{ offset: 0, total: 3 }, { offset: '2' }],
		[{ startIndex: 1, totalResults: 3 }, { startIndex: '3' }],
		[{ links: [null, { rel: 'next', href: '/recordings?page=2' }] }, { page: '2' }],
		[{ next: { url: '?page=2' } }, { page: '2' }],
		[{ next: { uri: '?page=2' } }, { page: '2' }],
		[{ next: 3 }, { page: '3' }],
		[{ next: '1234567890123456' }, { cursor: '1234567890123456' }],
		[{ nextCursor: 'a/b?c' }, { cursor: 'a/b?c' }],
		[{ nextCursor: 7 }, { cursor: '7' }],
		[{ page: 'abc', offset: 0, total: 3 }, { offset: '2' }],
		[{ page: 1, count: 2, hasMore: true }, { page: '2' }],
		[{ page: 1, total: 0, hasMore: true }, { page: '2' }],
		[{ paginationKey: 'call_2' }, { paginationKey: 'call_2' }],
		[{ pagination_key: 'call_2' }, { pagination_key: 'call_2' }],
		[{ paging: { after: 'NTI1' } }, { after: 'NTI1' }],
		[{ pagination: { key: 'call_2' } }, { key: 'call_2' }],
		[{ NextContinuationToken: 'abc', IsTruncated: true }, { 'continuation-token': 'abc' }],
		[{ start_key: 'k1', next_start_key: 'k2' }, { start_key: 'k2' }],
		[{ LastEvaluatedKey: 7 }, { exclusiveStartKey: '7' }],
		[{ lastEvaluatedKey: 'a/b==' }, { exclusiveStartKey: 'a/b==' }],
		[{ lastPage: 1, nextCursor: 'abc' }, { cursor: 'abc' }],
		[{ next_page_token: 'abc' }, { page_token: 'abc' }],
		[{ page: 0, lastPage: 1 }, { page: '1' }],
		[{ hasMore: false, total: 300, nextCursor: 'abc' }, { cursor: 'abc' }],
		[{ hasMore: false, pageInfo: { hasNextPage: true }, cursor: 'abc' }, { cursor: 'abc' }],
		[{ incomplete_results: false, nextCursor: 'abc' }, { cursor: 'abc' }],
	])('is found in %j', (beside, next) => expect(after(beside)).toEqual({ next }));

	test.each([
		{ completed: true },
		{ lastSynced: '2026-11-21', finalized: true, lastLogin: 'yes' },
		{ nextCallRecorded: false, done: true },
	])('is found by its cursor beside %j', (beside) =>
		expect(after({ nextCursor: 'abc', ...beside })).toEqual({ next: { cursor: 'abc' } }),
	);

	test.each<[Record<string, unknown>, PageQuery | undefined]>([
		[{ link: '<https://x.example/r?page=2>; rel="next", </r?page=9>; rel=last' }, { page: '2' }],
		[{ 'x-next-page': '2', 'x-total': '3' }, { page: '2' }],
		[{ 'x-pagination': '{"CurrentPage":1,"TotalPages":2}' }, { page: '2' }],
		[{ link: '</r?page=2>; title=x; REL = next' }, { page: '2' }],
		[{ link: '</r?page=2>' }, undefined],
		[{ 'content-range': '0-1/3', 'x-wp-page': '1' }, { page: '2' }],
		[{ 'content-range': 'bytes 0-1/3', 'x-page': '1' }, undefined],
		[{ 'content-range': 'x y 0-1/3', 'x-page': '1' }, undefined],
		[{ 'content-range': 'items 0-1/3x', 'x-page': '1' }, undefined],
		[{ 'max-pages': '2', 'x-page': '1' }, { page: '2' }],
		[{ 'x-state': '{"nextPage":2}' }, undefined],
		[{ 'x-pagination': 'none' }, undefined],
	])('is found in the headers %j: %j', (headers, next) =>
		expect(after({}, { headers }).next).toEqual(next),
	);

	test('is asked for with the other parameters of this one', () => {
		const query = { from: '2026', page: '1' };
		expect(after({ nextPage: 2 }, { query }).next).toEqual({ from: '2026', page: '2' });
	});

	test('is none behind the last one, whether pages are counted from 0 or from 1', () => {
		expect(after({ page: 0, pages: 2 }).next).toEqual({ page: '1' });
		expect(after({ page: 1, pages: 2 }, later(1))).toEqual({});
		expect(after({ page: 1, pages: 2 }).next).toEqual({ page: '2' });
		expect(after({ page: 2, pages: 2 }, later(1))).toEqual({});
		expect(after({ page: 2, total: 5 }, later(1)).next).toEqual({ page: '3' });
		expect(after({ page: 2, total: 4 }, later(1))).toEqual({});
		expect(after({ offset: 2, count: 5 }, later(1)).next).toEqual({ offset: '4' });
		expect(after({ offset: 2, count: 2 }, later(1))).toEqual({});
	});
});

describe('nothing follows', () => {
	test.each([
		{},
		{ next: null, nextCursor: '', nextOffset: 0, hasMore: false, last: true },
		{ _links: { next: { href: null }, self: { href: '/recordings?page=1' } } },
		{ page: 1, totalPages: 1, total: 2, pageSize: 50 },
		{ total: 2, count: 2, limit: 2 },
		{ paging: { page: 1, perPage: 100, pageStart: 0, pageEnd: 1 } },
		{ requestId: 'x1', message: '2 of 5 calls were recorded', success: true, elapsedMs: 300 },
		{ country: 'DE', account: 7, discount: 12, homepage: 'x', nextcloudUrl: '/x?y=1' },
		{ prevPage: '/recordings?page=1', previous: 'abc', firstPage: 1 },
		{ links: { first: '?page=1', last: '?page=1', self: '?page=1' } },
		{ complete: true, done: true, code: 200, status: 'ok', id: 257073 },
		{ nextCursor: '-1', next: {} },
		{ recorded: false, next: false },
		{ shown: 2, page: { id: 7 } },
		{ limit: 0 },
		{ limit: 2, next: null },
		{ limit: 2, nextCursor: '' },
		{ limit: 2, totalPages: 1 },
		{ limit: 2, hasMore: false },
		{ limit: 2, last: true },
		{ lastPage: 1 },
		{ lastPage: 0, limit: 2 },
		{ page: 1, maxPage: 1, limit: 2 },
	])('behind %j', (beside) => expect(after(beside)).toEqual({}));

	test.each([
		{ pageInfo: { hasNextPage: false, startCursor: 'abc', endCursor: 'def' } },
		{ has_more: false, next_cursor: 'abc' },
		{ has_more: false, first_id: 'call_1', last_id: 'call_2' },
		{ meta: { IsTruncated: false }, nextToken: 'abc' },
		{ last: true, next: '/recordings?page=2' },
		{ page: 1, pages: 1, next_cursor: 'abc' },
		{ current_page: 1, last_page: 1, next_page_url: '/recordings?page=2' },
		{ page: 0, totalPages: 1, nextPageToken: 'abc' },
	])('although a cursor stands beside what says so: %j', (beside) =>
		expect(after(beside)).toEqual({}),
	);

	test('beside the cursor that this page was asked for with', () => {
		expect(after({ page_size: 2, start_key: '' })).toEqual({});
		const beside = { page_size: 2, start_key: 'k1', pageToken: 'abc' };
		expect(after(beside, { query: { start_key: 'k1', page_token: 'abc' } })).toEqual({});
		const query = { cursor: 'abc' };
		expect(after({ cursor: 'abc' }, { query })).toEqual({});
		expect(after({ cursor: 'abc', limit: 2 }, { query }).unclear).toBe('the page is full');
		expect(after({ start_key: 'k1' }).unclear).toContain('start_key');
	});

	test('although a cursor stands beside the last of several pages', () => {
		const beside = { page: 2, totalPages: 2, nextCursor: 'abc' };
		expect(after(beside, later(1))).toEqual({});
		// The user has asked for it.
		expect(after({ ...beside, total: 4 }, { query: { page: '2' } })).toEqual({});
	});

	test.each([
		{ csrfToken: 'x1y2', auth_token: 'x1y2', session: { refreshToken: 'x1y2' } },
		{ usage: { totalTokens: 1234, tokensLeft: 99 }, tokensUsed: 12 },
		{ quota: { limit: 1000, remaining: 998 }, rate_limit_remaining: 59, apiCallsLeft: 500 },
		{ creditsLeft: 5, daysLeft: 3, storageBytesRemaining: 5, retryAfter: 30, total_cost: 12 },
		{ apiVersion: 2, revision: '1', requestId: '5b27f0c4-93d8-4e1a-8f60-c2d4a9e71b22' },
		{ timestamp: 1_763_000_000, made: '2026-11-01T00:00:00Z', took: 12, ratio: 1.5 },
		{ num_pages: 1, page_count: 1, batch: { pages: '1' }, returned: 2 },
		{ node: 'pbx7', accountId: 'acc_12345', cached: true, sandbox: true },
		{ type: 'list', mood: 'main', tags: ['v2'], shown: '2' },
		{ next: null, colors: 7, tone: true },
		{ total: 2, colors: 7 },
		{ prevCursor: 'abc1', currentToken: 'abc1' },
	])('in what is about something else: %j', (beside) => expect(after(beside)).toEqual({}));

	test('behind headers that count no more than there are', () => {
		const headers = { 'x-total-count': '2', 'x-total-pages': '1', 'x-ratelimit-limit': '900' };
		expect(after({}, { headers })).toEqual({});
	});
});

describe('there are more records that cannot be asked for', () => {
	test.each([
		[{ hasMore: true }, "the field 'hasMore' is true"],
		[{ last: false }, "the field 'last' is false"],
		[{ LastPage: 'False' }, "the field 'LastPage' is False"],
		[{ total: 300 }, "the field 'total' is 300"],
		[{ meta: { total: { value: 300 } } }, "the field 'meta.total.value' is 300"],
		[{ outOf: 300 }, "the field 'outOf' is 300"],
		[{ totalPages: 3 }, "the field 'totalPages' is 3"],
		[{ next: '/recordings/page/2' }, "the field 'next' has a value"],
		[{ next: { id: 7 } }, "the field 'next' has a value"],
		[{ LastEvaluatedKey: { id: 7 } }, "the field 'LastEvaluatedKey' has a value"],
		[{ links: [{ rel: 'next', href: '/recordings/2' }] }, "the field 'links.next' has a value"],
		[{ offset: 0, pages: 3 }, "the field 'pages' is 3"],
		[{ count: 5 }, "the field 'count' is 5"],
	])('by %j', (beside, more) => expect(after(beside)).toEqual({ more }));

	test('by a header', () =>
		expect(after({}, { headers: { 'content-range': 'items 0-1/300' } }).more).toContain('300'));

	test('by a total behind a page without records', () =>
		expect(after({ offset: 0, total: 3 }, { pageRecords: 0 })).toEqual({
			more: "the field 'total' is 3",
		}));

	test('not by a total after several pages, because recordings were deleted in between', () =>
		expect(after({ total: 300 }, later(1))).toEqual({}));
});

describe('it is unclear whether there are more', () => {
	test.each([
		[{ shown: '2/300' }, "the field 'shown' is 2/300"],
		[{ rest: 298 }, "the field 'rest' is 298"],
		[{ older: '/x?before=7' }, "the field 'older' has a value"],
		[{ meta: { nextThing: 'abc' } }, "the field 'meta.nextThing' has a value"],
		[{ page: '1 of 3' }, "the field 'page' is 1 of 3"],
		[{ hasMore: 'maybe' }, "the field 'hasMore' has a value"],
		[{ next: true }, "the field 'next' is true"],
		[{ hasMore: 1 }, "the field 'hasMore' is 1"],
		[{ theCursor: 'abc', grandTotal: 300 }, "the field 'theCursor' has a value"],
		[{ grandTotal: 300 }, "the field 'grandTotal' is 300"],
		[{ nextSelfie: 'abc' }, "the field 'nextSelfie' has a value"],
		[{ nextStart: { id: 7 } }, "the field 'nextStart' has a value"],
		[{ _scroll_id: 'abc' }, "the field '_scroll_id' has a value"],
		[{ nextMyself: 'abc' }, "the field 'nextMyself' has a value"],
		[{ rest: 'x'.repeat(60) }, "the field 'rest' has a value"],
		[{ left: 298 }, "the field 'left' is 298"],
		[{ left: 2 }, "the field 'left' is 2"],
		[{ available: 298 }, "the field 'available' is 298"],
		[{ omitted: 298 }, "the field 'omitted' is 298"],
		[{ batches: 6 }, "the field 'batches' is 6"],
		[{ further: true }, "the field 'further' is true"],
		[{ clipped: true }, "the field 'clipped' is true"],
		[{ finished: false }, "the field 'finished' is false"],
		[{ resumeAt: '2026-11-01T00:00:00Z' }, "the field 'resumeAt' has a value"],
		[{ startAfter: 'call_2' }, "the field 'startAfter' has a value"],
		[{ after: 'abc' }, "the field 'after' has a value"],
		[{ last_id: 'call_2' }, "the field 'last_id' has a value"],
		[{ paginationId: 'p2' }, "the field 'paginationId' has a value"],
		[{ pagination: { id: 'abc' } }, "the field 'pagination.id' has a value"],
		[{ paging: { spot: 'abc' } }, "the field 'paging.spot' has a value"],
		[{ search_after: [1763, 'abc'] }, "the field 'search_after' has a value"],
		[{ handle: 'c2Vzc2lvbjoy' }, "the field 'handle' has a value"],
		[{ range: '1-2 of 300' }, "the field 'range' is 1-2 of 300"],
		[{ next: null, left: 298 }, "the field 'left' is 298"],
		[{ ['x'.repeat(200)]: 298 }, `the field '${'x'.repeat(100)}' is 298`],
		[{ limit: 2 }, 'the page is full'],
		[{ limit: 2, total: 0 }, 'the page is full'],
		[{ limit: 2, maxPage: 1 }, 'the page is full'],
	])('with %j', (beside, unclear) => expect(after(beside)).toEqual({ unclear }));

	test('if the page has as many records as were asked for', () => {
		expect(after({}, { query: { pageSize: '2' } }).unclear).toBe('the page is full');
		expect(after({}, { query: { size: '2' } }).unclear).toBe('the page is full');
		expect(after({}, { query: { tenant: '2' } })).toEqual({});
	});

	test('but not by a header of another name', () =>
		expect(after({}, { headers: { 'x-ratelimit-remaining': '59', 'x-page-id': 'a' } })).toEqual(
			{},
		));
});

describe('as the credential says', () => {
	const further = (settings: PagingSettings, beside: object, page?: Partial<ReadPage>) =>
		furtherPage(settings, pageOf(beside, page));

	test('the list is complete, or names that are known lead to the next page', () => {
		expect(further({ mode: 'complete' }, { hasMore: true, next: 'abc' })).toEqual({});
		expect(further({ mode: 'automatic' }, { next: 'abc' }).next).toEqual({ cursor: 'abc' });
	});

	test('a field leads to the next page', () => {
		const settings = { mode: 'nextField', field: 'a.b', parameter: 'from' } as const;
		expect(firstPage(settings)).toEqual({});
		expect(further(settings, { a: { b: 'x' } }).next).toEqual({ from: 'x' });
		expect(further(settings, { a: { b: 'https://x.example/?p=2' } }).next).toEqual({ p: '2' });
		for (const none of ['', null, false]) {
			expect(further(settings, { a: { b: none } })).toEqual({});
		}
		expect(further(settings, { hasMore: true })).toEqual({});
		expect(further(settings, { a: { b: { c: 1 } } }).more).toContain("'a.b'");
		const odata = { mode: 'nextField', field: '@odata.nextLink', parameter: '' } as const;
		expect(further(odata, { '@odata.nextLink': '/r?p=2' }).next).toEqual({ p: '2' });
		expect(further(odata, { '@odata.nextLink': 'x' }).more).toContain("'Cursor Parameter'");
	});

	test.each([
		['pages', 1, '1', '2'],
		['records', 0, '0', '2'],
	] as const)('a parameter counts %s', (counts, first, one, two) => {
		const settings = { mode: 'parameter', parameter: 'p', first, counts } as const;
		const query = firstPage(settings);
		expect(query).toEqual({ p: one });
		expect(further(settings, {}, { query }).next).toEqual({ p: two });
		expect(further(settings, {}, { query: { p: two }, pageRecords: 0 })).toEqual({});
	});
});
