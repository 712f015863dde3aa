import { withPauses } from '../data/pauses';
import type { VoiceAgentError } from '../errors';
import type { ListedRecording, RecordingsPage } from '../service/recordings';
import { RETENTION_MS, retentionOf } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';
import type { Entry, History } from './history';

/** Decides for which of the listed recordings to start an execution ("hand out"), from the list and the history. */

/** How many recordings beyond Max per Check are remembered: n8n stores the history with each execution that starts. */
const MAX_REMEMBERED = 1000;

export interface Rules {
	/** A recording is left alone for this long after its call; after it was first seen, if the end of the call is unknown. */
	minimumAgeMs: number;
	/** A recording that is still listed this long after it was handed out is handed out again. */
	tryAgainAfterMs: number;
	/** A recording is not handed out again after an execution for it has succeeded. */
	untilSuccess: boolean;
	mostPerCheck: number;
}

type WithGuid = ListedRecording & { sessionGuid: string };

export interface Waiting {
	listed: WithGuid;
	/** Key of the recording in the history. */
	key: string;
	/** When the call ended, in milliseconds since 1970; `null` if that is unknown. */
	endMs: number | null;
	/** The service seems to have purged it before an execution has succeeded: it can only be reported as lost. */
	isGone: boolean;
	/** Its entry in the history until it has been handed out. */
	before: Entry;
	/** Its entry in the history once it has been handed out. */
	handedOut: Entry;
}

export interface Choice {
	/** Oldest first. Then those whose end of call is unknown, in the order of the list. Last those that are gone. */
	waiting: Waiting[];
	/** The history of the others, and of those in `waiting` until they have been handed out. */
	history: History;
	/** How many were passed over because they show no session GUID. */
	withoutGuid: number;
	/** Why the list is not complete, or may not be. */
	incomplete: VoiceAgentError | undefined;
}

/** A part of the list. */
export type Page = Pick<RecordingsPage, 'recordings' | 'serviceTimeMs' | 'incomplete'>;

/** Of a recording that has not been seen. */
const NEVER: Entry = { attempt: 0, lastMs: Infinity, sinceMs: Infinity };

/**
 * Chooses from all listed recordings, and from those that were purged since they were listed. Of a long list, only those
 * are kept that may be handed out.
 */
export async function chooseWaiting(
	list: Iterable<Page> | AsyncIterable<Page>,
	history: History,
	rules: Rules,
): Promise<Choice> {
	let withoutGuid = 0;
	const remembered = new Map<string, Entry>();
	const listedKeys = new Set<string>();
	const due: Waiting[] = [];
	let nowMs = 0;
	let incomplete: VoiceAgentError | undefined;
	for await (const page of list) {
		nowMs = page.serviceTimeMs;
		({ incomplete } = page);
		for await (const listed of withPauses(page.recordings)) {
			const { sessionGuid } = listed;
			if (sessionGuid === null) {
				withoutGuid += 1;
				continue;
			}
			const key = canonicalSessionGuid(sessionGuid);
			if (listedKeys.has(key)) continue;
			listedKeys.add(key);
			const one = waitingOne({ ...listed, sessionGuid }, history.get(key) ?? NEVER, nowMs);
			const { before } = one;
			if (before.attempt > 0 || one.endMs === null) remembered.set(key, before);
			if (isPausing(before, rules, nowMs) || (rules.untilSuccess && before.succeeded)) continue;
			if (nowMs - before.sinceMs >= rules.minimumAgeMs) due.push(one);
		}
		due.sort(oldestFirst).splice(rules.mostPerCheck + MAX_REMEMBERED);
	}
	for (const { key, before } of due.slice(rules.mostPerCheck)) remembered.set(key, before);
	for (const [key, stored] of history) {
		if (listedKeys.has(key)) continue;
		const entry = beforeNow(stored, nowMs);
		const { listedAs, ...before } = entry;
		const isPaused = isPausing(entry, rules, nowMs);
		const isPurged =
			listedAs !== undefined && !entry.succeeded && nowMs >= entry.sinceMs + RETENTION_MS;
		if (isPurged && !isPaused) due.push(goneOne(listedAs, before, nowMs));
		// What is missing from just one list must not start again at its first attempt.
		if (isPurged || isPaused) remembered.set(key, isPurged ? entry : before);
	}
	const waiting = due.slice(0, rules.mostPerCheck);
	return { waiting, history: remembered, withoutGuid, incomplete };
}

function waitingOne(listed: WithGuid, entry: Entry, nowMs: number): Waiting {
	const { sessionGuid, callEndedAt } = listed;
	const endMs = callEndedAt === null ? null : Date.parse(callEndedAt);
	const before = beforeNow(entry, nowMs);
	if (endMs !== null) Object.assign(before, { sinceMs: endMs, listedAs: sessionGuid });
	return {
		listed,
		key: canonicalSessionGuid(sessionGuid),
		endMs,
		isGone: false,
		before,
		handedOut: { ...before, attempt: before.attempt + 1, lastMs: nowMs },
	};
}

/** A recording that is gone. It is handed out once: after that, its entry does not say any more that it was listed. */
function goneOne(sessionGuid: string, before: Entry, nowMs: number): Waiting {
	const endMs = before.sinceMs;
	const callEndedAt = new Date(endMs).toISOString();
	const retention = retentionOf(endMs, endMs + RETENTION_MS);
	const one = waitingOne({ sessionGuid, callEndedAt, ...retention, recording: {} }, before, nowMs);
	delete one.handedOut.listedAs;
	return { ...one, isGone: true };
}

/** Whether its last execution began a short while ago. */
function isPausing({ attempt, lastMs }: Entry, { tryAgainAfterMs }: Rules, nowMs: number): boolean {
	return attempt > 0 && nowMs - lastMs < tryAgainAfterMs;
}

/** A recording must not wait longer because the service has set its clock back. */
function beforeNow(entry: Entry, nowMs: number): Entry {
	const { lastMs, sinceMs } = entry;
	return { ...entry, lastMs: Math.min(lastMs, nowMs), sinceMs: Math.min(sinceMs, nowMs) };
}

/** Sorting is stable: recordings with equal or unknown ends of calls stay in the order of the list. */
function oldestFirst(a: Waiting, b: Waiting): number {
	return (a.endMs ?? Number.MAX_SAFE_INTEGER) - (b.endMs ?? Number.MAX_SAFE_INTEGER);
}

/**
 * Name of the attempt: processes that make the same one give it the same name, so that n8n lets only one of them start it.
 * The name of a later attempt shows in which pause after the call the last one was made, or refused to this process. A
 * number would begin at 1 again after the history was lost, and find the numbers of days taken.
 */
export function attemptName(one: Waiting, { tryAgainAfterMs }: Rules): string {
	const { key, before, endMs } = one;
	if (before.attempt === 0) return `${key}:1`;
	// Counted from the call, because most attempts are made soon after it: far from where one pause becomes the next.
	const startMs = endMs ?? 0;
	const pauses = Math.round((before.lastMs - startMs) / tryAgainAfterMs);
	return `${key}:${Math.round(startMs + pauses * tryAgainAfterMs)}`;
}
