import { isJsonObject, type JsonObject } from '../../data/json';
import { comparedNumbers } from '../../data/phoneNumbers';
import { VoiceAgentError } from '../../errors';
import type { Field } from '../../fields/field';

/** Of a row of a table: the column with the number, and the one in which n8n counts the rows. */
const NUMBER_COLUMN = 'number';
const ID_COLUMN = 'id';
/** As many digits as a number without its area code has, with what stands between them. */
const DIGITS = /(?:\d[\s\p{Pd}./()]*){7}/u;
/** A date or time in ISO 8601. */
const TIME = /\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?/g;

export const doNotCallField = {
	displayName: 'Do Not Call',
	name: 'doNotCall',
	type: 'string',
	default: '',
	placeholder: "e.g. {{ $('Get the list').all().map(({ json }) => json.number) }}",
	description:
		"The numbers that must not be called: a list, or text with commas between them. Enter 'none' if there are none; an empty or unreadable list stops all calls.",
	// An expression yields a list.
	ignoreValidationDuringExecution: true,
} as const satisfies Field;

/**
 * The telephones on a do-not-call list, as {@link comparedNumbers} has them. Only the text `none`
 * stands for nobody.
 *
 * @param list numbers, rows of a table with the column `number`, or text with commas, semicolons or
 * line breaks between numbers
 * @throws VoiceAgentError `doNotCallUnusable` for a list without entries, and for an entry that is
 * empty or would have to be guessed
 */
export function parseDoNotCall(list: unknown): Set<string> {
	if (typeof list === 'string' && list.trim() === 'none') return new Set();
	// The line break at the end of a text begins no entry.
	const entries: unknown = typeof list === 'string' ? list.trim().split(/\r?\n|[,;]/) : list;
	if (!Array.isArray(entries)) throw unusable('it is not a list');
	if (entries.every((entry) => entry !== undefined && isBlank(entry)))
		throw unusable('it is empty');
	return new Set(entries.flatMap((entry: unknown, index) => telephonesOf(entry, index + 1)));
}

/** @param position in the list, from 1 */
function telephonesOf(entry: unknown, position: number): string[] {
	const number: unknown = isJsonObject(entry) ? numberOfRow(entry, position) : entry;
	if (number === undefined) throw unusable('it has no such column');
	if (isBlank(number)) throw unusable(`entry ${position} is empty`);
	const telephones = comparedNumbers(number);
	if (telephones.length === 0) throw unusable(`'${textOf(number).slice(0, 64)}'`);
	return telephones;
}

/** The number of a row. A number in another column would be overlooked. */
function numberOfRow(row: JsonObject, position: number): unknown {
	const others = Object.keys(row).filter((name) => ![NUMBER_COLUMN, ID_COLUMN].includes(name));
	const other = others.find((name) => DIGITS.test(textOf(row[name]).replace(TIME, '')));
	if (other === undefined || row[NUMBER_COLUMN] === undefined) return row[NUMBER_COLUMN];
	throw unusable(`entry ${position} may have another number, in the column '${other}'`);
}

function isBlank(value: unknown): boolean {
	return String(value ?? '').trim() === '';
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : String(JSON.stringify(value));
}

function unusable(detail: string): VoiceAgentError {
	return new VoiceAgentError('doNotCallUnusable', { detail });
}
