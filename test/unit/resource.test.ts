import type { INodeProperties } from 'n8n-workflow';

import { type Operation, outputItem, propertiesOf } from '../../nodes/fields/operation';

const field = (name: string, displayOptions?: INodeProperties['displayOptions']) =>
	({
		displayName: name,
		name,
		type: 'string',
		default: '',
		...(displayOptions && { displayOptions }),
	}) as const;

function operation(name: string, fields: Operation['fields']): Operation {
	return {
		menuEntry: { name, value: name.toLowerCase(), action: `${name} it`, description: name },
		usesAccount: true,
		fields,
		oneAtATime: false,
		begin: () => async () => [],
		afterItems: async () => undefined,
	};
}

const get = operation('Get', [field('decrypt'), field('name')]);
const add = operation('Add', [field('size', { show: { unit: ['kb'] }, hide: { raw: [true] } })]);
const recording = {
	name: 'Recording',
	value: 'recording',
	description: 'A recording',
	defaultOperation: 'get',
	operations: [get, add],
};

test('a resource has a menu in alphabetical order, and fields that show for their operation', () => {
	const shown = (name: string) => ({ resource: ['recording'], operation: [name] });
	expect(propertiesOf(recording)).toEqual([
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: ['recording'] } },
			options: [add.menuEntry, get.menuEntry],
			default: 'get',
		},
		{
			...field('size'),
			displayOptions: { show: { unit: ['kb'], ...shown('add') }, hide: { raw: [true] } },
		},
		{ ...field('decrypt'), displayOptions: { show: shown('get') } },
		{ ...field('name'), displayOptions: { show: shown('get') } },
	]);
});

test('an item belongs to an item of the input, and has binary data only if there is some', () => {
	expect(outputItem(3, { a: 1 })).toStrictEqual({ json: { a: 1 }, pairedItem: { item: 3 } });
	const binary = { data: { data: '', mimeType: 'audio/wav' } };
	expect(outputItem(3, {}, binary)).toStrictEqual({ json: {}, binary, pairedItem: { item: 3 } });
});
