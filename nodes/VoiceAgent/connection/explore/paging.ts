import type { JsonObject } from '../../../data/json';
import type { PagingSettings } from '../../../service/apiCredential';
import { meaningOf } from '../../../service/list/conventions';
import { findList } from '../../../service/list/findList';
import { furtherPage, queryOfAddress } from '../../../service/list/nextPage';
import type { PageQuery } from '../../../service/list/readPage';
import { type Sign, signsIn } from '../../../service/list/signs';
import { RECORDINGS_PATH } from '../../../service/recordings';
import type { Answered, Asker, Exchange } from './asker';
import type { ListFacts } from './recordings';
import { keyOf } from './records';
import type { Finding, Settings } from './settings';

/** Usual names for the number of records on a page, the most usual first. */
const SIZES = ['limit', 'pageSize', 'page_size', 'per_page', 'perPage', 'size', 'count', 'take'];
/** Usual parameters for the number of a page, and for the position of its first record. */
const PAGE_PARAMETERS = ['page', 'pageNumber', 'page_number', 'pageIndex'];
const POSITION_PARAMETERS = ['offset', 'skip', 'start', 'startIndex', 'from'];
/** Usual parameters for a cursor. */
const CURSOR_PARAMETERS = ['cursor', 'after', 'pageToken', 'token'];
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
	/** Names of exchanges: a page with another one behind it, and a last one. */
	pages: { more?: string; last?: string };
}

interface Page {
	exchange: Exchange;
	answer: Answered;
	query: PageQuery;
	records: JsonObject[];
	keys: string[];
}

export interface ExploredPaging {
	paging: PagingFacts;
	findings: Finding[];
}

/** Finds out how a long list continues: what is said counts only if it leads to other records. */
export async function explorePaging(asker: Asker, facts: ListFacts): Promise<ExploredPaging> {
	const whole = pageOf(facts, facts.exchange);
	if (!whole) return explored({ kind: 'unknown', pages: {} }, notKnown('The list was not read.'));
	const { sizeParameter, small } = await smallPage(asker, facts, whole);
	const first = small ?? whole;
	const pageSize = pageSizeOf(whole);
	const known = {
		...(sizeParameter !== undefined && { sizeParameter }),
		...(pageSize !== undefined && { pageSize }),
	};
	const mode = asker.access.paging;
	const isMore = small !== undefined || saysMore(mode, first);
	if (!isMore) return completeList(whole, mode);
	const context = { asker, facts, first, whole: small ? whole : undefined };
	const recognized = await followed(context, mode);
	const found = recognized ?? (await probed(context));
	const pages = {
		more: first.exchange.name,
		...(small && !saysMore({ mode: 'automatic' }, whole) && { last: whole.exchange.name }),
	};
	if (!found) return explored({ kind: 'unknown', ...known, pages }, unfollowable(first, mode));
	const { settings, ...way } = found;
	const isRecognized = recognized !== undefined;
	const finding: Finding = {
		question: 'How does a long list continue?',
		answer: wayInWords(way, sizeParameter),
		recognized: isRecognized,
		settings: isRecognized ? settingsOf(mode) : settings,
	};
	return explored({ ...way, ...known, pages }, finding);
}

/** How many records the first page may have; `undefined` if nothing shows it. */
function pageSizeOf(whole: Page): number | undefined {
	const size = signsOfPage(whole).find(({ role }) => role === 'maxPerPage')?.number;
	if (size !== undefined && size > 0) return size;
	return saysMore({ mode: 'automatic' }, whole) ? whole.records.length : undefined;
}

function explored(paging: PagingFacts, finding: Finding): ExploredPaging {
	return { paging, findings: [finding] };
}

function notKnown(answer: string): Finding {
	return { question: 'How does a long list continue?', answer, recognized: null };
}

/** Nothing shows that there are more records. */
function completeList(whole: Page, mode: PagingSettings): ExploredPaging {
	const count = whole.records.length;
	const { unclear } = furtherPage(mode, readPage(whole));
	if (unclear === undefined) {
		const answer = `Nothing in the answer with ${count} records says that there are more, and no usual parameter makes a smaller page.`;
		const finding = { ...notKnown(answer), recognized: true, settings: settingsOf(mode) };
		return explored({ kind: 'none', pages: { last: whole.exchange.name } }, finding);
	}
	const answer = `It is unclear whether ${count} records are all: ${unclear}.`;
	const advice = `If the service's web portal shows ${count} too, set 'Paging' to The List Is Complete: nothing in the answers proves it`;
	const finding = { ...notKnown(answer), recognized: false, advice };
	return explored({ kind: 'unknown', pages: { last: whole.exchange.name } }, finding);
}

function unfollowable(first: Page, mode: PagingSettings): Finding {
	const { more, unclear } = furtherPage(mode, readPage(first));
	const said = more ?? unclear;
	const why = said === undefined ? 'and nothing in the answer says so' : `as ${said}`;
	return {
		question: 'How does a long list continue?',
		answer: `There are more records than on a page, ${why}. No field or usual parameter leads to them.`,
		recognized: false,
		advice:
			"Nothing can be set: ask the service how the next page is asked for, and enter it as 'Paging'",
	};
}

function wayInWords({ kind, parameter, field }: Found, sizeParameter?: string): string {
	const size =
		sizeParameter === undefined ? '' : ` '${sizeParameter}' sets how many records a page has.`;
	const from = field === undefined ? '' : ` with the value of '${field}'`;
	const ways = {
		address: `'${field}' has the address of the next page.`,
		cursor: `'${parameter}' asks for the next page${from}.`,
		page: `'${parameter}' is the number of the page.`,
		offset: `'${parameter}' is the position of the first record.`,
		none: '',
		unknown: '',
	};
	return `${ways[kind]} It leads to other records.${size}`;
}

/** The settings of the credential as they are. */
function settingsOf(paging: PagingSettings): Settings {
	switch (paging.mode) {
		case 'nextField':
			return {
				paging: paging.mode,
				nextField: paging.field,
				cursorParameter: paging.parameter,
			};
		case 'parameter':
			return {
				paging: paging.mode,
				pageParameter: paging.parameter,
				counts: paging.counts,
				firstValue: paging.first,
			};
		default:
			return { paging: paging.mode };
	}
}

function pageOf({ named }: ListFacts, exchange?: Exchange): Page | undefined {
	const { answer, asked } = exchange ?? {};
	if (!exchange || !answer || !asked || answer.status >= 300) return undefined;
	try {
		const { records } = findList(answer.json, named);
		const keys = records.map((record) => keyOf(record, named.sessionGuidField));
		return { exchange, answer, query: asked.query, records, keys };
	} catch {
		return undefined;
	}
}

function readPage({ answer, records, query }: Page) {
	const { json, headers } = answer;
	return { json, headers, pageRecords: records.length, query, earlier: { pages: 0, records: 0 } };
}

function saysMore(mode: PagingSettings, page: Page): boolean {
	const { next, more } = furtherPage(mode, readPage(page));
	return next !== undefined || more !== undefined;
}

interface SmallPage {
	sizeParameter?: string;
	/** The first page, with one record, of a list that has more. */
	small?: Page;
}

/** Looks for the parameter that makes a page of one record: half of the usual names at a time. */
async function smallPage(asker: Asker, facts: ListFacts, whole: Page): Promise<SmallPage> {
	if (whole.records.length < 2) return {};
	const found = await narrowed(SIZES, async (names) => {
		const query = Object.fromEntries(names.map((name) => [name, '1']));
		const page = pageOf(facts, await asker.ask('one', RECORDINGS_PATH, { query }));
		return page?.records.length === 1 ? page : undefined;
	});
	return found ? { sizeParameter: found.name, small: found.page } : {};
}

/**
 * Finds the parameter that has an effect: asks with all of them, and then with half of those that
 * are left. A strict service refuses what it does not know, so the first one is tried alone too.
 *
 * @param ask with these parameters; `undefined` if they have no effect
 */
async function narrowed(
	all: readonly string[],
	ask: (names: readonly string[]) => Promise<Page | undefined>,
): Promise<{ name: string; page: Page } | undefined> {
	let names = all;
	let page = await ask(names);
	if (!page) {
		names = all.slice(0, 1);
		page = await ask(names);
	}
	while (page && names.length > 1) {
		const half: readonly string[] = names.slice(0, names.length / 2);
		const ofHalf = await ask(half);
		names = ofHalf ? half : names.slice(names.length / 2);
		// Asked again, because the page must be that of this parameter alone.
		page = ofHalf ?? (names.length === 1 ? await ask(names) : page);
	}
	const [name] = names;
	return page && name !== undefined ? { name, page } : undefined;
}

interface Context {
	asker: Asker;
	facts: ListFacts;
	/** The page that another one follows. */
	first: Page;
	/** All that the list has shown, if `first` is only a part of it. */
	whole?: Page;
}

type Found = Omit<PagingFacts, 'pages' | 'sizeParameter'> & { settings?: Settings };

/** The way that the nodes take by themselves; `undefined` if it leads to no other records. */
async function followed(context: Context, mode: PagingSettings): Promise<Found | undefined> {
	const { first } = context;
	const { next } = furtherPage(mode, readPage(first));
	if (!next) return undefined;
	let page = await askPage(context, 'next', next);
	for (let empty = 0; page?.records.length === 0 && empty < MAX_EMPTY_PAGES; empty++) {
		const further = furtherPage(mode, readPage(page)).next;
		page = further && (await askPage(context, 'next', further));
	}
	return page && isOther(context, page) ? wayOf(first, next) : undefined;
}

async function askPage(
	{ asker, facts }: Context,
	name: string,
	query: PageQuery,
): Promise<Page | undefined> {
	return pageOf(facts, await asker.ask(name, RECORDINGS_PATH, { query }));
}

/** Whether a page has records, all of them others than those of the first one. */
function isOther({ first, whole }: Context, { keys }: Page): boolean {
	const isKnown = (key: string) => whole === undefined || whole.keys.includes(key);
	return keys.length > 0 && keys.every((key) => !first.keys.includes(key) && isKnown(key));
}

/** What the next page is asked for with, and where the answer says so. */
function wayOf(first: Page, next: PageQuery): Found {
	const changed = Object.keys(next).filter((name) => next[name] !== first.query[name]);
	const signs = signsOfPage(first);
	const address = signs.find(({ text }) => {
		const query = queryOfAddress(text);
		return query !== undefined && changed.every((name) => query[name] === next[name]);
	});
	const [parameter = ''] = changed;
	const value = next[parameter];
	const isPosition = meaningOf(parameter)?.role === 'offset' || Number(value) > 2;
	const counts = isPosition ? ('records' as const) : ('pages' as const);
	const step = isPosition ? first.records.length : 1;
	const isNumber = /^\d+$/.test(value ?? '');
	const position = isNumber ? { counts, first: Number(value) - step } : {};
	if (address) return { kind: 'address', field: address.path, parameter, ...position };
	const cursor = signs.find(({ role, text }) => isLeading(role) && text === value);
	if (cursor) return { kind: 'cursor', field: cursor.path, parameter };
	const here = signs.find(({ role }) => role === (isPosition ? 'offset' : 'page'));
	const field = here === undefined ? {} : { field: here.path };
	return { kind: isPosition ? 'offset' : 'page', parameter, ...position, ...field };
}

function isLeading(role: Sign['role']): boolean {
	return role === 'next' || role === 'cursor';
}

function signsOfPage({ answer }: Page): Sign[] {
	return signsIn(answer.json, answer.headers);
}

/** Tries fields and usual parameters until one leads to other records. */
async function probed(context: Context): Promise<Found | undefined> {
	return (
		(await probedFields(context)) ??
		(await probedNumbers(context, PAGE_PARAMETERS, 'pages')) ??
		(await probedNumbers(context, POSITION_PARAMETERS, 'records'))
	);
}

async function probedFields(context: Context): Promise<Found | undefined> {
	const { first } = context;
	for (const { name, path, text } of signsIn(first.answer.json, {})) {
		const address = queryOfAddress(text);
		const isCursor = /\d/.test(text) && text.length >= 4 && !/[\s{[]/.test(text);
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

async function probedNumbers(
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
