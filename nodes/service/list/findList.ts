import type { JsonObject } from '../../data/json';
import { isJsonObject, plainName } from '../../data/json';
import { VoiceAgentError } from '../../errors';
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
	around: JsonObject[];
	/** Where the list is, with dots; empty if it is the whole document. */
	path: string;
	/** What other lists hold, such as one of recordings that are not ready. */
	others: JsonObject[];
}

/** A list in a document. */
interface Candidate extends Omit<FoundList, 'others'> {
	/** The last name in its path, as a plain name. */
	name: string;
	depth: number;
	showsGuids: boolean;
}

/** A name that says what the list holds. It counts even if the list is empty. */
const RECORDINGS = ['recordings', 'callrecordings', 'recordinglist'];
/** Names that most public APIs use for the list in an answer. */
const USUAL = [
	'data items results result records list value values content entries rows',
	'recording sessionguids',
].flatMap((names) => names.split(' '));
/** Larger objects are content, such as values by identifier, and deeper ones too. */
const MAX_FIELDS = 1_000;
const MAX_DEPTH = 8;
/** How many records are read to see whether they show session GUIDs. */
const SAMPLE = 50;

/**
 * Finds the list of recordings, whose shape the service specification does not show: the answer itself, or the list with
 * a usual name, the outermost first, or the only one. Lists whose records show session GUIDs count before others. A body
 * without content, `null`, `{}`, and `null` under a usual name are an empty list.
 *
 * @throws VoiceAgentError `unreadableList` with the paths of the lists, if it is not clear which one is meant
 */
export function findList(
	document: unknown,
	{ listField = '', sessionGuidField = '' }: NamedFields,
): FoundList {
	if (document === undefined || document === null) return listOf([]);
	if (typeof document !== 'object') throw unreadable('it is text, not JSON');
	const lists = candidatesIn(document, listField, sessionGuidField);
	if (lists.length === 0 && !listField && Object.keys(document).length === 0) return listOf([]);
	const list = chosen(lists, listField);
	// Whoever names the list knows the others.
	const others = listField ? [] : lists.filter((one) => one !== list);
	return { ...list, others: others.flatMap(({ records }) => records) };
}

function listOf(records: JsonObject[]): FoundList {
	return { records, around: [], path: '', others: [] };
}

function candidatesIn(document: object, listField: string, guidField: string): Candidate[] {
	const candidates: Candidate[] = [];
	const places = [{ value: document as unknown, around: [] as JsonObject[], path: '', name: '' }];
	// The loop also visits the places that are added meanwhile.
	for (const { value, around, path, name } of places) {
		const isNamed = listField ? path === listField : isUsual(name);
		const records = recordsIn(value, isNamed, guidField);
		if (records) {
			const showsGuids = records.slice(0, SAMPLE).some((one) => showsGuid(one, guidField));
			candidates.push({ records, around, path, name, depth: around.length, showsGuids });
		}
		if (!isJsonObject(value) || around.length >= MAX_DEPTH) continue;
		const names = Object.keys(value);
		if (names.length > MAX_FIELDS) continue;
		for (const inner of names) {
			places.push({
				value: value[inner],
				around: [...around, value],
				path: path === '' ? inner : `${path}.${inner}`,
				name: plainName(inner),
			});
		}
	}
	return candidates;
}

/** The value as records, if it is a list of objects or of session GUIDs. */
function recordsIn(value: unknown, isNamed: boolean, guidField: string): JsonObject[] | undefined {
	if (value === null && isNamed) return [];
	if (!Array.isArray(value)) return undefined;
	if (value.every(isJsonObject)) return value;
	// Under another name, they may be identifiers of something else.
	if (!value.every(isNamed ? isSessionGuid : isGuid)) return undefined;
	return value.map((guid: unknown) => ({ [guidField || 'sessionGuid']: guid }));
}

/** Whether a record has a session GUID of its own, not only in a list in it. */
function showsGuid(record: JsonObject, field: string): boolean {
	return (sessionGuidHits(record, field) ?? []).some(({ isInList }) => !isInList);
}

function chosen(lists: Candidate[], listField: string): Candidate {
	if (listField) {
		const named = lists.find(({ path }) => path === listField);
		if (!named) throw unreadable(`it has no list in its field '${listField}'`);
		return named;
	}
	const root = lists.find(({ path }) => path === '');
	const named = outermost(lists.filter(({ name }) => RECORDINGS.includes(name)));
	const showing = lists.filter(({ showsGuids }) => showsGuids);
	const possible = showing.length > 0 ? showing : lists;
	const usual = outermost(possible.filter(({ name }) => isUsual(name)));
	const list = root ?? named ?? usual ?? onlyOne(possible);
	if (list) return list;
	const paths = possible.map(({ path }) => path).join(', ');
	throw unreadable(paths === '' ? 'it has no list' : `it has several lists: ${paths}`);
}

function isUsual(name: string): boolean {
	return RECORDINGS.includes(name) || USUAL.includes(name);
}

/** The list that no other one is as far out as; `undefined` if there are several. */
function outermost(lists: Candidate[]): Candidate | undefined {
	const depth = Math.min(...lists.map((one) => one.depth));
	return onlyOne(lists.filter((one) => one.depth === depth));
}

/** The only list, or the only one that is not empty. */
function onlyOne(lists: Candidate[]): Candidate | undefined {
	if (lists.length === 1) return lists[0];
	const filled = lists.filter(({ records }) => records.length > 0);
	return filled.length === 1 ? filled[0] : undefined;
}

function unreadable(detail: string): VoiceAgentError {
	return new VoiceAgentError('unreadableList', { detail });
}
