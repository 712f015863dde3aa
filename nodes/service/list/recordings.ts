import type { IDataObject } from 'n8n-workflow';

import type { JsonObject } from '../../data/json';
import { withPauses } from '../../data/pauses';
import { VoiceAgentError } from '../../errors';
import { request } from '../http/request';
import type { RequestContext } from '../http/transport';
import { serviceAccess } from '../http/transport';
import { RECORDINGS_PATH } from '../recordingPath';
import { callEndIn, retentionOf } from '../retention';
import {
	canonicalSessionGuid,
	findSessionGuid,
	isSessionGuid,
	sessionGuidHits,
} from '../sessionGuid';
import type { NamedFields } from './findList';
import { findList } from './findList';
import type { Further, PageQuery } from './furtherPages';
import { pagingOf } from './paging';

/** All pages must be read after this time. */
const MAX_LIST_MS = 15 * 60_000;
/** A service whose pages never end must not keep a workflow forever. */
const MAX_PAGES = 10_000;

export interface ListedRecording {
	/** `null` if the record has none that can be used. */
	sessionGuid: string | null;
	/** When the call ended, in ISO 8601; `null` if the record does not show it, like the next two. */
	callEndedAt: string | null;
	retentionEndsAt: string | null;
	/** Hours until the service purges the recording, by its own clock. */
	hoursLeft: number | null;
	/** The record as the service sent it. */
	recording: IDataObject;
}

export interface ListOptions {
	/** Item that expressions in the fields of the credential refer to; the first one by default. */
	itemIndex?: number;
	query?: PageQuery;
}

export interface RecordingsPage {
	/** Those that no earlier page had. */
	recordings: ListedRecording[];
	/** The session GUIDs in other lists of the answer, such as one of recordings that are not ready. */
	elsewhere: string[];
	/** Where the list and the fields of its records are, with dots; nothing for what this page does not show. */
	found: NamedFields;
	/** When the service answered by its own clock, in milliseconds since 1970. */
	serviceTimeMs: number;
	/** On the last page: `incompleteList` if there are more recordings, `unclearList` if there may be. */
	incomplete: VoiceAgentError | undefined;
}

/**
 * The recordings that the service still keeps, in its order, page by page: a list may be too long for the memory. It ends
 * with a page that leads to no other one, or repeats an earlier one.
 *
 * @throws VoiceAgentError `unreadableList`, or why a request failed
 */
export async function* recordingPages(
	context: RequestContext,
	{ itemIndex, query = {} }: ListOptions = {},
): AsyncGenerator<RecordingsPage, void, undefined> {
	const deadlineMs = Date.now() + MAX_LIST_MS;
	const { named, paging } = await serviceAccess(context, itemIndex);
	const { first, after } = pagingOf(paging);
	const seen = new Set<string>();
	const asked = new Set<string>();
	for (let next: PageQuery | undefined = { ...query, ...first }; next; ) {
		const isFirst = asked.size === 0;
		asked.add(textOf(next));
		const answer = await request(context, 'GET', RECORDINGS_PATH, {
			itemIndex,
			query: next,
			deadlineMs,
		});
		const { json, status, headers, serviceTimeMs } = answer;
		const list = findList(json, named);
		const { recordings, found } = await readRecords(list.records, named, serviceTimeMs);
		const fresh = recordings.filter((one) => !seen.has(keyOf(one)));
		for (const one of fresh) seen.add(keyOf(one));

		const further = after({ found: list, json, headers, query: next, isFirst });
		if (status === 202 || status === 206) further.unclear ??= `the status is ${status}`;
		const isRepeated = recordings.length > 0 && fresh.length === 0;
		if (isRepeated || (further.next && asked.has(textOf(further.next)))) {
			further.next = undefined;
			further.unclear = 'asking for the next page brings the same one again';
		}
		if (further.next && (asked.size >= MAX_PAGES || Date.now() > deadlineMs)) {
			further.next = undefined;
			further.more = 'reading all pages takes too long';
		}
		next = further.next;
		yield {
			recordings: fresh,
			elsewhere: list.others.flatMap((one) => guidsIn(one, named)),
			found: { listField: list.path, ...found },
			serviceTimeMs,
			incomplete: next ? undefined : problemOf(further, seen.size),
		};
	}
}

async function readRecords(records: JsonObject[], named: NamedFields, serviceTimeMs: number) {
	const recordings: ListedRecording[] = [];
	const found: NamedFields = {};
	for await (const record of withPauses(records)) {
		const guid = findSessionGuid(record, named.sessionGuidField);
		const sessionGuid = 'sessionGuid' in guid ? guid.sessionGuid : null;
		if ('sessionGuid' in guid) found.sessionGuidField ??= guid.path;
		const end = callEndIn(record, serviceTimeMs, named.callEndField);
		if (end) found.callEndField ??= end.path;
		recordings.push({
			sessionGuid,
			callEndedAt: end ? new Date(end.ms).toISOString() : null,
			...(end ? retentionOf(end.ms, serviceTimeMs) : { retentionEndsAt: null, hoursLeft: null }),
			recording: record as IDataObject,
		});
	}
	return { recordings, found };
}

/** What tells a recording from others. */
function keyOf({ sessionGuid, recording }: ListedRecording): string {
	return sessionGuid === null ? JSON.stringify(recording) : canonicalSessionGuid(sessionGuid);
}

function textOf(query: PageQuery): string {
	return new URLSearchParams(query).toString();
}

function guidsIn(record: JsonObject, { sessionGuidField }: NamedFields): string[] {
	const hits = sessionGuidHits(record, sessionGuidField) ?? [];
	return hits.map(({ value }) => value).filter(isSessionGuid);
}

function problemOf({ more, unclear }: Further, read: number): VoiceAgentError | undefined {
	const detail = `${read} were read, and ${more ?? unclear}`;
	if (more) return new VoiceAgentError('incompleteList', { detail });
	return unclear ? new VoiceAgentError('unclearList', { detail }) : undefined;
}
