import { lettersAndDigits } from '../../data/secretForms';
import { decodings } from './decodings';

/**
 * Finds a secret in what a service answers about a failed request. Unlike `finderOf`, which hides
 * values of items and must leave the others alone, it prefers to find too much: nothing is lost if
 * an error does not show what the service says.
 */

/**
 * Of a secret, this part of its letters and digits in a row must not be shown, within these limits.
 */
const PART = 0.4;
const MIN_RUN = 8;
const MAX_RUN = 12;
/** With fewer letters and digits, a secret cannot be told from other text. */
const MIN_COMPARABLE = 3;
/** So many encodings around each other are undone. */
const MAX_LAYERS = 4;
/** Of all that a text may stand for. More is not looked at, and nothing is shown. */
const MAX_CHARS = 1_000_000;

/**
 * Whether a text may have a secret in it, or a good part of it: as it is or backwards, in any
 * letter case, with anything between its characters, or in an encoding (see decodings.ts), also in
 * several around each other.
 *
 * What only separates is never looked at. So it does not matter what it is.
 */
export function mayHold(text: string, secret: string): boolean {
	const plain = asciiLettersAndDigits(secret);
	if (plain.length < MIN_COMPARABLE) return true;
	return mayHoldRun(text, secret, runLength(plain));
}

/**
 * The same for a secret that a person has invented, such as a password: its parts may be words that
 * an answer has for other reasons, so only all of it counts. One with few letters and digits of
 * ASCII cannot be compared in this way, see `finderOf`.
 */
export function mayHoldWhole(text: string, secret: string): boolean {
	const { length } = asciiLettersAndDigits(secret);
	return length >= MIN_RUN && mayHoldRun(text, secret, length);
}

/** @param length how many letters and digits of the secret in a row count */
function mayHoldRun(text: string, secret: string, length: number): boolean {
	const plain = asciiLettersAndDigits(secret);
	const runs = runsOf(plain, length);
	const numbers = numbersOf(secret, length);

	const seen = new Set<string>();
	let layer = [text];
	let chars = 0;
	for (let depth = 0; depth <= MAX_LAYERS; depth++) {
		for (const form of layer) {
			chars += form.length;
			if (chars > MAX_CHARS) return true;
			const own = asciiLettersAndDigits(form);
			if (hasAny(own, runs) || hasAny(own.replace(/\D/g, ''), numbers)) return true;
			seen.add(form);
		}
		const next = layer.flatMap(decodings).map((form) => readable(form, length));
		layer = [...new Set(next)].filter((form) => form !== '' && !seen.has(form));
	}
	return false;
}

/** The key of a service has ASCII only, so letters of other alphabets only separate. */
function asciiLettersAndDigits(text: string): string {
	return lettersAndDigits(text.normalize('NFKD').replace(/[^ -~]/g, ''));
}

/** How many letters and digits in a row are a good part of a secret. */
function runLength(plain: string): number {
	const part = Math.floor(plain.length * PART);
	return Math.min(plain.length, MAX_RUN, Math.max(MIN_RUN, part));
}

function hasAny(text: string, runs: readonly string[]): boolean {
	return runs.some((run) => text.includes(run));
}

/** All parts of a text that have this length, or the text itself if it is shorter. */
function runsOf(text: string, length: number): string[] {
	const starts = Math.max(0, text.length - length) + 1;
	return Array.from({ length: starts }, (_, start) => text.slice(start, start + length));
}

/**
 * The runs of a secret as decimal and octal numbers without anything between them: their digits
 * differ in number, so they cannot be decoded.
 */
function numbersOf(secret: string, length: number): string[] {
	const numbers: string[] = [];
	for (const run of runsOf(secret, length)) {
		const codes = Array.from(Buffer.from(run));
		for (const radix of [10, 8]) numbers.push(codes.map((code) => code.toString(radix)).join(''));
	}
	return numbers;
}

/**
 * Of what was decoded, the parts that are long enough to be a part of the secret. What is not text
 * is no secret.
 */
function readable(form: string, length: number): string {
	const parts = form.replace(/\0/g, '').match(/[\x20-\x7e\s]+/g) ?? [];
	return parts.filter((part) => part.length >= length).join('\n');
}
