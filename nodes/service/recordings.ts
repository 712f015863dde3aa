import type { IDataObject } from 'n8n-workflow';

import { hidePasswords } from '../data/hidePasswords';
import type { JsonObject } from '../data/json';
import { withPauses } from '../data/pauses';
import { finderOf } from '../data/secretForms';
import { VoiceAgentError } from '../errors';
import type { NamedFields } from './apiCredential';
import { safeExcerpt } from './http/excerpt';
import { request } from './http/request';
import { type RequestContext, serviceAccess } from './http/transport';
import { saysDeleted } from './deletedRecord';
import { findList } from './list/findList';
import { firstPage, type Further, furtherPage, type PageQuery } from './list/nextPage';
import { findCallEnd, retentionOf } from './retention';
import {
	canonicalSessionGuid,
	findSessionGuid,
	isGuid,
	isSessionGuid,
	parseSessionGuid,
	sessionGuidHits,
} from './sessionGuid';

export const RECORDINGS_PATH = '/api/customer/recordings';

/**
 * What these statuses mean for a single recording. The specification does not show which of them
 * the service sends.
 */
export const goneReasons = { 404: 'recordingGone', 410: 'recordingGone' } as const;

/**
 * No further page is asked for after this time: a service whose pages never end must not keep a
 * workflow forever.
 */
const MAX_LIST_MS = 15 * 60_000;

/**
 * Path of one recording. The GUID is checked first, because encoding alone would let `..` leave the
 * path.
 * @throws VoiceAgentError `invalidParameter`
 */
export function recordingPath(sessionGuid: unknown): string {
	return `${RECORDINGS_PATH}/${encodeURIComponent(parseSessionGuid(sessionGuid))}`;
}

export interface ListedRecording {
	/** `null` if the record has none that can be used. */
	sessionGuid: string | null;
	/**
	 * When the call ended, in ISO 8601; `null` if the record does not show it, like the next two.
	 */
	callEndedAt: string | null;
	retentionEndsAt: string | null;
	/** Hours until the service purges the recording, by its own clock. */
	hoursLeft: number | null;
	/** What to set so that it is found. */
	problem?: string;
	/** The record as the service sent it. */
	recording: IDataObject;
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
 * for the memory.
 * @throws VoiceAgentError `unreadableList`, or why a request failed
 */
export async function* recordingPages(
	context: RequestContext,
	{ itemIndex, query = {} }: { itemIndex?: number; query?: PageQuery } = {},
): AsyncGenerator<RecordingsPage, void, undefined> {
	const deadlineMs = Date.now() + MAX_LIST_MS;
	const access = await serviceAccess(context, itemIndex);
	const { named, paging, query: always } = access;
	const holds = finderOf([access.apiKey]);
	/** On which page each recording was first. */
	const seen = new Map<string, number>();
	const asked = new Set<string>();
	for (let next: PageQuery | undefined = { ...always, ...query, ...firstPage(paging) }; next; ) {
		const before = { pages: asked.size, records: seen.size };
		asked.add(textOf(next));
		const answer = await request(context, 'GET', RECORDINGS_PATH, { itemIndex, query: next });
		const { json, status, headers, serviceTimeMs } = answer;
		const list = findList(json, named);
		const recordings: ListedRecording[] = [];
		let isNew = false;
		for await (const record of withPauses(list.records)) {
			hidePasswords(record, holds);
			const recording = listedRecording(record, named, serviceTimeMs);
			const { sessionGuid } = recording;
			const key = sessionGuid ? canonicalSessionGuid(sessionGuid) : JSON.stringify(record);
			if (!seen.has(key)) seen.set(key, before.pages);
			if (seen.get(key) !== before.pages) continue;
			isNew = true;
			if (!saysDeleted(record, serviceTimeMs)) recordings.push(recording);
		}

		const read = list.records.length;
		const further = furtherPage(paging, { json, headers, read, query: next, before });
		({ next } = further);
		if ([202, 206].includes(status)) further.unclear ??= `the status is ${status}`;
		const isRepeated = read > 0 && !isNew;
		if (isRepeated || (next && asked.has(textOf(next)))) {
			next = undefined;
			further.unclear = 'asking for the next page brings the same one again';
		} else if (next && Date.now() > deadlineMs) {
			next = undefined;
			further.more = 'reading all pages takes too long';
		}
		const others = list.others.flatMap((one) => sessionGuidHits(one, named.sessionGuidField) ?? []);
		yield {
			recordings,
			listField: list.path,
			elsewhere: others.map(({ value }) => value).filter(isSessionGuid),
			serviceTimeMs,
			incomplete: next ? undefined : problemOf(further, seen.size, access.apiKey),
		};
	}
}

function textOf(query: PageQuery): string {
	return new URLSearchParams(query).toString();
}

/** @param apiKey must not be shown if the service has it beside the list */
function problemOf(
	{ more, unclear }: Further,
	read: number,
	apiKey: string,
): VoiceAgentError | undefined {
	const detail = `${read} were read, and ${safeExcerpt(more ?? unclear ?? '', apiKey)}`;
	if (more) return new VoiceAgentError('incompleteList', { detail });
	return unclear ? new VoiceAgentError('unclearList', { detail }) : undefined;
}

/** What a record of the list says about its recording. */
function listedRecording(
	record: JsonObject,
	{ sessionGuidField, callEndField }: NamedFields,
	serviceTimeMs: number,
): ListedRecording {
	const guid = findSessionGuid(record, sessionGuidField);
	const endMs = findCallEnd(record, serviceTimeMs, callEndField);
	const unknown = { retentionEndsAt: null, hoursLeft: null };
	const candidates = Object.keys(record).filter((name) => isGuid(record[name]));
	const problem = `Which GUID is that of the session is not clear: enter ${candidates.join(' or ')} as 'Session GUID Field' in the VoiceAgent API credential.`;
	return {
		sessionGuid: 'sessionGuid' in guid ? guid.sessionGuid : null,
		...('problem' in guid && candidates.length > 0 && { problem }),
		callEndedAt: endMs === undefined ? null : new Date(endMs).toISOString(),
		...(endMs === undefined ? unknown : retentionOf(endMs, serviceTimeMs)),
		recording: record as IDataObject,
	};
}
