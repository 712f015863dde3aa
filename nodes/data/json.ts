import { invalid } from '../errors';

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name in lower case without separators: `sessionguid` for `SessionGuid` and `session_guid`. */
export function plainName(name: string): string {
	return name.replace(/[^\p{L}\d]/gu, '').toLowerCase();
}

/**
 * The JSON of an item that an expression has named. In a workflow with the binary mode 'combined', n8n puts the JSON in
 * the place of the item.
 */
export function jsonOfItem(item: unknown): JsonObject {
	const json = isJsonObject(item) && isJsonObject(item.json) ? item.json : item;
	return isJsonObject(json) ? json : {};
}

/**
 * A JSON object that the user has entered, as text or parsed.
 * @throws VoiceAgentError `invalidParameter`, naming the field
 */
export function enteredObject(value: unknown, field: string): JsonObject {
	let parsed = value;
	if (typeof value === 'string') {
		try {
			parsed = JSON.parse(value);
		} catch (error) {
			throw invalid(`'${field}' is not valid JSON: ${(error as Error).message}`);
		}
	}
	if (!isJsonObject(parsed)) throw invalid(`'${field}' is not a JSON object`);
	return parsed;
}
