import type { ListedRecording } from '../service/recordings';
import { RETENTION_MS, retentionOf } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';
import type { Entry } from './history';

/** One recording that may be handed out: what is known of it, and the names of its attempts. */

export interface Rules {
	/**
	 * A recording is left alone for this long after its call. If the end of the call is unknown, this
	 * counts from when it was first seen.
	 */
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
	/**
	 * The service seems to have purged it before an execution has succeeded: it can only be reported
	 * as lost.
	 */
	isGone: boolean;
	/** Its entry in the history until it has been handed out. */
	before: Entry;
	/** Its entry in the history once it has been handed out. */
	handedOut: Entry;
}

/** @param stored its entry in the history; `undefined` if it was never seen */
export function waitingOne(listed: WithGuid, stored: Entry | undefined, nowMs: number): Waiting {
	const { sessionGuid, callEndedAt } = listed;
	const endMs = callEndedAt === null ? null : Date.parse(callEndedAt);
	const entry = stored ? beforeNow(stored, nowMs) : { attempt: 0, lastMs: nowMs, sinceMs: nowMs };
	const before = endMs === null ? entry : { ...entry, sinceMs: endMs, listedAs: sessionGuid };
	return {
		listed,
		key: canonicalSessionGuid(sessionGuid),
		endMs,
		isGone: false,
		before,
		handedOut: handedOutNow(before, nowMs),
	};
}

/**
 * A recording that is gone. It is handed out once: after that, its entry no longer says that it was
 * listed.
 *
 * @param unlisted its entry without `listedAs`
 */
export function goneOne(sessionGuid: string, unlisted: Entry, nowMs: number): Waiting {
	const endMs = unlisted.sinceMs;
	const callEndedAt = new Date(endMs).toISOString();
	const retention = retentionOf(endMs, endMs + RETENTION_MS);
	const listed = { sessionGuid, callEndedAt, ...retention, recording: {} };
	const handedOut = handedOutNow(unlisted, nowMs);
	return { ...waitingOne(listed, unlisted, nowMs), isGone: true, handedOut };
}

function handedOutNow(entry: Entry, nowMs: number): Entry {
	return { ...entry, attempt: entry.attempt + 1, lastMs: nowMs };
}

/** Whether its last execution began a short while ago. */
export function isPausing(
	{ attempt, lastMs }: Entry,
	{ tryAgainAfterMs }: Rules,
	nowMs: number,
): boolean {
	return attempt > 0 && nowMs - lastMs < tryAgainAfterMs;
}

/** A recording must not wait longer because the service has set its clock back. */
export function beforeNow(entry: Entry, nowMs: number): Entry {
	const { lastMs, sinceMs } = entry;
	return { ...entry, lastMs: Math.min(lastMs, nowMs), sinceMs: Math.min(sinceMs, nowMs) };
}

/**
 * Name of the attempt. Processes that make the same attempt give it the same name, so that n8n lets
 * only one of them start it.
 *
 * The first attempt has a fixed name. The name of a later one shows in which pause after the call
 * the last one was made, or refused to this process. A number would do for several processes, but
 * not after the history was lost: it would begin at 1 again, and find the numbers of days taken. A
 * pause that has not passed yet has no name that is taken.
 */
export function attemptName(one: Waiting, { tryAgainAfterMs }: Rules): string {
	const { key, before, endMs } = one;
	if (before.attempt === 0) return `${key}:1`;
	// Counted from the call, because most attempts are made soon after it. That is far from where one
	// pause becomes the next.
	const startMs = endMs ?? 0;
	const pauses = Math.round((before.lastMs - startMs) / tryAgainAfterMs);
	return `${key}:${Math.round(startMs + pauses * tryAgainAfterMs)}`;
}
