import { VoiceAgentError } from '../errors';
import { isBreakDue, takeBreak } from './breaks';
import type { JsonObject } from './payload';
import { markAsLarge, MAX_DEPTH, MAX_FEW } from './payload';

// Each of these takes JavaScript 50 ms at most, without a break: to parse a text, to list the fields of an object, to make
// room in a list. The total keeps n8n from running out of memory.
export const MAX_TEXT = 1024 * 1024;
const MAX_NAME = 1_000;
const MAX_FIELDS = 125_000;
const MAX_ELEMENTS = 250_000;
const MAX_VALUES = 5_000_000;

/** What is between two tokens: also a byte order mark, and the separator of a sequence of values (RFC 7464). */
const GAP = /[\s\ufeff\p{Cc}]*/uy;
const TOKEN = /[{}[\],:]|-?\d[\d.eE+-]{0,999}|true|false|null/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON with breaks, because `JSON.parse` keeps n8n from everything else for as long as it takes.
 *
 * @param text may be in pieces
 * @returns the values in the text, which are several in JSON lines; `undefined` if it is not JSON
 * @throws VoiceAgentError `tooLarge` if it is nested too deep, or something in it is too long
 */
export async function parseJson(text: string | readonly string[]): Promise<unknown[] | undefined> {
	return await valuesIn([text].flat()).catch((error: unknown) =>
		error instanceof SyntaxError ? undefined : Promise.reject(error),
	);
}

async function valuesIn(pieces: string[]): Promise<unknown[]> {
	const nextToken = tokenizer(pieces);
	const values: unknown[] = [];
	const open: Array<unknown[] | JsonObject> = [];
	/** How many fields the objects in `open` have. */
	const fields: number[] = [];
	let count = 0;
	/** Whether the innermost list or object may end here, and whether a comma must come before its next value. */
	let mayEnd = true;
	let needsComma = false;
	for (let token = nextToken(); token !== ''; token = nextToken()) {
		if (isBreakDue()) await takeBreak();
		const inside = open.at(-1);
		if (inside && token === (Array.isArray(inside) ? ']' : '}') && mayEnd) {
			open.pop();
			fields.pop();
			needsComma = mayEnd = true;
			continue;
		}
		if (inside && needsComma) {
			if (token !== ',') throw new SyntaxError();
			needsComma = mayEnd = false;
			continue;
		}
		let key: unknown;
		if (inside && !Array.isArray(inside)) {
			key = token.startsWith('"') ? JSON.parse(token) : undefined;
			if (key === undefined || nextToken() !== ':') throw new SyntaxError();
			limit(token.length, MAX_NAME, 'the name of a field has more than', 'characters');
			limit(++fields[fields.length - 1]!, MAX_FIELDS, 'an object has more than', 'fields');
			if (fields.at(-1) === MAX_FEW + 1) markAsLarge(inside);
			token = nextToken();
		}
		limit(++count, MAX_VALUES, 'it has more than', 'values');
		const value: unknown = token === '[' ? [] : token === '{' ? {} : JSON.parse(token);
		if (!inside) values.push(value);
		else if (Array.isArray(inside)) inside.push(value);
		// As JSON.parse does: an assignment would change the prototype.
		else if (key === '__proto__')
			Object.defineProperty(inside, key, {
				value,
				enumerable: true,
				configurable: true,
				writable: true,
			});
		else inside[key as string] = value;
		const list = Array.isArray(inside) ? inside : values;
		limit(list.length, MAX_ELEMENTS, 'a list has more than', 'elements');
		needsComma = mayEnd = true;
		if (token === '[' || token === '{') {
			open.push(value as unknown[] | JsonObject);
			fields.push(0);
			needsComma = false;
			limit(open.length, MAX_DEPTH, 'it is nested deeper than', 'levels');
		}
	}
	if (open.length > 0) throw new SyntaxError();
	return values;
}

/** Returns the next token each time, and at the end an empty text. */
function tokenizer(pieces: string[]): () => string {
	let next = 0;
	let text = '';
	let at = 0;
	return () => {
		// Enough for any token, and for the gap before it.
		while (text.length - at <= 2 * MAX_TEXT && next < pieces.length) {
			text = text.slice(at) + pieces[next++];
			at = 0;
		}
		GAP.lastIndex = at;
		GAP.exec(text);
		const start = GAP.lastIndex;
		limit(start - at, MAX_TEXT, 'it has more than', 'blanks in a row');
		at = start;
		if (start === text.length) return '';
		if (text.charCodeAt(start) === QUOTE) {
			at = endOfText(text, start) + 1;
		} else {
			TOKEN.lastIndex = start;
			if (!TOKEN.test(text)) throw new SyntaxError();
			at = TOKEN.lastIndex;
		}
		return text.slice(start, at);
	};
}

/** The index of the quotation mark that ends the text that begins at an index. */
function endOfText(json: string, start: number): number {
	for (let at = start + 1; at < json.length; at++) {
		const code = json.charCodeAt(at);
		if (code === QUOTE) return at;
		if (code === BACKSLASH) at += 1;
		limit(at - start, MAX_TEXT, 'a text has more than', 'characters');
	}
	throw new SyntaxError();
}

function limit(size: number, max: number, before: string, after: string): void {
	if (size > max) throw new VoiceAgentError('tooLarge', { detail: `${before} ${max} ${after}` });
}
