import { VoiceAgentError } from '../errors';
import type { ListPage, PageQuery } from './listPage';
import { readListPage } from './listPage';
import type { JsonObject } from './payload';

/** A service that pages on for ever must not keep a workflow for ever. */
const MAX_PAGES = 1_000;
/** So many pages in a row may bring nothing new, because a cursor may lead across empty pages. */
const MAX_IDLE_PAGES = 20;

interface ListOptions {
	/** Query parameters of the first page. */
	query?: PageQuery;
	/** As many records as are wanted; further pages are not asked for. */
	limit?: number;
	/** Tells of which recording a record is. */
	identify: (record: JsonObject) => string;
}

export interface RecordList {
	records: JsonObject[];
	/** `incompleteList` where the service says that there are more, but asking for them did not bring them. */
	incomplete: VoiceAgentError | undefined;
}

/**
 * Reads a list from all its pages, in its order. What an earlier page has brought is left out.
 *
 * @param ask asks for one page; `link` is the `Link` header of the answer
 * @throws VoiceAgentError `unreadableList`. Whatever `ask` throws passes through.
 */
export async function readList(
	ask: (query: PageQuery) => Promise<{ json: unknown; link: string }>,
	{ query = {}, limit = Infinity, identify }: ListOptions,
): Promise<RecordList> {
	const records: JsonObject[] = [];
	const seen = new Set<string>();
	const asked = new Set<string>();
	let firstNumber: number | undefined;
	let pagesWithNews = 0;
	let idlePages = 0;
	for (let next = query; ; ) {
		asked.add(referenceOf(next));
		const { json, link } = await ask(next);
		const page = readListPage(json, { query: next, link, isFromZero: firstNumber === 0 });
		firstNumber ??= page.page;

		const fresh = page.records.filter((record) => !seen.has(identify(record)));
		for (const record of fresh) {
			seen.add(identify(record));
			records.push(record);
		}
		if (records.length >= limit) return { records: records.slice(0, limit), incomplete: undefined };

		if (fresh.length > 0) pagesWithNews += 1;
		idlePages = fresh.length > 0 ? 0 : idlePages + 1;
		// A page that leads back to an earlier one would never end.
		if (page.next && !asked.has(referenceOf(page.next)) && idlePages < MAX_IDLE_PAGES) {
			if (asked.size >= MAX_PAGES)
				return { records, incomplete: incomplete('there are too many pages') };
			next = page.next;
			continue;
		}
		const isRepeated = idlePages > 0 && page.records.length > 0;
		const missing = isRepeated
			? 'asking for a further page brought the same recordings again'
			: whatIsMissing(page, {
					read: records.length,
					hasFollowed: pagesWithNews > 1,
					isOwnQuery: Object.keys(query).length > 0,
				});
		return { records, incomplete: missing === undefined ? undefined : incomplete(missing) };
	}
}

function referenceOf(query: PageQuery): string {
	return new URLSearchParams(query).toString();
}

function incomplete(detail: string): VoiceAgentError {
	return new VoiceAgentError('incompleteList', { detail });
}

/** What the last page says that there is more, in words; `undefined` where nothing can be said to be missing. */
function whatIsMissing(
	{ hasMore, total, pageSize, pages }: ListPage,
	{ read, hasFollowed, isOwnQuery }: { read: number; hasFollowed: boolean; isOwnQuery: boolean },
): string | undefined {
	if (hasMore) return `${read} were read, and the service says that there are more`;
	// Where pages were followed, a number that does not fit comes from deletions in between.
	if (hasMore === false || hasFollowed) return undefined;
	// A page that is not full was not cut off, and what the user asks for may be less than what is counted.
	const isCutOff = pageSize === undefined ? !isOwnQuery : read >= pageSize;
	if (total !== undefined && total > read && isCutOff) return `${read} of ${total} were read`;
	return pages !== undefined && pages > 1 && !isOwnQuery
		? `1 of ${pages} pages was read`
		: undefined;
}
