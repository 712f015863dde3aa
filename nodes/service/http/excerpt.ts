import { jsonParse } from 'n8n-workflow';

import { fieldsNamed } from '../../data/fields';
import { mayHold } from './echo';

const MAX_CHARS = 500;
/** So much is looked at: far more than is shown, so that a key is found that is cut in two at the end of it. */
const MAX_CHECKED_CHARS = 2_000;

/** In place of a key that is repeated as it was sent. What is around it can be shown. */
const REDACTED = '[redacted]';
/** In place of an answer that may hold the key in another form. */
const HIDDEN = '[hidden: the answer may contain the API key]';

/** What may be in an encoding that nobody has thought of: with small and capital letters and digits, and so long. */
const OPAQUE = /(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)[^\s"',;:()]+/g;
const MIN_OPAQUE_CHARS = 16;

interface Value {
	/** The names that lead to it, with dots. */
	path: string;
	text: string;
}

/**
 * What the service says about a request that it refused, as one short line.
 *
 * @param secret what was sent with the request. Nothing is shown of an answer that may hold a good part of it.
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
	if (only && values.length === 1) return only.text;
	// What is long, such as a stack trace, is cut, not what is behind it.
	const sorted = [...values].sort((one, other) => one.text.length - other.text.length);
	return sorted.map(({ path, text }) => `${path}: ${text}`).join(', ');
}

function withoutSecret(text: string, values: readonly Value[], secret: string): string {
	const literal = new RegExp(secret.replace(/[^\w\s]/g, '\\$&'), 'gi');
	const redacted = text.replace(literal, REDACTED);
	// Each of several fields may have a part of it.
	const short = values.filter((value) => value.text.length <= MAX_CHARS);
	const inARow = short.map((value) => value.text.replace(literal, REDACTED)).join('');
	const isLeft = [redacted, inARow].some((one) => mayHold(one.slice(0, MAX_CHECKED_CHARS), secret));
	if (isLeft) return HIDDEN;
	const minChars = Math.max(MIN_OPAQUE_CHARS, secret.length);
	return redacted.replace(OPAQUE, (word) => (word.length < minChars ? word : '[hidden]'));
}
