import type { IDataObject } from 'n8n-workflow';

import type { JsonObject } from '../data/json';
import type { NamedFields } from './apiCredential';
import { callEndIn, retentionOf } from './retention';
import { canonicalSessionGuid, findSessionGuid } from './sessionGuid';

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

/**
 * What a record of the list says about its recording.
 *
 * @returns the recording, what tells it from others, and where the record has its fields
 */
export function listedRecording(record: JsonObject, named: NamedFields, serviceTimeMs: number) {
	const guid = findSessionGuid(record, named.sessionGuidField);
	const end = callEndIn(record, serviceTimeMs, named.callEndField);
	const recording: ListedRecording = {
		sessionGuid: 'sessionGuid' in guid ? guid.sessionGuid : null,
		callEndedAt: end ? new Date(end.ms).toISOString() : null,
		...(end ? retentionOf(end.ms, serviceTimeMs) : { retentionEndsAt: null, hoursLeft: null }),
		recording: record as IDataObject,
	};
	return {
		recording,
		key: 'sessionGuid' in guid ? canonicalSessionGuid(guid.sessionGuid) : JSON.stringify(record),
		sessionGuidField: 'sessionGuid' in guid ? guid.path : undefined,
		callEndField: end?.path,
	};
}
