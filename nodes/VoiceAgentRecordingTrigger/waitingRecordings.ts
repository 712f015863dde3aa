import { canonicalSessionGuid } from '../service/sessionGuid';

/** Decides for which of the listed recordings to start an execution ("hand out"), from the list and the history. */

const HOUR_MS = 60 * 60 * 1000;

export interface Rules {
	/** A recording is left alone for this long after its call, if the end of the call is known. */
	minimumAgeMs: number;
	/** A recording that is still listed this long after it was handed out is handed out again. */
	tryAgainAfterMs: number;
	mostPerCheck: number;
	/** From this age on, `alarm` is set. */
	alarmAfterMs: number;
}

/** What the history has about a recording; times in milliseconds since 1970, by the service's clock. */
export interface HandedOut {
	/** How often it was handed out, this time included. */
	attempt: number;
	lastMs: number;
	firstMs: number;
}

/** By canonical session GUID. */
export type History = ReadonlyMap<string, HandedOut>;

export interface Listed {
	sessionGuid: string | null;
	/** ISO 8601; `null` if the record does not show it. */
	callEndedAt: string | null;
}

export interface Waiting<Recording extends Listed> {
	listed: Recording & { sessionGuid: string };
	/** Key of the recording in the history. */
	key: string;
	/** Its entry in the history once it has been handed out. */
	handedOut: HandedOut;
	/** Hours since the call ended, with one decimal; `null` if that is unknown. */
	ageHours: number | null;
	alarm: boolean;
}

export interface Choice<Recording extends Listed> {
	/** Oldest first. Those whose end of call is unknown come last, in the order of the list. */
	waiting: Array<Waiting<Recording>>;
	/** The history of the others, and of those in `waiting` until they have been handed out. */
	history: History;
	/** How many of the others were passed over, and why. */
	passedOver: { withoutGuid: number; tooYoung: number; handedOut: number; overLimit: number };
}

/**
 * Chooses from all listed recordings.
 *
 * Attempts have numbers and not periods of time: at the border of two periods, two processes would both hand out. With
 * numbers, a process counts an attempt from the moment when it made it or learned that another process had, which is
 * never earlier. So at least `tryAgainAfterMs` pass between two attempts, however many processes check.
 *
 * @param nowMs the time by the service's clock
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
				// If the end of the call is unknown, the recording is at least as old as its history.
				alarm: (ageMs ?? nowMs - firstMs) >= rules.alarmAfterMs,
			});
		}
	}

	// A recording that is missing from just one list must not start again at its first attempt.
	for (const [key, entry] of history) {
		const before = beforeNow(entry, nowMs);
		if (before && !listedKeys.has(key) && nowMs - before.lastMs < rules.tryAgainAfterMs) {
			remembered.set(key, before);
		}
	}
	return { waiting, history: remembered, passedOver };
}

/** Sorting is stable: recordings with equal or unknown ends of calls stay in the order of the list. */
function oldestFirst<Recording extends Listed>(list: readonly Recording[]): Recording[] {
	const end = ({ callEndedAt }: Listed) =>
		callEndedAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(callEndedAt);
	return [...list].sort((a, b) => end(a) - end(b));
}

/** A recording must not wait longer because the service has set its clock back. */
function beforeNow(entry: HandedOut | undefined, nowMs: number): HandedOut | undefined {
	return entry && { ...entry, lastMs: Math.min(entry.lastMs, nowMs) };
}

/** The history as stored: `{ "<session GUID>": [attempt, lastMs, firstMs] }`. */
export function storedHistory(history: History): Record<string, number[]> {
	return Object.fromEntries(
		[...history].map(([key, { attempt, lastMs, firstMs }]): [string, number[]] => [
			key,
			[attempt, lastMs, firstMs],
		]),
	);
}

/** Reads a stored history. Invalid entries are left out, because workflows can change their static data. */
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
