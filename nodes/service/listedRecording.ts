import type { IDataObject } from 'n8n-workflow';

import type { JsonObject } from '../data/json';
import type { NamedFields } from './apiCredential';
import { type CallNumbers, callNumbersIn } from './callNumbers';
import { findCallEnd, retentionOf } from './retention';
import { findSessionGuid, isGuid, recordingKeyOf } from './sessionGuid';

/** What the list of the service says about a recording. What its record does not show is `null`. */
export interface ListedRecording extends CallNumbers {
	sessionGuid: string | null;
	/** The session GUID in one spelling. */
	recordingKey: string | null;
	/** When the call ended, in ISO 8601. */
	endedAt: string | null;
	/** When the service purges the recording, in ISO 8601. */
	keptUntil: string | null;
	/** Hours until then, by the service's clock. */
	hoursLeft: number | null;
	/** What to set so that the session GUID is found. */
	problem?: string;
	/** The record as the service sent it. */
	recording: IDataObject;
}

/**
 * Reads a record of the list.
 *
 * @param fields what the user says about its fields
 * @param serviceTimeMs the time in milliseconds since 1970, by the service's clock
 */
export function listedRecording(
	record: JsonObject,
	fields: NamedFields,
	serviceTimeMs: number,
): ListedRecording {
	const recording = record as IDataObject;
	const session = sessionOf(record, fields.sessionGuidField);
	const recordingKey = recordingKeyOf(session.sessionGuid);
	const { sessionGuid, ...problem } = session;
	const call = { sessionGuid, recordingKey, ...problem, ...callNumbersIn(record, fields) };
	const endMs = findCallEnd(record, serviceTimeMs, fields.callEndField);
	// The order of the names is that of the output.
	if (endMs === undefined) {
		return { ...call, endedAt: null, keptUntil: null, hoursLeft: null, recording };
	}
	const endedAt = new Date(endMs).toISOString();
	return { ...call, endedAt, ...retentionOf(endMs, serviceTimeMs), recording };
}

function sessionOf(
	record: JsonObject,
	sessionGuidField: string,
): Pick<ListedRecording, 'sessionGuid' | 'problem'> {
	const found = findSessionGuid(record, sessionGuidField);
	if ('sessionGuid' in found) return { sessionGuid: found.sessionGuid };
	// If a field has a GUID, the user can say that it is the one of the session.
	const candidates = Object.keys(record).filter((name) => isGuid(record[name]));
	if (candidates.length === 0) return { sessionGuid: null };
	const names = candidates.join(' or ');
	return {
		sessionGuid: null,
		problem: `Which GUID is that of the session is not clear: enter ${names} as 'Session GUID Field' in the VoiceAgent API credential.`,
	};
}
