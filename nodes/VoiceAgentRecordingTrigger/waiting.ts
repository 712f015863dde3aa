import type { ListedRecording } from '../service/recordings';
import { callNumbersIn } from '../service/callNumbers';
import { RETENTION_MS, retentionOf } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';
import type { Entry } from './history';

/* To "hand out" a recording: to start an execution for it. */

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
	/** How many executions one check may start. */
	mostPerCheck: number;
}

type WithGuid = ListedRecording & { sessionGuid: string };

/** One recording that may be handed out, and what is known of it. */
export interface Waiting {
	listed: WithGuid;
	/** Key of the recording in the history. */
	key: string;
	/** When the call ended, in milliseconds since 1970; `null` if that is unknown. */
	endMs: number | null;
	/**
	 * The service seems to have purged it before an execution has succeeded. The published workflow
	 * gets it once, to report it as lost; an execution by hand does not get it.
	 */
	isGone: boolean;
	/** Its entry in the history until it has been handed out. */
	before: Entry;
	/** Its entry in the history once it has been handed out. */
	handedOut: Entry;
}

/** @param stored its entry in the history; `undefined` if it was never seen */
export function waitingOne(listed: WithGuid, stored: Entry | undefined, nowMs: number): Waiting {
	const { sessionGuid, endedAt } = listed;
	const endMs = endedAt === null ? null : Date.parse(endedAt);
	const neverSeen: Entry = { attempt: 0, lastMs: nowMs, sinceMs: nowMs };
	const entry = stored ? withoutFutureTimes(stored, nowMs) : neverSeen;
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
 * @param unlisted its entry without `listedAs`, and without times in the future
 */
export function goneOne(sessionGuid: string, unlisted: Entry, nowMs: number): Waiting {
	const endMs = unlisted.sinceMs;
	const endedAt = new Date(endMs).toISOString();
	// As of the moment when it was purged, so that `hoursLeft` is 0.
	const retention = retentionOf(endMs, endMs + RETENTION_MS);
	const numbers = callNumbersIn({});
	const recordingKey = canonicalSessionGuid(sessionGuid);
	const call = { sessionGuid, recordingKey, ...numbers };
	const listed = { ...call, endedAt, ...retention, recording: {} };
	const handedOut = handedOutNow(unlisted, nowMs);
	return {
		listed,
		key: recordingKey,
		endMs,
		isGone: true,
		before: { ...unlisted, listedAs: sessionGuid },
		handedOut,
	};
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

/** An entry whose recording does not wait longer because the service has set its clock back. */
export function withoutFutureTimes(entry: Entry, nowMs: number): Entry {
	const { lastMs, sinceMs } = entry;
	return { ...entry, lastMs: Math.min(lastMs, nowMs), sinceMs: Math.min(sinceMs, nowMs) };
}

/**
 * Name of the attempt, from which its de-duplication key is made. Processes that make the same
 * attempt give it the same name, so that n8n lets only one of them start it.
 *
 * The first attempt has a fixed name. A later one is named after the time of the attempt before it,
 * which is in the history. That time is rounded, because each process may have a history of its
 * own, and in them, the times of an attempt differ by seconds.
 *
 * For that, the time after the call is divided into slots as long as the pause between attempts.
 * With pauses of 6 hours and a call that ended at 10:00, a slot from 7:00 to 13:00 is named after
 * 10:00, the next one, from 13:00 to 19:00, after 16:00, and so on:
 *
 * | Attempt | Made at | Attempt before it | Named after |
 * |---|---|---|---|
 * | 1 | 11:00 | none | `1` |
 * | 2 | 17:00 | 11:00 | 10:00 |
 * | 3 | 23:00 | 17:00 | 16:00 |
 *
 * An attempt is not named after its number. If the history is lost, numbers begin at 1 again, and
 * n8n refuses them until they are higher than before. The slot survives that: the first attempt
 * with the new history is refused, and counts as made. The next one is named after the slot of the
 * refusal, whose name is still free.
 */
export function attemptName(one: Waiting, { tryAgainAfterMs }: Rules): string {
	const { key, before, endMs } = one;
	if (before.attempt === 0) return `${key}:1`;
	// Without an end of the call, slots count from 1970.
	const startMs = endMs ?? 0;
	// Rounded to the nearest slot, not down. So one slot becomes the next half a pause away from the
	// call, and most attempts are made soon after it, or whole pauses later: processes whose attempts
	// differ by seconds agree on the slot.
	const slot = Math.round((before.lastMs - startMs) / tryAgainAfterMs);
	// The name has the time, because the number of a slot means another time if the user changes the
	// pause. That may be a fraction of a millisecond: the user enters it as a fraction of an hour.
	const slotMs = Math.round(startMs + slot * tryAgainAfterMs);
	return `${key}:${slotMs}`;
}
