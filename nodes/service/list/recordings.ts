import { sleep } from 'n8n-workflow';

import type { JsonObject } from '../../data/json';
import { withPauses } from '../../data/pauses';
import { VoiceAgentError } from '../../errors';
import { request } from '../http/request';
import type { RequestContext } from '../http/transport';
import { serviceAccess } from '../http/transport';
import type { ListedRecording } from '../listedRecording';
import { listedRecording } from '../listedRecording';
import { RECORDINGS_PATH } from '../recordingPath';
import { isSessionGuid, sessionGuidHits } from '../sessionGuid';
import type { NamedFields } from './findList';
import { findList } from './findList';
import type { Further, PageQuery } from './furtherPages';
import { pagingOf } from './paging';

/** All pages must be read after this time. */
const MAX_LIST_MS = 15 * 60_000;
/** A service whose pages never end must not keep a workflow forever. */
const MAX_PAGES = 10_000;

export type { ListedRecording };

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
	const { named, paging, query: always } = await serviceAccess(context, itemIndex);
	const { first, after } = pagingOf(paging);
	/** On which page each recording was first. */
	const pageOf = new Map<string, number>();
	const asked = new Set<string>();
	for (let next: PageQuery | undefined = { ...always, ...query, ...first }; next; ) {
		const isFirst = asked.size === 0;
		asked.add(textOf(next));
		const answer = await request(context, 'GET', RECORDINGS_PATH, {
			itemIndex,
			query: next,
			deadlineMs,
		});
		const { json, status, headers, serviceTimeMs } = answer;
		// Not in the turn in which n8n has parsed the answer.
		await sleep(0);
		const list = findList(json, named);
		const recordings: ListedRecording[] = [];
		const found: NamedFields = { listField: list.path };
		for await (const record of withPauses(list.records)) {
			const { recording, key, ...fields } = listedRecording(record, named, serviceTimeMs);
			const firstPage = pageOf.get(key) ?? asked.size;
			pageOf.set(key, firstPage);
			if (firstPage < asked.size) continue;
			recordings.push(recording);
			found.sessionGuidField ??= fields.sessionGuidField;
			found.callEndField ??= fields.callEndField;
		}

		const further = after({ found: list, json, headers, query: next, isFirst });
		if (status === 202 || status === 206) further.unclear ??= `the status is ${status}`;
		const isRepeated = list.records.length > 0 && recordings.length === 0;
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
			recordings,
			elsewhere: list.others.flatMap((one) => guidsIn(one, named)),
			found,
			serviceTimeMs,
			incomplete: next ? undefined : problemOf(further, pageOf.size),
		};
	}
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
