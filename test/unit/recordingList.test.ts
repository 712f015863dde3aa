import { VoiceAgentError } from '../../nodes/errors';
import type { PageQuery } from '../../nodes/service/list/listPage';
import { readPages } from '../../nodes/service/list/pages';

type Answer = { json: unknown; status?: number; headers?: Record<string, string> };

const records = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => ({ id: from + index }));

/** What is read from a service, and the queries that it got. */
async function read(
	service: (query: PageQuery) => Answer,
	options: { query?: PageQuery; added?: PageQuery; deadlineMs?: number } = {},
) {
	const asked: PageQuery[] = [];
	const fetchPage = async (query: PageQuery) => {
		asked.push(query);
		return service(query);
	};
	const ids: unknown[] = [];
	let problem: string | undefined;
	for await (const page of readPages(fetchPage, { ...options, identify: ({ id }) => String(id) })) {
		ids.push(...page.records.map(({ id }) => id));
		problem = page.incomplete?.message;
	}
	return { ids, problem, asked };
}

const INCOMPLETE = 'The list of recordings is incomplete: ';
const AGAIN = `${INCOMPLETE}asking for a further page brought the same recordings again`;
const MORE = `${INCOMPLETE}2 were read, and the service says that there are more`;

describe('all pages', () => {
	const all = [0, 1, 2, 3, 4];
	/** Two records on a page. */
	const numbered = (first: number, parameter: string, envelope: (page: number) => object) => ({
		service: (query: PageQuery) => {
			const page = Number(query[parameter] ?? first);
			const from = (page - first) * 2;
			return { json: { items: records(from, Math.min(from + 2, 5)), ...envelope(page) } };
		},
	});

	test.each([
		['page', numbered(1, 'page', (page) => ({ page, totalPages: 3 }))],
		['pageNumber', numbered(1, 'pageNumber', (pageNumber) => ({ pageNumber, totalPages: 3 }))],
		[
			'PageNumber',
			numbered(1, 'pageNumber', (page) => ({ PageNumber: page, TotalCount: 5, PageSize: 2 })),
		],
		['pageIndex from 0', numbered(0, 'pageIndex', (pageIndex) => ({ pageIndex, totalPages: 3 }))],
		['pageIndex from 1', numbered(1, 'pageIndex', (pageIndex) => ({ pageIndex, totalPages: 3 }))],
		[
			'two levels down',
			numbered(1, 'page', (page) => ({ meta: { pagination: { page, totalPages: 3 } } })),
		],
		[
			'HAL',
			numbered(1, 'page', (page) => ({
				_links: { next: page < 3 ? { href: `/x?page=${page + 1}` } : null },
			})),
		],
		['hasMore', numbered(1, 'page', (page) => ({ page, hasMore: page < 3 }))],
		['the current page', numbered(1, 'current', (current) => ({ paging: { current, last: 3 } }))],
		[
			'the last page as a link, and this one',
			numbered(1, 'page[number]', (page) => ({
				links: {
					self: `/r?page[number]=${page}&page[size]=2`,
					first: '/r?page[number]=1&page[size]=2',
					last: '/r?page[number]=3&page[size]=2',
				},
			})),
		],
		[
			'the last page as a link, and the first one, from 0',
			numbered(0, 'p', () => ({
				_links: { first: { href: '/r?p=0' }, last: { href: '/r?p=2' } },
			})),
		],
		[
			'the last page as an address',
			numbered(1, 'page', (page) => ({ currentPage: page, lastPageUrl: 'https://h/r?page=3' })),
		],
		[
			'the last page in a header',
			{
				service: ({ page = '1' }: PageQuery) => ({
					json: records((Number(page) - 1) * 2, Math.min(Number(page) * 2, 5)),
					headers: { link: '<https://h/r?page=1>; rel="first", <https://h/r?page=3>; rel="last"' },
				}),
			},
		],
	])('%s', async (_name, { service }) => {
		const { ids, problem, asked } = await read(service);
		expect({ ids, problem }).toEqual({ ids: all, problem: undefined });
		expect(asked).toHaveLength(3);
	});

	test('an empty page in the middle is not the end', async () => {
		const pages: Record<string, object> = {
			a: { data: records(0, 1), nextCursor: 'b' },
			b: { data: [], nextCursor: 'c' },
			c: { data: records(1, 2), nextCursor: null },
		};
		const { ids, problem } = await read(({ cursor = 'a' }) => ({ json: pages[cursor] }));
		expect({ ids, problem }).toEqual({ ids: [0, 1], problem: undefined });
	});

	test('a service that names a next page for ever is not asked for ever', async () => {
		const service = ({ page = '1' }: PageQuery) => ({
			json: page === '1' ? records(0, 2) : [],
			headers: { link: `<https://h/x?page=${Number(page) + 1}>; rel="next"` },
		});
		const { ids, problem, asked } = await read(service);
		expect({ ids, problem }).toEqual({ ids: [0, 1], problem: undefined });
		// 20 in a row may have nothing new.
		expect(asked).toHaveLength(21);
	});

	test('more than 10,000 pages', async () => {
		const { ids, problem } = await read(({ cursor = '0' }) => ({
			json: { data: [{ id: Number(cursor) }], nextCursor: String(Number(cursor) + 1) },
		}));
		expect(ids).toHaveLength(10_000);
		expect(problem).toBe(`${INCOMPLETE}there are too many pages, 10000 were read`);
	});

	test('what has moved to the next page meanwhile is not output twice', async () => {
		const { ids, problem } = await read(({ page = '1' }) => ({
			json: { items: page === '1' ? records(0, 2) : records(1, 3), page, totalPages: 2 },
		}));
		expect({ ids, problem }).toEqual({ ids: [0, 1, 2], problem: undefined });
	});

	test('deletions between two pages are not an error', async () => {
		let deleted = 0;
		const { problem } = await read(({ offset = '0' }) => {
			const kept = records(deleted, 6);
			deleted += 1;
			const items = kept.slice(Number(offset), Number(offset) + 2);
			return { json: { items, offset: Number(offset), limit: 2, total: 6 } };
		});
		expect(problem).toBeUndefined();
	});

	test('a cursor that stays the same is the end', async () => {
		const { ids, problem } = await read(({ cursor }) => ({
			json: { data: cursor ? records(2, 3) : records(0, 2), nextCursor: 'end' },
		}));
		expect({ ids, problem }).toEqual({ ids: [0, 1, 2], problem: undefined });
	});

	test.each<[string, (start: number) => object, number, string]>([
		['by position from 1', (startIndex) => ({ startIndex, totalResults: 5 }), 1, 'startIndex'],
		['by an offset', (offset) => ({ meta: { offset, limit: 2 } }), 0, 'offset'],
	])('%s', async (_name, envelope, first, parameter) => {
		const { ids, problem } = await read((query) => {
			const start = Number(query[parameter] ?? first);
			const items = records(start - first, Math.min(start - first + 2, 5));
			return { json: { Resources: items, ...envelope(start) } };
		});
		expect({ ids, problem }).toEqual({ ids: all, problem: undefined });
	});

	test('too late for a further page', async () => {
		const next = () => ({ json: { data: records(0, 2), next: '?page=2' } });
		const { problem } = await read(next, { deadlineMs: 0 });
		expect(problem).toMatch(/reading it took too long, 2 were read/);
	});

	test('no further page is asked for than the reader needs', async () => {
		let asked = 0;
		const fetchPage = async () => {
			asked += 1;
			return { json: { data: records(0, 2), next: '?page=2' } };
		};
		for await (const page of readPages(fetchPage, { identify: String })) {
			const { records, incomplete, listField } = page;
			expect([records.length, incomplete, listField]).toEqual([2, undefined, 'data']);
			break;
		}
		expect(asked).toBe(1);
	});
});

describe('a list that cannot be read as a whole', () => {
	test.each([
		['a page number that is not heard', { page: 1, totalPages: 3 }, AGAIN],
		['an offset that is not heard', { offset: 0, limit: 2, total: 5 }, AGAIN],
		['a cursor that is not heard', { nextPageToken: 'abc' }, AGAIN],
		['a path', { next: '/recordings/pages/2' }, MORE],
		['hasMore', { hasMore: true }, MORE],
		['a total', { total: 300 }, `${INCOMPLETE}2 of 300 were read`],
		[
			'a total and a page that is full',
			{ total: 300, limit: 2 },
			`${INCOMPLETE}2 of 300 were read`,
		],
		['a number of pages', { totalPages: 3 }, `${INCOMPLETE}1 of 3 pages was read`],
		[
			'a full page',
			{ limit: 2 },
			`${INCOMPLETE}2 were read, which is a full page, and the service does not say whether there are more`,
		],
		['a full page, the next of which is not heard', { page: 1, pageSize: 2 }, AGAIN],
	])('%s', async (_name, hints, problem) => {
		const list = await read(() => ({ json: { data: records(0, 2), ...hints } }));
		expect(list).toMatchObject({ ids: [0, 1], problem });
	});

	const ELSEWHERE = `${INCOMPLETE}2 were read, and the service names another page as the last one`;
	test.each<[string, object, string?]>([
		['no other link', { links: { last: '/r?page=4' } }],
		['a header', {}, '<https://h/r?page=4>; rel="last"'],
		['an offset', { links: { last: { href: '/r?offset=2' } } }],
		['a cursor', { links: { self: '/r', first: '/r', last: '/r?cursor=zzz' } }],
		['a path', { links: { self: '/r/pages/1', last: '/r/pages/4' } }],
		['a path and no other link', { links: [{ rel: 'last', href: '/r/pages/4' }] }],
		['a parameter of another name', { lastPageUrl: '/r?seite=4' }],
	])('the last page is elsewhere: %s', async (...[, hints, link]) => {
		const headers = link === undefined ? undefined : { link };
		const list = await read(() => ({ json: { data: records(0, 2), ...hints }, headers }));
		expect(list).toMatchObject({ ids: [0, 1], problem: ELSEWHERE });
		// A filter of the user does not ask for a page.
		const filtered = await read(() => ({ json: { data: records(0, 2), ...hints }, headers }), {
			query: { from: '2026-11-01' },
		});
		expect(filtered.problem).toBe(ELSEWHERE);
	});

	test('a number of pages, with a filter of the user', async () => {
		const list = (query: PageQuery) =>
			read(() => ({ json: { data: records(0, 2), pageInfo: { lastPage: 3 } } }), { query });
		expect((await list({ format: 'opus' })).problem).toBe(`${INCOMPLETE}1 of 3 pages was read`);
		expect((await list({ page: '3' })).problem).toBeUndefined();
	});

	test.each<[string, object, PageQuery?]>([
		['itself', { self: '/r?page=1', first: '/r?page=1', last: '/r?page=1' }],
		['page 0', { last: '/r?page=0' }],
		['the offset 0', { last: '/r?limit=50&offset=0' }],
		['itself without a query', { self: '/r', last: '/r' }],
		['the first one', { first: '/r?cursor=a', last: '/r?cursor=a' }],
		['no address', { last: null }],
		['the only position', { first: 1, last: 1 }],
		['the one that the user asks for', { first: '/r?page=1', last: '/r?page=4' }, { page: '4' }],
		['itself, spelled in another way', { self: '/r?b=2&page=4', last: 'https://h/r?page=4&b=2' }],
	])('no false alarm: the last page is %s', async (...[, links, query]) => {
		const list = await read(() => ({ json: { data: records(0, 2), links } }), { query });
		expect(list).toMatchObject({ ids: [0, 1], problem: undefined });
		expect(list.asked).toHaveLength(1);
	});

	describe('the last page may be this one', () => {
		const pages: Array<[string, object, PageQuery]> = [
			['a link to page 1', { links: { last: '/r?page=1&size=2' } }, { page: '1', size: '2' }],
			['a link to position 1', { lastPageUrl: '/r?startIndex=1' }, { startIndex: '1' }],
			['numbers as of records', { first: 1, last: 2 }, { page: '2' }],
		];
		test.each(pages)('%s: a further page has others', async (_name, hints, second) => {
			const service = (query: PageQuery) => {
				const isFirst = Object.keys(query).length === 0;
				return { json: { data: isFirst ? records(0, 2) : records(2, 4), ...hints } };
			};
			const { ids, problem, asked } = await read(service);
			expect({ ids, problem }).toEqual({ ids: [0, 1, 2, 3], problem: undefined });
			expect(asked).toEqual([{}, second]);
		});

		const none: Array<[string, () => Answer]> = [
			['the same records', () => ({ json: records(0, 2) })],
			['none', () => ({ json: { data: [] } })],
			['no answer but 404', () => Promise.reject(noSuchPage) as never],
		];
		const noSuchPage = new VoiceAgentError('notFound', { httpStatus: 404 });
		test.each(pages.flatMap(([name, hints]) => none.map((one) => [name, hints, ...one] as const)))(
			'%s %j, and asking for it brings %s: the list is whole',
			async (...[, hints, , second]) => {
				const { ids, problem, asked } = await read((query) =>
					Object.keys(query).length === 0 ? { json: { data: records(0, 2), ...hints } } : second(),
				);
				expect({ ids, problem }).toEqual({ ids: [0, 1], problem: undefined });
				expect(asked).toHaveLength(2);
			},
		);

		test('all of several pages with as many records', async () => {
			const { ids, problem } = await read(({ page = '1' }) => ({
				json: { data: records(Number(page) * 3 - 3, Number(page) * 3), first: 1, last: 3 },
			}));
			expect({ ids: ids.length, problem }).toEqual({ ids: 9, problem: undefined });
		});

		test('asking for it fails for another reason', async () => {
			const failure = new VoiceAgentError('serverError', { httpStatus: 500 });
			const list = read((query) => {
				if (query.page) throw failure;
				return { json: { data: records(0, 2), first: 1, last: 2 } };
			});
			await expect(list).rejects.toBe(failure);
		});

		test('nothing is asked for if the answer says how many there are', async () => {
			const list = await read(() => ({
				json: { data: records(0, 2), total: 2, links: { last: '/r?page=1' } },
			}));
			expect(list).toMatchObject({ ids: [0, 1], problem: undefined, asked: [{}] });
		});
	});

	test('an empty list with status 202 is none', async () => {
		const accepted = (json: unknown) => read(() => ({ json, status: 202 }));
		await expect(accepted(undefined)).rejects.toThrow('its status is 202');
		await expect(accepted({ recordings: [] })).rejects.toThrow('its status is 202');
		expect((await accepted(records(0, 2))).ids).toEqual([0, 1]);
	});

	test('no false alarm: the last of several pages that are followed by a cursor', async () => {
		const links = (next?: string) => ({ self: '/r', last: '/r?cursor=zzz', ...(next && { next }) });
		const { ids, problem } = await read(({ cursor }) => ({
			json: {
				data: cursor ? records(2, 3) : records(0, 2),
				links: links(cursor ? undefined : '/r?cursor=abc'),
			},
		}));
		expect({ ids, problem }).toEqual({ ids: [0, 1, 2], problem: undefined });
	});

	test('a part, by its status', async () => {
		const part = (total: string) => () => ({
			json: records(0, 2),
			status: 206,
			headers: { 'content-range': `items 0-1/${total}` },
		});
		expect((await read(part('*'))).problem).toBe(MORE);
		expect((await read(part('2'))).problem).toBeUndefined();
	});

	test('a full page, as every page is asked for', async () => {
		const asked = (hints: object) =>
			read(() => ({ json: { data: records(0, 2), ...hints } }), { added: { $top: '2' } });
		expect((await asked({})).problem).toMatch(/2 were read, which is a full page/);
		expect((await asked({ total: 2 })).problem).toBeUndefined();
		expect((await asked({ total: 3 })).problem).toBe(`${INCOMPLETE}2 of 3 were read`);
		// The service has longer pages than it was asked for, or shorter ones.
		expect((await asked({ limit: 3 })).problem).toBeUndefined();
	});

	test('an offset that counts pages', async () => {
		const { problem } = await read(({ offset = '0' }) => ({
			json: {
				items: offset === '0' ? records(0, 2) : [],
				offset: Number(offset),
				limit: 2,
				total: 5,
			},
		}));
		expect(problem).toBe(`${INCOMPLETE}2 of 5 were read`);
	});

	test('a new cursor with the same page, again and again', async () => {
		let asked = 0;
		const { ids, problem } = await read(() => ({
			json: { data: records(0, 2), nextToken: `cursor-${(asked += 1)}` },
		}));
		expect({ ids, problem }).toEqual({ ids: [0, 1], problem: AGAIN });
		expect(asked).toBeLessThan(30);
	});

	test.each([
		['a page that is not full', { total: 300, pageSize: 100 }, {}],
		['a service that says in clear words that this is the end', { total: 300, next: null }, {}],
		['hasMore is false', { total: 300, hasMore: false }, {}],
		['a total of as many', { total: 2, count: 2, pages: 1, more: false, next: null }, {}],
		['a page that is not full, by its limit', { limit: 100 }, {}],
		['the only page', { totalPages: 1 }, {}],
		['a full page, as the user has asked for it', { limit: 2 }, { limit: '2' }],
		['a total of something else, under a name that says so', { usage: { total: 300 } }, {}],
		["a total with query parameters of the user's own", { total: 300 }, { from: '2026-11-01' }],
		[
			"the last page, by the user's own number",
			{ page: 3, totalPages: 3, total: 6, pageSize: 2 },
			{ page: '3' },
		],
	])('no false alarm: %s', async (_name, hints, query) => {
		const list = await read(() => ({ json: { data: records(0, 2), ...hints } }), { query });
		expect(list).toMatchObject({ ids: [0, 1], problem: undefined });
	});
});

test('a page of an unknown shape is an error', async () => {
	await expect(read(() => ({ json: { count: 0 } }))).rejects.toThrow('in an unknown shape');
});
