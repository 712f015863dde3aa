import { isJsonObject } from '../data/json';
import { withPauses } from '../data/pauses';
import { RETENTION_MS } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';

/** Decides for which of the listed recordings to start an execution ("hand out"), from the list and the history. */

const HOUR_MS = 60 * 60 * 1000;
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
	last?: Last;
}

export interface Last {
	sessionGuid: string;
	endMs: number;
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
 * Chooses from all listed recordings, and from those that were purged since they were listed. Of a long list, only those
 * are kept that may be handed out.
 *
 * @param purged makes the recording to hand out from how it was last listed. Without it, none is handed out.
 */
export async function chooseWaiting<Recording extends Listed>(
	list: Iterable<Page<Recording>> | AsyncIterable<Page<Recording>>,
	history: History,
	rules: Rules,
	purged?: (last: Last) => Recording,
): Promise<Choice<Recording>> {
	const passedOver = { withoutGuid: 0, tooYoung: 0 };
	const most = rules.mostPerCheck;
	const remembered = new Map<string, Entry>();
	const listedKeys = new Set<string>();
	const due: Array<Waiting<Recording>> = [];
	let nowMs = 0;
	for await (const page of list) {
		nowMs = page.serviceTimeMs;
		for await (const listed of withPauses(page.recordings)) {
			const { sessionGuid } = listed;
			const key = canonicalSessionGuid(sessionGuid ?? '');
			if (sessionGuid === null) passedOver.withoutGuid += 1;
			if (sessionGuid === null || listedKeys.has(key)) continue;
			listedKeys.add(key);
			const endMs = listed.callEndedAt === null ? null : Date.parse(listed.callEndedAt);
			const before = beforeNow(history.get(key) ?? NEVER, nowMs);
			if (endMs !== null) before.last = { sessionGuid, endMs };
			if (before.attempt > 0 || endMs === null) remembered.set(key, before);
			const one = waitingOne({ ...listed, sessionGuid }, { key, endMs, before }, rules, nowMs);
			if (isPausing(before, rules, nowMs) || (rules.untilSuccess && before.succeeded)) continue;
			if (isTooYoung(one, rules, nowMs)) passedOver.tooYoung += 1;
			else due.push(one);
		}
		due.sort(oldestFirst).splice(most + MAX_REMEMBERED);
	}
	for (const { key, before } of due.slice(most)) remembered.set(key, before);
	const gone = goneSince(history, listedKeys, { rules, nowMs, remembered, purged });
	return {
		waiting: [...due.slice(0, most), ...gone].slice(0, most),
		history: remembered,
		passedOver,
	};
}

/**
 * The recordings that the service has purged since they were listed, and before an execution has succeeded. What is
 * missing from just one list stays in the history, so that it does not start again at its first attempt.
 */
function goneSince<Recording extends Listed>(
	history: History,
	listedKeys: ReadonlySet<string>,
	{
		rules,
		nowMs,
		remembered,
		purged,
	}: {
		rules: Rules;
		nowMs: number;
		remembered: Map<string, Entry>;
		purged: ((last: Last) => Recording) | undefined;
	},
): Array<Waiting<Recording>> {
	const gone: Array<Waiting<Recording>> = [];
	for (const [key, entry] of history) {
		if (listedKeys.has(key)) continue;
		const { last, ...before } = beforeNow(entry, nowMs);
		const isOver = last && !before.succeeded && nowMs >= last.endMs + RETENTION_MS;
		const isDue = before.attempt === 0 || !isPausing(before, rules, nowMs);
		if (isOver && purged && isDue) {
			const listed = { ...purged(last), sessionGuid: last.sessionGuid };
			gone.push(waitingOne(listed, { key, endMs: last.endMs, before }, rules, nowMs));
			remembered.set(key, entry);
		} else if (isPausing(before, rules, nowMs)) {
			remembered.set(key, isOver ? entry : before);
		}
	}
	return gone.sort(oldestFirst);
}

function waitingOne<Recording extends Listed>(
	listed: Recording & { sessionGuid: string },
	{ key, endMs, before }: Pick<Waiting<Recording>, 'key' | 'endMs' | 'before'>,
	rules: Rules,
	nowMs: number,
): Waiting<Recording> {
	const ageMs = ageOf({ endMs, before }, nowMs);
	return {
		listed,
		key,
		endMs,
		before,
		handedOut: { ...before, attempt: before.attempt + 1, lastMs: nowMs },
		ageHours: endMs === null ? null : Math.round((ageMs / HOUR_MS) * 10) / 10,
		alarm: ageMs >= rules.alarmAfterMs,
	};
}

/** If the end of the call is unknown, the recording is at least as old as its history. */
function ageOf(
	{ endMs, before }: Pick<Waiting<Listed>, 'endMs' | 'before'>,
	nowMs: number,
): number {
	return nowMs - (endMs ?? before.firstMs);
}

function isTooYoung(one: Waiting<Listed>, { minimumAgeMs }: Rules, nowMs: number): boolean {
	return ageOf(one, nowMs) < minimumAgeMs;
}

/** Whether its last execution began, or was seen for the first time, a short while ago. */
function isPausing({ attempt, lastMs }: Entry, { tryAgainAfterMs }: Rules, nowMs: number): boolean {
	return attempt > 0 && nowMs - lastMs < tryAgainAfterMs;
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
 * An entry as stored: `{ "<session GUID>": [attempt, lastMs, firstMs] }`. A 1 behind it means a success. Then come the end
 * of the call and the session GUID as the service writes it, if they are known.
 */
export function storedEntry({ attempt, lastMs, firstMs, succeeded, last }: Entry): StoredEntry {
	const stored = [attempt, lastMs, firstMs];
	if (last) return [...stored, succeeded ? 1 : 0, last.endMs, last.sessionGuid];
	return succeeded ? [...stored, 1] : stored;
}

/** Reads a stored history. Invalid entries are left out, because workflows can change their static data. */
export function readHistory(stored: unknown): History {
	const history = new Map<string, Entry>();
	if (!isJsonObject(stored)) return history;
	for (const [key, entry] of Object.entries(stored)) {
		if (!Array.isArray(entry)) continue;
		const [attempt, lastMs, firstMs, succeeded, endMs, sessionGuid] = entry as unknown[];
		if (!isCount(attempt) || !isCount(lastMs) || !isCount(firstMs)) continue;
		const read: Entry = { attempt, lastMs, firstMs };
		if (succeeded === 1) read.succeeded = true;
		if (isCount(endMs) && typeof sessionGuid === 'string') read.last = { sessionGuid, endMs };
		history.set(key, read);
	}
	return history;
}

function isCount(value: unknown): value is number {
	return Number.isFinite(value) && (value as number) >= 0;
}
