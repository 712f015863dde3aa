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
		const found = findList(json, named);
		// An empty list may have been taken for it because of its name.
		if (found.records.length > 0 || found.others.length === 0) return [found];
	} catch {
		// It is not clear which one is meant.
	}
	return fieldsIn(json).flatMap(({ path, value }) => {
		const isList = Array.isArray(value) && value.length > 0 && path !== '';
		if (!isList || !(value.every(isJsonObject) || value.every(isSessionGuid))) return [];
		return [findList(json, { ...named, listField: path })];
	});
}

/** Whether the nodes find this list by themselves, or as it is set: also while it is empty. */
export function isFound(json: unknown, named: NamedFields, path: string): boolean {
	try {
		const documents = [json, withRecords(json, path, 0)];
		return documents.every((document) => findList(document, named).path === path);
	} catch {
		return false;
	}
}

/** An answer with the first records of its list only. */
export function withRecords(json: unknown, path: string, most: number): unknown {
	const cut = (value: unknown, names: readonly string[]): unknown => {
		const [name, ...others] = names;
		if (name === undefined) return Array.isArray(value) ? value.slice(0, most) : value;
		if (typeof value !== 'object' || value === null) return value;
		const object = value as JsonObject;
		return name in object ? { ...object, [name]: cut(object[name], others) } : value;
	};
	return cut(json, path === '' ? [] : path.split('.'));
}

/** What tells one record from another: its session GUID, or all of it. */
export function keyOf(record: JsonObject, sessionGuidField: string): string {
	const found = findSessionGuid(record, sessionGuidField);
	return 'sessionGuid' in found ? found.sessionGuid : JSON.stringify(record);
}
