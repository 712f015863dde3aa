import type { RecordingSummary } from '../database.mts';
import { filled, mapLeaves } from './likeExample.mts';
import type { ListProfile, Paging, RecordedAnswer, ServiceProfile } from './schema.mts';

type Query = Readonly<Record<string, unknown>>;

/** Where a page is in the list. */
interface Position {
	rows: readonly RecordingSummary[];
	/** Index of the first record on the page. */
	start: number;
	size: number;
}

const DEFAULT_PAGE_SIZE = 100;

/** Writes a page of the list as the profile shows it. */
export function pageLike(
	profile: ServiceProfile,
	list: ListProfile,
	{ rows, query, address }: { rows: readonly RecordingSummary[]; query: Query; address: string },
): RecordedAnswer | undefined {
	const paging = list.paging ?? { kind: 'none', pages: {} };
	const position = positionOf(paging, rows, query);
	const { start, size } = position;
	const hasNext = start + size < rows.length;
	const template = templateFor(profile, list, hasNext);
	if (!template) return undefined;
	const shown = rows.slice(start, start + size).map((row) => recordLike(profile, list, row));
	const next = { list, paging, query, address, hasNext, ...position };
	const json = mapLeaves(template.json, (path, example) => {
		if (path === list.path) return shown;
		const field = list.fields.find((one) => one.place === 'body' && one.path === path);
		return field ? signLike(field.role, example, next, shown.length) : example;
	});
	const headers = Object.entries(template.headers).flatMap(([name, value]) => {
		const path = name.replace(/^x-(?:wp-)?/, '');
		if (name === 'link') return hasNext ? [[name, linkLike(String(value), next)]] : [];
		const field = list.fields.find((one) => one.place === 'header' && one.path === path);
		return [[name, field ? String(signLike(field.role, value, next, shown.length)) : value]];
	});
	return { ...template, json, headers: Object.fromEntries(headers) as RecordedAnswer['headers'] };
}

/** Exchanges that have read a page of the list. */
const PAGES = ['list', 'one', 'next', 'listAfterDelete'];

/** An answer that is, or is not, the last page; another one if there is none. */
function templateFor(
	{ exchanges }: ServiceProfile,
	list: ListProfile,
	hasNext: boolean,
): RecordedAnswer | undefined {
	const answers = exchanges.flatMap(({ name, answer }) =>
		answer !== undefined && answer.status < 300 && PAGES.includes(name) ? [answer] : [],
	);
	const { more, last } = list.paging?.pages ?? {};
	const named = exchanges.find(({ name }) => name === (hasNext ? more : last))?.answer;
	const fitting = answers.find((answer) => leadsOn(answer, list) === hasNext);
	return named ?? fitting ?? answers[0];
}

/** Whether a page says where the next one is. */
function leadsOn({ json, headers }: RecordedAnswer, list: ListProfile): boolean {
	let isLeading = headers['link'] !== undefined;
	mapLeaves(json, (path, value) => {
		const role = list.fields.find((one) => one.place === 'body' && one.path === path)?.role;
		const isLead = role === 'next' || role === 'cursor' || role === 'more';
		if (isLead && value !== null && value !== '' && value !== false) isLeading = true;
		return value;
	});
	return isLeading;
}

function positionOf(paging: Paging, rows: readonly RecordingSummary[], query: Query): Position {
	const { kind, sizeParameter = '', parameter = '', counts, first = 0 } = paging;
	// Without a known page size and way to the next page, the list is whole.
	const isWhole = kind === 'none' || (kind === 'unknown' && paging.pageSize === undefined);
	const most = paging.pageSize ?? (isWhole ? rows.length : DEFAULT_PAGE_SIZE);
	const asked = wholeNumber(query[sizeParameter]);
	const size = Math.max(1, asked === undefined || asked < 1 ? most : Math.min(asked, most));
	const value = query[parameter];
	if (value === undefined) return { rows, start: 0, size };
	const number = wholeNumber(value);
	if (counts === undefined) return { rows, start: indexOfCursor(value) ?? 0, size };
	const steps = Math.max(0, (number ?? first) - first);
	return { rows, start: counts === 'pages' ? steps * size : steps, size };
}

function wholeNumber(value: unknown): number | undefined {
	return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** A cursor has the index of the record in it, so that no state is kept. */
function cursorOf(index: number): string {
	return Buffer.from(`index:${index}`).toString('base64url');
}

function indexOfCursor(cursor: unknown): number | undefined {
	const text = Buffer.from(String(cursor), 'base64url').toString('latin1');
	const index = /^index:(\d+)$/.exec(text)?.[1];
	return index === undefined ? undefined : Number(index);
}

interface Next extends Position {
	list: ListProfile;
	paging: Paging;
	query: Query;
	address: string;
	hasNext: boolean;
}

/** What the parameter of the next page gets. */
function nextValue({ paging, start, size }: Next): string {
	const { counts, first = 0 } = paging;
	if (counts === undefined) return cursorOf(start + size);
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

function recordLike(profile: ServiceProfile, list: ListProfile, row: RecordingSummary): unknown {
	const template = recordOf(profile, list);
	if (typeof template !== 'object') return row.sessionGuid;
	return filled(template, list.record.roles, {
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
}

/** The first record that the profile has; `undefined` if its list was empty. */
export function recordOf({ exchanges }: ServiceProfile, { path }: ListProfile): unknown {
	for (const { name, answer } of exchanges) {
		if (!answer || !['list', 'one', 'next'].includes(name)) continue;
		const [record] = listAt(answer.json, path);
		if (record !== undefined) return record;
	}
	return undefined;
}

/** The list as it was seen when nothing was in it: at first, or after a deletion. */
export function emptyListIn(
	{ exchanges }: ServiceProfile,
	{ path }: ListProfile,
): RecordedAnswer | undefined {
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
