import { VoiceAgentError } from '../../errors';
import { isBreakDue, mapWithBreaks, takeBreak } from '../../data/breaks';
import type { Field, JsonObject } from '../../data/payload';
import {
	areLines,
	fieldsIn,
	isJsonObject,
	leadsTo,
	lineage,
	MAX_DEPTH,
	plainName,
} from '../../data/payload';
import { isGuid, isSessionGuid, sessionGuidHits } from '../sessionGuid';

/** Fields that the user names, because the specification does not show them: names, or paths with dots. */
export interface NamedFields {
	listField?: string;
	sessionGuidField?: string;
	callEndField?: string;
}

export interface FoundList {
	records: JsonObject[];
	/** The objects around the list, the outermost first. */
	envelopes: JsonObject[];
	/** Where the list is, with dots; empty if it is the whole document. */
	path: string;
	/** What other lists hold, such as one of recordings that are not ready. */
	others: JsonObject[];
}

/** Lists in several elements of an outer list, or in several groups, are one. */
interface Candidate extends Pick<FoundList, 'records' | 'path'> {
	places: Field[];
	score: number;
}

const RECORDINGS_SCORE = 4;
/** How much a name looks like the one of the list. The whole document has no name. */
const NAME_SCORES: Array<[RegExp, number]> = [
	[/(?:^recording|recordings|recordinglist|sessionguids?)$/, RECORDINGS_SCORE],
	[/^(?:data|items|results?|records|values?|list|content|entries|rows|)$/, 2],
];
const RECORDS_SCORE = 1;
const GUIDS_SCORE = 4;
/** Less than the others together at any depth: of lists that look alike, the outermost counts. */
const DEPTH_SCORE = -1 / (2 * MAX_DEPTH);
/** Names of what never holds the recordings that are kept. */
const OTHERS =
	/^(?:errors?|warnings?|messages?|links|columns|fields|headers|included|(?!not|un|non).*(?:deleted|purged|removed|expired)|(?:deleted|purged|removed|expired|fail(?:ed|ures?)|skipped|rejected|missing).*)$/;
/** Names of groups, such as days: numbers, and names with one. */
const GROUPS = /(?<![^.])(?:\d+|[^.]*\d{4}[^.]*)(?![^.])/g;
/** How many records are read to see whether they show session GUIDs. */
const SAMPLE = 50;
/** How many groups, or lists that look alike, an error names at most. */
const MAX_PLACES = 10;

/**
 * Finds the list of recordings, whose shape the service specification does not show. Every list in the document is a
 * candidate if its elements are objects or identifiers, and so is every object with values by identifier. The one that
 * looks most like a list of recordings is taken, and of several alike the outermost. A body without content, `null`, `{}`,
 * and `null` or `{}` under a usual name are an empty list.
 *
 * @throws VoiceAgentError `unreadableList` if there is none, or if several look alike
 */
export async function findRecords(
	document: unknown,
	{ listField = '', sessionGuidField = '' }: NamedFields,
): Promise<FoundList> {
	if (areLines(document)) return await findInLines(document, { listField, sessionGuidField });
	const candidates = new Map<string, Candidate>();
	for (const field of fieldsIn(document ?? null)) {
		if (isBreakDue()) await takeBreak();
		if (field.depth > MAX_DEPTH) throw unreadable(`it is nested deeper than ${MAX_DEPTH} levels`);
		if (typeof field.value !== 'object') continue;
		field.isClosed = listField ? !leadsTo(field, listField) : OTHERS.test(plainName(field.name));
		if (field.isClosed || (listField && field.path !== listField)) continue;
		const nameScore = listField ? Infinity : nameScoreOf(field);
		const found = await recordsIn(field.value, nameScore, sessionGuidField);
		if (!found) continue;
		field.isClosed = found.showsGuids || listField !== '';
		const { depth, path } = field;
		const key = `${depth} ${path.replace(GROUPS, '*')}`;
		const candidate = candidates.get(key) ?? { records: [], path, places: [], score: -Infinity };
		candidates.set(key, candidate);
		candidate.places.push(field);
		for (const record of found.records) candidate.records.push(record);
		const score =
			nameScore +
			depth * DEPTH_SCORE +
			(found.records.length > 0 ? RECORDS_SCORE : 0) +
			(found.showsGuids ? GUIDS_SCORE : 0);
		candidate.score = Math.max(candidate.score, score);
	}
	const all = [...candidates.values()];
	const found = best(
		all,
		listField
			? `it has no list in its field '${listField}'`
			: typeof document === 'string' && 'it is text, not JSON',
	);
	const { records, path, places } = found;
	const around = [...new Set(places.slice(0, MAX_PLACES).flatMap(lineage))].map(
		({ value }) => value,
	);
	const others = all.filter((one) => one !== found).map((one) => one.records);
	return { records, envelopes: around.filter(isJsonObject), path, others: others.flat() };
}

/** In JSON lines, the first or the last one may be about the list, such as `{ "total": 300 }`. */
async function findInLines(lines: unknown[], fields: NamedFields): Promise<FoundList> {
	const isRecord = (line: unknown) =>
		isJsonObject(line) && showsGuid(line, fields.sessionGuidField ?? '');
	const [from, to] = [isRecord(lines[0]) ? 0 : 1, isRecord(lines.at(-1)) ? lines.length : -1];
	const between = lines.slice(from, to);
	const areRecords = !fields.listField && isRecord(between[0]);
	const found = await findRecords(areRecords ? between : [...lines], fields);
	const around = areRecords ? [...lines.slice(0, from), ...lines.slice(to)] : [];
	return { ...found, envelopes: [...around.filter(isJsonObject), ...found.envelopes] };
}

function nameScoreOf({ name, isElement }: Field): number {
	const plain = plainName(name);
	return (!isElement && NAME_SCORES.find(([names]) => names.test(plain))?.[1]) || 0;
}

function best(candidates: Candidate[], problem: string | false): Candidate {
	const first = candidates.reduce<Candidate | undefined>((best, one) => {
		const lead = best ? best.score - one.score || best.records.length - one.records.length : -1;
		return lead < 0 ? one : best;
	}, undefined);
	if (!first) throw unreadable(problem || undefined);
	const alike = candidates.filter(
		(one) => one !== first && one.score === first.score && one.records.length > 0,
	);
	if (alike.length > 0) {
		throw unreadable(
			`it has several lists: ${[first, ...alike.slice(0, MAX_PLACES)].map(({ path }) => path).join(', ')}`,
		);
	}
	return first;
}

/** The value as records, if it is a list of objects or identifiers, or has values by identifier. */
async function recordsIn(
	value: unknown,
	nameScore: number,
	guidField: string,
): Promise<{ records: JsonObject[]; showsGuids: boolean } | undefined> {
	const keyed = isJsonObject(value) ? value : {};
	const keys = Array.isArray(value) ? undefined : await keysIn(keyed, nameScore);
	const list = keys ? await mapWithBreaks(keys, (key) => keyed[key]) : value;
	if (!Array.isArray(list)) return undefined;
	const sample = list.slice(0, SAMPLE);
	const shown = await mapWithBreaks(
		sample,
		(one) => isJsonObject(one) && showsGuid(one, guidField),
	);
	const showing = shown.filter(Boolean);
	const isIdentifier = nameScore > 0 ? isSessionGuid : isGuid;
	const identifiers = keys && showing.length < sample.length ? keys : list;
	const areIdentifiers = await mapWithBreaks(identifiers, isIdentifier);
	if (areIdentifiers.every(Boolean)) {
		const records = await mapWithBreaks(identifiers as string[], (guid) => ({
			...(keys && asObject(keyed[guid])),
			[guidField || 'sessionGuid']: guid,
		}));
		return { records, showsGuids: showing.length > 0 };
	}
	return list.every(isJsonObject) ? { records: list, showsGuids: showing.length > 0 } : undefined;
}

function asObject(value: unknown): JsonObject {
	return isJsonObject(value) ? value : { value };
}

/** The names in an object if they are identifiers or numbers. Nothing under a usual name has none. */
async function keysIn(value: JsonObject, nameScore: number): Promise<string[] | undefined> {
	const names = Object.keys(value);
	const areGuids = await mapWithBreaks(names, isGuid);
	const guids = names.filter((_, index) => areGuids[index]);
	if (guids.length > 0) return guids;
	const isIdentifier = (name: string) => nameScore >= RECORDINGS_SCORE && isSessionGuid(name);
	const isKey = (name: string) =>
		!Array.isArray(value[name]) && (/^\d+$/.test(name) || isIdentifier(name));
	return names.every(isKey) && names.length + nameScore > 0 ? names : undefined;
}

/** Whether a record has a session GUID of its own, not only in a list in it. */
function showsGuid(record: JsonObject, field: string): boolean {
	return (sessionGuidHits(record, field) ?? []).some((hit) =>
		lineage(hit).every(({ value }) => !Array.isArray(value)),
	);
}

function unreadable(detail?: string): VoiceAgentError {
	return new VoiceAgentError('unreadableList', { detail });
}
