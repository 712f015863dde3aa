import type { IDataObject } from 'n8n-workflow';

import type { VoiceAgentError } from '../errors';
import { mapWithBreaks } from './breaks';
import type { PageQuery } from './listPage';
import type { NamedFields } from './listSearch';
import type { JsonObject } from './payload';
import { readList } from './recordingList';
import { RECORDINGS_PATH } from './recordingPath';
import { request } from './request';
import { callEndFieldOf, findCallEnd, retentionOf } from './retention';
import { canonicalSessionGuid, readSessionGuid, sessionGuidHits } from './sessionGuid';
import type { RequestContext } from './transport';
import { serviceAccess } from './transport';

/** All pages must be read after this time. */
const MAX_LIST_MS = 15 * 60_000;

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
	/** Stops after this many records. */
	limit?: number;
}

export interface ReadRecordings {
	recordings: ListedRecording[];
	/** Where the list and the fields of its records were found, with dots; `undefined` if nowhere. */
	found: { listField: string; sessionGuidField?: string; callEndField?: string };
	/** When the service answered by its own clock, in milliseconds since 1970. */
	serviceTimeMs: number;
	/** `incompleteList` if the service says that there are more than could be read. */
	incomplete: VoiceAgentError | undefined;
}

/** The recordings that the service still keeps, in its order, from all pages. */
export async function readRecordings(
	context: RequestContext,
	{ itemIndex, ...options }: ListOptions = {},
): Promise<ReadRecordings> {
	const deadlineMs = Date.now() + MAX_LIST_MS;
	const { named } = await serviceAccess(context, itemIndex);
	const listField = options.listField || named.listField;
	const sessionGuidField = options.sessionGuidField || named.sessionGuidField;
	const callEndField = options.callEndField || named.callEndField;
	let serviceTimeMs = Date.now();
	const fetchPage = async (page: PageQuery) => {
		const paged = { itemIndex, query: page, deadlineMs };
		const answer = await request(context, 'GET', RECORDINGS_PATH, paged);
		({ serviceTimeMs } = answer);
		return answer;
	};
	const guids = new Map<JsonObject, string | null>();
	const identify = (record: JsonObject) => {
		const hits = sessionGuidHits(record, sessionGuidField);
		const found = readSessionGuid(hits, sessionGuidField);
		const sessionGuid = 'sessionGuid' in found ? found.sessionGuid : null;
		guids.set(record, sessionGuid);
		if (sessionGuid !== null) return canonicalSessionGuid(sessionGuid);
		return hits ? JSON.stringify(record, shortened) : String(guids.size);
	};
	const { records, incomplete, ...list } = await readList(fetchPage, {
		...options,
		listField,
		sessionGuidField,
		deadlineMs,
		identify,
	});
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
		listField: list.listField,
		sessionGuidField: withGuid && sessionGuidHits(withGuid.recording, sessionGuidField)?.[0]?.path,
		callEndField:
			withEnd &&
			callEndFieldOf(withEnd.recording, Date.parse(String(withEnd.callEndedAt)), callEndField),
	};
	return { recordings, found, serviceTimeMs, incomplete };
}

/** For JSON that only identifies: a long text is its beginning and its length. */
function shortened(_name: string, value: unknown): unknown {
	const isLong = typeof value === 'string' && value.length > 1_000;
	return isLong ? [value.slice(0, 1_000), value.length] : value;
}
