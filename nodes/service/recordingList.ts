import { VoiceAgentError } from '../errors';
import type { ListPage, PageQuery } from './listPage';
import { readListPage } from './listPage';
import type { JsonObject } from './payload';

/** A service whose pages never end must not keep a workflow forever. */
const MAX_PAGES = 1_000;
/** This many pages in a row may have nothing new, because a cursor may lead across empty pages. */
const MAX_IDLE_PAGES = 20;

interface ListOptions {
	/** Query parameters of the first page. */
	query?: PageQuery;
	/** Stops after this many records. */
	limit?: number;
	/** Which recording a record is about. */
	identify: (record: JsonObject) => string;
}

export interface RecordList {
	records: JsonObject[];
	/** `incompleteList` if the service says that there are more but does not send them. */
	incomplete: VoiceAgentError | undefined;
}

/**
 * Reads a list from all its pages, in its order. A record that an earlier page had is left out.
 *
 * @param fetchPage requests one page; `link` is the `Link` header of the answer
 * @throws VoiceAgentError `unreadableList`. Whatever `fetchPage` throws passes through.
 */
export async function readList(
	fetchPage: (query: PageQuery) => Promise<{ json: unknown; link: string }>,
	{ query = {}, limit = Infinity, identify }: ListOptions,
): Promise<RecordList> {
	const records: JsonObject[] = [];
	const seen = new Set<string>();
	const requested = new Set<string>();
	let firstNumber: number | undefined;
	let pagesWithNewRecords = 0;
	let idlePages = 0;
	for (let next = query; ; ) {
		requested.add(referenceOf(next));
		const { json, link } = await fetchPage(next);
		const page = readListPage(json, { query: next, link, isFromZero: firstNumber === 0 });
		firstNumber ??= page.page;

		const newRecords = page.records.filter((record) => !seen.has(identify(record)));
		for (const record of newRecords) {
			seen.add(identify(record));
			records.push(record);
		}
		if (records.length >= limit) return { records: records.slice(0, limit), incomplete: undefined };

		if (newRecords.length > 0) pagesWithNewRecords += 1;
		idlePages = newRecords.length > 0 ? 0 : idlePages + 1;
		// A page that leads back to an earlier one would go on forever.
		if (page.next && !requested.has(referenceOf(page.next)) && idlePages < MAX_IDLE_PAGES) {
			if (requested.size >= MAX_PAGES)
				return { records, incomplete: incomplete('there are too many pages') };
			next = page.next;
			continue;
		}
		const isRepeated = idlePages > 0 && page.records.length > 0;
		const missing = isRepeated
			? 'asking for a further page brought the same recordings again'
			: describeMissing(page, {
					read: records.length,
					hasFollowedPages: pagesWithNewRecords > 1,
					hasUserQuery: Object.keys(query).length > 0,
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

/** What is missing according to the last page, in words; `undefined` if nothing shows that anything is. */
function describeMissing(
	{ hasMore, total, pageSize, pages }: ListPage,
	{
		read,
		hasFollowedPages,
		hasUserQuery,
	}: { read: number; hasFollowedPages: boolean; hasUserQuery: boolean },
): string | undefined {
	if (hasMore) return `${read} were read, and the service says that there are more`;
	// After several pages, a total that does not match comes from deletions in between.
	if (hasMore === false || hasFollowedPages) return undefined;
	// A page that is not full was not cut off. And a query of the user may select fewer records than the service counts.
	const isCutOff = pageSize === undefined ? !hasUserQuery : read >= pageSize;
	if (total !== undefined && total > read && isCutOff) return `${read} of ${total} were read`;
	return pages !== undefined && pages > 1 && !hasUserQuery
		? `1 of ${pages} pages was read`
		: undefined;
}
