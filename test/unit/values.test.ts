import type { Field } from '../../nodes/fields/field';
import { checkedValue, checkedValues } from '../../nodes/fields/values';

const mode: Field = {
	displayName: 'Mode',
	name: 'mode',
	type: 'options',
	options: [
		{ name: 'All', value: 'all' },
		{ name: 'Some', value: 'some' },
	],
	default: 'all',
};
const limit: Field = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	default: 50,
	displayOptions: { show: { mode: ['some'] } },
};
const note: Field = {
	displayName: 'Note',
	name: 'note',
	type: 'string',
	default: '',
	displayOptions: { hide: { mode: ['some'] } },
};
const orders = [
	[mode, limit, note],
	[note, limit, mode],
];

describe.each(orders)('fields in the order %#', (...fields) => {
	test('a shown field is checked, wherever the field that decides about it stands', () => {
		expect(checkedValues(fields, { mode: 'some', limit: '5', note: {} })).toEqual({
			mode: 'some',
			limit: 5,
			note: {},
		});
		expect(() => checkedValues(fields, { mode: 'some', limit: 'x', note: '' })).toThrow("'Limit'");
	});

	test('a field is hidden by `hide` as well as by `show`', () => {
		expect(checkedValues(fields, { mode: 'all', limit: 'x', note: 5 })).toEqual({
			mode: 'all',
			limit: 'x',
			note: '5',
		});
		expect(() => checkedValues(fields, { mode: 'all', limit: 1, note: {} })).toThrow("'Note'");
	});

	test('a field that decides about others is checked too', () => {
		expect(() => checkedValues(fields, { mode: 'none', limit: 1, note: '' })).toThrow("'Mode'");
	});
});

test('with both conditions, `show` must apply and `hide` must not', () => {
	const both: Field = {
		...limit,
		displayOptions: { show: { mode: ['all', 'some'] }, hide: { mode: ['all'] } },
	};
	expect(() => checkedValues([mode, both], { mode: 'some', limit: 'x' })).toThrow("'Limit'");
	expect(checkedValues([mode, both], { mode: 'all', limit: 'x' })).toMatchObject({ limit: 'x' });
});

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
		['the smallest number', field('number', { typeOptions: fromOne }), 1, 1],
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
