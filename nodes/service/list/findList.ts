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
 * Finds the list of recordings. If the user has not named it, it is found in these steps:
 *
 * 1. Lists whose name says that they hold recordings are kept. If there are none, lists whose
 *    records show session GUIDs are kept, and if there are none either, all lists.
 * 2. Of those, the outermost ones with a usual name are looked at. If there is only one, or only
 *    one with records, it is the list.
 * 3. If not, all that step 1 has kept are looked at in the same way.
 *
 * A body without content, `null`, `{}`, and `null` under a usual name are an empty list.
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
	if (listField) return namedList(document, listField, sessionGuidField);
	if (Object.keys(document).length === 0) return empty;
	const lists = fieldsIn(document).flatMap((field): Candidate[] => {
		const records = recordsIn(field.value, isUsual(field), sessionGuidField);
		return records ? [{ ...field, records }] : [];
	});
	const list = chosen(lists, sessionGuidField);
	const others = lists.filter((one) => one !== list).flatMap(({ records }) => records);
	return { ...list, others };
}

/** The list that the user names. Other lists do not count: the user knows them. */
function namedList(document: object, listField: string, guidField: string): FoundList {
	for (const { path, value } of fieldsIn(document)) {
		const records = path === listField ? recordsIn(value, true, guidField) : undefined;
		if (records) return { records, path, others: [] };
	}
	throw unreadable(`it has no list in its field '${listField}'`);
}

/**
 * The value as records, if it is a list of objects or of session GUIDs.
 *
 * @param isExpected whether the user names the field, or it has a usual name
 */
function recordsIn(
	value: unknown,
	isExpected: boolean,
	guidField: string,
): JsonObject[] | undefined {
	if (value === null && isExpected) return [];
	if (!Array.isArray(value)) return undefined;
	if (value.every(isJsonObject)) return value;
	// A session GUID may be any word with a digit. In a list with another name, such words may be
	// something else, so only real GUIDs count there.
	if (!value.every(isExpected ? isSessionGuid : isGuid)) return undefined;
	return value.map((guid: unknown) => ({ [guidField || 'sessionGuid']: guid }));
}

function chosen(lists: Candidate[], guidField: string): Candidate {
	const recordings = lists.filter(({ name }) => RECORDINGS.includes(plainName(name)));
	const showing = lists.filter(({ records }) => showsGuids(records, guidField));
	const possible = [recordings, showing, lists].find(({ length }) => length > 0) ?? [];
	const usual = possible.filter(isUsual);
	// `fieldsIn` gives the outermost first.
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
	if (lists.length === 1) return lists[0];
	const filled = lists.filter(({ records }) => records.length > 0);
	return filled.length === 1 ? filled[0] : undefined;
}

function unreadable(detail: string): VoiceAgentError {
	return new VoiceAgentError('unreadableList', { detail });
}
