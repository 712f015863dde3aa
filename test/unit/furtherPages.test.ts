import { findList } from '../../nodes/service/list/findList';
import type { Further, PageQuery } from '../../nodes/service/list/furtherPages';
import { furtherPages } from '../../nodes/service/list/furtherPages';
import type { PagingSettings } from '../../nodes/service/list/paging';
import { pagingOf } from '../../nodes/service/list/paging';

const recordings = [{ sessionGuid: 'session-0001' }, { sessionGuid: 'session-0002' }];

interface Around {
	headers?: Record<string, unknown>;
	query?: PageQuery;
	isFirst?: boolean;
}

function pageOf(beside: object, { headers = {}, query = {}, isFirst = true }: Around = {}) {
	const json = { recordings, ...beside };
	return { found: findList(json, {}), json, headers, query, isFirst };
}

const after = (beside: object, around?: Around): Further => furtherPages()(pageOf(beside, around));

describe('the next page', () => {
	test.each<[object, PageQuery]>([
		[{ next: 'https://elsewhere.example/x?cursor=a%2Bb&size=2#top' }, { cursor: 'a+b', size: '2' }],
		[{ links: { next: '?page=2' } }, { page: '2' }],
		[{ _links: { next: { href: '/recordings?page=2' } } }, { page: '2' }],
		[{ links: [{ rel: 'next', href: '/recordings?page=2' }] }, { page: '2' }],
		[{ '@odata.nextLink': '/recordings?$skip=2' }, { $skip: '2' }],
		[{ next: 'abc' }, { cursor: 'abc' }],
		[{ next_page: 2 }, { page: '2' }],
		[{ nextPageToken: 'abc' }, { pageToken: 'abc' }],
		[{ meta: { next_cursor: 'abc' } }, { cursor: 'abc' }],
		[{ pageInfo: { hasNextPage: true, endCursor: 'abc' } }, { after: 'abc' }],
		[{ paging: { cursors: { before: 'x', after: 'abc' } } }, { after: 'abc' }],
		[{ page: 1, totalPages: 2 }, { page: '2' }],
		[{ number: 0, totalPages: 2, size: 2, last: false }, { page: '1' }],
		[{ page: '1', pageSize: 2, total: '3' }, { page: '2' }],
		[{ page: 1, hasMore: true }, { page: '2' }],
		[{ offset: 0, total: 3 }, { offset: '2' }],
		[{ startIndex: 1, totalResults: 3 }, { startIndex: '3' }],
	])('%j', (beside, next) => expect(after(beside)).toEqual({ next }));

	test.each([
		{ completed: true },
		{ lastSynced: '2026-11-21', finalized: true, lastLogin: 'yes' },
		{ nextCallRecorded: false, done: true },
	])('whatever stands beside its cursor: %j', (beside) =>
		expect(after({ nextCursor: 'abc', ...beside })).toEqual({ next: { cursor: 'abc' } }),
	);

	test.each<[Record<string, unknown>, PageQuery]>([
		[{ link: '<https://x.example/r?page=2>; rel="next", </r?page=9>; rel=last' }, { page: '2' }],
		[{ 'x-next-page': '2', 'x-total': '3' }, { page: '2' }],
		[{ 'x-pagination': '{"CurrentPage":1,"TotalPages":2}' }, { page: '2' }],
	])('by a header: %j', (headers, next) => expect(after({}, { headers }).next).toEqual(next));

	test('keeps what this one was asked for with', () => {
		const query = { from: '2026', page: '1' };
		expect(after({ nextPage: 2 }, { query }).next).toEqual({ from: '2026', page: '2' });
	});

	test('ends with the last one, counted from 0 or 1', () => {
		const fromZero = furtherPages();
		expect(fromZero(pageOf({ page: 0, pages: 2 })).next).toEqual({ page: '1' });
		expect(fromZero(pageOf({ page: 1, pages: 2 }, { isFirst: false }))).toEqual({});
		const fromOne = furtherPages();
		expect(fromOne(pageOf({ page: 1, pages: 2 })).next).toEqual({ page: '2' });
		expect(fromOne(pageOf({ page: 2, pages: 2 }, { isFirst: false }))).toEqual({});
	});
});

describe('nothing follows', () => {
	test.each([
		{},
		{ next: null, nextCursor: '', nextOffset: 0, hasMore: false, last: true },
		{ _links: { next: { href: null }, self: { href: '/recordings?page=1' } } },
		{ page: 1, totalPages: 1, total: 2, pageSize: 50 },
		{ total: 2, count: 2, limit: 2 },
		{ requestId: 'x1', message: '2 of 5 calls were recorded', success: true, elapsedMs: 300 },
		{ country: 'DE', account: 7, discount: 12, homepage: 'x', nextcloudUrl: '/x?y=1' },
		{ prevPage: '/recordings?page=1', previous: 'abc', firstPage: 1 },
		{ links: { first: '?page=1', last: '?page=1', self: '?page=1' } },
		{ complete: true, done: true, code: 200, status: 'ok', id: 257073 },
	])('%j', (beside) => expect(after(beside)).toEqual({}));

	test('by headers', () => {
		const headers = { 'x-total-count': '2', 'x-total-pages': '1', 'x-ratelimit-limit': '900' };
		expect(after({}, { headers })).toEqual({});
	});

	test('after the page that a link calls the last one', () => {
		const beside = { links: { last: '/recordings?page=5' } };
		expect(after(beside, { query: { page: '5' }, isFirst: false })).toEqual({});
		expect(after(beside).unclear).toContain("'links.last'");
	});
});

describe('there are more', () => {
	test.each([
		[{ hasMore: true }, "the field 'hasMore' is true"],
		[{ last: false }, "the field 'last' is false"],
		[{ LastPage: 'False' }, "the field 'LastPage' is False"],
		[{ total: 300 }, "the field 'total' is 300"],
		[{ meta: { total: { value: 300 } } }, "the field 'meta.total.value' is 300"],
		[{ outOf: 300 }, "the field 'outOf' is 300"],
		[{ totalPages: 3 }, "the field 'totalPages' is 3"],
		[{ next: '/recordings/page/2' }, "the field 'next' is /recordings/page/2"],
		[{ next: { id: 7 } }, `the field 'next' is {"id":7}`],
	])('%j', (beside, more) => expect(after(beside)).toEqual({ more }));

	test('by a header', () =>
		expect(after({}, { headers: { 'content-range': 'items 0-1/300' } }).more).toContain('300'));

	test('not by a total after several pages, because recordings were deleted in between', () =>
		expect(after({ total: 300 }, { isFirst: false })).toEqual({}));
});

describe('it is unclear', () => {
	test.each([
		[{ shown: '2/300' }, "the field 'shown' is 2/300"],
		[{ rest: 298 }, "the field 'rest' is 298"],
		[{ older: '/x?before=7' }, "the field 'older' is /x?before=7"],
		[{ meta: { nextThing: 'abc' } }, "the field 'meta.nextThing' is abc"],
		[{ page: '1 of 3' }, "the field 'page' is 1 of 3"],
		[{ hasMore: 'maybe' }, "the field 'hasMore' is maybe"],
		[{ limit: 2 }, 'the page is full'],
	])('%j', (beside, unclear) => expect(after(beside)).toEqual({ unclear }));

	test('if the page is as long as was asked for', () =>
		expect(after({}, { query: { pageSize: '2' } }).unclear).toBe('the page is full'));

	test('not by a header that no table has', () =>
		expect(after({}, { headers: { 'x-ratelimit-remaining': '59', 'x-page-id': 'a' } })).toEqual(
			{},
		));
});

describe('as the credential says', () => {
	const paging = (settings: PagingSettings) => pagingOf(settings);

	test('the list is complete', () =>
		expect(paging({ mode: 'complete' }).after(pageOf({ hasMore: true, next: 'abc' }))).toEqual({}));

	test('a field leads to the next page', () => {
		const { first, after: follow } = paging({ mode: 'nextField', field: 'a.b', parameter: 'from' });
		expect(first).toEqual({});
		expect(follow(pageOf({ a: { b: 'x' } })).next).toEqual({ from: 'x' });
		expect(follow(pageOf({ a: { b: 'https://x.example/?p=2' } })).next).toEqual({ p: '2' });
		expect(follow(pageOf({ a: { b: '' } }))).toEqual({});
		const odata = paging({ mode: 'nextField', field: '@odata.nextLink', parameter: '' });
		expect(odata.after(pageOf({ '@odata.nextLink': '/r?p=2' })).next).toEqual({ p: '2' });
		expect(follow(pageOf({ hasMore: true }))).toEqual({});
		expect(follow(pageOf({ a: { b: { c: 1 } } })).more).toContain("'a.b'");
		const withoutParameter = paging({ mode: 'nextField', field: 'a', parameter: '' });
		expect(withoutParameter.after(pageOf({ a: 'x' })).more).toContain("'Cursor Parameter'");
	});

	test.each([
		['pages', 1, '1', '2'],
		['records', 0, '0', '2'],
	] as const)('a parameter counts %s', (counts, start, one, two) => {
		const { first, after: follow } = paging({
			mode: 'parameter',
			parameter: 'p',
			first: start,
			counts,
		});
		expect(first).toEqual({ p: one });
		expect(follow(pageOf({}, { query: first })).next).toEqual({ p: two });
		expect(follow(pageOf({ recordings: [] }, { query: { p: two } }))).toEqual({});
	});
});
