import fc from 'fast-check';

import type { VoiceAgentError } from '../../nodes/errors';
import { readListPage } from '../../nodes/service/list/listPage';
import type { FoundList } from '../../nodes/service/list/findList';
import { findRecords } from '../../nodes/service/list/findList';
import { isJsonObject } from '../../nodes/data/payload';
import { readPages } from '../../nodes/service/list/pages';
import { anyDocument, documents, longTexts, names } from './arbitraries';
import { outcomeOf, property } from './property';

/** All values in a document, at any depth. */
function valuesIn(document: unknown): Set<unknown> {
	const values = new Set<unknown>([document]);
	for (const value of values) {
		if (typeof value !== 'object' || value === null) continue;
		for (const [name, inner] of Object.entries(value)) values.add(name).add(inner);
	}
	return values;
}

const fieldNames = fc.oneof({ arbitrary: fc.constant(''), weight: 3 }, names);

property(
	'the list that is found in any document has records of this document only',
	150,
	[anyDocument, fieldNames, fieldNames],
	async (document, listField, sessionGuidField) => {
		const { value: found, reason } = await outcomeOf(
			async () => await findRecords(document, { listField, sessionGuidField }),
		).then((outcome) => ({ value: undefined, ...outcome }));
		if (!found) return expect(reason).toBe('unreadableList');
		const known = valuesIn(document);
		for (const record of found.records) {
			expect(isJsonObject(record)).toBe(true);
			// A list of identifiers, or values by identifier, make records of their own.
			if (!known.has(record))
				expect(Object.values(record).every((value) => known.has(value))).toBe(true);
		}
		for (const envelope of found.envelopes) expect(known.has(envelope)).toBe(true);
	},
);

const headers = fc.dictionary(
	fc.constantFrom(
		...['link', 'content-range', 'x-total-count', 'x-pagination', 'x-next-page', 'x-page'],
		...['x-has-more', 'x-wp-totalpages', 'x-ms-continuation', 'x-per-page', '__proto__'],
	),
	fc.oneof(
		longTexts,
		fc.integer({ min: -1, max: 99 }).map(String),
		fc.constantFrom('items 0-9/50', 'bytes 0-9/50', '*/7', '{"TotalCount":5}', '{"a":', 'true'),
		fc.webUrl({ withQueryParameters: true }).map((url) => `<${url}>; rel="next"`),
		fc.array(fc.string()),
	),
);

property(
	'what any page says about the next one can be asked for',
	150,
	[fc.array(anyDocument, { maxLength: 3 }), fc.nat({ max: 40 }), headers],
	(envelopes, count, given) => {
		const records = Array.from({ length: count }, (_, id) => ({ id }));
		const found = { records, envelopes: envelopes.filter(isJsonObject) } as unknown as FoundList;
		const { next, hasMore, ...page } = readListPage(found, {
			headers: given,
			query: { page: '1' },
		});
		if (next) {
			for (const [name, value] of Object.entries(next)) {
				expect([typeof name, typeof value]).toEqual(['string', 'string']);
			}
		}
		expect([undefined, true, false]).toContain(hasMore);
		for (const number of [page.start, page.pageSize, page.pages, page.total]) {
			expect(number === undefined || Number.isSafeInteger(number)).toBe(true);
		}
	},
);

/** One way of a service to say where its next page is. */
interface Style {
	/** What stands beside the records of the page from `start`, and in its headers. */
	says: (page: { start: number; size: number; total: number }) => {
		body?: object;
		headers?: Record<string, string>;
	};
	/** Where the page begins that a query asks for; 0 if it asks for none. */
	startOf: (query: Record<string, string>, size: number) => number;
}

const number = (text: string | undefined) => Number(text ?? 0);
const byOffset =
	(name: string): Style['startOf'] =>
	(query) =>
		number(query[name]);
const byPage =
	(name: string, first: number): Style['startOf'] =>
	(query, size) =>
		query[name] === undefined ? 0 : (number(query[name]) - first) * size;
const isMore = ({ start, size, total }: { start: number; size: number; total: number }) =>
	start + size < total;
/** The mark of the place that follows a page. */
const mark = (page: Parameters<typeof isMore>[0]) =>
	isMore(page) ? `at-${page.start + page.size}` : null;
const byMark =
	(name: string): Style['startOf'] =>
	(query) =>
		number(query[name]?.replace('at-', ''));

const pageStyles = [0, 1].flatMap((first): Style[] =>
	['page', 'pageNumber', 'PageIndex', 'current_page'].flatMap((name): Style[] => {
		const param = name === 'PageIndex' ? 'pageIndex' : name;
		const numberOf = ({ start, size }: { start: number; size: number }) => start / size + first;
		const startOf = byPage(param, first);
		return [
			{
				startOf,
				says: (page) => ({
					body: {
						[name]: numberOf(page),
						totalPages: Math.max(Math.ceil(page.total / page.size), 1),
					},
				}),
			},
			{
				startOf,
				says: (page) => ({
					body: { [name]: numberOf(page), pageSize: page.size, total_count: page.total },
				}),
			},
			{ startOf, says: (page) => ({ body: { [name]: numberOf(page), HasMore: isMore(page) } }) },
			{ startOf, says: (page) => ({ body: { [name]: numberOf(page), 'is-last': !isMore(page) } }) },
			{ startOf, says: (page) => ({ body: { [name]: numberOf(page), per_page: page.size } }) },
		];
	}),
);
const offsetStyles = ['offset', 'skip', 'startIndex'].flatMap((name): Style[] => {
	const startOf = byOffset(name);
	return [
		{
			startOf,
			says: (page) => ({ body: { [name]: page.start, limit: page.size, total: page.total } }),
		},
		{ startOf, says: (page) => ({ body: { [name]: page.start, moreAvailable: isMore(page) } }) },
		{ startOf, says: (page) => ({ body: { [name]: page.start, limit: page.size } }) },
	];
});
const cursorStyles = (
	[
		['nextCursor', 'cursor'],
		['next_page_token', 'pageToken'],
		['NextToken', 'nextToken'],
		['continuationToken', 'continuationToken'],
		['nextMarker', 'marker'],
		['next', 'cursor'],
	] as const
).flatMap(([name, parameter]): Style[] => [
	{ startOf: byMark(parameter), says: (page) => ({ body: { [name]: mark(page) } }) },
	{
		startOf: byMark(parameter),
		says: (page) => ({ body: { [name]: mark(page) ?? '', hasMore: isMore(page) } }),
	},
]);
const linkStyles: Style[] = ['start', 'x-from', 'p[at]'].flatMap((parameter): Style[] => {
	const address = (page: Parameters<typeof isMore>[0]) =>
		`https://elsewhere.example/list?${new URLSearchParams({ [parameter]: `at-${page.start + page.size}` }).toString()}`;
	const startOf = byMark(parameter);
	return [
		{ startOf, says: (page) => ({ body: { next: isMore(page) ? address(page) : null } }) },
		{
			startOf,
			says: (page) => ({ body: { _links: isMore(page) ? { next: { href: address(page) } } : {} } }),
		},
		{
			startOf,
			says: (page) => ({
				body: { links: isMore(page) ? [{ rel: 'next', href: address(page) }] : [] },
			}),
		},
		{
			startOf,
			says: (page) => ({
				headers: {
					link: `<https://a/>; rel="first"${isMore(page) ? `, <${address(page)}>; rel="next"` : ''}`,
				},
			}),
		},
	];
});
const styles = fc.constantFrom(...pageStyles, ...offsetStyles, ...cursorStyles, ...linkStyles);

const shapes = fc.constantFrom<(records: object[], says: object) => unknown>(
	(records, says) => ({ ...says, recordings: records }),
	(records, says) => ({ Recordings: records, pagination: says }),
	(records, says) => ({ data: { items: records, ...says } }),
	(records, says) => ({ data: records, meta: { requestId: 'r-1', paging: says } }),
);
const beside = fc.dictionary(
	fc.constantFrom('apiVersion', 'tenant', 'requestId', 'generatedBy', 'region'),
	fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
);
const guid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

interface Service {
	style: Style;
	shape: (records: object[], says: object) => unknown;
	beside: object;
	total: number;
	size: number;
}

const services: fc.Arbitrary<Service> = fc.record({
	style: styles,
	shape: shapes,
	beside,
	total: fc.nat({ max: 50 }),
	size: fc.integer({ min: 1, max: 12 }),
});

/** Reads the list of a service that gives its pages in this way. */
async function readFrom(
	{ style, shape, beside, total, size }: Service,
	answersQuery: (query: Record<string, string>, count: number) => boolean = () => true,
) {
	const all = Array.from({ length: total }, (_, index) => ({
		sessionGuid: guid(index),
		seconds: index,
	}));
	let count = 0;
	const fetchPage = async (query: Record<string, string>) => {
		count += 1;
		const start = answersQuery(query, count) ? style.startOf(query, size) : 0;
		const { body = {}, headers = {} } = style.says({ start, size, total });
		const json = shape(all.slice(start, start + size), { ...beside, ...body });
		return { json: JSON.parse(JSON.stringify(json)) as unknown, headers };
	};
	const records: unknown[] = [];
	let incomplete: VoiceAgentError | undefined;
	const identify = ({ sessionGuid }: Record<string, unknown>) => String(sessionGuid);
	for await (const page of readPages(fetchPage, { identify })) {
		records.push(...page.records);
		({ incomplete } = page);
	}
	return { all, records, incomplete };
}

property(
	'all pages of a list are read, in whatever way the service gives them',
	150,
	[services],
	async (service) => {
		const { records, incomplete, all } = await readFrom(service);
		expect(records).toEqual(all);
		expect(incomplete).toBeUndefined();
	},
);

property(
	'a service that does not answer what it was asked for: a part is never returned as the whole',
	150,
	[services, fc.infiniteStream(fc.boolean())],
	async (service, turns) => {
		const { records, incomplete, all } = await readFrom(service, () => turns.next().value === true);
		expect(all).toEqual(expect.arrayContaining(records));
		if (incomplete) expect(incomplete.reason).toBe('incompleteList');
		else expect(new Set(records)).toEqual(new Set(all));
	},
);

property(
	'pages with anything in them: reading ends, and fails with errors of our own only',
	150,
	[fc.array(fc.tuple(documents, headers), { minLength: 1, maxLength: 6 })],
	async (pages) => {
		let asked = 0;
		await outcomeOf(async () => {
			const fetchPage = async () => {
				const [json, given] = pages[asked % pages.length] as [unknown, Record<string, unknown>];
				asked += 1;
				return { json, headers: given };
			};
			const identify = (record: object) => JSON.stringify(record);
			for await (const { records } of readPages(fetchPage, { identify })) void records;
		});
		expect(asked).toBeLessThanOrEqual(1_000);
	},
);
