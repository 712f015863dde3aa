import { VoiceAgentError } from '../errors';
import { Breaks } from './breaks';
import type { JsonObject, Place } from './payload';
import { isJsonObject, MAX_DEPTH, plainName, valueAt } from './payload';
import { isGuid, isSessionGuid, sessionGuidHits } from './sessionGuid';

/** Fields that the user names, because the specification does not show them: names, or paths with dots. */
export interface ListFields {
	listField?: string;
	sessionGuidField?: string;
}

export interface NamedFields extends ListFields {
	callEndField?: string;
}

export interface FoundList {
	records: JsonObject[];
	/** The objects around the list, the outermost first. */
	envelopes: JsonObject[];
	/** Where the list is, with dots; empty if it is the whole document. */
	path: string;
}

/** Lists with the same path, in several objects of an outer list, are one list. */
interface Candidate {
	records: JsonObject[];
	envelopes: Set<JsonObject>;
	depth: number;
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
/** Names of what never holds the recordings that are kept. */
const OTHERS =
	/^(?:errors?|warnings?|messages?|links|columns|fields|headers|included|(?:deleted|purged|removed|expired|failed).*)$/;
/** So many records are enough to see whether they show session GUIDs. */
const SAMPLE = 50;

/**
 * Finds the list of recordings, whose shape the service specification does not show. Every list in the document is a
 * candidate if its elements are objects or identifiers, and so is every object with values by identifier. The one that
 * looks most like a list of recordings is taken, and of several alike the outermost. A body without content, `null`, `{}`,
 * and `null` or `{}` under a usual name are an empty list.
 *
 * @throws VoiceAgentError `unreadableList` if there is none, or if several look alike
 */
export async function findRecords(document: unknown, fields: ListFields): Promise<FoundList> {
	const breaks = new Breaks();
	if (fields.listField) return await namedList(document, fields.listField, fields, breaks);
	const candidates = new Map<string, Candidate>();
	const start = { value: document, name: '', path: [] as string[], envelopes: [] as JsonObject[] };
	const places = [start];
	// The loop also visits the places that are added meanwhile.
	for (const { value, name, path, envelopes } of places) {
		if (breaks.isDue()) await breaks.take();
		if (path.length > MAX_DEPTH) throw unreadable(`it is nested deeper than ${MAX_DEPTH} levels`);
		const nameScore = NAME_SCORES.find(([names]) => names.test(plainName(name)))?.[1] ?? 0;
		const found = await recordsIn(value, nameScore, fields, breaks);
		if (found) {
			const key = path.join('.');
			const candidate: Candidate = candidates.get(key) ?? {
				records: [],
				envelopes: new Set(),
				depth: path.length,
				score: nameScore,
			};
			candidates.set(key, candidate);
			for (const record of found.records) candidate.records.push(record);
			for (const envelope of envelopes) candidate.envelopes.add(envelope);
			const bonus = found.records.length > 0 ? RECORDS_SCORE : 0;
			const score = nameScore + bonus + (found.showsGuids ? GUIDS_SCORE : 0);
			candidate.score = Math.max(candidate.score, score);
		}
		if (found?.showsGuids || typeof value !== 'object' || value === null) continue;
		const around = isJsonObject(value) ? [...envelopes, value] : envelopes;
		const add = (inner: string, content: unknown) => {
			if (typeof content !== 'object' || OTHERS.test(plainName(inner))) return;
			places.push({ value: content, name: inner, path: [...path, inner], envelopes: around });
		};
		if (found || Array.isArray(value)) for (const one of Object.values(value)) add('*', one);
		else for (const [inner, content] of Object.entries(value)) add(inner, content);
	}
	const [path, { records, envelopes }] = best(candidates);
	return { records, envelopes: [...envelopes], path };
}

function best(candidates: Map<string, Candidate>): [path: string, found: Candidate] {
	const ranked = [...candidates].sort(
		([, a], [, b]) => b.score - a.score || a.depth - b.depth || b.records.length - a.records.length,
	);
	const [first] = ranked[0] ?? [];
	const found = first === undefined ? undefined : candidates.get(first);
	if (first === undefined || !found) throw unreadable();
	const alike = ranked.filter(
		([, { score, depth, records }]) =>
			score === found.score && depth === found.depth && records.length > 0,
	);
	if (alike.length > 1) {
		throw unreadable(`it has several lists: ${alike.map(([path]) => path).join(', ')}`);
	}
	return [first, found];
}

async function namedList(
	document: unknown,
	path: string,
	fields: ListFields,
	breaks: Breaks,
): Promise<FoundList> {
	if (isJsonObject(document)) {
		const value = valueAt(document, path);
		const found = value !== undefined && (await recordsIn(value, Infinity, fields, breaks));
		if (found) {
			const names = path.split('.').slice(0, -1);
			const around = names.map((_, index) =>
				valueAt(document, names.slice(0, index + 1).join('.')),
			);
			return {
				records: found.records,
				envelopes: [document, ...around.filter(isJsonObject)],
				path,
			};
		}
	}
	throw unreadable(`it has no list in its field '${path}'`);
}

/** The value as records, if it is a list of objects or identifiers, or has values by identifier. */
async function recordsIn(
	value: unknown,
	nameScore: number,
	{ sessionGuidField }: ListFields,
	breaks: Breaks,
): Promise<{ records: JsonObject[]; showsGuids: boolean } | undefined> {
	const records: JsonObject[] = [];
	let showsGuids = false;
	if (isNothing(value)) return nameScore > 0 ? { records, showsGuids } : undefined;
	const keys = isJsonObject(value) ? identifiersIn(value, nameScore) : undefined;
	const list = Array.isArray(value) ? (value as unknown[]) : keys;
	if (!list || keys?.length === 0) return undefined;
	const isIdentifier = nameScore > 0 ? isSessionGuid : isGuid;
	const guidName = sessionGuidField || 'sessionGuid';
	for (const one of list) {
		if (breaks.isDue()) await breaks.take();
		const element = keys ? (value as JsonObject)[one as string] : one;
		const own = isJsonObject(element) ? element : undefined;
		const shows =
			own !== undefined &&
			(keys !== undefined || records.length < SAMPLE) &&
			showsGuid(own, sessionGuidField);
		showsGuids ||= shows;
		if (own && (shows || !keys)) records.push(own);
		else if (keys) records.push({ ...(own ?? { value: element }), [guidName]: one });
		else if (isIdentifier(one)) records.push({ [guidName]: one });
		else return undefined;
	}
	return { records, showsGuids };
}

/** Whether a record has a session GUID of its own, not only in a list in it. */
function showsGuid(record: JsonObject, field = ''): boolean {
	const hits = sessionGuidHits(record, field) ?? [];
	return hits.some(({ inside }) => {
		for (let place: Place | undefined = inside; place; place = place.parent) {
			if (Array.isArray(place.value)) return false;
		}
		return true;
	});
}

function isNothing(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		(isJsonObject(value) && Object.keys(value).length === 0)
	);
}

/** The identifiers by which an object has values; none if it has something else. */
function identifiersIn(value: JsonObject, nameScore: number): string[] {
	const names = Object.keys(value);
	const guids = names.filter(isGuid);
	const isKeyed = guids.length === 0 && nameScore >= RECORDINGS_SCORE && names.every(isSessionGuid);
	return isKeyed ? names : guids;
}

function unreadable(detail?: string): VoiceAgentError {
	return new VoiceAgentError('unreadableList', { detail });
}
