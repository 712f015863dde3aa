import { matchNumber as matchOf, wantedNumber } from '../../data/matchNumber';
import { operation, outputItem } from '../../fields/operation';

export const matchNumber = operation({
	name: 'Match Number',
	value: 'matchNumber',
	action: 'Match number',
	description:
		'Add to each item whether it has a phone number in its fields to, from, number or caller, however it is written there. Calls nobody.',
	usesAccount: false,
	fields: [
		{
			displayName: 'Number',
			name: 'number',
			type: 'string',
			default: '',
			placeholder: 'e.g. +44 20 7946 0123',
			description: 'The number to look for, or a part of it. An empty one matches nothing.',
		},
	],
	async execute({ number }, itemIndex) {
		const json = this.getInputData()[itemIndex]?.json;
		const wanted = wantedNumber(number);
		return [outputItem(itemIndex, { ...json, ...wanted, ...matchOf(wanted, json) })];
	},
});
