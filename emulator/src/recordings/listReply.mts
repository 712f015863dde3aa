import type { RecordingSummary } from '../database.mts';
import { ServiceError } from '../errors.mts';
import type { Shapes } from '../shapes/unknowns.mts';
import { recordingList } from './records.mts';

export interface ListReply {
	/** 200 unless there is no body. */
	status: 200 | 204;
	body?: unknown;
	/** Value of the `Link` header (RFC 8288), if the shape has one. */
	link?: string;
}

type Query = Readonly<Record<string, unknown>>;

const reply = (body: unknown): ListReply => ({ status: 200, body });

/** The recordings in the order of the list. */
export function inOrder(rows: RecordingSummary[], order: Shapes['listOrder']): RecordingSummary[] {
	if (order === 'newestFirst') return rows.toReversed();
	if (order === 'byGuid') {
		return rows.toSorted((a, b) => (a.sessionGuid < b.sessionGuid ? -1 : 1));
	}
	return rows;
}

/** @throws ServiceError 400 for anything but a whole number of at least `low` */
function wholeNumber(query: Query, name: string, low: number): number | undefined {
	const text = query[name];
	if (text === undefined) return undefined;
	const value = Number(text);
	if (typeof text !== 'string' || !/^\d{1,9}$/.test(text) || value < low) {
		const message = `${name} must be a whole number from ${low}`;
		throw new ServiceError(400, 'invalid_request', message, [name]);
	}
	return value;
}

/** Index after the recording that a cursor names, even if that recording is deleted by now. */
function indexAfterCursor(rows: readonly RecordingSummary[], cursor: unknown): number {
	if (cursor === undefined) return 0;
	const text = typeof cursor === 'string' ? cursor : '';
	const position = /^(\d+):(\d+)$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
	if (!position) throw new ServiceError(400, 'invalid_request', 'cursor is unknown', ['cursor']);
	const [endedAt, id] = [Number(position[1]), Number(position[2])];
	const next = rows.findIndex(
		(row) => row.endedAt > endedAt || (row.endedAt === endedAt && row.id > id),
	);
	return next === -1 ? rows.length : next;
}

function cursorAfter(row: RecordingSummary): string {
	return Buffer.from(`${row.endedAt}:${row.id}`, 'latin1').toString('base64url');
}

/** Index after a recording. */
function indexAfter(rows: readonly RecordingSummary[], sessionGuid: unknown): number {
	if (sessionGuid === undefined) return 0;
	const index = rows.findIndex((row) => row.sessionGuid === sessionGuid);
	if (index === -1) throw new ServiceError(400, 'invalid_request', 'after is unknown', ['after']);
	return index + 1;
}

/** The reply when nothing is stored, if it has a shape of its own. */
function emptyReply({ emptyList, list }: Readonly<Shapes>): ListReply | undefined {
	switch (emptyList) {
		case 'list':
			return undefined;
		case 'null':
			return {
				status: 200,
				body: list === 'array' ? null : { [list === 'paged' ? 'data' : list]: null },
			};
		case 'emptyObject':
			return { status: 200, body: {} };
		case '204':
			return { status: 204 };
	}
}

/** Marks the cursor of an empty page. The text after the mark is the cursor of the next page. */
const EMPTY_PAGE = 'empty.';

/**
 * Builds the reply to "list recordings" in the current shape.
 *
 * @param rows everything that is stored, oldest end of call first
 * @param query query of the request, which only paged shapes read
 * @param address address of the list without a query, for links to the next page
 * @throws ServiceError 400 for a page that cannot exist
 */
export function listReply(
	rows: RecordingSummary[],
	shapes: Readonly<Shapes>,
	query: Query,
	address: string,
): ListReply {
	const empty = rows.length === 0 ? emptyReply(shapes) : undefined;
	if (empty) return empty;
	const { list } = shapes;
	if (list === 'paged') return pageReply(rows, shapes, query, address);
	const records = recordingList(inOrder(rows, shapes.listOrder), shapes);
	return reply(list === 'array' ? records : { [list]: records });
}

/** Builds one page of the list, as {@link listReply}. */
function pageReply(
	rows: RecordingSummary[],
	shapes: Readonly<Shapes>,
	query: Query,
	address: string,
): ListReply {
	const { paging } = shapes;
	const { cursor } = query;
	if (paging === 'emptyPages' && typeof cursor === 'string' && cursor.startsWith(EMPTY_PAGE)) {
		return reply({ data: [], nextCursor: cursor.slice(EMPTY_PAGE.length) });
	}
	// A cursor is a point in time, so a deletion between two pages shifts nothing.
	const byCursor = paging === 'cursor' || paging === 'emptyPages';
	const ordered = byCursor ? rows : inOrder(rows, shapes.listOrder);
	const sizeName = paging === 'offset' || paging === 'afterGuid' || byCursor ? 'limit' : 'pageSize';
	const size = Math.min(wholeNumber(query, sizeName, 1) ?? shapes.pageSize, shapes.pageSize);
	const page = wholeNumber(query, 'page', 1) ?? 1;
	const pageIndex = wholeNumber(query, 'pageIndex', 0) ?? 0;
	const firstIndex: Record<Shapes['paging'], () => number> = {
		nextUrl: () => (page - 1) * size,
		cursor: () => indexAfterCursor(rows, cursor),
		emptyPages: () => indexAfterCursor(rows, cursor),
		pageNumber: () => (page - 1) * size,
		pageIndex: () => pageIndex * size,
		offset: () => wholeNumber(query, 'offset', 0) ?? 0,
		linkHeader: () => (page - 1) * size,
		hal: () => (page - 1) * size,
		afterGuid: () => indexAfter(ordered, query['after']),
	};
	const first = firstIndex[paging]();
	const some = ordered.slice(first, first + size);
	const shown = recordingList(some, shapes);
	const total = ordered.length;
	const totalPages = Math.ceil(total / size);
	const last = some.at(-1);
	const hasNext = first + some.length < total && last !== undefined;
	const nextUrl = `${address}?page=${page + 1}&pageSize=${size}`;
	switch (paging) {
		case 'nextUrl':
			return reply({ data: shown, next: hasNext ? nextUrl : null });
		case 'cursor':
			return reply({ data: shown, nextCursor: hasNext ? cursorAfter(last) : null });
		case 'emptyPages':
			return reply({ data: shown, nextCursor: hasNext ? EMPTY_PAGE + cursorAfter(last) : null });
		case 'pageNumber':
			return reply({ items: shown, page, pageSize: size, totalCount: total, totalPages });
		case 'pageIndex':
			return reply({ items: shown, meta: { paging: { pageIndex, totalPages } } });
		case 'offset':
			return reply({ items: shown, offset: first, limit: size, total });
		case 'linkHeader':
			return { ...reply(shown), ...(hasNext && { link: `<${nextUrl}>; rel="next"` }) };
		case 'hal':
			return reply({ data: shown, _links: { next: hasNext ? { href: nextUrl } : null } });
		case 'afterGuid':
			return reply({ data: shown, hasMore: hasNext });
	}
}
