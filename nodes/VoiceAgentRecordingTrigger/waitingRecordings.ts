import { First, isBreakDue, sortWithBreaks, takeBreak } from '../data/breaks';
import { isJsonObject } from '../data/payload';
import { RETENTION_MS } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';

/** Decides for which of the listed recordings to start an execution ("hand out"), from the list and the history. */

const HOUR_MS = 60 * 60 * 1000;
/** How many recordings beyond Max per Check are remembered: n8n stores the history with each execution that starts. */
const MAX_REMEMBERED = 1000;

export interface Rules {
	/** A recording is left alone for this long after its call. */
	minimumAgeMs: number;
	/** If the end of the call is unknown, it is left alone for this long after it was first seen. */
	minimumAgeWithoutEndMs: number;
	/** A recording that is still listed this long after it was handed out is handed out again. */
	tryAgainAfterMs: number;
	/** A recording is not handed out again after an execution for it has succeeded. */
	untilSuccess: boolean;
	mostPerCheck: number;
	/** From this age on, `alarm` is set. */
	alarmAfterMs: number;
}

/** What the history has about a recording; times in milliseconds since 1970, by the service's clock. */
export interface Entry {
	/** How often it was handed out; 0 if its call may still be going on. */
	attempt: number;
	/** When it was last handed out; if never, when it was first seen. */
	lastMs: number;
	/** When it was first seen. */
	firstMs: number;
	/** Whether an execution for it has succeeded. */
	succeeded?: true;
	/** As it was last listed. Nothing if the end of its call is unknown. */
	last?: { sessionGuid: string; endMs: number };
}

/** By canonical session GUID. */
export type History = ReadonlyMap<string, Entry>;

export interface Listed {
	sessionGuid: string | null;
	/** ISO 8601; `null` if the record does not show it. */
	callEndedAt: string | null;
}

export interface Waiting<Recording extends Listed> {
	listed: Recording & { sessionGuid: string };
	/** Key of the recording in the history. */
	key: string;
	/** When the call ended, in milliseconds since 1970; `null` if that is unknown. */
	endMs: number | null;
	/** Its entry in the history until it has been handed out. */
	before: Entry;
	/** Its entry in the history once it has been handed out. */
	handedOut: Entry;
	/** Hours since the call ended, with one decimal; `null` if that is unknown. */
	ageHours: number | null;
	alarm: boolean;
}

export interface Choice<Recording extends Listed> {
	/**
	 * Oldest first. Then those whose end of call is unknown, in the order of the list. Last those that the service
	 * seems to have purged before an execution has succeeded: they can only be reported as lost.
	 */
	waiting: Array<Waiting<Recording>>;
	/** The history of the others, and of those in `waiting` until they have been handed out. */
	history: History;
	/** How many of the others were passed over for these reasons. */
	passedOver: { withoutGuid: number; tooYoung: number };
}

/** A part of the list. */
export interface Page<Recording extends Listed> {
	recordings: readonly Recording[];
	/** When the service answered with it by its own clock, in milliseconds since 1970. */
	serviceTimeMs: number;
}

/** Of a recording that has not been seen. */
const NEVER: Entry = { attempt: 0, lastMs: Infinity, firstMs: Infinity };

/**
 * Chooses from all listed recordings, and from those that were purged since they were listed. Of each page, only those are
 * kept that may be handed out.
 *
 * @param purged makes the recording to hand out from how it was last listed. Without it, none is handed out.
 */
export async function chooseWaiting<Recording extends Listed>(
	list: Iterable<Page<Recording>> | AsyncIterable<Page<Recording>>,
	history: History,
	rules: Rules,
	purged?: (last: { sessionGuid: string; endMs: number }) => Recording,
): Promise<Choice<Recording>> {
	const passedOver = { withoutGuid: 0, tooYoung: 0 };
	const most = rules.mostPerCheck;
	const first = new First<Waiting<Recording>>(most + MAX_REMEMBERED, oldestFirst);
	const listedKeys = new Set<string>();
	const remembered = new Map<string, Entry>();
	let nowMs = 0;

	for await (const page of list) {
		nowMs = page.serviceTimeMs;
		const due: Array<Waiting<Recording>> = [];
		for (const listed of page.recordings) {
			if (isBreakDue()) await takeBreak();
			const { sessionGuid } = listed;
			if (sessionGuid === null) {
				passedOver.withoutGuid += 1;
				continue;
			}
			const key = canonicalSessionGuid(sessionGuid);
			if (listedKeys.has(key)) continue;
			listedKeys.add(key);

			const endMs = listed.callEndedAt === null ? null : Date.parse(listed.callEndedAt);
			const before: Entry = {
				...beforeNow(history.get(key) ?? NEVER, nowMs),
				...(endMs !== null && { last: { sessionGuid, endMs } }),
			};
			if (before.attempt > 0 || endMs === null) remembered.set(key, before);
			// If the end of the call is unknown, the recording is at least as old as its history.
			const ageMs = nowMs - (endMs ?? before.firstMs);
			const isPausing = before.attempt > 0 && nowMs - before.lastMs < rules.tryAgainAfterMs;
			if (isPausing || (rules.untilSuccess && before.succeeded)) continue;
			if (ageMs < (endMs === null ? rules.minimumAgeWithoutEndMs : rules.minimumAgeMs)) {
				passedOver.tooYoung += 1;
			} else {
				due.push(waitingOne({ ...listed, sessionGuid }, key, before, { endMs, ageMs }));
			}
		}
		await first.add(due);
	}

	const gone: Array<Waiting<Recording>> = [];
	for (const [key, entry] of history) {
		if (isBreakDue()) await takeBreak();
		if (listedKeys.has(key)) continue;
		const { last, ...before } = beforeNow(entry, nowMs);
		const isPausing = nowMs - before.lastMs < rules.tryAgainAfterMs;
		const isPurged = last && !before.succeeded && nowMs >= last.endMs + RETENTION_MS;
		if (isPurged && purged && (before.attempt === 0 || !isPausing)) {
			const { sessionGuid, endMs } = last;
			const listed = { ...purged(last), sessionGuid };
			gone.push(waitingOne(listed, key, before, { endMs, ageMs: nowMs - endMs }));
			remembered.set(key, entry);
		} else if (isPausing) {
			// If it is missing from just one list, it must not start again at its first attempt.
			remembered.set(key, isPurged ? entry : before);
		}
	}
	const sorted = await first.sorted();
	for (const { key, before } of sorted.slice(most)) remembered.set(key, before);
	const handedOut = [...sorted.slice(0, most), ...(await sortWithBreaks(gone, oldestFirst))];
	const waiting = handedOut.slice(0, most);
	return { waiting, history: remembered, passedOver };

	function waitingOne(
		listed: Recording & { sessionGuid: string },
		key: string,
		before: Entry,
		{ endMs, ageMs }: { endMs: number | null; ageMs: number },
	): Waiting<Recording> {
		return {
			...{ listed, key, endMs, before },
			handedOut: { ...before, attempt: before.attempt + 1, lastMs: nowMs },
			ageHours: endMs === null ? null : Math.round((ageMs / HOUR_MS) * 10) / 10,
			alarm: ageMs >= rules.alarmAfterMs,
		};
	}
}

/**
 * Name of the attempt: processes that make the same one give it the same name, so that n8n lets only one of them start it.
 *
 * The first attempt has a fixed name. The name of a later one shows in which pause after the call the last one was made,
 * or refused to this process. A number would do for several processes, but not after the history was lost: it would
 * begin at 1 again and find the numbers of days taken. A pause that has not passed yet has no name that is taken.
 */
export function attemptName(
	{ key, before, endMs }: Waiting<Listed>,
	{ tryAgainAfterMs }: Rules,
): string {
	if (before.attempt === 0) return `${key}:1`;
	// Counted from the call, because most attempts are made soon after it: far from where one pause becomes the next.
	const startMs = endMs ?? 0;
	const pauses = Math.round((before.lastMs - startMs) / tryAgainAfterMs);
	return `${key}:${Math.round(startMs + pauses * tryAgainAfterMs)}`;
}

/** Sorting is stable: recordings with equal or unknown ends of calls stay in the order of the list. */
function oldestFirst(a: Waiting<Listed>, b: Waiting<Listed>): number {
	return (a.endMs ?? Number.MAX_SAFE_INTEGER) - (b.endMs ?? Number.MAX_SAFE_INTEGER);
}

/** A recording must not wait longer because the service has set its clock back. */
function beforeNow(entry: Entry, nowMs: number): Entry {
	const { lastMs, firstMs } = entry;
	return { ...entry, lastMs: Math.min(lastMs, nowMs), firstMs: Math.min(firstMs, nowMs) };
}

type StoredEntry = Array<number | string>;

/**
 * The history as stored: `{ "<session GUID>": [attempt, lastMs, firstMs] }`. A 1 behind it means a success. Then come the
 * end of the call and the session GUID as the service writes it, if they are known.
 */
export async function storedHistory(history: History): Promise<Record<string, StoredEntry>> {
	const stored: Record<string, StoredEntry> = {};
	for (const [key, entry] of history) {
		if (isBreakDue()) await takeBreak();
		stored[key] = storedEntry(entry);
	}
	return stored;
}

export function storedEntry({ attempt, lastMs, firstMs, succeeded, last }: Entry): StoredEntry {
	const stored = [attempt, lastMs, firstMs];
	if (last) return [...stored, succeeded ? 1 : 0, last.endMs, last.sessionGuid];
	return succeeded ? [...stored, 1] : stored;
}

/** Reads a stored history. Invalid entries are left out, because workflows can change their static data. */
export async function readHistory(stored: unknown): Promise<History> {
	const history = new Map<string, Entry>();
	if (!isJsonObject(stored)) return history;
	for (const key of Object.keys(stored)) {
		if (isBreakDue()) await takeBreak();
		const entry = stored[key];
		if (!Array.isArray(entry)) continue;
		const [attempt, lastMs, firstMs, succeeded, endMs, sessionGuid] = entry as unknown[];
		if (isCount(attempt) && isCount(lastMs) && isCount(firstMs)) {
			history.set(key, {
				...{ attempt, lastMs, firstMs },
				...(succeeded === 1 && { succeeded: true }),
				...(isCount(endMs) && typeof sessionGuid === 'string' && { last: { sessionGuid, endMs } }),
			});
		}
	}
	return history;
}

function isCount(value: unknown): value is number {
	return Number.isFinite(value) && (value as number) >= 0;
}
