import { withPauses } from '../data/pauses';
import type { VoiceAgentError } from '../errors';
import type { RecordingsPage } from '../service/recordings';
import { RETENTION_MS } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';
import type { Entry, History } from './history';
import { beforeNow, goneOne, isPausing, type Rules, type Waiting, waitingOne } from './waiting';

/**
 * Decides for which of the listed recordings to start an execution ("hand out"), from the list and
 * the history.
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
	/** The history of the others, and of those in `waiting` until they have been handed out. */
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
	const { due, listedKeys, unfinished, nowMs, withoutGuid, incomplete } = await dueOf(
		list,
		history,
		rules,
	);
	const { gone, missing } = goneOf(history, listedKeys, rules, nowMs);
	// These wait for the next check.
	const beyond = due.slice(rules.mostPerCheck).map(({ key, before }) => [key, before] as const);
	return {
		waiting: [...due, ...gone].slice(0, rules.mostPerCheck),
		history: new Map([...unfinished, ...beyond, ...missing]),
		withoutGuid,
		incomplete,
	};
}

/** What a list says. */
interface ListReading extends Pick<Choice, 'withoutGuid' | 'incomplete'> {
	/** The recordings that are to be handed out, in the order of {@link Choice.waiting}. */
	due: Waiting[];
	/** Keys of all listed recordings. */
	listedKeys: Set<string>;
	/** Entries of listed recordings that a later check needs, whether they are due now or not. */
	unfinished: Map<string, Entry>;
	/** The service's clock with the last page. */
	nowMs: number;
}

/** Reads the list. Of a long one, only those recordings stay in memory that may be handed out. */
async function dueOf(
	list: Iterable<Page> | AsyncIterable<Page>,
	history: History,
	rules: Rules,
): Promise<ListReading> {
	const due: Waiting[] = [];
	const listedKeys = new Set<string>();
	const unfinished = new Map<string, Entry>();
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
			// The next attempt counts on, and without an end of the call, its age counts from here.
			if (one.before.attempt > 0 || one.endMs === null) unfinished.set(key, one.before);
			if (isDue(one, rules, nowMs)) due.push(one);
		}
		due.sort(oldestFirst).splice(rules.mostPerCheck + MAX_REMEMBERED);
	}
	return { due, listedKeys, unfinished, nowMs, withoutGuid, incomplete };
}

function isDue({ before }: Waiting, rules: Rules, nowMs: number): boolean {
	if (isPausing(before, rules, nowMs)) return false;
	if (rules.untilSuccess && before.succeeded) return false;
	return nowMs - before.sinceMs >= rules.minimumAgeMs;
}

/**
 * Those recordings of the history that are no longer listed, because they were purged or deleted.
 *
 * @returns `gone`: those that were purged, and are to be handed out once, to be reported as lost.
 * `missing`: entries that a later check needs
 */
function goneOf(
	history: History,
	listedKeys: ReadonlySet<string>,
	rules: Rules,
	nowMs: number,
): { gone: Waiting[]; missing: Map<string, Entry> } {
	const gone: Waiting[] = [];
	const missing = new Map<string, Entry>();
	for (const [key, stored] of history) {
		if (listedKeys.has(key)) continue;
		const entry = beforeNow(stored, nowMs);
		const isPaused = isPausing(entry, rules, nowMs);
		const { listedAs, ...unlisted } = entry;
		const isLost = !entry.succeeded && nowMs >= entry.sinceMs + RETENTION_MS;
		if (listedAs !== undefined && isLost) {
			missing.set(key, entry);
			if (!isPaused) gone.push(goneOne(listedAs, unlisted, nowMs));
		} else if (isPaused) {
			// If it is missing from just this list, the next attempt must not be a first one again. If
			// it was deleted, it must not be reported as lost later: so it no longer says `listedAs`.
			missing.set(key, unlisted);
		}
	}
	return { gone, missing };
}

/**
 * Sorting is stable: recordings with equal or unknown ends of calls stay in the order of the list.
 */
function oldestFirst(a: Waiting, b: Waiting): number {
	return (a.endMs ?? Number.MAX_SAFE_INTEGER) - (b.endMs ?? Number.MAX_SAFE_INTEGER);
}
