import { hidePasswords } from '../data/hidePasswords';
import type { JsonObject } from '../data/json';
import { withPauses } from '../data/pauses';
import { finderOf, type Holds } from '../data/secretForms';
import { VoiceAgentError } from '../errors';
import type { NamedFields } from './apiCredential';
import { saysDeleted } from './deletedRecord';
import { safeExcerpt } from './http/excerpt';
import { request } from './http/request';
import { type RequestContext, type ServiceAccess, serviceAccess } from './http/transport';
import { type FoundList, findList } from './list/findList';
import { beginning, type Progress, queryText, stopIfEndless } from './list/endlessPages';
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
	// What the list needs of the credential. Each request reads the credential again for itself.
	const access = await serviceAccess(context, itemIndex);
	const { secrets, named: fieldNames, paging, query: fixedQuery } = access;
	const holdsSecret = finderOf(secrets);
	const progress = beginning();

	// A request adds the query of the credential anyway. It is here too, because an answer is
	// compared with all that was asked for.
	let next: PageQuery | undefined = { ...fixedQuery, ...query, ...firstPage(paging) };
	while (next) {
		const asked: PageQuery = next;
		// Before this page is noted in `progress`.
		const earlier = { pages: progress.asked.size, records: progress.firstSeen.size };
		progress.asked.add(queryText(asked));
		const answer = await request(context, 'GET', RECORDINGS_PATH, { itemIndex, query: asked });
		const { json, headers, serviceTimeMs } = answer;
		const list = findList(json, fieldNames);
		const reading = { fieldNames, holdsSecret, serviceTimeMs, page: earlier.pages };
		const { recordings, isRepeated } = await readRecords(list, reading, progress.firstSeen);

		const pageRecords = list.records.length;
		progress.emptyPages = pageRecords === 0 ? progress.emptyPages + 1 : 0;
		const said = furtherPage(paging, { json, headers, pageRecords, query: asked, earlier });
		const further = stopIfEndless(withStatus(said, answer.status), isRepeated, progress);
		next = further.next;
		yield {
			recordings,
			listField: list.path,
			elsewhere: guidsElsewhere(list, fieldNames),
			serviceTimeMs,
			incomplete: next ? undefined : problemOf(further, progress.firstSeen.size, access),
		};
	}
}

/** What the records of a page are read with. */
interface Reading {
	fieldNames: NamedFields;
	/** Whether a text has a secret of the account in it. */
	holdsSecret: Holds;
	serviceTimeMs: number;
	/** The number of the page, from 0. */
	page: number;
}

interface ReadRecords {
	recordings: ListedRecording[];
	/** Whether the page has records, and each of them was on an earlier page. */
	isRepeated: boolean;
}

/** Reads the records of a page, and notes them in `firstSeen`. */
async function readRecords(
	{ records }: FoundList,
	{ fieldNames, holdsSecret, serviceTimeMs, page }: Reading,
	firstSeen: Progress['firstSeen'],
): Promise<ReadRecords> {
	const recordings: ListedRecording[] = [];
	let isRepeated = records.length > 0;
	for await (const record of withPauses(records)) {
		// In place: nothing that reads the record later sees a secret.
		hidePasswords(record, holdsSecret);
		const recording = listedRecording(record, fieldNames, serviceTimeMs);
		// A record that comes again on a later page is a mistake of reading page by page. One that
		// comes twice on the same page is a matter of the service, for the user to see.
		if (noteFirstPage(recording, page, firstSeen) !== page) continue;
		isRepeated = false;
		if (!saysDeleted(record, serviceTimeMs)) recordings.push(recording);
	}
	return { recordings, isRepeated };
}

/** Notes the page of a recording that was not seen before. Returns the page that had it first. */
function noteFirstPage(
	{ sessionGuid, recording }: ListedRecording,
	page: number,
	firstSeen: Progress['firstSeen'],
): number {
	const key = sessionGuid === null ? JSON.stringify(recording) : canonicalSessionGuid(sessionGuid);
	const firstPageNumber = firstSeen.get(key) ?? page;
	firstSeen.set(key, firstPageNumber);
	return firstPageNumber;
}

/** A status of 202 or 206 says that the answer is not all there will be. */
function withStatus(said: Further, status: number): Further {
	const isPart = status === 202 || status === 206;
	return isPart ? { ...said, unclear: said.unclear ?? `the status is ${status}` } : said;
}

/** The session GUIDs in the other lists of an answer. */
function guidsElsewhere({ others }: FoundList, { sessionGuidField }: NamedFields): string[] {
	const hits = others.flatMap((one: JsonObject) => sessionGuidHits(one, sessionGuidField) ?? []);
	return hits.map(({ value }) => value).filter(isSessionGuid);
}

/**
 * What the list does not have, or may not have; `undefined` if it has all.
 *
 * @param access whose secrets must not be shown if the service has them beside the list
 */
function problemOf(
	{ more, unclear }: Further,
	totalRead: number,
	access: ServiceAccess,
): VoiceAgentError | undefined {
	const why = more ?? unclear;
	if (why === undefined) return undefined;
	const detail = `${totalRead} were read, and ${safeExcerpt(why, access)}`;
	return new VoiceAgentError(more === undefined ? 'unclearList' : 'incompleteList', { detail });
}
