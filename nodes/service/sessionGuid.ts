import { VoiceAgentError } from '../errors';
import { isJsonObject, valueAt, valuesNamed } from './payload';

/**
 * What may become part of a path: letters, digits, hyphens and underscores, in braces or not. The service calls it a
 * GUID but does not show its form, so other identifiers with these characters are accepted. At least one digit is
 * required, so that words such as "undefined" are refused.
 */
const ACCEPTABLE = /^(?=.*\d)(?:[A-Za-z0-9_-]{8,64}|\{[A-Za-z0-9_-]{8,64}\})$/;

/** Whether a value from outside is a session GUID that may be sent to the service. */
export function isSessionGuid(value: unknown): value is string {
	return typeof value === 'string' && ACCEPTABLE.test(value);
}

/**
 * A session GUID from a parameter, without the spaces around it.
 * @throws VoiceAgentError `invalidSessionGuid`
 */
export function parseSessionGuid(value: unknown): string {
	const guid = typeof value === 'string' ? value.trim() : value;
	if (isSessionGuid(guid)) return guid;
	const detail =
		guid === '' || guid === undefined || guid === null
			? 'it is empty'
			: typeof guid === 'string'
				? 'it has characters or a length that no session GUID has'
				: 'it is not text';
	throw new VoiceAgentError('invalidSessionGuid', { detail });
}

/** 32 hexadecimal digits, in groups or not. */
const GUID = /^[\da-f]{8}(?:-?[\da-f]{4}){4}[\da-f]{8}$/i;

/**
 * One form for comparison: `{3F2504E0-…}` and `3f2504e0-…` are the same session. In identifiers that are not GUIDs,
 * letter case matters.
 */
export function canonicalSessionGuid(guid: string): string {
	const bare = guid.replace(/[{}]/g, '');
	return GUID.test(bare) ? bare.toLowerCase() : bare;
}

/** Either the GUID, or why there is none, in words. */
export type FoundSessionGuid = { sessionGuid: string } | { problem: string };

/**
 * Finds the session GUID in a payload whose shape the service does not show: a field `sessionGuid` in any letter case,
 * with or without separators (`SessionGuid`, `session_guid`), at the top or one level down.
 *
 * @param payload parsed JSON or form fields
 * @param field name of the field, or path with dots, if the user has given it
 */
export function findSessionGuid(payload: unknown, field = ''): FoundSessionGuid {
	if (!isJsonObject(payload)) return { problem: 'the payload is not an object' };
	return field === ''
		? readSessionGuid(
				valuesNamed(payload, (name) => name === 'sessionguid'),
				"field 'sessionGuid'",
			)
		: readSessionGuid([valueAt(payload, field)], `field '${field}'`);
}

function readSessionGuid(values: unknown[], where: string): FoundSessionGuid {
	const present = values.filter((value) => value !== undefined);
	if (present.length === 0) return { problem: `the payload has no ${where}` };
	const [first, ...others] = present.map((value) =>
		typeof value === 'string' ? value.trim() : value,
	);
	if (!isSessionGuid(first)) return { problem: `${where} does not hold a session GUID` };
	const same = (other: unknown) =>
		isSessionGuid(other) && canonicalSessionGuid(other) === canonicalSessionGuid(first);
	if (!others.every(same))
		return { problem: `${where} occurs more than once with different values` };
	return { sessionGuid: first };
}
