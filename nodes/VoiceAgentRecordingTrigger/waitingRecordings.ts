import { canonicalSessionGuid } from '../service/sessionGuid';

/** Which of the listed recordings are handed out now, decided from the list and from what was handed out before. */

const HOUR_MS = 60 * 60 * 1000;

export interface Rules {
	/** A recording is left alone for so long after its call, where the end of the call is known. */
	minimumAgeMs: number;
	/** A recording that is still listed so long after it was handed out is handed out again. */
	tryAgainAfterMs: number;
	mostPerCheck: number;
	/** Age from which on `alarm` is set. */
	alarmAfterMs: number;
}

/** What is remembered of a recording that was handed out; times in milliseconds since 1970, by the service's clock. */
export interface HandedOut {
	/** How often it was, this time included. */
	attempt: number;
	lastMs: number;
	firstMs: number;
}

/** By canonical session GUID. */
export type History = ReadonlyMap<string, HandedOut>;

export interface Listed {
	sessionGuid: string | null;
	/** ISO 8601; `null` where the record does not show it. */
	callEndedAt: string | null;
}

export interface Waiting<Recording extends Listed> {
	listed: Recording & { sessionGuid: string };
	/** Key of the recording in the history. */
	key: string;
	/** What is to be remembered once it has been handed out. */
	handedOut: HandedOut;
	/** Hours since the call ended, with one decimal; `null` where that is unknown. */
	ageHours: number | null;
	alarm: boolean;
}

export interface Choice<Recording extends Listed> {
	/** Oldest first; those whose end of call is unknown come last, in the order of the list. */
	waiting: Array<Waiting<Recording>>;
	/** What is to be remembered of the others, and of those in `waiting` as long as they have not been handed out. */
	history: History;
	/** How many of the others were passed over, and why. */
	passedOver: { withoutGuid: number; tooYoung: number; handedOut: number; overLimit: number };
}

/**
 * Chooses from all listed recordings.
 *
 * Attempts are numbered, not cut from the clock: at the border between two stretches of time, two processes would both
 * hand out. With numbers, a process counts an attempt from the moment at which it made it or learned that another one
 * had, which is never earlier. So between two attempts at least `tryAgainAfterMs` pass, however many processes look.
 *
 * @param nowMs the time by the clock of the service
 */
export function chooseWaiting<Recording extends Listed>(
	list: readonly Recording[],
	history: History,
	rules: Rules,
	nowMs: number,
): Choice<Recording> {
	const passedOver = { withoutGuid: 0, tooYoung: 0, handedOut: 0, overLimit: 0 };
	const waiting: Array<Waiting<Recording>> = [];
	const listedKeys = new Set<string>();
	const remembered = new Map<string, HandedOut>();

	for (const listed of oldestFirst(list)) {
		const { sessionGuid } = listed;
		if (sessionGuid === null) {
			passedOver.withoutGuid += 1;
			continue;
		}
		const key = canonicalSessionGuid(sessionGuid);
		if (listedKeys.has(key)) continue;
		listedKeys.add(key);

		const before = beforeNow(history.get(key), nowMs);
		if (before) remembered.set(key, before);
		const ageMs = listed.callEndedAt === null ? null : nowMs - Date.parse(listed.callEndedAt);
		if (before && nowMs - before.lastMs < rules.tryAgainAfterMs) {
			passedOver.handedOut += 1;
		} else if (ageMs !== null && ageMs < rules.minimumAgeMs) {
			passedOver.tooYoung += 1;
		} else if (waiting.length >= rules.mostPerCheck) {
			passedOver.overLimit += 1;
		} else {
			const attempt = (before?.attempt ?? 0) + 1;
			const firstMs = before?.firstMs ?? nowMs;
			waiting.push({
				listed: { ...listed, sessionGuid },
				key,
				handedOut: { attempt, lastMs: nowMs, firstMs },
				ageHours: ageMs === null ? null : Math.round((ageMs / HOUR_MS) * 10) / 10,
				// Where the end of the call is unknown, it is at least as old as our knowledge of it.
				alarm: (ageMs ?? nowMs - firstMs) >= rules.alarmAfterMs,
			});
		}
	}

	// A recording that is missing from one list only must not begin again at its first attempt.
	for (const [key, entry] of history) {
		const before = beforeNow(entry, nowMs);
		if (before && !listedKeys.has(key) && nowMs - before.lastMs < rules.tryAgainAfterMs) {
			remembered.set(key, before);
		}
	}
	return { waiting, history: remembered, passedOver };
}

/** Sorting is stable: equal and unknown ends of calls stay in the order of the list. */
function oldestFirst<Recording extends Listed>(list: readonly Recording[]): Recording[] {
	const end = ({ callEndedAt }: Listed) =>
		callEndedAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(callEndedAt);
	return [...list].sort((a, b) => end(a) - end(b));
}

/** A service that has put its clock back must not keep a recording waiting for longer. */
function beforeNow(entry: HandedOut | undefined, nowMs: number): HandedOut | undefined {
	return entry && { ...entry, lastMs: Math.min(entry.lastMs, nowMs) };
}

/** The history as it is stored: `{ "<session GUID>": [attempt, lastMs, firstMs] }`. */
export function storedHistory(history: History): Record<string, number[]> {
	return Object.fromEntries(
		[...history].map(([key, { attempt, lastMs, firstMs }]): [string, number[]] => [
			key,
			[attempt, lastMs, firstMs],
		]),
	);
}

/** Reads a stored history. Whatever is not one is left out: n8n lets workflows change what it stores. */
export function readHistory(stored: unknown): History {
	const history = new Map<string, HandedOut>();
	if (typeof stored !== 'object' || stored === null) return history;
	for (const [key, entry] of Object.entries(stored)) {
		if (!Array.isArray(entry)) continue;
		const [attempt, lastMs, firstMs] = entry as unknown[];
		if (isCount(attempt) && isCount(lastMs) && isCount(firstMs)) {
			history.set(key, { attempt, lastMs, firstMs });
		}
	}
	return history;
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
