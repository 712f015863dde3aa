import type { IExecuteFunctions } from 'n8n-workflow';

import { errorTexts } from '../../errors';
import { isBreakDue, takeBreak } from '../../data/breaks';
import type { ListedRecording } from '../../service/list/recordings';
import { recordingPages } from '../../service/list/recordings';
import { parseSessionGuid } from '../../service/sessionGuid';
import { serviceAccess } from '../../service/http/transport';

/*
 * The list of the service is read once for all items of a node, because it can be long. A recording that is gone does not
 * come back, so an earlier list is wrong only about recordings that have appeared or were deleted since. It counts for a
 * minute from its beginning, or after its end for as long as it took to read it.
 */
const FRESH_MS = 60_000;

export interface Listed {
	/** `unknown` if the list cannot be read completely, or has a record without a session GUID, which may be this one. */
	listed: 'yes' | 'no' | 'unknown';
	/** What it lists. */
	found?: ListedRecording;
	/** Why it is unknown. */
	why?: string;
}

/** What a list shows, by normalized session GUID. */
interface Listing {
	/** Only recordings of the items are kept; the others are `null`. */
	shown: Map<string, ListedRecording | null>;
	/** What other lists in the same answers show. */
	elsewhere: Set<string>;
	/** Why nothing follows if a recording is not in it. */
	why?: string;
}

interface Reading {
	beganMs: number;
	/** Known once it has been read. */
	usableUntilMs: number;
	listing: Promise<Listing>;
}

/** That it was deleted, or when it may have been: when the last request to delete it failed, in milliseconds since 1970. */
type Deletion = 'confirmed' | number;

interface Kept {
	/** By service. */
	readings: Map<string, Reading>;
	/** What the node has asked the service to delete, in an earlier try of Retry On Fail too. */
	deletions: Map<string, Deletion>;
}

/** The key is the context that n8n keeps for a node in an execution, so that the entry ends with the execution. */
const keptByNode = new WeakMap<object, Kept>();

function keptFor(context: IExecuteFunctions): Kept {
	const node = context.getContext('node');
	const kept = keptByNode.get(node) ?? { readings: new Map(), deletions: new Map() };
	keptByNode.set(node, kept);
	return kept;
}

export function noteDeletion(
	context: IExecuteFunctions,
	sessionGuid: string,
	deletion: Deletion,
): void {
	keptFor(context).deletions.set(normalized(sessionGuid), deletion);
}

export function deletionOf(context: IExecuteFunctions, sessionGuid: string): Deletion | undefined {
	return keptFor(context).deletions.get(normalized(sessionGuid));
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
	const deletion = deletionOf(context, sessionGuid) ?? 0;
	if (deletion === 'confirmed') return { listed: 'no' };
	const notBefore = Math.max(sinceMs, deletion);
	let { shown, elsewhere, why } = await listingSince(context, itemIndex, notBefore);
	// An item of another run of the node.
	if (shown.get(wanted) === null) {
		({ shown, elsewhere, why } = await listingSince(context, itemIndex, Date.now()));
	}
	if (shown.has(wanted)) return { listed: 'yes', found: shown.get(wanted) ?? undefined };
	if (elsewhere.has(wanted)) why ??= 'the answer with the list shows it, but not in the list';
	return why === undefined ? { listed: 'no' } : { listed: 'unknown', why };
}

async function listingSince(
	context: IExecuteFunctions,
	itemIndex: number,
	sinceMs: number,
): Promise<Listing> {
	const { readings } = keptFor(context);
	// Expressions in its fields may make it another one for each item.
	const { query, ...access } = await serviceAccess(context, itemIndex);
	const service = JSON.stringify([query, access]);
	for (;;) {
		const reading = readings.get(service);
		if (reading && reading.beganMs >= sinceMs && Date.now() <= reading.usableUntilMs) {
			return await reading.listing;
		}
		// All items that need a later list than this one share the next one.
		await reading?.listing;
		if (readings.get(service) !== reading) continue;
		readings.set(service, startReading(context, itemIndex));
	}
}

function startReading(context: IExecuteFunctions, itemIndex: number): Reading {
	const beganMs = Date.now();
	const reading: Reading = {
		beganMs,
		usableUntilMs: Infinity,
		listing: readListing(context, itemIndex).then(
			(listing) => {
				const nowMs = Date.now();
				reading.usableUntilMs = Math.max(beganMs + FRESH_MS, nowMs + nowMs - beganMs);
				return listing;
			},
			(error: unknown) => {
				reading.usableUntilMs = beganMs;
				return { shown: new Map(), elsewhere: new Set(), why: messageOf(error) };
			},
		),
	};
	return reading;
}

async function readListing(context: IExecuteFunctions, itemIndex: number): Promise<Listing> {
	const ofItems = await sessionsOf(context);
	const shown = new Map<string, ListedRecording | null>();
	const elsewhere = new Set<string>();
	let why: string | undefined;
	for await (const page of recordingPages(context, { itemIndex })) {
		why ??= page.incomplete?.message;
		for (const guid of page.elsewhere) elsewhere.add(normalized(guid));
		for (const one of page.recordings) {
			if (isBreakDue()) await takeBreak();
			if (one.sessionGuid === null) {
				why ??= errorTexts.recordingsWithoutGuid.message;
				continue;
			}
			const guid = normalized(one.sessionGuid);
			shown.set(guid, ofItems.has(guid) ? one : null);
		}
	}
	return { shown, elsewhere, why };
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** The recordings that the items are about. An item that names none fails for that reason. */
async function sessionsOf(context: IExecuteFunctions): Promise<Set<string>> {
	const sessions = new Set<string>();
	for (let index = 0; index < context.getInputData().length; index++) {
		if (isBreakDue()) await takeBreak();
		try {
			const options = { extractValue: true };
			const recording = context.getNodeParameter('recording', index, '', options);
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
