import { hidePasswords } from '../data/hidePasswords';
import type { JsonObject } from '../data/json';
import { withPauses } from '../data/pauses';
import { finderOf } from '../data/secretForms';
import { VoiceAgentError } from '../errors';
import type { NamedFields } from './apiCredential';
import { saysDeleted } from './deletedRecord';
import { safeExcerpt } from './http/excerpt';
import { request } from './http/request';
import { type RequestContext, serviceAccess } from './http/transport';
import { type FoundList, findList } from './list/findList';
import { firstPage, type Further, furtherPage, type PageQuery } from './list/nextPage';
import { type ListedRecording, listedRecording } from './listedRecording';
import {
	canonicalSessionGuid,
	isSessionGuid,
	parseSessionGuid,
	sessionGuidHits,
} from './sessionGuid';

export type { ListedRecording };

export const RECORDINGS_PATH = '/api/customer/recordings';

/**
 * What these statuses mean for a single recording. The specification does not show which of them
 * the service sends.
 */
export const goneReasons = { 404: 'recordingGone', 410: 'recordingGone' } as const;

/*
 * A service whose pages never end must not keep a workflow forever, so no further page is asked for
 * after this time, after so many pages, or after so many in a row that have no records. A few empty
 * pages are usual where the service filters what it has looked at (Google AIP-158, AWS DynamoDB).
 */
const MAX_LIST_MS = 15 * 60_000;
const MAX_PAGES = 10_000;
const MAX_EMPTY_PAGES = 100;

/**
 * Path of one recording. The GUID is checked first, because encoding alone would let `..` leave the
 * path.
 *
 * @throws VoiceAgentError `invalidParameter`
 */
export function recordingPath(sessionGuid: unknown): string {
	return `${RECORDINGS_PATH}/${encodeURIComponent(parseSessionGuid(sessionGuid))}`;
}

export interface RecordingsPage {
	/** Those that no earlier page had, without those that their own record calls deleted. */
	recordings: ListedRecording[];
	/** Where the list is, with dots; empty if it is the whole answer. */
	listField: string;
	/**
	 * The session GUIDs in other lists of the answer, such as one of recordings that are not ready.
	 */
	elsewhere: string[];
	/** When the service answered by its own clock, in milliseconds since 1970. */
	serviceTimeMs: number;
	/**
	 * On the last page: `incompleteList` if there are more recordings, `unclearList` if there may
	 * be.
	 */
	incomplete: VoiceAgentError | undefined;
}

/** What has been read of a list so far. */
interface Progress {
	/** The queries of all pages, as text. */
	asked: Set<string>;
	/** On which page each recording was first, by session GUID, or by its record if it has none. */
	firstSeen: Map<string, number>;
	/** How many pages before the next one had no records, in a row. */
	emptyPages: number;
	/** No page is asked for after this time, in milliseconds since 1970. */
	deadlineMs: number;
}

/**
 * The recordings that the service still keeps, in its order, page by page: a list may be too long
 * for the memory. The next page is asked for when the reader wants it.
 *
 * @throws VoiceAgentError `unreadableList`, or why a request failed
 */
export async function* recordingPages(
	context: RequestContext,
	{ itemIndex, query = {} }: { itemIndex?: number; query?: PageQuery } = {},
): AsyncGenerator<RecordingsPage, void, undefined> {
	const deadlineMs = Date.now() + MAX_LIST_MS;
	const { apiKey, named, paging, query: always } = await serviceAccess(context, itemIndex);
	const holdsKey = finderOf([apiKey]);
	const progress: Progress = { asked: new Set(), firstSeen: new Map(), emptyPages: 0, deadlineMs };

	let next: PageQuery | undefined = { ...always, ...query, ...firstPage(paging) };
	while (next) {
		const asked: PageQuery = next;
		const before = { pages: progress.asked.size, records: progress.firstSeen.size };
		progress.asked.add(textOf(asked));
		const answer = await request(context, 'GET', RECORDINGS_PATH, { itemIndex, query: asked });
		const { json, headers, serviceTimeMs } = answer;
		const list = findList(json, named);

		const recordings: ListedRecording[] = [];
		let hasNews = false;
		for await (const record of withPauses(list.records)) {
			hidePasswords(record, holdsKey);
			const recording = listedRecording(record, named, serviceTimeMs);
			if (isKnown(recording, before.pages, progress.firstSeen)) continue;
			hasNews = true;
			if (!saysDeleted(record, serviceTimeMs)) recordings.push(recording);
		}

		const read = list.records.length;
		progress.emptyPages = read === 0 ? progress.emptyPages + 1 : 0;
		const said = furtherPage(paging, { json, headers, read, query: asked, before });
		const further = stopIfEndless(withStatus(said, answer.status), read > 0 && !hasNews, progress);
		next = further.next;
		yield {
			recordings,
			listField: list.path,
			elsewhere: guidsElsewhere(list, named),
			serviceTimeMs,
			incomplete: next ? undefined : problemOf(further, progress.firstSeen.size, apiKey),
		};
	}
}

function textOf(query: PageQuery): string {
	return new URLSearchParams(query).toString();
}

/** Whether an earlier page had the recording. The same one twice on a page is output twice. */
function isKnown(
	{ sessionGuid, recording }: ListedRecording,
	page: number,
	firstSeen: Progress['firstSeen'],
): boolean {
	const key = sessionGuid === null ? JSON.stringify(recording) : canonicalSessionGuid(sessionGuid);
	const first = firstSeen.get(key);
	if (first === undefined) firstSeen.set(key, page);
	return first !== undefined && first !== page;
}

/** A status of 202 or 206 says that the answer is not all there will be. */
function withStatus(said: Further, status: number): Further {
	const isPart = status === 202 || status === 206;
	return isPart ? { ...said, unclear: said.unclear ?? `the status is ${status}` } : said;
}

/**
 * What follows a page, without a next one if the pages would never end.
 *
 * @param isRepeated whether the page has records, and each of them was on an earlier page
 */
function stopIfEndless(further: Further, isRepeated: boolean, progress: Progress): Further {
	const { next, ...said } = further;

	// The service does not understand how it is asked, and sends what it has sent before.
	const isAsked = next !== undefined && progress.asked.has(textOf(next));
	if (isRepeated || isAsked) {
		return { ...said, unclear: 'asking for the next page brings the same one again' };
	}

	// The list ends by itself.
	if (!next) return said;

	// Each page names another one, and brings nothing.
	if (progress.emptyPages >= MAX_EMPTY_PAGES) {
		return { ...said, unclear: `the last ${MAX_EMPTY_PAGES} pages have no records` };
	}

	// Each page brings something, and there is no end in sight.
	if (progress.asked.size >= MAX_PAGES) {
		return { ...said, more: `there are more than ${MAX_PAGES} pages` };
	}
	if (Date.now() > progress.deadlineMs) {
		return { ...said, more: 'reading all pages takes too long' };
	}
	return further;
}

/** The session GUIDs in the other lists of an answer. */
function guidsElsewhere({ others }: FoundList, { sessionGuidField }: NamedFields): string[] {
	const hits = others.flatMap((one: JsonObject) => sessionGuidHits(one, sessionGuidField) ?? []);
	return hits.map(({ value }) => value).filter(isSessionGuid);
}

/** @param apiKey must not be shown if the service has it beside the list */
function problemOf(
	{ more, unclear }: Further,
	read: number,
	apiKey: string,
): VoiceAgentError | undefined {
	const detail = `${read} were read, and ${safeExcerpt(more ?? unclear ?? '', apiKey)}`;
	if (more !== undefined) return new VoiceAgentError('incompleteList', { detail });
	if (unclear !== undefined) return new VoiceAgentError('unclearList', { detail });
	return undefined;
}
