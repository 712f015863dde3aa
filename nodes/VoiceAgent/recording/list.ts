import type {
	IDataObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';

import { VoiceAgentError } from '../../shared/errors';
import type { NextPage } from '../../shared/recordingList';
import { readListPage } from '../../shared/recordingList';
import { findCallEnd, retentionOf } from '../../shared/retention';
import { findSessionGuid } from '../../shared/sessionGuid';
import { request } from '../transport';
import { RECORDINGS_PATH } from './recordingPath';

/** A service that pages on for ever must not keep a workflow for ever. */
const MAX_PAGES = 1_000;

export interface ListedRecording {
	/** `null` where the record shows none that can be used. */
	sessionGuid: string | null;
	/** When the call ended, in ISO 8601; `null` where the record does not show it, as in the next two. */
	callEndedAt: string | null;
	retentionEndsAt: string | null;
	/** Hours until the recording is purged, by the clock of the service. */
	hoursLeft: number | null;
	/** The record as the service sent it. */
	recording: IDataObject;
}

export interface ListOptions {
	query?: Record<string, string>;
	/** As many records as are wanted; further pages are not asked for. */
	limit?: number;
	/** Fields that the user names because the specification does not show them. */
	sessionGuidField?: string;
	callEndField?: string;
}

type Context = IExecuteFunctions | ILoadOptionsFunctions | ITriggerFunctions;

/** The recordings that the service still keeps, in its order, from all pages. */
export async function listRecordings(
	context: Context,
	options: ListOptions = {},
): Promise<ListedRecording[]> {
	return (await listWithServiceTime(context, options)).recordings;
}

/** The same, and when the service answered by its own clock, in milliseconds since 1970. */
export async function listWithServiceTime(
	context: Context,
	{ query = {}, limit = Infinity, sessionGuidField, callEndField }: ListOptions = {},
): Promise<{ recordings: ListedRecording[]; serviceTimeMs: number }> {
	const recordings: ListedRecording[] = [];
	let serviceTimeMs = Date.now();
	const asked = new Set<string>();
	let page: NextPage | undefined = query;
	while (page && recordings.length < limit) {
		// A page that leads back to an earlier one would never end.
		const reference = new URLSearchParams(page).toString();
		if (asked.has(reference)) break;
		asked.add(reference);
		if (asked.size > MAX_PAGES) {
			throw new VoiceAgentError('tooLarge', { detail: `more than ${MAX_PAGES} pages` });
		}
		const answer = await request(context, 'GET', RECORDINGS_PATH, { query: page });
		({ serviceTimeMs } = answer);
		const { records, next } = readListPage(answer.json, page, answer.link);
		for (const record of records) {
			const found = findSessionGuid(record, sessionGuidField);
			const callEnd = findCallEnd(record, callEndField);
			recordings.push({
				sessionGuid: 'sessionGuid' in found ? found.sessionGuid : null,
				callEndedAt: callEnd === undefined ? null : new Date(callEnd).toISOString(),
				...(callEnd === undefined
					? { retentionEndsAt: null, hoursLeft: null }
					: retentionOf(callEnd, answer.serviceTimeMs)),
				recording: record as IDataObject,
			});
		}
		page = next;
	}
	return { recordings: recordings.slice(0, limit), serviceTimeMs };
}
