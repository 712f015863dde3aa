import type { RecordingSummary } from '../database.mts';
import { ServiceError } from '../errors.mts';
import { filled, mapLeaves } from './likeExample.mts';
import type { ListProfile, Paging, RecordedAnswer, ServiceProfile } from './schema.mts';
import { rename } from './spelling.mts';

type Query = Readonly<Record<string, unknown>>;
export type Order = 'oldestFirst' | 'newestFirst' | 'other';

/** Who asks for a page of the list. */
export interface ListRequest {
	/** In the order of the list. */
	rows: readonly RecordingSummary[];
	order: Order;
	query: Query;
	/** Of the list, without a query. */
	address: string;
}

/** Where a page is in the list. */
interface Position {
	/** Index of the first record on the page. */
	start: number;
	size: number;
	/** How many empty pages, this one included, come before it. */
	empty?: number;
	/** Whether the list has no such page. */
	isBeyond?: boolean;
}

const DEFAULT_PAGE_SIZE = 100;

/** The recordings, oldest end of call first, in the order of the list. */
export function inOrder(rows: readonly RecordingSummary[], order: Order): RecordingSummary[] {
	if (order === 'oldestFirst') return [...rows];
	if (order === 'newestFirst') return rows.toReversed();
	return rows.toSorted((a, b) => (a.sessionGuid < b.sessionGuid ? -1 : 1));
}

/**
 * Writes a page of the list as the profile shows it.
 *
 * @throws ServiceError 400 for a page that cannot exist, if the service refuses it
 */
export function pageLike(
	profile: ServiceProfile,
	list: ListProfile,
	{ rows, order, query, address }: ListRequest,
): RecordedAnswer | undefined {
	const paging = list.paging ?? { kind: 'none', pages: {} };
	const { fields = [] } = list;
	const { empty = 0, isBeyond = false, ...position } = positionOf(paging, rows, order, query);
	const beyond = isBeyond ? answerNamed(profile, 'beyond') : undefined;
	if (beyond && (beyond.status >= 300 || beyond.isRefusal)) return beyond;
	// Some services answer with the last page then, or with the first one.
	const seen = beyond && listAt(beyond.json, list.path ?? '');
	const start = seen?.length ? startOfSeen(profile, list, position, rows.length) : position.start;
	const { size } = position;
	const hasNext = empty > 0 || start + size < rows.length;
	const template = (seen?.length === 0 ? beyond : undefined) ?? templateFor(profile, list, hasNext);
	if (!template) return undefined;
	const some = empty > 0 ? [] : rows.slice(start, start + size);
	const write = recordWriter(profile, list);
	const nothing = rows.length === 0 ? list.empty?.records : undefined;
	const shown = nothing === undefined ? some.map(write) : nothing;
	const next = { paging, rows, query, address, hasNext, start, size, empty };
	const json = mapLeaves(template.json, (path, example) => {
		if (path === list.path) return shown;
		const field = fields.find((one) => one.place === 'body' && one.path === path);
		return field ? signLike(field.role, example, next, some.length) : example;
	});
	const headers = Object.entries(template.headers).flatMap(([name, value]) => {
		const path = name.replace(/^x-(?:wp-)?/, '');
		if (name === 'link') return hasNext ? [[name, linkLike(String(value), next)]] : [];
		const field = fields.find((one) => one.place === 'header' && one.path === path);
		return [[name, field ? String(signLike(field.role, value, next, some.length)) : value]];
	});
	return { ...template, json, headers: Object.fromEntries(headers) as RecordedAnswer['headers'] };
}

/** Exchanges that have read a page of the list. */
const PAGES = ['list', 'one', 'next', 'listAfterDelete'];

/** An answer that is, or is not, the last page; another one if there is none. */
function templateFor(
	profile: ServiceProfile,
	list: ListProfile,
	hasNext: boolean,
): RecordedAnswer | undefined {
	const { exchanges = [] } = profile;
	const answers = exchanges.flatMap(({ name, answer }) =>
		answer !== undefined && answer.status < 300 && PAGES.includes(name) ? [answer] : [],
	);
	const { more, last } = list.paging?.pages ?? {};
	const named = answerNamed(profile, hasNext ? more : last);
	const fitting = answers.find((answer) => leadsOn(answer, list) === hasNext);
	return named ?? fitting ?? answers[0];
}

function answerNamed(
	{ exchanges = [] }: ServiceProfile,
	wanted: string | undefined,
): RecordedAnswer | undefined {
	return exchanges.find(({ name }) => name === wanted)?.answer;
}

/** Whether a page says where the next one is. */
function leadsOn({ json, headers }: RecordedAnswer, { fields = [] }: ListProfile): boolean {
	let isLeading = headers['link'] !== undefined;
	mapLeaves(json, (path, value) => {
		const role = fields.find((one) => one.place === 'body' && one.path === path)?.role;
		const isLead = role === 'next' || role === 'cursor' || role === 'more';
		if (isLead && value !== null && value !== '' && value !== false) isLeading = true;
		return value;
	});
	return isLeading;
}

/** @throws ServiceError 400 for a page that cannot exist, if the service refuses it */
function positionOf(
	paging: Paging,
	rows: readonly RecordingSummary[],
	order: Order,
	query: Query,
): Position {
	const { kind, sizeParameter = '', parameter = '', counts, first = 0, isStrict } = paging;
	// Without a known page size and way to the next page, the list is whole.
	const isWhole = kind === 'none' || (kind === 'unknown' && paging.pageSize === undefined);
	const most = paging.pageSize ?? (isWhole ? rows.length : DEFAULT_PAGE_SIZE);
	if (isStrict) requireNumber(query, sizeParameter, 1);
	const asked = wholeNumber(query[sizeParameter]);
	const size = Math.max(1, asked === undefined || asked < 1 ? most : Math.min(asked, most));
	const value = query[parameter];
	if (value === undefined) return { start: 0, size };
	const unknown = refusalOf(`${parameter} is unknown`, parameter);
	if (counts === 'sessionGuids') {
		const index = rows.findIndex(({ sessionGuid }) => sessionGuid === value);
		if (index === -1 && isStrict) throw unknown;
		return { start: index + 1, size };
	}
	if (counts === undefined) {
		const cursor = cursorIn(value);
		if (!cursor && isStrict) throw unknown;
		return cursor ? { ...positionAfter(cursor, rows, order), size } : { start: 0, size };
	}
	if (isStrict) requireNumber(query, parameter, first);
	const steps = Math.max(0, (wholeNumber(value) ?? first) - first);
	const start = counts === 'pages' ? steps * size : steps;
	return { start, size, isBeyond: start > 0 && start >= rows.length };
}

function refusalOf(message: string, field: string): ServiceError {
	return new ServiceError(400, 'invalid_request', message, [field]);
}

function requireNumber(query: Query, name: string, low: number): void {
	const value = query[name];
	if (value === undefined || (wholeNumber(value) ?? -1) >= low) return;
	throw refusalOf(`${name} must be a whole number from ${low}`, name);
}

function wholeNumber(value: unknown): number | undefined {
	return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** The page that a service sends in place of one that it does not have: the last or first one. */
function startOfSeen(
	profile: ServiceProfile,
	{ path = '' }: ListProfile,
	{ size }: Position,
	count: number,
): number {
	const [one] = listAt(answerNamed(profile, 'beyond')?.json, path);
	const [first] = listAt(answerNamed(profile, 'list')?.json, path);
	const isFirst = JSON.stringify(one) === JSON.stringify(first);
	return isFirst ? 0 : Math.max(0, Math.ceil(count / size) - 1) * size;
}

/** What a cursor has in it: no state is kept, and a deletion between two pages shifts none. */
type Cursor = [endedAt: number, id: number, sessionGuid: string, empty: number];

function cursorAfter({ endedAt, id, sessionGuid }: RecordingSummary, empty: number): string {
	const cursor: Cursor = [endedAt, id, sessionGuid, empty];
	return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function cursorIn(value: unknown): Cursor | undefined {
	const text = Buffer.from(String(value), 'base64url').toString('utf8');
	if (!/^\[\d+,\d+,"[^"\\]*",\d+\]$/.test(text)) return undefined;
	return JSON.parse(text) as Cursor;
}

function positionAfter(
	[endedAt, id, sessionGuid, empty]: Cursor,
	rows: readonly RecordingSummary[],
	order: Order,
): Pick<Position, 'start' | 'empty'> {
	const isBehind = (row: RecordingSummary): boolean => {
		if (order === 'other') return row.sessionGuid > sessionGuid;
		const later = row.endedAt - endedAt || row.id - id;
		return order === 'oldestFirst' ? later > 0 : later < 0;
	};
	const start = rows.findIndex(isBehind);
	return { start: start === -1 ? rows.length : start, empty };
}

interface Next extends Pick<ListRequest, 'rows' | 'query' | 'address'> {
	paging: Paging;
	start: number;
	size: number;
	hasNext: boolean;
	/** How many empty pages, this one included, come before the records. */
	empty: number;
}

/** What the parameter of the next page gets. */
function nextValue({ paging, rows, start, size, empty }: Next): string {
	const { counts, first = 0, emptyPages = 0 } = paging;
	const last = rows[empty > 0 ? start - 1 : start + size - 1];
	if (counts === undefined && last) {
		return cursorAfter(last, empty > 0 ? empty - 1 : emptyPages);
	}
	return String(first + (counts === 'pages' ? start / size + 1 : start + size));
}

/** A field beside the list, with the type of the example. */
function signLike(role: string, example: unknown, next: Next, shown: number): unknown {
	const { rows, start, size, hasNext, paging } = next;
	const pages = Math.ceil(rows.length / size);
	const page = Math.floor(start / size);
	const firstPage = paging.counts === 'pages' ? (paging.first ?? 1) : 1;
	const firstRecord = paging.counts === 'records' ? (paging.first ?? 0) : 0;
	const numbers: Record<string, number> = {
		total: rows.length,
		count: shown,
		pages,
		lastPage: pages - 1 + firstPage,
		page: page + firstPage,
		offset: start + firstRecord,
		maxPerPage: size,
	};
	const flags: Record<string, boolean> = {
		more: hasNext,
		cut: hasNext,
		last: !hasNext,
		done: !hasNext,
	};
	// Where no page was seen to be full, how many a page may have is what the answer said.
	const isKnownSize = role !== 'maxPerPage' || paging.pageSize !== undefined;
	const isNumber = /^\d+$/.test(String(example));
	const number = isNumber && isKnownSize ? numbers[role] : undefined;
	if (number !== undefined) return typeof example === 'string' ? String(number) : number;
	const flag = flags[role];
	if (flag !== undefined) return isFlag(example) ? likeFlag(example, flag) : example;
	if (role === 'next' || role === 'cursor') return leadLike(example, next);
	return example;
}

/** The address of the last page is no flag, although it has the name of one. */
function isFlag(example: unknown): boolean {
	return typeof example !== 'string' ? example !== null : /^(?:true|false)$/i.test(example);
}

function likeFlag(example: unknown, flag: boolean): unknown {
	if (typeof example === 'string') return String(flag);
	return typeof example === 'number' ? Number(flag) : flag;
}

/** An address, a cursor or a number that leads to the next page; nothing on the last one. */
function leadLike(example: unknown, next: Next): unknown {
	if (typeof example === 'boolean') return next.hasNext;
	if (!next.hasNext) return example === '' ? '' : null;
	if (typeof example !== 'string')
		return typeof example === 'number' ? Number(nextValue(next)) : example;
	if (example.includes('?')) return addressLike(example, next);
	// Something else than what the parameter takes only says that there is another page.
	const isValue = next.paging.counts === undefined || /^\d+$/.test(example);
	return isValue ? nextValue(next) : example;
}

/** The address of the next page, with the parameters of the example. */
function addressLike(example: string, next: Next): string {
	const [before = '', text = ''] = example.split('?');
	const { paging, address, query, size } = next;
	const parameters = new URLSearchParams(text);
	for (const name of [...parameters.keys()]) {
		if (name === paging.parameter) parameters.set(name, nextValue(next));
		else if (name === paging.sizeParameter) parameters.set(name, String(size));
		else if (typeof query[name] === 'string') parameters.set(name, query[name]);
	}
	const isRelative = before.startsWith('/') || before === '';
	const path = before === '' ? '' : new URL(address).pathname;
	return `${isRelative ? path : address}?${parameters.toString()}`;
}

/** A `Link` header: the addresses in it lead to the next page. */
function linkLike(example: string, next: Next): string {
	return example.replace(/<([^>]*)>(?=[^<]*rel="?next)/, (_link, address: string) => {
		return `<${addressLike(address, next)}>`;
	});
}

function recordWriter(
	profile: ServiceProfile,
	list: ListProfile,
): (row: RecordingSummary) => unknown {
	const template = recordOf(profile, list);
	const { roles = {}, spelling = 'camelCase' } = list.record ?? {};
	if (typeof template !== 'object') return (row) => row.sessionGuid;
	return (row) => {
		const record = filled(template, roles, {
			sessionGuid: row.sessionGuid,
			to: row.to,
			from: row.from,
			startMs: row.startedAt,
			endMs: row.endedAt,
			durationSeconds: row.durationSeconds,
			sizeBytes: row.storedBytes,
			format: row.format,
			encrypted: row.encrypted,
		});
		return spelling === 'camelCase' ? record : rename(record as object, spelling);
	};
}

/** The first record that the profile has; `undefined` if its list was empty. */
export function recordOf(
	{ exchanges = [] }: ServiceProfile,
	{ path = '', record: said }: ListProfile,
): unknown {
	if (said?.json !== undefined) return said.json;
	for (const { name, answer } of exchanges) {
		if (!answer || !['list', 'one', 'next'].includes(name)) continue;
		const [record] = listAt(answer.json, path);
		if (record !== undefined) return record;
	}
	return undefined;
}

/** The list as it was seen when nothing was in it: at first, or after a deletion. */
export function emptyListIn(
	{ exchanges = [] }: ServiceProfile,
	{ path = '', empty }: ListProfile,
): RecordedAnswer | undefined {
	if (empty?.answer) return empty.answer;
	const lists = exchanges.filter(({ name }) => ['list', 'listAfterDelete'].includes(name));
	return lists.find(({ answer }) => {
		return answer && answer.status < 300 && listAt(answer.json, path).length === 0;
	})?.answer;
}

function listAt(json: unknown, path: string): unknown[] {
	let found: unknown;
	mapLeaves(json, (at, value) => {
		if (at === path) found = value;
		return value;
	});
	return Array.isArray(found) ? (found as unknown[]) : [];
}
