import { ServiceError } from './errors.mts';
import * as present from './presentation.mts';
import type { RecordingSummary } from './store.mts';
import type { Shapes } from './unknowns.mts';

export interface ListReply {
	body: unknown;
	/** Value of the `Link` header (RFC 8288), where the shape has one. */
	link?: string;
}

type Query = Readonly<Record<string, unknown>>;

function inOrder(rows: RecordingSummary[], order: Shapes['listOrder']): RecordingSummary[] {
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

/** Where a cursor's page begins: behind the recording it names, also if that is deleted by now. */
function placeOfCursor(rows: readonly RecordingSummary[], cursor: unknown): number {
	if (cursor === undefined) return 0;
	const text = typeof cursor === 'string' ? cursor : '';
	const place = /^(\d+):(\d+)$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
	if (!place) throw new ServiceError(400, 'invalid_request', 'cursor is unknown', ['cursor']);
	const [endedAt, id] = [Number(place[1]), Number(place[2])];
	const next = rows.findIndex(
		(row) => row.endedAt > endedAt || (row.endedAt === endedAt && row.id > id),
	);
	return next === -1 ? rows.length : next;
}

function cursorBehind(row: RecordingSummary): string {
	return Buffer.from(`${row.endedAt}:${row.id}`, 'latin1').toString('base64url');
}

/**
 * The reply to "list recordings" in the shape that is in force.
 *
 * @param rows everything that is stored, oldest end of call first
 * @param query of the request; read by the paged shapes only
 * @param address of the list, without a query, for links to the next page
 * @throws ServiceError 400 for a page that cannot be
 */
export function listReply(
	rows: RecordingSummary[],
	shapes: Readonly<Shapes>,
	query: Query,
	address: string,
): ListReply {
	const records = (some: readonly RecordingSummary[]) => present.recordingList(some, shapes);
	// A cursor stands for a place in time, so that deletions in between shift nothing.
	const byCursor = shapes.list === 'paged' && shapes.paging === 'cursor';
	const ordered = byCursor ? rows : inOrder(rows, shapes.listOrder);
	if (shapes.list === 'array') return { body: records(ordered) };
	if (shapes.list !== 'paged') return { body: { [shapes.list]: records(ordered) } };

	const sizeName = shapes.paging === 'offset' || byCursor ? 'limit' : 'pageSize';
	const size = Math.min(wholeNumber(query, sizeName, 1) ?? shapes.pageSize, shapes.pageSize);
	const page = wholeNumber(query, 'page', 1) ?? 1;
	const first = byCursor
		? placeOfCursor(rows, query['cursor'])
		: shapes.paging === 'offset'
			? (wholeNumber(query, 'offset', 0) ?? 0)
			: (page - 1) * size;
	const some = ordered.slice(first, first + size);
	const shown = records(some);
	const total = ordered.length;
	const hasNext = first + some.length < total && some.length > 0;
	const nextUrl = `${address}?page=${page + 1}&pageSize=${size}`;
	switch (shapes.paging) {
		case 'nextUrl':
			return { body: { data: shown, next: hasNext ? nextUrl : null } };
		case 'cursor': {
			const last = some.at(-1);
			return { body: { data: shown, nextCursor: hasNext && last ? cursorBehind(last) : null } };
		}
		case 'pageNumber':
			return {
				body: {
					items: shown,
					page,
					pageSize: size,
					totalCount: total,
					totalPages: Math.ceil(total / size),
				},
			};
		case 'offset':
			return { body: { items: shown, offset: first, limit: size, total } };
		case 'linkHeader':
			return { body: shown, ...(hasNext && { link: `<${nextUrl}>; rel="next"` }) };
	}
}
