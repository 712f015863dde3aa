import { invalid } from '../errors';
import { type Field, fieldsNamed, MAX_DEPTH, MAX_VALUES, searchFields } from '../data/fields';

/**
 * What may become part of a path: letters, digits, hyphens and underscores, in braces or not. The
 * service calls it a GUID but does not show its form, so other identifiers with these characters
 * are accepted. One of them must be a digit, so that words such as "undefined" are refused.
 */
const ACCEPTABLE = /^(?=.*\d)(?:[A-Za-z0-9_-]{8,64}|\{[A-Za-z0-9_-]{8,64}\})$/;

/** Stands for no GUID (RFC 9562). */
const NIL = /^[{}0-]+$/;

/** Whether a value from outside is a session GUID that may be sent to the service. */
export function isSessionGuid(value: unknown): value is string {
	return typeof value === 'string' && ACCEPTABLE.test(value) && !NIL.test(value);
}

/**
 * A session GUID from a parameter, without the spaces around it.
 *
 * @throws VoiceAgentError `invalidParameter`
 */
export function parseSessionGuid(value: unknown): string {
	const guid = typeof value === 'string' ? value.trim() : (value ?? '');
	if (isSessionGuid(guid)) return guid;
	if (guid === '') {
		throw invalid("'Recording' is empty: the previous node did not pass on a session GUID");
	}
	throw invalid(
		"'Recording' must be a session GUID: 8 to 64 letters, digits, hyphens or underscores, with at least one digit",
	);
}

/** 32 hexadecimal digits, in groups or not. */
const GUID = /^[\da-f]{8}(?:-?[\da-f]{4}){4}[\da-f]{8}$/i;

/** Whether it has the usual form of a GUID, so that it can hardly be anything else. */
export function isGuid(value: unknown): value is string {
	if (typeof value !== 'string') return false;
	return GUID.test(value.startsWith('{') && value.endsWith('}') ? value.slice(1, -1) : value);
}

/**
 * One form for comparison: `{3F2504E0-…}` is `3f2504e0-…`. In identifiers that are not GUIDs,
 * letter case matters.
 */
export function canonicalSessionGuid(guid: string): string {
	const bare = guid.replace(/[{}]/g, '');
	return GUID.test(bare) ? bare.toLowerCase() : bare;
}

/**
 * What tells one recording from another, for tables and file names: `recordingKey` of an item.
 *
 * @returns `null` if the session GUID is not known
 */
export function recordingKeyOf(sessionGuid: string | null): string | null {
	return sessionGuid === null ? null : canonicalSessionGuid(sessionGuid);
}

/** `sessionGuid` in any spelling, also `session.guid`, `call[sessionGuid]`, `ns:sessionGuid`. */
function isSessionGuidName(name: string, around: string): boolean {
	return /(?:^|[.[:/])session[^a-z\d]*guid\W*$/i.test(`${around.slice(-100)}.${name}`);
}

/** Either the GUID, or why there is none, in words. */
export type FoundSessionGuid = { sessionGuid: string } | { problem: string };

/**
 * Finds the session GUID in a payload whose shape the service does not show: a field `sessionGuid`
 * in any spelling, at any depth. Two different ones are a problem, because only the user can know
 * which one is meant. Of a payload that is too large, the outermost levels are searched.
 *
 * @param payload parsed JSON or form fields
 * @param field name of the field, or path with dots, if the user has given it
 */
export function findSessionGuid(payload: unknown, field = ''): FoundSessionGuid {
	const where = `field '${field || 'sessionGuid'}'`;
	const { hits, isComplete } = searchFields(payload, field || isSessionGuidName);
	const filled = hits.filter(isFilledField);
	if (filled.length === 0) {
		if (isComplete) return { problem: `the payload has no ${where}` };
		return {
			problem: `the payload has more than ${MAX_VALUES} values or ${MAX_DEPTH} levels, and no ${where} in the outermost ones: name the one that has it as 'Session GUID Field'`,
		};
	}
	const guids = filled.map(({ value }) => (typeof value === 'string' ? value.trim() : value));
	if (!guids.every(isSessionGuid)) return { problem: `${where} does not hold a session GUID` };
	const [guid = '', ...others] = guids;
	const canonical = canonicalSessionGuid(guid);
	return others.every((other) => canonicalSessionGuid(other) === canonical)
		? { sessionGuid: guid }
		: { problem: `${where} occurs more than once with different values` };
}

/**
 * Whether a payload has anything that may be a session GUID: a field with that name, or a GUID in
 * any field. So it does if it is too large to be searched.
 */
export function mayHaveSessionGuid(payload: unknown, field = ''): boolean {
	const isNamed = (name: string, around: string) =>
		field === '' ? isSessionGuidName(name, around) : name === field.split('.').at(-1);
	const all = fieldsNamed(payload, () => true);
	if (!all) return true;
	return all.some(
		(one) => isGuid(one.value) || (isFilledField(one) && isNamed(one.name, one.around)),
	);
}

function isFilledField({ value }: Field): boolean {
	return value !== undefined && value !== null && value !== '';
}

/**
 * Where a payload has a session GUID, without empty fields.
 *
 * @returns `undefined` if the payload is too large to be searched
 */
export function sessionGuidHits(payload: unknown, field: string): Field[] | undefined {
	const hits = fieldsNamed(payload, field || isSessionGuidName);
	return hits?.filter(isFilledField);
}
