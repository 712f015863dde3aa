import type { IDataObject } from 'n8n-workflow';

import type { JsonObject } from '../data/json';
import type { NamedFields } from './credentials/apiCredential';
import { findCallEnd, retentionOf } from './retention';
import { findSessionGuid, isGuid } from './sessionGuid';

export interface ListedRecording {
	/** `null` if the record has none that can be used. */
	sessionGuid: string | null;
	/** When the call ended, in ISO 8601; `null` if the record does not show it, like the next two. */
	callEndedAt: string | null;
	retentionEndsAt: string | null;
	/** Hours until the service purges the recording, by its own clock. */
	hoursLeft: number | null;
	/** What to set so that it is found. */
	problem?: string;
	/** The record as the service sent it. */
	recording: IDataObject;
}

/** What a record of the list says about its recording. */
export function listedRecording(
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
