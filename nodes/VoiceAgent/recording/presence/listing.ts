import type { IExecuteFunctions } from 'n8n-workflow';

import { withPauses } from '../../../data/pauses';
import { VoiceAgentError } from '../../../errors';
import { serviceAccess } from '../../../service/http/transport';
import { type ListedRecording, recordingPages } from '../../../service/recordings';

/**
 * The list of the service can be long, so it is read once for all items of a node. It counts for a
 * minute.
 */
const FRESH_MS = 60_000;

export interface Listed {
	/**
	 * Unknown if the list cannot be read completely, or has a record without a session GUID, which
	 * may be this one.
	 */
	isListed?: boolean;
	/** Until when the service keeps it, if it is listed: in ISO 8601 or in words. */
	keptUntil?: string;
	/** Whether query parameters of the credential may leave out recordings. */
	isFiltered?: boolean;
	/** Why it is unknown. */
	why?: string;
}

interface List {
	/** Until when each recording is kept, by normalized session GUID. */
	shown: Map<string, string>;
	/** What other lists in the same answers show. */
	elsewhere: Set<string>;
	/** Why nothing follows if a recording is not in it. */
	why?: string;
}

interface Reading {
	/** In milliseconds since 1970. */
	freshUntilMs: number;
	list: Promise<List>;
}

/**
 * By node, and then by service. The key is the context that n8n keeps for a node in an execution,
 * so that the entry ends with it.
 */
const readingsByNode = new WeakMap<object, Map<string, Reading>>();

/** The next question is answered by a list that is read for it. */
export function forgetLists(context: IExecuteFunctions): void {
	readingsByNode.delete(context.getContext('node'));
}

/** Whether the service still lists a recording. */
export async function findListed(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<Listed> {
	const wanted = normalized(sessionGuid);
	const access = await serviceAccess(context, itemIndex);
	// Expressions in its fields may make it another one for each item.
	const { shown, elsewhere, why } = await currentList(context, itemIndex, JSON.stringify(access));
	const keptUntil = shown.get(wanted);
	if (keptUntil !== undefined) return { isListed: true, keptUntil };
	if (why !== undefined) return { why };
	if (elsewhere.has(wanted)) {
		return { why: 'the answer with the list shows it, but not in the list' };
	}
	return { isListed: false, isFiltered: Object.keys(access.query).length > 0 };
}

async function currentList(
	context: IExecuteFunctions,
	itemIndex: number,
	service: string,
): Promise<List> {
	const node = context.getContext('node');
	const readings = readingsByNode.get(node) ?? new Map<string, Reading>();
	readingsByNode.set(node, readings);
	const former = readings.get(service);
	if (former && Date.now() <= former.freshUntilMs) return await former.list;
	const reading: Reading = { freshUntilMs: Infinity, list: readList(context, itemIndex) };
	readings.set(service, reading);
	const list = await reading.list;
	reading.freshUntilMs = Date.now() + FRESH_MS;
	return list;
}

/** Never throws: a list that cannot be read says why nothing follows from it. */
async function readList(context: IExecuteFunctions, itemIndex: number): Promise<List> {
	const list: List = { shown: new Map(), elsewhere: new Set() };
	try {
		for await (const page of recordingPages(context, { itemIndex })) {
			list.why ??= page.incomplete?.message;
			for (const guid of page.elsewhere) list.elsewhere.add(normalized(guid));
			for await (const { sessionGuid, keptUntil } of withPauses(page.recordings)) {
				if (sessionGuid === null) list.why ??= new VoiceAgentError('recordingsWithoutGuid').message;
				else list.shown.set(normalized(sessionGuid), keptUntil ?? '7 days after the call');
			}
		}
	} catch (error) {
		list.why = error instanceof Error ? error.message : String(error);
	}
	return list;
}

/** What the list says about a recording; `undefined` if it cannot be read or does not have it. */
export async function findRecord(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<ListedRecording | undefined> {
	try {
		for await (const { recordings } of recordingPages(context, { itemIndex })) {
			const found = recordings.find(
				(one) => normalized(String(one.sessionGuid)) === normalized(sessionGuid),
			);
			if (found) return found;
		}
	} catch {
		// The recording itself is there: without the list, it can still be archived.
	}
	return undefined;
}

/**
 * Ignores more differences than the usual comparison: a recording must not seem gone because of how
 * its session GUID is spelled.
 */
function normalized(sessionGuid: string): string {
	return sessionGuid.replace(/[{}_-]/g, '').toLowerCase();
}
