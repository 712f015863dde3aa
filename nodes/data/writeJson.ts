import { invalid } from '../errors';
import { isBreakDue, takeBreak } from './breaks';
import type { JsonObject } from './payload';
import { isContainer, isJsonObject } from './payload';

/** The most characters that are sent as JSON: n8n parses them without a break, which takes up to 50 ms. */
const MAX_SENT = 1024 * 1024;

/** How many characters of a text are written at a time, and roughly how many a piece has. */
const PIECE_CHARS = 1024 * 1024;

/**
 * `JSON.stringify(value, undefined, indent)` in pieces and with breaks, because that keeps n8n from everything else.
 * @param namesOf the names in an object, in the order in which they are written
 */
export async function* jsonPieces(
	value: unknown,
	{ indent = '', namesOf = Object.keys } = {},
): AsyncGenerator<string, void> {
	let piece = '';
	for (const token of tokensOf(value, { indent, namesOf, line: indent && '\n' })) {
		if (isBreakDue()) await takeBreak();
		piece += token;
		if (piece.length < PIECE_CHARS) continue;
		yield piece;
		piece = '';
	}
	yield piece;
}

/**
 * What is sent: `JSON.stringify(value)` with breaks.
 * @throws VoiceAgentError `invalidParameter` if it is too long
 */
export async function jsonText(value: unknown): Promise<string> {
	let text = '';
	for await (const piece of jsonPieces(value)) text = limited(text + piece, 'the request');
	return text;
}

/**
 * A JSON object that the user has entered, as text or parsed.
 * @param field label of the parameter
 * @throws VoiceAgentError `invalidParameter`, saying what is wrong and where
 */
export function enteredObject(value: unknown, field: string): JsonObject {
	let parsed = value;
	if (typeof value === 'string') {
		const text = limited(value, `'${field}'`);
		try {
			parsed = JSON.parse(text);
		} catch (error) {
			throw invalid(`'${field}' is not valid JSON: ${(error as Error).message}`);
		}
	}
	if (!isJsonObject(parsed)) throw invalid(`'${field}' is not a JSON object`);
	return parsed;
}

function limited(text: string, what: string): string {
	if (text.length > MAX_SENT) throw invalid(`${what} has more than ${MAX_SENT} characters`);
	return text;
}

interface Layout {
	indent: string;
	namesOf: (object: object) => string[];
	/** The end of a line, and what the next one begins with. */
	line: string;
}

function* tokensOf(value: unknown, layout: Layout): Generator<string, void> {
	const { indent, namesOf, line } = layout;
	if (typeof value === 'string') {
		yield* quoted(value);
	} else if (!isContainer(value) || 'toJSON' in value) {
		yield JSON.stringify(value) ?? 'null';
	} else {
		const names = Array.isArray(value) ? undefined : namesOf(value);
		const values = value as Record<string | number, unknown>;
		const { length } = names ?? (value as unknown[]);
		let start = names ? '{' : '[';
		for (let index = 0; index < length; index++) {
			const name = names?.[index];
			const inner = values[name ?? index];
			// As JSON.stringify does.
			if (names && ['undefined', 'function', 'symbol'].includes(typeof inner)) continue;
			yield start + line + indent;
			if (name !== undefined) {
				yield* quoted(name);
				yield indent ? ': ' : ':';
			}
			yield* tokensOf(inner, { ...layout, line: line + indent });
			start = ',';
		}
		if (start === ',') yield line;
		else yield start;
		yield names ? '}' : ']';
	}
}

function* quoted(text: string): Generator<string, void> {
	yield '"';
	for (let at = 0; at < text.length; at += PIECE_CHARS) {
		yield JSON.stringify(text.slice(at, at + PIECE_CHARS)).slice(1, -1);
	}
	yield '"';
}
