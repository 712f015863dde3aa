import type { IDataObject } from 'n8n-workflow';

import type { VoiceAgentError } from '../errors';
import type { PageQuery } from './listPage';
import type { JsonObject } from './payload';
import { readList } from './recordingList';
import { RECORDINGS_PATH } from './recordingPath';
import { request } from './request';
import { findCallEnd, retentionOf } from './retention';
import { canonicalSessionGuid, findSessionGuid } from './sessionGuid';
import type { RequestContext } from './transport';

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
	query?: Record<string, string>;
	/** Stops after this many records. */
	limit?: number;
	/** Fields that the user names, because the specification does not show them. */
	sessionGuidField?: string;
	callEndField?: string;
}

export interface ReadRecordings {
	recordings: ListedRecording[];
	/** When the service answered by its own clock, in milliseconds since 1970. */
	serviceTimeMs: number;
	/** `incompleteList` if the service says that there are more than could be read. */
	incomplete: VoiceAgentError | undefined;
}

/** The recordings that the service still keeps, in its order, from all pages. */
export async function readRecordings(
	context: RequestContext,
	{ itemIndex, query, limit, sessionGuidField, callEndField }: ListOptions = {},
): Promise<ReadRecordings> {
	let serviceTimeMs = Date.now();
	const fetchPage = async (page: PageQuery) => {
		const answer = await request(context, 'GET', RECORDINGS_PATH, { itemIndex, query: page });
		({ serviceTimeMs } = answer);
		return answer;
	};
	const guidOf = (record: JsonObject): string | null => {
		const found = findSessionGuid(record, sessionGuidField);
		return 'sessionGuid' in found ? found.sessionGuid : null;
	};
	const identify = (record: JsonObject) => {
		const sessionGuid = guidOf(record);
		return sessionGuid === null ? JSON.stringify(record) : canonicalSessionGuid(sessionGuid);
	};
	const { records, incomplete } = await readList(fetchPage, { query, limit, identify });
	const recordings = records.map((record): ListedRecording => {
		const callEnd = findCallEnd(record, serviceTimeMs, callEndField);
		return {
			sessionGuid: guidOf(record),
			callEndedAt: callEnd === undefined ? null : new Date(callEnd).toISOString(),
			...(callEnd === undefined
				? { retentionEndsAt: null, hoursLeft: null }
				: retentionOf(callEnd, serviceTimeMs)),
			recording: record as IDataObject,
		};
	});
	return { recordings, serviceTimeMs, incomplete };
}
