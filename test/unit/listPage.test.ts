import { readListPage } from '../../nodes/service/listPage';

const records = [{ a: 1 }, { a: 2 }];

describe('lists', () => {
	test.each([
		['a list', records],
		['recordings', { recordings: records }],
		['data with a count', { data: records, total: 2 }],
		['Items', { Items: records, page: { next: null } }],
		['nested', { data: { items: records }, status: 'ok' }],
		['a known name beside another list', { recordings: records, warnings: ['slow'] }],
		['any name', { aufnahmen: records }],
		['beside errors and warnings', { aufnahmen: records, errors: [], warnings: ['slow'] }],
	])('%s', (_name, json) => expect(readListPage(json)).toMatchObject({ records, next: undefined }));

	test.each([
		['a list', []],
		['under its name', { recordings: [] }],
		['nothing, as with status 204', undefined],
		['null', null],
		['null under its name', { recordings: null }],
		['null under its name, nested', { data: { items: null }, status: 'ok', errors: [] }],
		['an empty object', {}],
	])('empty: %s', (_name, json) => expect(readListPage(json).records).toEqual([]));

	test.each([
		['text', 'text'],
		['no text', ''],
		['null beside an error', { data: null, error: 'database is down' }],
		['null without success', { Data: null, Success: false }],
		['null beside a list of errors', { data: null, errors: [{ message: 'database is down' }] }],
		['no list', { count: 0 }],
		['two lists of unknown names', { a: records, b: records }],
		['a list of other things', [1, 2]],
	])('%s is refused', (_name, json) =>
		expect(() => readListPage(json)).toThrow('a list of recordings in an unknown shape'),
	);
});

describe('the next page', () => {
	const next = (hints: object, query?: Record<string, string>, link?: string) =>
		readListPage({ recordings: records, ...hints }, { query, link }).next;

	test.each([
		[
			'a full address',
			{ next: 'https://elsewhere.example/other?page=2&size=2' },
			{ page: '2', size: '2' },
		],
		['a path', { nextPageUrl: '/api/customer/recordings?cursor=abc#x' }, { cursor: 'abc' }],
		['a query', { nextLink: '?offset=2' }, { offset: '2' }],
		['OData', { '@odata.nextLink': 'https://h/x?$skip=2' }, { $skip: '2' }],
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
		['nextCursor', { nextCursor: 'abc' }, { cursor: 'abc' }],
		['next_page_token', { next_page_token: 'abc' }, { pageToken: 'abc' }],
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
	])('%s: none', (_name, hints) => expect(next(hints)).toBeUndefined());

	test('the Link header, whatever else is in it', () => {
		const link = '<https://h/x?page=1>; rel="first", <https://h/x?page=3>; rel="next"';
		expect(readListPage(records, { link }).next).toEqual({ page: '3' });
		const previous = '<https://h/x?page=1>; rel="prev"';
		expect(readListPage(records, { link: previous }).next).toBeUndefined();
	});

	test('the last page, counted from 0', () => {
		const last = { items: records, pageIndex: 1, totalPages: 2 };
		expect(readListPage(last, { isFromZero: true }).next).toBeUndefined();
	});

	test('other query parameters are kept', () => {
		expect(next({ nextCursor: 'abc' }, { from: '2026-11-01', cursor: 'xyz' })).toEqual({
			from: '2026-11-01',
			cursor: 'abc',
		});
	});
});
