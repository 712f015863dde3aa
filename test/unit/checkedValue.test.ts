import { checkedValue } from '../../nodes/fields/checkedValue';
import type { Field } from '../../nodes/fields/field';

const field = (type: Field['type'], more: Partial<Field> = {}): Field => ({
	displayName: 'One',
	name: 'one',
	type,
	default: '',
	...more,
});
const fromOne = { minValue: 1, numberPrecision: 0 };
const choices = {
	options: [
		{ name: 'Always', value: 'always' },
		{ name: 'Never', value: 'never' },
	],
};
const members = {
	options: [field('number', { displayName: 'Hours', name: 'hours', typeOptions: { minValue: 0 } })],
};
const groups: Partial<Field> = {
	options: [
		{
			displayName: 'Pair',
			name: 'pair',
			values: [
				{ displayName: 'Name', name: 'name', type: 'string', default: '' },
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					ignoreValidationDuringExecution: true,
				},
			],
		},
	],
};

describe('the value of a field', () => {
	test.each<[string, Field, unknown, unknown]>([
		['text', field('string'), ' x ', ' x '],
		['a number as text', field('string'), 5, '5'],
		['a number', field('number'), -1.5, -1.5],
		['text as a number', field('number', { typeOptions: fromOne }), ' 5 ', 5],
		['true', field('boolean'), true, true],
		['an option', field('options', choices), 'never', 'never'],
		['members', field('collection', members), { hours: '48' }, { hours: 48 }],
		['members that are not there', field('collection', members), {}, {}],
		['members that are not known', field('collection', members), { old: null }, { old: null }],
		[
			'groups',
			field('fixedCollection', groups),
			{ pair: [{ name: 1, value: [true] }, { name: 'b' }] },
			{ pair: [{ name: '1', value: [true] }, { name: 'b' }] },
		],
		['the smallest number', field('number', { typeOptions: fromOne }), 1, 1],
		[
			'a group that is not known',
			field('fixedCollection', groups),
			{ old: [{ name: null }] },
			{ old: [{ name: null }] },
		],
	])('%s', (_name, definition, value, expected) => {
		expect(checkedValue(definition, value)).toEqual(expected);
	});

	const text = "'One' must be text";
	const whole = "'One' must be a whole number of 1 or more";
	const hours = "'Hours' must be a number of 0 or more";
	test.each<[string, Field, unknown, string]>([
		['nothing as text', field('string'), undefined, text],
		['true as text', field('string'), true, text],
		['nothing as a number', field('number'), undefined, "'One' must be a number"],
		['an empty number', field('number'), ' ', "'One' must be a number"],
		['an endless number', field('number'), Infinity, "'One' must be a number"],
		['a number with a unit', field('number'), '48 hours', "'One' must be a number"],
		['0', field('number', { typeOptions: fromOne }), 0, whole],
		['a part', field('number', { typeOptions: fromOne }), 1.5, whole],
		[
			'too much',
			field('number', { typeOptions: { minValue: 0.5, maxValue: 60 } }),
			61,
			"'One' must be a number from 0.5 to 60",
		],
		['text as true', field('boolean'), 'true', "'One' must be true or false"],
		[
			'the name of an option',
			field('options', choices),
			'Always',
			"'One' must be one of: always, never",
		],
		['no option', field('options', choices), undefined, "'One' must be one of: always, never"],
		['text as members', field('collection', members), 'x', "'One' must be an object"],
		['a member without a value', field('collection', members), { hours: undefined }, hours],
		['a group that is no list', field('fixedCollection', groups), { pair: {} }, "'One' must be a"],
		[
			'a member of a group',
			field('fixedCollection', groups),
			{ pair: [{ name: undefined }] },
			"'Name' in 'One' must be text",
		],
	])('%s is refused by name', (_name, definition, value, message) => {
		expect(() => checkedValue(definition, value)).toThrow(message);
	});

	test.each([
		[{}, "'One' must be a number"],
		[{ minValue: 1 }, "'One' must be a number of 1 or more"],
		[{ minValue: 1, maxValue: 60 }, "'One' must be a number from 1 to 60"],
	])('with the limits %j, only these are named', (typeOptions, message) => {
		const refused = () => checkedValue(field('number', { typeOptions }), 'x');
		expect(refused).toThrow(new RegExp(`^${message}$`));
	});
});
