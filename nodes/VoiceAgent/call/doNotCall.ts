import { internationalNumber } from '../../data/phoneNumbers';
import { VoiceAgentError } from '../../errors';
import type { Field } from '../../fields/field';

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
 * The numbers on a do-not-call list. Empty entries block nobody, so they are left out.
 * @throws VoiceAgentError `doNotCallUnusable` for an entry that would have to be guessed, and for a list without entries
 */
export function parseDoNotCall(list: unknown): Set<string> {
	const refuse = (detail: string) => new VoiceAgentError('doNotCallUnusable', { detail });
	if (typeof list === 'string' && list.trim() === 'none') return new Set();
	const entries: unknown = typeof list === 'string' ? list.split(/[,;\n]/) : list;
	if (!Array.isArray(entries)) throw refuse('it is not a list');
	const filled = entries.filter((entry) => entry !== null && String(entry).trim() !== '');
	if (filled.length === 0) throw refuse('it is empty');
	const numbers = filled.map(internationalNumber);
	const unclear = numbers.indexOf(undefined);
	if (unclear === -1) return new Set(numbers as string[]);
	const entry: unknown = filled[unclear];
	throw refuse(entry === undefined ? 'it has no such column' : `'${String(entry).slice(0, 64)}'`);
}
