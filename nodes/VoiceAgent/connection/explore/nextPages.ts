import { meaningOf } from '../../../service/list/conventions';
import type { PagingSettings } from '../../../service/apiCredential';
import { furtherPage, queryOfAddress } from '../../../service/list/nextPage';
import type { PageQuery } from '../../../service/list/readPage';
import { type Sign, signsIn } from '../../../service/list/signs';
import { RECORDINGS_PATH } from '../../../service/recordings';
import type { Asker } from './asker';
import { narrowed, type Page, pageOf, readPage, signsOfPage } from './pages';
import type { ListFacts } from './recordings';
import type { Settings } from './settings';

/** Usual parameters for the number of a page, and for the position of its first record. */
const PAGE_PARAMETERS = ['page', 'pageNumber', 'page_number', 'pageIndex'];
const POSITION_PARAMETERS = ['offset', 'skip', 'start', 'startIndex', 'from'];
/** Usual parameters for a cursor. */
const CURSOR_PARAMETERS = ['cursor', 'after', 'pageToken', 'token'];
/** A price or a share, such as `12.5`. A time since 1970 with decimals may be a cursor. */
const AMOUNT = /^-?\d{1,8}\.\d+$/;
/** A service may send empty pages on the way. */
const MAX_EMPTY_PAGES = 2;

/** How the next page is asked for. */
export interface PagingFacts {
	kind: 'address' | 'cursor' | 'page' | 'offset' | 'none' | 'unknown';
	/** Query parameter that asks for it. */
	parameter?: string;
	/** Field of the answer that leads there, with dots, or the header. */
	field?: string;
	/** What the parameter counts, if it is a number, and its value for the first page. */
	counts?: 'pages' | 'records';
	first?: number;
	/** Query parameter for the number of records on a page. */
	sizeParameter?: string;
	/** Records on a page, as far as the answer says or shows it. */
	pageSize?: number;
	/** Empty pages on the way to the next records. */
	emptyPages?: number;
	/** Names of exchanges: a page with another one behind it, and a last one. */
	pages: { more?: string; last?: string };
}

export interface Context {
	asker: Asker;
	facts: ListFacts;
	/** The page that another one follows. */
	first: Page;
	/** All that the list has shown, if `first` is only a part of it. */
	whole?: Page;
}

export type Found = Omit<PagingFacts, 'pages' | 'sizeParameter'> & { settings?: Settings };

/** The way that the nodes take by themselves; `undefined` if it leads to no other records. */
export async function followed(context: Context, mode: PagingSettings): Promise<Found | undefined> {
	const { first } = context;
	const { next } = furtherPage(mode, readPage(first));
	if (!next) return undefined;
	let page = await askPage(context, 'next', next);
	let emptyPages = 0;
	while (page?.records.length === 0 && emptyPages < MAX_EMPTY_PAGES) {
		emptyPages++;
		const further = furtherPage(mode, readPage(page)).next;
		page = further && (await askPage(context, 'next', further));
	}
	if (!page || !isOther(context, page)) return undefined;
	return { ...wayOf(first, next), ...(emptyPages > 0 && { emptyPages }) };
}

export async function askPage(
	{ asker, facts }: Context,
	name: string,
	query: PageQuery,
): Promise<Page | undefined> {
	return pageOf(facts, await asker.ask(name, RECORDINGS_PATH, { query }));
}

/** Whether a page has records, all of them others than those of the first one. */
export function isOther({ first, whole }: Context, { keys }: Page): boolean {
	const isKnown = (key: string) => whole === undefined || whole.keys.includes(key);
	return keys.length > 0 && keys.every((key) => !first.keys.includes(key) && isKnown(key));
}

/** What the next page is asked for with, and where the answer says so. */
export function wayOf(first: Page, next: PageQuery): Found {
	const changed = Object.keys(next).filter((name) => next[name] !== first.query[name]);
	const signs = signsOfPage(first);
	const addresses = signs.filter(({ text }) => {
		const query = queryOfAddress(text);
		return query !== undefined && changed.every((name) => query[name] === next[name]);
	});
	// Of two pages, the next one is the last one too.
	const address = addresses.find(({ role }) => isLeading(role)) ?? addresses[0];
	const [parameter = ''] = changed;
	const value = next[parameter];
	const isPosition = meaningOf(parameter)?.role === 'offset' || Number(value) > 2;
	const counts = isPosition ? ('records' as const) : ('pages' as const);
	const step = isPosition ? first.records.length : 1;
	const isNumber = /^\d+$/.test(value ?? '');
	const position = isNumber ? { counts, first: Number(value) - step } : {};
	if (address) return { kind: 'address', field: address.path, parameter, ...position };
	const cursor = signs.find(({ role, text }) => isLeading(role) && text === value);
	if (cursor) return { kind: 'cursor', field: cursor.path, parameter, ...position };
	const here = signs.find(({ role }) => role === (isPosition ? 'offset' : 'page'));
	const field = here === undefined ? {} : { field: here.path };
	return { kind: isPosition ? 'offset' : 'page', parameter, ...position, ...field };
}

export function isLeading(role: Sign['role']): boolean {
	return role === 'next' || role === 'cursor';
}

/** Tries fields and usual parameters until one leads to other records. */
export async function probed(context: Context): Promise<Found | undefined> {
	return (
		(await probedFields(context)) ??
		(await probedNumbers(context, PAGE_PARAMETERS, 'pages')) ??
		(await probedNumbers(context, POSITION_PARAMETERS, 'records'))
	);
}

export async function probedFields(context: Context): Promise<Found | undefined> {
	const { first } = context;
	for (const { name, path, text } of signsIn(first.answer.json, {})) {
		const address = queryOfAddress(text);
		const isCursor =
			/\d/.test(text) && text.length >= 4 && !/[\s{[]/.test(text) && !AMOUNT.test(text);
		if (!address && !isCursor) continue;
		const own = name.replace(/^next[_-]?/i, '');
		const names = address ? [''] : [...new Set([...CURSOR_PARAMETERS, own, name])].slice(0, 5);
		for (const parameter of names) {
			const query = { ...first.query, ...(address ?? { [parameter]: text }) };
			const page = await askPage(context, 'next', query);
			if (!page || !isOther(context, page)) continue;
			const settings = { paging: 'nextField', nextField: path, cursorParameter: parameter };
			const kind = address ? 'address' : 'cursor';
			return { kind, field: path, ...(parameter !== '' && { parameter }), settings };
		}
	}
	return undefined;
}

export async function probedNumbers(
	context: Context,
	parameters: readonly string[],
	counts: 'pages' | 'records',
): Promise<Found | undefined> {
	const { first } = context;
	// The value of the second page if the first one has 0, and then if it has 1.
	const step = counts === 'pages' ? 1 : first.records.length;
	for (const firstValue of [0, 1]) {
		const found = await narrowed(parameters, async (names) => {
			const value = String(firstValue + step);
			const query = Object.fromEntries(names.map((name) => [name, value]));
			const page = await askPage(context, 'next', { ...first.query, ...query });
			return page && isOther(context, page) ? page : undefined;
		});
		if (!found) continue;
		const { name } = found;
		const settings = { paging: 'parameter', pageParameter: name, counts, firstValue };
		const kind = counts === 'pages' ? 'page' : 'offset';
		return { kind, parameter: name, counts, first: firstValue, settings };
	}
	return undefined;
}
