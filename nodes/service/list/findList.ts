import { type Field, fieldsIn } from '../../data/fields';
import { type JsonObject, isJsonObject, plainName } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import type { NamedFields } from '../apiCredential';
import { isGuid, isSessionGuid, sessionGuidHits } from '../sessionGuid';

export interface FoundList {
	records: JsonObject[];
	/** Where the list is, with dots; empty if it is the whole document. */
	path: string;
	/** What other lists hold, such as one of recordings that are not ready. */
	others: JsonObject[];
}

interface Candidate extends Field {
	records: JsonObject[];
}

/** Names that say what the list holds. It counts even if the list is empty. */
const RECORDINGS = ['recordings', 'callrecordings', 'recordinglist'];
/** Names that most public APIs use for the list in an answer, and that it may have here. */
const USUAL = [
	...['data', 'items', 'results', 'result', 'records', 'list', 'value', 'values'],
	...['content', 'entries', 'rows', 'recording', 'sessionguids'],
];
const LISTS = [...RECORDINGS, ...USUAL];
/** How many records are read to see whether they show session GUIDs. */
const SAMPLE = 50;
/** So much of the names in an answer is shown in an error. */
const MAX_PATHS_CHARS = 300;

/**
 * Finds the list of recordings: the answer itself, or the list with a usual name, the outermost
 * first, or the only one. Lists whose records show session GUIDs count before others. A body
 * without content, `null`, `{}`, and `null` under a usual name are an empty list.
 *
 * @throws VoiceAgentError `unreadableList` with the paths of the lists, if it is not clear which
 * one is meant
 */
export function findList(
	document: unknown,
	{ listField, sessionGuidField }: Omit<NamedFields, 'callEndField'>,
): FoundList {
	const empty = { records: [], path: '', others: [] };
	if (document === undefined || document === null) return empty;
	if (typeof document !== 'object') throw unreadable('it is text, not JSON');
	const lists = fieldsIn(document).flatMap((field): Candidate[] => {
		// Of a list that the user names, no other one is needed.
		const isNamed = listField !== '' || isUsual(field);
		const records = recordsIn(field.value, isNamed, sessionGuidField);
		return records ? [{ ...field, records }] : [];
	});
	if (listField) {
		const named = lists.find(({ path }) => path === listField);
		// Whoever names the list knows the others.
		if (named) return { ...named, others: [] };
		throw unreadable(`it has no list in its field '${listField}'`);
	}
	if (Object.keys(document).length === 0) return empty;
	const list = chosen(lists, sessionGuidField);
	const others = lists.filter((one) => one !== list).flatMap(({ records }) => records);
	return { ...list, others };
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

function chosen(lists: Candidate[], guidField: string): Candidate {
	const recordings = lists.filter(({ name }) => RECORDINGS.includes(plainName(name)));
	const showing = lists.filter(({ records }) => showsGuids(records, guidField));
	const possible = [recordings, showing, lists].find(({ length }) => length > 0) ?? [];
	const usual = possible.filter(isUsual);
	const outermost = usual.filter(({ depth }) => depth === usual[0]?.depth);
	const list = onlyOne(outermost) ?? onlyOne(possible);
	if (list) return list;
	if (possible.length === 0) throw unreadable('it has no list');
	const paths = possible.map(({ path }) => path).join(', ');
	throw unreadable(`it has several lists: ${paths.slice(0, MAX_PATHS_CHARS)}`);
}

function isUsual({ name }: Field): boolean {
	return LISTS.includes(plainName(name));
}

/** Whether records have session GUIDs of their own, not only in lists in them. */
function showsGuids(records: JsonObject[], field: string): boolean {
	const hits = records.slice(0, SAMPLE).flatMap((one) => sessionGuidHits(one, field) ?? []);
	return hits.some(({ isInList }) => !isInList);
}

/** The only list, or the only one that is not empty. */
function onlyOne(lists: Candidate[]): Candidate | undefined {
	const filled = lists.filter(({ records }) => records.length > 0);
	if (lists.length === 1 || filled.length === 1) return filled[0] ?? lists[0];
	return undefined;
}

function unreadable(detail: string): VoiceAgentError {
	return new VoiceAgentError('unreadableList', { detail });
}
