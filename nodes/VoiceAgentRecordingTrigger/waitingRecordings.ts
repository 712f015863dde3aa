import { withPauses } from '../data/pauses';
import type { VoiceAgentError } from '../errors';
import type { RecordingsPage } from '../service/recordings';
import { RETENTION_MS } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';
import type { Entry, History } from './history';
import {
	goneOne,
	isPausing,
	type Rules,
	type Waiting,
	waitingOne,
	withoutFutureTimes,
} from './waiting';

/*
 * This file decides which recordings to hand out: for which of them to start an execution. It
 * decides from the list of the service and from the history.
 */

/**
 * How many recordings beyond Max per Check are remembered. n8n stores the history with each
 * execution that starts.
 */
const MAX_REMEMBERED = 1000;

export interface Choice {
	/**
	 * Oldest first. Then those whose end of call is unknown, in the order of the list. Last those
	 * that are gone.
	 */
	waiting: Waiting[];
	/**
	 * The entries to store now: of recordings that were handed out before, of those whose call has no
	 * known end, of those that Max per Check makes wait, and of some that are no longer listed. The
	 * entry of a recording that is handed out for the first time is stored when its execution starts.
	 */
	history: History;
	/** How many were passed over because they show no session GUID. */
	withoutGuid: number;
	/** Why the list is not complete, or may not be. */
	incomplete: VoiceAgentError | undefined;
}

/** A part of the list. */
export type Page = Pick<RecordingsPage, 'recordings' | 'serviceTimeMs' | 'incomplete'>;

/** Chooses from all listed recordings, and from those that were purged since they were listed. */
export async function chooseWaiting(
	list: Iterable<Page> | AsyncIterable<Page>,
	history: History,
	rules: Rules,
): Promise<Choice> {
	const reading = await readList(list, history, rules);
	const { gone, keptMissing } = goneOf(history, reading, rules);
	// These wait for the next check. If they are purged before it, they can be reported as lost.
	const keptBeyond = reading.due
		.slice(rules.mostPerCheck)
		.map(({ key, before }) => [key, before] as const);
	return {
		waiting: [...reading.due, ...gone].slice(0, rules.mostPerCheck),
		history: new Map([...reading.kept, ...keptBeyond, ...keptMissing]),
		withoutGuid: reading.withoutGuid,
		incomplete: reading.incomplete,
	};
}

/** What a list says. */
interface ListReading extends Pick<Choice, 'withoutGuid' | 'incomplete'> {
	/** The recordings that are to be handed out, in the order of {@link Choice.waiting}. */
	due: Waiting[];
	/** Keys of all listed recordings. */
	listedKeys: ReadonlySet<string>;
	/** Entries of listed recordings that a later check needs, whether they are due now or not. */
	kept: ReadonlyMap<string, Entry>;
	/** The service's clock with the last page. */
	nowMs: number;
}

/** Reads the list. Of a long one, only those recordings stay in memory that may be handed out. */
async function readList(
	list: Iterable<Page> | AsyncIterable<Page>,
	history: History,
	rules: Rules,
): Promise<ListReading> {
	const due: Waiting[] = [];
	const listedKeys = new Set<string>();
	const kept = new Map<string, Entry>();
	let withoutGuid = 0;
	let nowMs = 0;
	let incomplete: VoiceAgentError | undefined;
	for await (const page of list) {
		nowMs = page.serviceTimeMs;
		incomplete = page.incomplete;
		for await (const listed of withPauses(page.recordings)) {
			const { sessionGuid } = listed;
			if (sessionGuid === null) {
				withoutGuid += 1;
				continue;
			}
			const key = canonicalSessionGuid(sessionGuid);
			if (listedKeys.has(key)) continue;
			listedKeys.add(key);
			const one = waitingOne({ ...listed, sessionGuid }, history.get(key), nowMs);
			if (isKept(one)) kept.set(key, one.before);
			if (isDue(one, rules, nowMs)) due.push(one);
		}
		due.sort(oldestFirst);
		// The next check lists the rest again.
		due.splice(rules.mostPerCheck + MAX_REMEMBERED);
	}
	return { due, listedKeys, kept, nowMs, withoutGuid, incomplete };
}

/** Whether a later check needs the entry of a listed recording. */
function isKept({ before, endMs }: Waiting): boolean {
	// The pause, the success, and the name and number of the next attempt follow from it.
	if (before.attempt > 0) return true;
	// Without an end of the call, the age of the recording counts from when it was first seen.
	return endMs === null;
}

function isDue({ before }: Waiting, rules: Rules, nowMs: number): boolean {
	if (isPausing(before, rules, nowMs)) return false;
	if (rules.untilSuccess && before.succeeded) return false;
	return nowMs - before.sinceMs >= rules.minimumAgeMs;
}

/** The recordings of the history that are no longer listed. */
interface Gone {
	/** Those that were purged, and are to be handed out once, to be reported as lost. */
	gone: Waiting[];
	/** Entries that a later check needs. */
	keptMissing: Map<string, Entry>;
}

/**
 * Looks for recordings of the history that are no longer listed. An incomplete list does not report
 * a recording as lost by mistake: one that is past its retention is purged, listed or not.
 */
function goneOf(history: History, { listedKeys, nowMs }: ListReading, rules: Rules): Gone {
	const gone: Waiting[] = [];
	const keptMissing = new Map<string, Entry>();
	for (const [key, stored] of history) {
		if (listedKeys.has(key)) continue;
		const entry = withoutFutureTimes(stored, nowMs);
		const { listedAs, ...unlisted } = entry;
		const isPurged = listedAs !== undefined && nowMs >= entry.sinceMs + RETENTION_MS;
		const isPaused = isPausing(entry, rules, nowMs);

		// It was purged before an execution succeeded, so it is lost. Its entry is needed until it is
		// handed out: Max per Check may make it wait.
		if (isPurged && !entry.succeeded) {
			keptMissing.set(key, entry);
			// While it is paused, its latest execution may not be done yet, and may still succeed.
			if (!isPaused) gone.push(goneOne(listedAs, unlisted, nowMs));
			continue;
		}

		// It was handed out a short while ago, and is deleted, or missing from just this list. If the
		// list has it again, the next attempt must not be a first one. If it was deleted, it must not
		// be reported as lost later, so its entry no longer says `listedAs`.
		if (isPaused) keptMissing.set(key, unlisted);

		// Any other one is forgotten: it was deleted, purged after a success, or reported as lost. If
		// an incomplete list only leaves it out, it begins anew once it is listed again, and n8n
		// refuses the key of a first attempt (see attemptName).
	}
	return { gone, keptMissing };
}

/**
 * Sorting is stable: recordings with equal or unknown ends of calls stay in the order of the list.
 */
function oldestFirst(a: Waiting, b: Waiting): number {
	return (a.endMs ?? Number.MAX_SAFE_INTEGER) - (b.endMs ?? Number.MAX_SAFE_INTEGER);
}
