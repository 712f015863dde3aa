import type { IExecuteFunctions } from 'n8n-workflow';

import { withPauses } from '../../data/pauses';
import { errorTexts } from '../../errors';
import { serviceAccess } from '../../service/http/transport';
import { recordingPages } from '../../service/list/recordings';
import type { ListedRecording } from '../../service/listedRecording';
import { parseSessionGuid } from '../../service/sessionGuid';

/** The list of the service is read once for all items of a node, because it can be long. It counts for a minute. */
const FRESH_MS = 60_000;

export interface Listed {
	/** `unknown` if the list cannot be read completely, or has a record without a session GUID, which may be this one. */
	listed: 'yes' | 'no' | 'unknown';
	/** What it lists. */
	found?: ListedRecording;
	/** Whether query parameters of the credential may leave out recordings. */
	isFiltered?: boolean;
	/** Why it is unknown. */
	why?: string;
}

interface List {
	/** By normalized session GUID. Only recordings of the items are kept; the others are `null`. */
	shown: Map<string, ListedRecording | null>;
	/** What other lists in the same answers show. */
	elsewhere: Set<string>;
	/** Why nothing follows if a recording is not in it. */
	why?: string;
}

interface Reading {
	beganMs: number;
	/** Known once it has been read. */
	endedMs?: number;
	list: Promise<List>;
}

interface Kept {
	/** By service. */
	readings: Map<string, Reading>;
	/** What the service has confirmed as deleted, in an earlier try of Retry On Fail too. */
	deleted: Set<string>;
}

/** The key is the context that n8n keeps for a node in an execution, so that the entry ends with the execution. */
const keptByNode = new WeakMap<object, Kept>();

function keptFor(context: IExecuteFunctions): Kept {
	const node = context.getContext('node');
	const kept = keptByNode.get(node) ?? { readings: new Map(), deleted: new Set() };
	keptByNode.set(node, kept);
	return kept;
}

export function noteDeleted(context: IExecuteFunctions, sessionGuid: string): void {
	keptFor(context).deleted.add(normalized(sessionGuid));
}

/** The next question is answered by a list that is read for it. */
export function forgetLists(context: IExecuteFunctions): void {
	keptFor(context).readings.clear();
}

/**
 * Whether the service still lists a recording.
 * @param sinceMs from when on the list must have been read, in milliseconds since 1970
 */
export async function findListed(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	sinceMs = 0,
): Promise<Listed> {
	const wanted = normalized(sessionGuid);
	if (keptFor(context).deleted.has(wanted)) return { listed: 'no' };
	const { shown, elsewhere, why } = await listSince(context, itemIndex, sinceMs);
	const found = shown.get(wanted);
	if (found !== undefined) return { listed: 'yes', found: found ?? undefined };
	if (why !== undefined) return { listed: 'unknown', why };
	if (elsewhere.has(wanted)) {
		return { listed: 'unknown', why: 'the answer with the list shows it, but not in the list' };
	}
	const { query } = await serviceAccess(context, itemIndex);
	return { listed: 'no', isFiltered: Object.keys(query).length > 0 };
}

async function listSince(
	context: IExecuteFunctions,
	itemIndex: number,
	sinceMs: number,
): Promise<List> {
	const { readings } = keptFor(context);
	// Expressions in its fields may make it another one for each item.
	const service = JSON.stringify(await serviceAccess(context, itemIndex));
	for (;;) {
		const reading = readings.get(service);
		const ageMs = Date.now() - (reading?.endedMs ?? Date.now());
		if (reading && reading.beganMs >= sinceMs && ageMs <= FRESH_MS) return await reading.list;
		// All items that need a later list than this one share the next one.
		await reading?.list;
		if (readings.get(service) === reading) readings.set(service, startReading(context, itemIndex));
	}
}

function startReading(context: IExecuteFunctions, itemIndex: number): Reading {
	const reading: Reading = { beganMs: Date.now(), list: readList(context, itemIndex) };
	void reading.list.then(() => (reading.endedMs = Date.now()));
	return reading;
}

/** Never throws: a list that cannot be read says why nothing follows from it. */
async function readList(context: IExecuteFunctions, itemIndex: number): Promise<List> {
	const list: List = { shown: new Map(), elsewhere: new Set() };
	const ofItems = sessionsOf(context);
	try {
		for await (const page of recordingPages(context, { itemIndex })) {
			list.why ??= page.incomplete?.message;
			for (const guid of page.elsewhere) list.elsewhere.add(normalized(guid));
			for await (const one of withPauses(page.recordings)) {
				if (one.sessionGuid === null) {
					list.why ??= errorTexts.recordingsWithoutGuid.message;
					continue;
				}
				const guid = normalized(one.sessionGuid);
				list.shown.set(guid, ofItems.has(guid) ? one : null);
			}
		}
	} catch (error) {
		list.why = error instanceof Error ? error.message : String(error);
	}
	return list;
}

/** The recordings that the items are about. An item that names none fails for that reason. */
function sessionsOf(context: IExecuteFunctions): Set<string> {
	const sessions = new Set<string>();
	for (const index of context.getInputData().keys()) {
		try {
			const recording = context.getNodeParameter('recording', index, '', { extractValue: true });
			sessions.add(normalized(parseSessionGuid(recording)));
		} catch {
			continue;
		}
	}
	return sessions;
}

/** Ignores more differences than the usual comparison: a recording must not seem gone because of its spelling. */
function normalized(sessionGuid: string): string {
	return sessionGuid.replace(/[{}_-]/g, '').toLowerCase();
}
