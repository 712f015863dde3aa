import { jsonParse } from 'n8n-workflow';

import { fieldsNamed } from '../../data/fields';
import { finderOf } from '../../data/secretForms';
import { mayHold, mayHoldWhole } from './echo';

const MAX_CHARS = 500;
/**
 * So much is looked at for the key: far more than is shown, because what is shown may end within
 * the key.
 */
const MAX_CHECKED_CHARS = 2_000;

/** A shorter secret may be a part of other words, so it is not cut out of them. */
const MIN_CHARS_CUT_OUT = 8;

/** In place of a key that is repeated as it was sent. What is around it can be shown. */
const REDACTED = '[redacted]';
/** In place of an answer that may hold the key in another form. */
const HIDDEN = '[hidden: the answer may contain the API key]';
/** In place of one that holds another secret. */
const HIDDEN_SECRET = '[hidden: the answer contains a secret of the credential]';

/**
 * Names that need not be shown with the only text of an answer (RFC 9457, RFC 6749 and convention).
 * Any other may be that of a refused field.
 */
const NEEDLESS_NAME = /^(?:.*\.)?(?:message|detail|title|error|error_description|description|)$/;

/** A word, without the marks around it. */
const WORD = /[^\s"',;:()]+/g;
/** A word of this length may be the key in an encoding that nobody has thought of. */
const MIN_KEY_CHARS = 16;
/** In place of such a word. */
const HIDDEN_WORD = '[hidden]';

/** What must not be shown. */
interface Hidden {
	apiKey: string;
	/** The other secrets of the account, and the key again. */
	secrets?: readonly string[];
}

interface Value {
	/** The names that lead to it, with dots. */
	path: string;
	text: string;
}

/**
 * What the service says about a request that it refused, as one short line.
 *
 * @param page the text of the answer
 * @param account whose secrets are hidden. Nothing is shown of an answer that may have a good part
 * of its API key, in whatever form, or one of its passwords
 * @param json the answer as JSON, if the caller has parsed it
 * @returns `undefined` if it says nothing
 */
export function safeExcerpt(
	page: string,
	account: Hidden | undefined,
	json: unknown = jsonParse(page, { fallbackValue: null }),
): string | undefined {
	const values = valuesIn(json);
	const text = (withNames(values) || page)
		.slice(0, MAX_CHECKED_CHARS)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '') return undefined;
	// A web page, or XML.
	if (text.startsWith('<')) return undefined;
	const shown = account ? withoutSecrets(text, values, account) : text;
	return shown.length > MAX_CHARS ? `${shown.slice(0, MAX_CHARS)}…` : shown;
}

function withoutSecrets(text: string, values: readonly Value[], hidden: Hidden): string {
	const { apiKey, secrets = [] } = hidden;
	const others = secrets.filter((secret) => secret !== apiKey);
	const cutOut = [apiKey, ...others.filter(({ length }) => length >= MIN_CHARS_CUT_OUT)];
	const redact = (one: string) => cutOut.reduce(withoutLiteral, one);
	const redacted = redact(text);
	const redactedValues = values.map((value) => ({ ...value, text: redact(value.text) }));
	const inARow = joined(redactedValues);
	if (mayHold(redacted, apiKey) || mayHold(inARow, apiKey)) return HIDDEN;
	const holdsOther = finderOf(others);
	const isWithin = (one: string) => others.some((secret) => mayHoldWhole(one, secret));
	const isAlone = redactedValues.some((value) => holdsOther(value.text));
	if (isAlone || [redacted, inARow].some((one) => holdsOther(one) || isWithin(one))) {
		return HIDDEN_SECRET;
	}
	return redacted.replace(WORD, (word) => (looksLikeKey(word, apiKey.length) ? HIDDEN_WORD : word));
}

function withoutLiteral(text: string, secret: string): string {
	return text.replace(new RegExp(secret.replace(/[^\w\s]/g, '\\$&'), 'gi'), REDACTED);
}

/**
 * Whether a word is as long as the key, and mixes small letters, capital letters and digits as
 * encodings do.
 */
function looksLikeKey(word: string, secretLength: number): boolean {
	const isLong = word.length >= Math.max(MIN_KEY_CHARS, secretLength);
	return isLong && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(word));
}

/** The values of an answer, in its order. */
function valuesIn(json: unknown): Value[] {
	if (typeof json === 'string') return [{ path: '', text: json }];
	const values: Value[] = [];
	for (const { path, value } of fieldsNamed(json, () => true) ?? []) {
		for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
			// What is within objects comes as a field of its own.
			const text = typeof one === 'object' ? '' : String(one);
			if (text.trim() !== '') values.push({ path, text });
		}
	}
	return values;
}

/**
 * The values with their names, such as `code: 21211, error.message: The number is not valid`. A
 * single value stands alone if its name says nothing.
 */
function withNames(values: readonly Value[]): string {
	const [only] = values;
	if (only && values.length === 1 && NEEDLESS_NAME.test(only.path)) return only.text;
	return shortestFirst(values)
		.map(({ path, text }) => `${path}: ${text}`)
		.join(', ');
}

/** What is long, such as a stack trace, is cut, not what is behind it. */
function shortestFirst(values: readonly Value[]): Value[] {
	return [...values].sort((one, other) => one.text.length - other.text.length);
}

/**
 * The values in the order of the answer, without their names and anything else between them: each
 * may have a part of the key. If there are too many, the longest are left out.
 */
function joined(values: readonly Value[]): string {
	const looked = new Set<Value>();
	let chars = 0;
	for (const value of shortestFirst(values)) {
		chars += value.text.length;
		if (chars > MAX_CHECKED_CHARS) break;
		looked.add(value);
	}
	return values
		.filter((value) => looked.has(value))
		.map(({ text }) => text)
		.join('');
}
