import { VoiceAgentError } from '../errors';
import { Breaks } from './breaks';
import type { JsonObject } from './payload';
import { MAX_DEPTH } from './payload';

/** One text in the document may have so many characters, because it is parsed without a break. */
const MAX_TEXT = 8 * 1024 * 1024;

/** What is between two tokens: also a byte order mark, and the separator of a sequence of values (RFC 7464). */
const GAP = /[\s\ufeff\p{Cc}]*/uy;
const TOKEN = /[{}[\],:]|-?\d[\d.eE+-]*|true|false|null/y;

/**
 * Parses JSON with breaks, because `JSON.parse` keeps n8n from everything else for as long as it takes.
 *
 * @returns the values in the text, which are several in JSON lines; `undefined` if it is not JSON
 * @throws VoiceAgentError `tooLarge` if it is nested too deep
 */
export async function parseJson(text: string): Promise<unknown[] | undefined> {
	return await valuesIn(text).catch((error: unknown) =>
		error instanceof SyntaxError ? undefined : Promise.reject(error),
	);
}

async function valuesIn(text: string): Promise<unknown[]> {
	const breaks = new Breaks();
	const nextToken = tokenizer(text);
	const values: unknown[] = [];
	const open: Array<unknown[] | JsonObject> = [];
	/** Whether the innermost list or object may end here, and whether a comma must come before its next value. */
	let mayEnd = true;
	let needsComma = false;
	for (let token = nextToken(); token !== ''; token = nextToken()) {
		if (breaks.isDue()) await breaks.take();
		const inside = open.at(-1);
		if (inside && token === (Array.isArray(inside) ? ']' : '}') && mayEnd) {
			open.pop();
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
			token = nextToken();
		}
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
		needsComma = mayEnd = true;
		if (token === '[' || token === '{') {
			open.push(value as unknown[] | JsonObject);
			needsComma = false;
			if (open.length > MAX_DEPTH) throw tooLarge(`it is nested deeper than ${MAX_DEPTH} levels`);
		}
	}
	if (open.length > 0) throw new SyntaxError();
	return values;
}

/** Returns the next token each time, and at the end an empty text. */
function tokenizer(text: string): () => string {
	let at = 0;
	return () => {
		GAP.lastIndex = at;
		GAP.exec(text);
		const start = GAP.lastIndex;
		if (start === text.length) return '';
		if (text[start] === '"') {
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
	for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
		if (end - start > MAX_TEXT) throw tooLarge(`it has a text of more than ${MAX_TEXT} characters`);
		let backslashes = 0;
		while (json[end - 1 - backslashes] === '\\') backslashes += 1;
		if (backslashes % 2 === 0) return end;
	}
	throw new SyntaxError();
}

function tooLarge(detail: string): VoiceAgentError {
	return new VoiceAgentError('tooLarge', { detail });
}
