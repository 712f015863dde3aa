import { EARLIEST_MS, parseTime } from '../../../../data/times';
import { isGuid } from '../../../../service/sessionGuid';
import { meaningOf } from '../../../../service/list/conventions';
import * as subjects from '../../../../service/list/subjects';

/** The form of a name that a programmer gives to a field, or to a parameter: `page[cursor]`. */
const NAME = /^[@$#]?[\p{L}_][\p{L}\p{N}_.$:@/~-]*(?:\[[\p{L}\p{N}_-]*\])*$/u;
const MAX_CHARS = 64;
/** So many digits are not in the name of a field, such as `address2` or `sha256`. */
const MAX_DIGITS = 4;
/** A key or token mixes small letters, capital letters and digits. */
const MIN_KEY_CHARS = 20;

/** Words of calls and recordings that keys of objects are made of. */
const WORDS = new Set([
	...['to', 'from', 'caller', 'callee', 'called', 'calling', 'source', 'destination', 'agent'],
	...['customer', 'recipient', 'number', 'phone', 'call', 'session', 'recording', 'meta', 'data'],
	...['start', 'started', 'end', 'ended', 'answer', 'answered', 'ring', 'hangup', 'paging'],
]);

/** Whether the name of a field is data itself: a GUID, a number, an address, a time, a sentence. */
export function looksLikeData(name: string): boolean {
	// In an OpenAPI document, answers have their status as a name.
	if (/^[1-5](?:\d\d|XX)$/.test(name)) return false;
	if (name.length > MAX_CHARS || !NAME.test(name)) return name !== '';
	const digits = name.replace(/\D/g, '').length;
	const isLong = name.length >= MIN_KEY_CHARS;
	if (isLong && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(name))) return true;
	if (digits > MAX_DIGITS || /\w@\w/.test(name)) return true;
	return isGuid(name) || parseTime(name) >= EARLIEST_MS;
}

/**
 * Names and paths of fields for the report. A person may show it to others, so it has no name that
 * is data itself.
 */
export function namesInWords(paths: readonly string[]): string {
	const shown = paths.map((path) =>
		path
			.split('.')
			.map((name) => (looksLikeData(name) ? '…' : name))
			.join('.'),
	);
	return [...new Set(shown)].join(', ') || 'none';
}

/** The words of a name, without digits: `result_count-2` and `resultCount` have two. */
export function wordsOf(name: string): string[] {
	return name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}]+/u)
		.filter((word) => word !== '');
}

/** Whether a name can only be that of a field, even among keys that may be data. */
export function isKnownName(name: string): boolean {
	if (meaningOf(name)) return true;
	const words = wordsOf(name);
	const lists = [WORDS, subjects.further, subjects.pages, subjects.answer, subjects.others];
	return words.length > 0 && words.every((word) => lists.some((list) => list.has(word)));
}
