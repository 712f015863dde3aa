import { invalid } from '../errors';

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name in lower case without separators: `sessionguid` for `SessionGuid` and `session_guid`. */
export function plainName(name: string): string {
	return name.replace(/[^\p{L}\d]/gu, '').toLowerCase();
}

/** Where a number of 16 digits may begin. Shorter ones are always exact. */
const MAY_BE_LONG = /(?:^|[[:,\s])-?\d{16}/;
/** An escaped character, a quotation mark, or a long whole number, which may also be in a text. */
const TOKEN = /\\.|"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE+-])/gs;

/**
 * Parses JSON. A whole number beyond 2^53 that JavaScript would change becomes text with the same
 * digits, because identifiers can be that long.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
	const parsed: unknown = JSON.parse(text);
	// Looking at each number takes longer than parsing, and hardly any answer has long ones.
	if (!MAY_BE_LONG.test(text)) return parsed;

	let isInText = false;
	const exact = text.replace(TOKEN, (token) => {
		if (token === '"') isInText = !isInText;
		const isChanged = /\d$/.test(token) && String(Number(token)) !== token;
		return isChanged && !isInText ? `"${token}"` : token;
	});
	return JSON.parse(exact);
}

/**
 * The JSON of an item that an expression has named. In a workflow with the binary mode 'combined',
 * n8n puts the JSON in the place of the item.
 */
export function jsonOfItem(item: unknown): JsonObject {
	const json = isJsonObject(item) && isJsonObject(item.json) ? item.json : item;
	return isJsonObject(json) ? json : {};
}

/**
 * A JSON object that the user has entered, as text or parsed.
 *
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
