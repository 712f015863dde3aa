import { VoiceAgentError } from '../errors';
import { Breaks } from './breaks';
import type { Headers, ListPage, PageQuery } from './listPage';
import { readListPage } from './listPage';
import type { NamedFields } from './listSearch';
import { findRecords } from './listSearch';
import type { JsonObject } from './payload';

/** A service whose pages never end must not keep a workflow forever. */
const MAX_PAGES = 1_000;
/** This many pages in a row may have nothing new, because a cursor may lead across empty pages. */
const MAX_IDLE_PAGES = 20;

interface ListOptions extends NamedFields {
	/** Query parameters of the first page. */
	query?: PageQuery;
	/** Stops after this many records. */
	limit?: number;
	/** Which recording a record is about. */
	identify: (record: JsonObject) => string;
	/** By when all pages must be read, in milliseconds since 1970. */
	deadlineMs?: number;
}

export interface RecordList {
	records: JsonObject[];
	/** Where the first page has its list, with dots; empty if it is the whole answer. */
	listField: string;
	/** `incompleteList` if the service says that there are more but does not send them. */
	incomplete: VoiceAgentError | undefined;
}

/**
 * Reads a list from all its pages, in its order. A record that an earlier page had is left out.
 *
 * @param fetchPage requests one page
 * @throws VoiceAgentError `unreadableList`. Whatever `fetchPage` throws passes through.
 */
export async function readList(
	fetchPage: (query: PageQuery) => Promise<{ json: unknown; headers?: Headers }>,
	{ query = {}, limit = Infinity, identify, deadlineMs = Infinity, ...fields }: ListOptions,
): Promise<RecordList> {
	const breaks = new Breaks();
	const records: JsonObject[] = [];
	/** The number of the page on which each recording was. */
	const seen = new Map<string, number>();
	const requested = new Set<string>();
	let firstStart: number | undefined;
	let listField: string | undefined;
	let lastNewPage = 0;
	for (let next = query; ; ) {
		requested.add(referenceOf(next));
		const { json, headers } = await fetchPage(next);
		const found = await findRecords(json, fields);
		const page = readListPage(found, { headers, query: next, firstStart });
		firstStart ??= page.start;
		listField ??= found.path;

		for (const record of found.records) {
			if (breaks.isDue()) await breaks.take();
			const key = identify(record);
			if ((seen.get(key) ?? requested.size) < requested.size) continue;
			lastNewPage = requested.size;
			seen.set(key, lastNewPage);
			records.push(record);
		}
		const idlePages = requested.size - lastNewPage;

		if (records.length >= limit) return listed(records.slice(0, limit), listField);
		// A page that leads back to an earlier one would go on forever.
		const isRepeated = page.next && requested.has(referenceOf(page.next));
		if (!page.next || isRepeated || idlePages >= MAX_IDLE_PAGES) {
			const hasFollowedPages = new Set(seen.values()).size > 1;
			const hasUserQuery = Object.keys(query).length > 0;
			const missing =
				idlePages > 0 && found.records.length > 0
					? 'asking for a further page brought the same recordings again'
					: missingAfter(page, records.length, { hasFollowedPages, hasUserQuery });
			return listed(records, listField, missing);
		}
		if (requested.size >= MAX_PAGES || Date.now() > deadlineMs) {
			const why =
				requested.size >= MAX_PAGES ? 'there are too many pages' : 'reading it took too long';
			return listed(records, listField, `${why}, ${records.length} were read`);
		}
		next = page.next;
	}
}

function listed(records: JsonObject[], listField: string, missing?: string): RecordList {
	const incomplete =
		missing === undefined ? undefined : new VoiceAgentError('incompleteList', { detail: missing });
	return { records, listField, incomplete };
}

function referenceOf(query: PageQuery): string {
	return new URLSearchParams(query).toString();
}

/** What is missing according to the last page, in words; `undefined` if nothing shows that anything is. */
function missingAfter(
	{ hasMore, total, pageSize, pages, isFull }: ListPage,
	read: number,
	{ hasFollowedPages, hasUserQuery }: { hasFollowedPages: boolean; hasUserQuery: boolean },
): string | undefined {
	if (hasMore) return `${read} were read, and the service says that there are more`;
	// After several pages, a total that does not match comes from deletions in between.
	if (hasMore === false || hasFollowedPages) return undefined;
	// A page that is not full was not cut off. And a query of the user may select fewer records than the service counts.
	const isCutOff = pageSize === undefined ? !hasUserQuery : read >= pageSize;
	if (total !== undefined && total > read && isCutOff) return `${read} of ${total} were read`;
	if (hasUserQuery) return undefined;
	if (pages !== undefined) return pages > 1 ? `1 of ${pages} pages was read` : undefined;
	return isFull && total === undefined
		? `${read} were read, which is a full page, and the service does not say whether there are more`
		: undefined;
}
