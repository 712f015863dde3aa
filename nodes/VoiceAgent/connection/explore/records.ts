import { type Field, fieldsIn, fieldsNamed } from '../../../data/fields';
import { isJsonObject, type JsonObject } from '../../../data/json';
import { EARLIEST_MS, parseTime } from '../../../data/times';
import type { NamedFields } from '../../../service/apiCredential';
import { findList, type FoundList } from '../../../service/list/findList';
import { findSessionGuid, isGuid, isSessionGuid } from '../../../service/sessionGuid';

/** A field of a record with a value that may be what is looked for. */
export interface Candidate {
	/** The names that lead to it, with dots. */
	path: string;
	value: unknown;
}

/** The values of a record that are not in a list, the outermost first. */
export function leavesOf(record: unknown): Field[] {
	const fields = fieldsNamed(record, () => true) ?? [];
	return fields.filter(({ value, isInList }) => !isInList && !isObject(value));
}

function isObject(value: unknown): boolean {
	return typeof value === 'object' && value !== null;
}

/** Fields that may hold the session GUID, those with the form of a GUID first. */
export function guidCandidates(record: JsonObject): Candidate[] {
	const possible = leavesOf(record).filter(({ value }) => isSessionGuid(value));
	const guids = possible.filter(({ value }) => isGuid(value));
	return [...guids, ...possible.filter((one) => !guids.includes(one))];
}

/** Fields that hold a time. */
export function timesOf(record: JsonObject): Array<Candidate & { ms: number }> {
	return leavesOf(record)
		.map(({ path, value }) => ({ path, value, ms: parseTime(value) }))
		.filter(({ ms }) => ms >= EARLIEST_MS);
}

/** The list that the nodes find, or all lists of objects that may be the one. */
export function listsIn(json: unknown, named: NamedFields): FoundList[] {
	try {
		return [findList(json, named)];
	} catch {
		return fieldsIn(json).flatMap(({ path, value }) => {
			const isList = Array.isArray(value) && value.length > 0 && path !== '';
			if (!isList || !(value.every(isJsonObject) || value.every(isSessionGuid))) return [];
			return [findList(json, { ...named, listField: path })];
		});
	}
}

/** What tells one record from another: its session GUID, or all of it. */
export function keyOf(record: JsonObject, sessionGuidField: string): string {
	const found = findSessionGuid(record, sessionGuidField);
	return 'sessionGuid' in found ? found.sessionGuid : JSON.stringify(record);
}
