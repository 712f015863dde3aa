import type { IDataObject } from 'n8n-workflow';

import { isJsonObject } from '../../data/json';
import { comparedNumbers, internationalNumber } from '../../data/phoneNumbers';
import { invalid } from '../../errors';
import { optionsField } from '../../fields/field';
import { operation, outputItem } from '../../fields/operation';
import { callingHoursField, callingHoursObjection, timeZoneField } from './callingHours';
import { doNotCallField, NUMBER_COLUMN, parseDoNotCall, rowOf } from './doNotCall';

/** The column with the time zone of a number, if it is not that of its country. */
const ZONE_COLUMN = 'zone';

export const screenNumbers = operation({
	name: 'Screen Numbers',
	value: 'screenNumbers',
	action: 'Screen numbers',
	description:
		'Show which numbers Make would call now, and why not the others: by a do-not-call list, calling hours, and numbers of one telephone. Calls nobody.',
	usesAccount: false,
	fields: [
		{
			displayName: 'Numbers',
			name: 'numbers',
			type: 'string',
			default: '',
			required: true,
			placeholder: "e.g. {{ $('Get the numbers').all() }}",
			description:
				"The numbers to check: the items of a node that reads a table with the column 'number', a list, or text with one number. A column 'zone' may have the time zone of a number.",
			// An expression yields a list.
			ignoreValidationDuringExecution: true,
		},
		{ ...doNotCallField, default: 'none' },
		optionsField([callingHoursField, timeZoneField]),
	],
	async execute({ numbers, doNotCall, options }, itemIndex) {
		const blocked = parseDoNotCall(doNotCall);
		const list: unknown[] = [numbers].flat();
		if (list[0] === undefined && list.length === 1) throw invalid("'Numbers' has no value");
		const now = Date.now();
		const seen = new Set<string>();

		return list.map((entry) => {
			const { number, zone, columns } = readEntry(entry);
			const to = internationalNumber(number) ?? null;
			const telephones = comparedNumbers(number);
			const [comparedAs = null] = telephones;
			const isBlocked = telephones.some((one) => blocked.has(one));
			const isRepeated = comparedAs !== null && seen.has(comparedAs);
			if (comparedAs !== null) seen.add(comparedAs);

			const timeZone = zone ?? options.timeZone;
			const reason =
				(to === null && 'the number is not clear: enter + and all digits, such as +15550100') ||
				(isBlocked && 'the number is on the do-not-call list') ||
				(isRepeated && 'an earlier number reaches the same telephone') ||
				(callingHoursObjection(to, options.callingHours, timeZone, now)?.detail ?? null);
			const checked = { to, comparedAs, isBlocked, call: reason === null, reason };
			return outputItem(itemIndex, { ...columns, number: number as string, ...checked });
		});
	},
});

/** @throws VoiceAgentError `invalidParameter` for a row without the column of the number */
function readEntry(entry: unknown) {
	const row = rowOf(entry);
	if (!isJsonObject(row)) return { number: row, columns: {} };
	if (!(NUMBER_COLUMN in row)) throw invalid(`'Numbers' has no column '${NUMBER_COLUMN}'`);
	const { [NUMBER_COLUMN]: number, [ZONE_COLUMN]: zone } = row;
	return { number, zone: zone === '' ? undefined : zone, columns: row as IDataObject };
}
