import type { IDataObject, IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../shared/errors';
import { findSessionGuid } from '../../shared/sessionGuid';
import { request } from '../transport';
import { RECORDINGS_PATH } from './recordingPath';

export interface ListedRecording {
	/** `null` where the record shows none that can be used. */
	sessionGuid: string | null;
	/** The record as the service sent it. */
	recording: IDataObject;
}

/** All recordings that the service still keeps. */
export async function listRecordings(
	context: IExecuteFunctions | ILoadOptionsFunctions,
	query: IDataObject = {},
): Promise<ListedRecording[]> {
	const { json } = await request(context, 'GET', RECORDINGS_PATH, { query });
	return readList(json).map((recording) => {
		const found = findSessionGuid(recording);
		return { sessionGuid: 'sessionGuid' in found ? found.sessionGuid : null, recording };
	});
}

/**
 * The records in a list whose shape the service specification does not show: the answer is the list, or an object with
 * one list in it (`{ "recordings": [] }`, `{ "data": [] }` …).
 *
 * @throws VoiceAgentError `unreadableList`
 */
export function readList(json: unknown): IDataObject[] {
	const lists: unknown[][] = Array.isArray(json)
		? [json]
		: Object.values(json ?? {}).filter((value) => Array.isArray(value));
	const [list, ...others] = lists;
	if (!list || others.length > 0 || !list.every(isObject)) {
		throw new VoiceAgentError('unreadableList');
	}
	return list;
}

function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
