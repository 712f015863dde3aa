import { isJsonObject, type JsonObject } from '../../data/json';
import { comparedNumbers } from '../../data/phoneNumbers';
import { VoiceAgentError } from '../../errors';
import type { Field } from '../../fields/field';

/** The column with the number, if the list has rows of a table. */
export const NUMBER_COLUMN = 'number';
/** The column in which n8n counts the rows of a data table. */
const ID_COLUMN = 'id';
/**
 * What may be a number: as many digits as one without its area code has, however they are grouped.
 */
const DIGITS = /(?:\d[\s\p{Pd}./()]*){7}/u;
/** A date or time in ISO 8601. */
const TIME = /\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?/g;

export const doNotCallField = {
	displayName: 'Do Not Call',
	name: 'doNotCall',
	type: 'string',
	default: '',
	placeholder: "e.g. {{ $('Get the list').all() }}",
	description:
		"The numbers that must not be called: the items of a node that reads a table with the column 'number', a list, or text with commas between the numbers. Enter 'none' if there are none; an empty or unreadable list stops all calls.",
	// An expression yields a list.
	ignoreValidationDuringExecution: true,
} as const satisfies Field;

/**
 * The telephones on a do-not-call list, as {@link comparedNumbers} has them. Only the text `none`
 * stands for nobody.
 *
 * @param list numbers, rows of a table with the column `number`, n8n's items with such rows, or
 * text with commas, semicolons or line breaks between numbers
 * @throws VoiceAgentError `doNotCallUnusable` for a list without entries, and for an entry that is
 * empty or would have to be guessed
 */
export function parseDoNotCall(list: unknown): Set<string> {
	if (typeof list === 'string' && list.trim() === 'none') return new Set();
	// Without the line break at the end of a text, which begins no entry.
	const entries: unknown = typeof list === 'string' ? list.trim().split(/\r?\n|[,;]/) : list;
	if (!Array.isArray(entries)) throw unusable('it is not a list');
	const rows = entries.map(rowOf);
	// An entry that is undefined comes from a column that does not exist, which is said below.
	const isEmpty = rows.every((entry) => entry !== undefined && isBlank(entry));
	if (isEmpty) throw unusable('it is empty');
	return new Set(rows.flatMap((entry, index) => telephonesOf(entry, index + 1)));
}

/** The row in an item of n8n; anything else as it is. */
export function rowOf(entry: unknown): unknown {
	return isJsonObject(entry) && isJsonObject(entry.json) ? entry.json : entry;
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
	const number = row[NUMBER_COLUMN];
	if (number === undefined) return undefined;
	const others = Object.keys(row).filter((name) => name !== NUMBER_COLUMN && name !== ID_COLUMN);
	const other = others.find((name) => DIGITS.test(textOf(row[name]).replace(TIME, '')));
	if (other === undefined) return number;
	throw unusable(`entry ${position} may have another number, in the column '${other}'`);
}

/** Also the item that n8n puts out for an empty table. */
function isBlank(value: unknown): boolean {
	if (isJsonObject(value)) return Object.keys(value).length === 0;
	return String(value ?? '').trim() === '';
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : String(JSON.stringify(value));
}

function unusable(detail: string): VoiceAgentError {
	return new VoiceAgentError('doNotCallUnusable', { detail });
}
