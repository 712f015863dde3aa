import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import type { VoiceAgentError } from '../../errors';
import { mapWithBreaks } from '../../data/breaks';
import type { PageQuery } from './listPage';
import type { NamedFields } from './findList';
import type { JsonObject } from '../../data/payload';
import { readPages } from './pages';
import { RECORDINGS_PATH } from '../recordingPath';
import { request } from '../http/request';
import { callEndFieldOf, findCallEnd, retentionOf } from '../retention';
import {
	canonicalSessionGuid,
	isSessionGuid,
	readSessionGuid,
	sessionGuidHits,
} from '../sessionGuid';
import type { RequestContext } from '../http/transport';
import { serviceAccess } from '../http/transport';

/** All pages must be read after this time. */
const MAX_LIST_MS = 15 * 60_000;
/** How many characters of its texts are compared to tell a record without a session GUID from others. */
const MAX_IDENTITY = 1024 * 1024;

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

/** Fields that are named here take precedence over those that the credential names. */
export interface ListOptions extends NamedFields {
	/** Item that expressions in the fields of the credential refer to; the first one by default. */
	itemIndex?: number;
	query?: Record<string, string>;
	/** Names of query parameters of the credential that are not sent. */
	omitted?: readonly string[];
}

export interface RecordingsPage {
	recordings: ListedRecording[];
	/** The session GUIDs in other lists of the answer, such as one of recordings that are not ready. */
	elsewhere: string[];
	/** Where the list and the fields of its records are, with dots; `undefined` if nowhere on this page. */
	found: { listField: string; sessionGuidField?: string; callEndField?: string };
	/** When the service answered by its own clock, in milliseconds since 1970. */
	serviceTimeMs: number;
	/** On the last page: `incompleteList` if the service says that there are more than could be read. */
	incomplete: VoiceAgentError | undefined;
}

/** The recordings that the service still keeps, in its order, page by page: a list may be too long for the memory. */
export async function* recordingPages(
	context: RequestContext,
	{ itemIndex, omitted = [], ...options }: ListOptions = {},
): AsyncGenerator<RecordingsPage, void, undefined> {
	const deadlineMs = Date.now() + MAX_LIST_MS;
	const { named, query: added } = await serviceAccess(context, itemIndex);
	const listField = options.listField || named.listField;
	const sessionGuidField = options.sessionGuidField || named.sessionGuidField;
	const callEndField = options.callEndField || named.callEndField;
	const without = Object.fromEntries(omitted.map((name) => [name, undefined]));
	let serviceTimeMs = Date.now();
	const fetchPage = async (page: PageQuery) => {
		const query = { ...without, ...page };
		const answer = await request(context, 'GET', RECORDINGS_PATH, { itemIndex, query, deadlineMs });
		({ serviceTimeMs } = answer);
		return answer;
	};
	const guids = new WeakMap<JsonObject, string>();
	let unreadable = 0;
	const identify = (record: JsonObject) => {
		const hits = sessionGuidHits(record, sessionGuidField);
		const found = readSessionGuid(hits, sessionGuidField);
		if ('sessionGuid' in found) {
			guids.set(record, found.sessionGuid);
			return canonicalSessionGuid(found.sessionGuid);
		}
		return hits ? identityOf(record) : String((unreadable += 1));
	};
	const list = { ...options, added, listField, sessionGuidField, deadlineMs, identify };
	for await (const { records, listField, others, incomplete } of readPages(fetchPage, list)) {
		const recordings = await mapWithBreaks(records, (record): ListedRecording => {
			const callEnd = findCallEnd(record, serviceTimeMs, callEndField);
			return {
				sessionGuid: guids.get(record) ?? null,
				callEndedAt: callEnd === undefined ? null : new Date(callEnd).toISOString(),
				...(callEnd === undefined
					? { retentionEndsAt: null, hoursLeft: null }
					: retentionOf(callEnd, serviceTimeMs)),
				recording: record as IDataObject,
			};
		});
		const withGuid = recordings.find((one) => one.sessionGuid !== null);
		const withEnd = recordings.find((one) => one.callEndedAt !== null);
		const found = {
			listField,
			sessionGuidField:
				withGuid && sessionGuidHits(withGuid.recording, sessionGuidField)?.[0]?.path,
			callEndField:
				withEnd &&
				callEndFieldOf(withEnd.recording, Date.parse(String(withEnd.callEndedAt)), callEndField),
		};
		const hitsElsewhere = await mapWithBreaks(others, (one) =>
			sessionGuidHits(one, sessionGuidField),
		);
		const elsewhere = hitsElsewhere.flatMap((hits = []) =>
			hits.map(({ value }) => value).filter(isSessionGuid),
		);
		yield { recordings, elsewhere, found, serviceTimeMs, incomplete };
	}
}

/** A digest of a record. Of long texts, and of many texts, it has the beginnings and the lengths. */
function identityOf(record: JsonObject): string {
	let room = MAX_IDENTITY;
	const text = JSON.stringify(record, (_name, value: unknown) => {
		if (typeof value !== 'string') return value;
		const start = value.slice(0, Math.min(room, 1_000));
		room -= start.length;
		return start.length < value.length ? [start, value.length] : value;
	});
	return createHash('sha256').update(text).digest('base64');
}
