import { jsonParse } from 'n8n-workflow';

import { fieldsNamed } from '../../data/fields';
import { mayHold } from './echo';

const MAX_CHARS = 500;
/**
 * So much is looked at: far more than is shown, so that a key is found that is cut in two at the
 * end of it.
 */
const MAX_CHECKED_CHARS = 2_000;

/** In place of a key that is repeated as it was sent. What is around it can be shown. */
const REDACTED = '[redacted]';
/** In place of an answer that may hold the key in another form. */
const HIDDEN = '[hidden: the answer may contain the API key]';

/**
 * Names of a text that stands alone (RFC 9457, RFC 6749 and convention). Any other may be that of a
 * refused field.
 */
const SAYS_NOTHING = /^(?:.*\.)?(?:message|detail|title|error|error_description|description|)$/;

/** A word, without the marks around it. */
const WORD = /[^\s"',;:()]+/g;
/** As long as this, a word may be the key in an encoding that nobody has thought of. */
const MIN_OPAQUE_CHARS = 16;

interface Value {
	/** The names that lead to it, with dots. */
	path: string;
	text: string;
}

/**
 * What the service says about a request that it refused, as one short line.
 *
 * @param secret what was sent with the request. Nothing is shown of an answer that may hold a good
 * part of it.
 */
export function safeExcerpt(
	page: string,
	secret: string | undefined,
	json: unknown = jsonParse(page, { fallbackValue: null }),
): string | undefined {
	const values = valuesIn(json);
	const text = (named(values) || page)
		.slice(0, MAX_CHECKED_CHARS)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '' || text.startsWith('<')) return undefined;
	const shown = secret ? withoutSecret(text, values, secret) : text;
	return shown.length > MAX_CHARS ? `${shown.slice(0, MAX_CHARS)}…` : shown;
}

/** The values of an answer, in its order. */
function valuesIn(json: unknown): Value[] {
	if (typeof json === 'string') return [{ path: '', text: json }];
	const values = (fieldsNamed(json, () => true) ?? []).flatMap(({ path, value }) => {
		const texts = [value].flat().filter((one) => typeof one !== 'object');
		return texts.map((text) => ({ path, text: String(text) }));
	});
	return values.filter(({ text }) => text.trim() !== '');
}

/** The values with their names, such as `code: 21211, error.message: The number is not valid`. */
function named(values: readonly Value[]): string {
	const [only] = values;
	if (only && values.length === 1 && SAYS_NOTHING.test(only.path)) return only.text;
	return shortestFirst(values)
		.map(({ path, text }) => `${path}: ${text}`)
		.join(', ');
}

/** What is long, such as a stack trace, is cut, not what is behind it. */
function shortestFirst(values: readonly Value[]): Value[] {
	return [...values].sort((one, other) => one.text.length - other.text.length);
}

/**
 * The values that may be shown, in the order of the answer and without their names: each may have a
 * part of the key.
 */
function inARow(values: readonly Value[]): string {
	let chars = 0;
	const shown = new Set(
		shortestFirst(values).filter(({ text }) => (chars += text.length) <= MAX_CHECKED_CHARS),
	);
	return values
		.filter((value) => shown.has(value))
		.map(({ text }) => text)
		.join('');
}

function withoutSecret(text: string, values: readonly Value[], secret: string): string {
	const literal = new RegExp(secret.replace(/[^\w\s]/g, '\\$&'), 'gi');
	const redacted = text.replace(literal, REDACTED);
	const others = values.map(({ path, text: own }) => ({
		path,
		text: own.replace(literal, REDACTED),
	}));
	if (mayHold(redacted, secret) || mayHold(inARow(others), secret)) return HIDDEN;
	return redacted.replace(WORD, (word) => (isOpaque(word, secret) ? '[hidden]' : word));
}

/**
 * Whether a word is as long as the key, and mixes small letters, capital letters and digits as
 * encodings do.
 */
function isOpaque(word: string, { length }: string): boolean {
	const isLong = word.length >= Math.max(MIN_OPAQUE_CHARS, length);
	return isLong && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(word));
}
