import { VoiceAgentError } from './errors';

/**
 * What may become part of a path: letters, digits, hyphens and underscores, in braces or not. The service calls it a
 * GUID but does not show its form, so other identifiers of that alphabet pass. At least one digit, so that words such as
 * "undefined" do not.
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

/** One form for comparison: `{3F2504E0-…}` and `3f2504e0-…` are the same session. */
export function canonicalSessionGuid(guid: string): string {
	return guid.replace(/[{}]/g, '').toLowerCase();
}

/** Either the GUID, or in words why there is none. */
export type FoundSessionGuid = { sessionGuid: string } | { problem: string };

/**
 * Finds the session GUID in a payload whose shape the service does not show: a field `sessionGuid` in any letter case,
 * with or without separators (`SessionGuid`, `session_guid`), at the top or one level down.
 *
 * @param payload parsed JSON or form fields
 * @param field name of the field, or path with dots, where the user knows it
 */
export function findSessionGuid(payload: unknown, field = ''): FoundSessionGuid {
	if (!isRecord(payload)) return { problem: 'the payload is not an object' };
	if (field !== '') return readSessionGuid([valueAt(payload, field)], `field '${field}'`);

	const top = valuesNamedSessionGuid(payload);
	if (top.length > 0) return readSessionGuid(top, "field 'sessionGuid'");
	const nested = Object.values(payload).filter(isRecord).flatMap(valuesNamedSessionGuid);
	return readSessionGuid(nested, "field 'sessionGuid'");
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

function valuesNamedSessionGuid(record: Record<string, unknown>): unknown[] {
	return Object.entries(record)
		.filter(([name]) => name.replace(/[-_ ]/g, '').toLowerCase() === 'sessionguid')
		.map(([, value]) => value);
}

function valueAt(record: Record<string, unknown>, path: string): unknown {
	// A field whose own name has dots wins over a path.
	if (Object.hasOwn(record, path)) return record[path];
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
			record,
		);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
