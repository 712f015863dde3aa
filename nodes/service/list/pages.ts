import { VoiceAgentError } from '../../errors';
import { isBreakDue, takeBreak } from '../../data/breaks';
import type { Headers, ListPage, PageQuery } from './listPage';
import { readListPage, selectsPage } from './listPage';
import type { NamedFields } from './findList';
import { findRecords } from './findList';
import type { JsonObject } from '../../data/payload';

/** A service whose pages never end must not keep a workflow forever. */
const MAX_PAGES = 10_000;
/** This many pages in a row may have nothing new, because a cursor may lead across empty pages. */
const MAX_IDLE_PAGES = 20;

interface ListOptions extends NamedFields {
	/** Query parameters of the first page. */
	query?: PageQuery;
	/** Query parameters of every page that `fetchPage` adds. */
	added?: PageQuery;
	/** Which recording a record is about. */
	identify: (record: JsonObject) => string;
	/** By when all pages must be read, in milliseconds since 1970. */
	deadlineMs?: number;
}

export interface RecordPage {
	/** Those that no earlier page had. */
	records: JsonObject[];
	/** Where the first page has its list, with dots; empty if it is the whole answer. */
	listField: string;
	/** What other lists in the answer hold. */
	others: JsonObject[];
	/** On the last page: `incompleteList` if the service says that there are more but does not send them. */
	incomplete: VoiceAgentError | undefined;
}

/**
 * Reads a list page by page, in its order.
 *
 * @param fetchPage requests one page
 * @throws VoiceAgentError `unreadableList`. Whatever `fetchPage` throws passes through.
 */
export async function* readPages(
	fetchPage: (query: PageQuery) => Promise<{ json: unknown; status?: number; headers?: Headers }>,
	{ query = {}, added = {}, identify, deadlineMs = Infinity, ...fields }: ListOptions,
): AsyncGenerator<RecordPage, void, undefined> {
	/** The number of the page on which each recording was. */
	const seen = new Map<string, number>();
	const requested = new Set<string>();
	let firstStart: number | undefined;
	let listField: string | undefined;
	let read = 0;
	let lastNewPage = 0;
	let newPages = 0;
	let isCheck = false;
	for (let next: PageQuery | undefined = query; next; ) {
		requested.add(referenceOf(next));
		const answer = await fetchPage(next).catch((error: unknown) =>
			isCheck && isRefusal(error) ? undefined : Promise.reject(error),
		);
		if (!answer) return;
		const wasCheck = isCheck;
		isCheck = false;
		const { json, status, headers } = answer;
		const found = await findRecords(json, fields);
		// Accepted: the list is still being made.
		if (status === 202 && found.records.length === 0) {
			throw new VoiceAgentError('unreadableList', { detail: 'its status is 202, and it is empty' });
		}
		const page = readListPage(found, { headers, query: next, added, firstStart });
		// Partial Content.
		if (status === 206 && page.total === undefined) page.hasMore ??= true;
		firstStart ??= page.start;
		listField ??= found.path;

		const records: JsonObject[] = [];
		for (const record of found.records) {
			if (isBreakDue()) await takeBreak();
			const key = identify(record);
			if ((seen.get(key) ?? requested.size) < requested.size) continue;
			lastNewPage = requested.size;
			seen.set(key, lastNewPage);
			records.push(record);
		}
		read += records.length;
		if (records.length > 0) newPages += 1;
		const idlePages = requested.size - lastNewPage;

		let missing: string | undefined;
		// A page that leads back to an earlier one would go on forever.
		const isRepeated = page.next && requested.has(referenceOf(page.next));
		if (!page.next || isRepeated || idlePages >= MAX_IDLE_PAGES) {
			const hasFollowedPages = newPages > 1;
			if (!(wasCheck && idlePages > 0)) {
				missing =
					idlePages > 0 && found.records.length > 0
						? 'asking for a further page brought the same recordings again'
						: missingAfter(page, read, { hasFollowedPages, query });
				isCheck = missing === undefined && page.check !== undefined;
			}
			next = isCheck ? page.check : undefined;
		} else if (requested.size >= MAX_PAGES || Date.now() > deadlineMs) {
			const why =
				requested.size >= MAX_PAGES ? 'there are too many pages' : 'reading it took too long';
			missing = `${why}, ${read} were read`;
			next = undefined;
		} else {
			next = page.next;
		}
		const incomplete =
			missing === undefined
				? undefined
				: new VoiceAgentError('incompleteList', { detail: missing });
		yield { records, listField, others: found.others, incomplete };
	}
}

/** Whether the service says that there is no such page. */
function isRefusal(error: unknown): boolean {
	return error instanceof VoiceAgentError && [400, 404, 416, 422].includes(error.httpStatus ?? 0);
}

function referenceOf(query: PageQuery): string {
	return new URLSearchParams(query).toString();
}

/** What is missing according to the last page, in words; `undefined` if nothing shows that anything is. */
function missingAfter(
	{ hasMore, total, pageSize, pages, isFull, isBeforeLast }: ListPage,
	read: number,
	{ hasFollowedPages, query }: { hasFollowedPages: boolean; query: PageQuery },
): string | undefined {
	if (hasMore) return `${read} were read, and the service says that there are more`;
	// After several pages, a total that does not match comes from deletions in between.
	if (hasMore === false || hasFollowedPages) return undefined;
	if (isBeforeLast) return `${read} were read, and the service names another page as the last one`;
	const hasUserQuery = Object.keys(query).length > 0;
	// A page that is not full was not cut off. And a query of the user may select fewer records than the service counts.
	const isCutOff = pageSize === undefined ? !hasUserQuery : read >= pageSize;
	if (total !== undefined && total > read && isCutOff) return `${read} of ${total} were read`;
	if (selectsPage(query)) return undefined;
	if (pages !== undefined) return pages > 1 ? `1 of ${pages} pages was read` : undefined;
	return isFull && !hasUserQuery && total === undefined
		? `${read} were read, which is a full page, and the service does not say whether there are more`
		: undefined;
}
