import type { Further } from './nextPage';
import type { PageQuery } from './readPage';

/*
 * A service whose pages never end must not keep a workflow forever, so no further page is asked for
 * after this time, after so many pages, or after so many in a row that have no records. A few empty
 * pages are usual where the service filters what it has looked at (Google AIP-158, AWS DynamoDB).
 */
const MAX_LIST_MS = 15 * 60_000;
const MAX_PAGES = 10_000;
const MAX_EMPTY_PAGES = 100;

/** What has been read of a list so far. */
export interface Progress {
	/** The queries of all pages, as text. */
	asked: Set<string>;
	/** On which page each recording was first, by session GUID, or by its record if it has none. */
	firstSeen: Map<string, number>;
	/** How many of the latest pages in a row had no records. */
	emptyPages: number;
	/** No page is asked for after this time, in milliseconds since 1970. */
	deadlineMs: number;
}

export function beginning(): Progress {
	const deadlineMs = Date.now() + MAX_LIST_MS;
	return { asked: new Set(), firstSeen: new Map(), emptyPages: 0, deadlineMs };
}

/** A query as it is noted in {@link Progress.asked}. */
export function queryText(query: PageQuery): string {
	return new URLSearchParams(query).toString();
}

/**
 * What follows a page, without a next one if the pages would never end.
 *
 * @param isRepeated whether the page has records, and each of them was on an earlier page
 */
export function stopIfEndless(further: Further, isRepeated: boolean, progress: Progress): Further {
	const { next, ...withoutNext } = further;

	// The service does not understand how it is asked, and sends what it has sent before.
	const isAsked = next !== undefined && progress.asked.has(queryText(next));
	if (isRepeated || isAsked) {
		return { ...withoutNext, unclear: 'asking for the next page brings the same one again' };
	}

	// The list ends by itself.
	if (!next) return withoutNext;

	// Each page names another one, and brings nothing.
	if (progress.emptyPages >= MAX_EMPTY_PAGES) {
		return { ...withoutNext, unclear: `the last ${MAX_EMPTY_PAGES} pages have no records` };
	}

	// Each page brings something, and there is no end in sight.
	if (progress.asked.size >= MAX_PAGES) {
		return { ...withoutNext, more: `there are more than ${MAX_PAGES} pages` };
	}
	if (Date.now() > progress.deadlineMs) {
		return { ...withoutNext, more: 'reading all pages takes too long' };
	}
	return further;
}
