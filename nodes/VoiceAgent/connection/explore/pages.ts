import type { JsonObject } from '../../../data/json';
import type { PagingSettings } from '../../../service/apiCredential';
import { findList } from '../../../service/list/findList';
import { furtherPage } from '../../../service/list/nextPage';
import type { PageQuery } from '../../../service/list/readPage';
import { type Sign, signsIn } from '../../../service/list/signs';
import { RECORDINGS_PATH } from '../../../service/recordings';
import type { Answered, Asker, Exchange } from './asker';
import type { ListFacts } from './recordings';
import { keyOf } from './records';

/** Usual names for the number of records on a page, the most usual first. */
const SIZES = ['limit', 'pageSize', 'page_size', 'per_page', 'perPage', 'size', 'count', 'take'];

export interface Page {
	exchange: Exchange;
	answer: Answered;
	query: PageQuery;
	records: JsonObject[];
	keys: string[];
}

export function pageOf({ named }: ListFacts, exchange?: Exchange): Page | undefined {
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

export function readPage({ answer, records, query }: Page) {
	const { json, headers } = answer;
	return { json, headers, pageRecords: records.length, query, earlier: { pages: 0, records: 0 } };
}

export function saysMore(mode: PagingSettings, page: Page): boolean {
	const { next, more } = furtherPage(mode, readPage(page));
	return next !== undefined || more !== undefined;
}

/** How many records the first page may have; `undefined` if nothing shows it. */
export function pageSizeOf(whole: Page): number | undefined {
	const size = signsOfPage(whole).find(({ role }) => role === 'maxPerPage')?.number;
	if (size !== undefined && size > 0) return size;
	return saysMore({ mode: 'automatic' }, whole) ? whole.records.length : undefined;
}

export function signsOfPage({ answer }: Page): Sign[] {
	return signsIn(answer.json, answer.headers);
}

export interface SmallPage {
	sizeParameter?: string;
	/** The first page, with one record, of a list that has more. */
	small?: Page;
}

/** Looks for the parameter that makes a page of one record: half of the usual names at a time. */
export async function smallPage(asker: Asker, facts: ListFacts, whole: Page): Promise<SmallPage> {
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
export async function narrowed(
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
