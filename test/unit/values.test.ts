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
const text = field('string');
const number = field('number');
const count = field('number', { typeOptions: { minValue: 1, numberPrecision: 0 } });
const minutes = field('number', { typeOptions: { minValue: 0.5, maxValue: 60 } });
const choice = field('options', {
	options: [
		{ name: 'Always', value: 'always' },
		{ name: 'Never', value: 'never' },
	],
});
const hours = { displayName: 'Hours', name: 'hours', typeOptions: { minValue: 0 } };
const members = field('collection', { options: [field('number', hours)] });

describe('the value of a field', () => {
	test.each<[string, Field, unknown, unknown]>([
		['text', text, ' x ', ' x '],
		['a number as text', text, 5, '5'],
		['a number', number, -1.5, -1.5],
		['text as a number', count, ' 5 ', 5],
		['true', field('boolean'), true, true],
		['an option', choice, 'never', 'never'],
		['members', members, { hours: '48' }, { hours: 48 }],
		['members that are not there', members, {}, {}],
		['members that are not known', members, { old: null }, { old: null }],
		['the smallest number', count, 1, 1],
	])('is accepted: %s', (_name, definition, value, expected) => {
		expect(checkedValue(definition, value)).toEqual(expected);
	});

	const NUMBER = "'One' must be a number";
	const COUNT = "'One' must be a whole number of 1 or more";
	const CHOICE = "'One' must be one of: always, never";
	const HOURS = "'Hours' must be a number of 0 or more";
	test.each<[string, Field, unknown, string]>([
		['nothing as text', text, undefined, "'One' must be text"],
		['true as text', text, true, "'One' must be text"],
		['nothing as a number', number, undefined, NUMBER],
		['an empty number', number, ' ', NUMBER],
		['an endless number', number, Infinity, NUMBER],
		['a number with a unit', number, '48 hours', NUMBER],
		['a number below the minimum', count, 0, COUNT],
		['a fraction of a whole number', count, 1.5, COUNT],
		['a number above the maximum', minutes, 61, "'One' must be a number from 0.5 to 60"],
		['text as true', field('boolean'), 'true', "'One' must be true or false"],
		['the name of an option', choice, 'Always', CHOICE],
		['no option', choice, undefined, CHOICE],
		['text as members', members, 'x', "'One' must be an object"],
		['a member without a value', members, { hours: undefined }, HOURS],
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

test('a number that has only a largest value is refused with this value', () => {
	const few = field('number', { typeOptions: { maxValue: 5 } });
	expect(checkedValue(few, -1)).toBe(-1);
	expect(() => checkedValue(few, 6)).toThrow("'One' must be a number of 5 or less");
});

test('an option without a value is no choice', () => {
	const collection = { displayName: 'Two', name: 'two', type: 'string', default: '' } as const;
	const mixed = field('options', { options: [{ name: 'All', value: 'all' }, collection] });
	expect(() => checkedValue(mixed, false)).toThrow("'One' must be one of: all");
});
