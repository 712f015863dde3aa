import type { Field } from '../../nodes/fields/field';
import { checkedValues } from '../../nodes/fields/values';

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
