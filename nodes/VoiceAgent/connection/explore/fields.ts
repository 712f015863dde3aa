import type { JsonObject } from '../../../data/json';
import { EARLIEST_MS, parseTime } from '../../../data/times';
import { plainNumber } from '../../../data/phoneNumbers';
import { callNumbersIn } from '../../../service/callNumbers';
import { findCallEnd } from '../../../service/retention';
import { canonicalSessionGuid, findSessionGuid } from '../../../service/sessionGuid';
import { namesInWords } from './profile/fieldNames';
import type { ListFacts } from './recordings';
import { type Candidate, leavesOf, timesOf } from './records';
import type { Finding } from './settings';

/** So many records are looked at. */
const SAMPLE = 50;
/** Start, duration and end may each be rounded to a second. */
const ROUNDING_MS = 2_000;
const FORMATS = /^(?:audio\/)?(?:opus|ogg|mp3|mpeg|wav|x-wav|webm)$/i;

/** What a field of a record is about. */
export type Role =
	| 'sessionGuid'
	| 'to'
	| 'from'
	| 'start'
	| 'end'
	| 'duration'
	| 'size'
	| 'format'
	| 'encrypted';

/** What the fields of a record say about the call. */
export function exploreFields(facts: ListFacts): Finding[] {
	const records = facts.list.records.slice(0, SAMPLE);
	if (records.length === 0) return [];
	return [callEndFinding(facts, records), ...numberFindings(facts, records), orderFinding(facts)];
}

function callEndFinding({ answer: list, named }: ListFacts, records: JsonObject[]): Finding {
	const question = 'Which field says when the call ended?';
	const nowMs = list.serviceTimeMs;
	const found = records.filter((record) => findCallEnd(record, nowMs, named.callEndField));
	if (found.length > 0) {
		const answer = `It is found in ${found.length} of ${records.length} records.`;
		return { question, answer, recognized: true, settings: { callEndField: named.callEndField } };
	}
	const proven = provenEnd(records);
	if (proven !== undefined) {
		const answer = `'${proven}': it is the start of the call and its duration, in ${records.length} records.`;
		return { question, answer, recognized: false, settings: { callEndField: proven } };
	}
	const names = records.flatMap((record) => timesOf(record).map(({ path }) => path));
	const answer = `It is not found. Fields with a time: ${namesInWords(names)}.`;
	const advice =
		names.length > 0
			? "If one of them is the end of the call, enter its name as 'Call End Field': nothing else proves it"
			: 'Nothing can be set: the service does not say it, so keep until dates are unknown';
	return { question, answer, recognized: false, advice };
}

/** The time that is another one and a duration in all records; `undefined` if there is none. */
function provenEnd(records: readonly JsonObject[]): string | undefined {
	const ends = records.map((record) => new Set(spansOf(record).map(({ end }) => end)));
	const [first = new Set<string>(), ...others] = ends;
	const common = [...first].filter((path) => others.every((one) => one.has(path)));
	return common.length === 1 ? common[0] : undefined;
}

interface Span {
	start: string;
	end: string;
	duration: string;
}

/** Two times and a number that is as long as what is between them, in seconds or milliseconds. */
function spansOf(record: JsonObject): Span[] {
	const times = timesOf(record);
	const numbers = leavesOf(record).filter(({ value }) => Number(value) > 0 && !isTime(value));
	return times.flatMap((end) =>
		times.flatMap((start) =>
			numbers
				.filter(({ value }) => isLength(Number(value), end.ms - start.ms))
				.map(({ path }) => ({ start: start.path, end: end.path, duration: path })),
		),
	);
}

/** Whether a number is the length of the call in milliseconds, and not in seconds. */
export function isInMilliseconds(record: JsonObject, path: string): boolean {
	const lengths = leavesOf(record).filter((leaf) => leaf.path === path);
	const spans = spansOf(record).filter(({ duration }) => duration === path);
	const times = new Map(timesOf(record).map((time) => [time.path, time.ms]));
	return spans.some(({ start, end }) => {
		const spanMs = (times.get(end) ?? 0) - (times.get(start) ?? 0);
		return lengths.some(({ value }) => Math.abs(Number(value) - spanMs) < ROUNDING_MS / 2);
	});
}

function isTime(value: unknown): boolean {
	return parseTime(value) >= EARLIEST_MS;
}

function isLength(value: number, spanMs: number): boolean {
	if (spanMs <= 0) return false;
	return Math.abs(value * 1000 - spanMs) < ROUNDING_MS || Math.abs(value - spanMs) < ROUNDING_MS;
}

function numberFindings({ named }: ListFacts, records: readonly JsonObject[]): Finding[] {
	const sides = [
		['to', 'Which field has the number that was called?', 'Called Number Field'],
		['from', 'Which field has the number that called?', 'Caller Number Field'],
	] as const;
	return sides.map(([side, question, label]): Finding => {
		const setting = side === 'to' ? 'calledNumberField' : 'callerNumberField';
		const found = records.filter((record) => callNumbersIn(record, named)[side] !== null);
		if (found.length > 0) {
			const answer = `It is found in ${found.length} of ${records.length} records.`;
			return { question, answer, recognized: true, settings: { [setting]: named[setting] } };
		}
		const names = records.flatMap(phoneFields).map(({ path }) => path);
		const answer = `It is not found. Fields that look like phone numbers: ${namesInWords(names)}.`;
		const advice =
			names.length > 0
				? `If one of them is it, enter its name as '${label}': only a call with known numbers proves it`
				: 'Nothing can be set: the list does not say it';
		return { question, answer, recognized: false, advice };
	});
}

function phoneFields(record: JsonObject): Candidate[] {
	return leavesOf(record).filter(({ value }) => {
		const isWritten = typeof value === 'string' && /^(?:tel:|sips?:)?\+?[\d\s().-]{7,}/.test(value);
		return isWritten && !isTime(value) && /^\+?\d{7,15}$/.test(plainNumber(bareNumber(value)));
	});
}

function bareNumber(value: string): string {
	return value.replace(/^(?:tel:|sips?:)/, '').replace(/[@;].*/, '');
}

function orderFinding(facts: ListFacts): Finding {
	const order = orderOf(facts);
	const words = {
		oldestFirst: 'The call that ended first is first.',
		newestFirst: 'The call that ended last is first.',
		other: 'By something else than the end of the call.',
		unknown: 'Not known: there are fewer than two calls with a known end.',
	};
	return { question: 'How is the list ordered?', answer: words[order], recognized: true };
}

export type ListOrder = 'oldestFirst' | 'newestFirst' | 'other' | 'unknown';

export function orderOf({ answer, list, named }: ListFacts): ListOrder {
	const ends = list.records.flatMap((record) => {
		const end = findCallEnd(record, answer.serviceTimeMs, named.callEndField);
		return end === undefined ? [] : [end];
	});
	if (new Set(ends).size < 2) return 'unknown';
	const isRising = ends.every((end, index) => index === 0 || end >= (ends[index - 1] ?? 0));
	const isFalling = ends.every((end, index) => index === 0 || end <= (ends[index - 1] ?? 0));
	if (isRising) return 'oldestFirst';
	return isFalling ? 'newestFirst' : 'other';
}

/**
 * What each field of a record or payload is about, by its path. Only what its values show, and
 * what the nodes recognize.
 *
 * @param nowMs the time by the service's clock
 * @param bytes size of the file of this recording, if it is known
 */
export function rolesIn(
	record: unknown,
	named: ListFacts['named'],
	nowMs: number,
	bytes?: number,
): Record<string, Role> {
	const leaves = leavesOf(record);
	const found = findSessionGuid(record, named.sessionGuidField);
	const guid = 'sessionGuid' in found ? canonicalSessionGuid(found.sessionGuid) : undefined;
	const { to, from } = callNumbersIn(record, named);
	const endMs = findCallEnd(record, nowMs, named.callEndField);
	const [span] = spansOf(record as JsonObject);
	const roleOf = ({ path, name, value }: (typeof leaves)[number]): Role | undefined => {
		if (guid !== undefined && canonicalSessionGuid(String(value)) === guid) return 'sessionGuid';
		if (isTime(value)) {
			const isEnd = endMs === undefined ? path === span?.end : parseTime(value) === endMs;
			if (isEnd) return 'end';
			return path === span?.start || /start|begin|began/i.test(name) ? 'start' : undefined;
		}
		if (bytes !== undefined && Number(value) === bytes) return 'size';
		if (path === span?.duration || /duration|seconds/i.test(name)) return 'duration';
		if (typeof value === 'boolean') return /encrypt/i.test(name) ? 'encrypted' : undefined;
		if (typeof value === 'string' && FORMATS.test(value)) return 'format';
		if (isSide(value, to)) return 'to';
		return isSide(value, from) ? 'from' : undefined;
	};
	const roles = leaves.map((leaf) => [leaf.path, roleOf(leaf)] as const);
	return Object.fromEntries(roles.filter((entry): entry is [string, Role] => !!entry[1]));
}

function isSide(value: unknown, number: string | null): boolean {
	if (number === null || (typeof value !== 'string' && typeof value !== 'number')) return false;
	return plainNumber(bareNumber(String(value).trim())) === plainNumber(number);
}
