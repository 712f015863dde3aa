import { comparedNumbers, internationalNumber } from '../../data/phoneNumbers';
import { invalid } from '../../errors';
import { operation, outputItem } from '../../fields/operation';
import { doNotCallField, parseDoNotCall } from './doNotCall';

export const checkNumbers = operation({
	name: 'Check Numbers',
	value: 'checkNumbers',
	action: 'Check numbers',
	description:
		'Write phone numbers in one form, as Make compares them, and look them up in a do-not-call list. Calls nobody.',
	usesAccount: false,
	fields: [
		{
			displayName: 'Numbers',
			name: 'numbers',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ [$json.number] }}',
			description: 'The numbers to check: a list, or text with one number',
			// An expression yields a list.
			ignoreValidationDuringExecution: true,
		},
		{ ...doNotCallField, default: 'none' },
	],
	async execute({ numbers, doNotCall }, itemIndex) {
		const blocked = parseDoNotCall(doNotCall);
		const list: unknown[] = [numbers].flat();
		if (list[0] === undefined && list.length === 1) throw invalid("'Numbers' has no value");
		return list.map((number) => {
			const to = internationalNumber(number) ?? null;
			const [comparedAs = null, ...others] = comparedNumbers(number);
			const isBlocked = [comparedAs, ...others].some((one) => one !== null && blocked.has(one));
			return outputItem(itemIndex, { number: number as string, to, comparedAs, isBlocked });
		});
	},
});
