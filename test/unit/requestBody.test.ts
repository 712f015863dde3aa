import type { ResourceMapperField } from 'n8n-workflow';

import {
	requireSomebodyToCall,
	formBody,
	namedBody,
	numberBody,
	parsedBody,
} from '../../nodes/VoiceAgent/requestBody';

const fields = (...field: Array<{ name: unknown; value: unknown }>) =>
	namedBody({ field } as Parameters<typeof namedBody>[0]);

test('the body from fields keeps the types of the values', () => {
	const named = [
		{ name: ' to ', value: '+15550100' },
		{ name: 7, value: 5 },
	];
	expect(fields(...named)).toEqual({ to: '+15550100', 7: 5 });
});

test('the body from JSON is read from text, and from the object of an expression', () => {
	expect(parsedBody('{"to":"+15550100"}')).toEqual({ to: '+15550100' });
	expect(parsedBody({ to: '+15550100' })).toEqual({ to: '+15550100' });
});

describe('the body from the form of the service', () => {
	const types = ['string', 'number', 'boolean', 'array', 'object', 'dateTime'];
	const schema = [
		{ id: 'level', type: 'options', options: [1, 2].map((value) => ({ name: `${value}`, value })) },
		{ id: 'on', type: 'options', options: [{ name: 'false', value: false }] },
		...types.map((type) => ({ id: type, type })),
		{ id: 'untyped' },
	] as unknown as ResourceMapperField[];

	test.each([
		['level', 2, 2],
		['level', '2', 2],
		['on', 'false', false],
		['number', '5', 5],
		['number', 0, 0],
		['boolean', 'false', false],
		['string', 15550100, '15550100'],
		['string', ' ', ' '],
		['array', '[1, 2]', [1, 2]],
		['object', '{"a": 1}', { a: 1 }],
		['dateTime', '2026-01-01', '2026-01-01'],
		['untyped', ' ', ' '],
		['somethingElse', '5', '5'],
	])('in the field %s, %j is sent as %j', (name, entered, sent) => {
		const value = { [name]: entered, from: null, empty: '', nothing: undefined };
		expect(formBody({ value, schema })).toStrictEqual({ [name]: sent });
	});

	test.each([
		['level', 3, "'level' must be one of: 1, 2"],
		['number', 'many', "'number' must be of type number"],
		['number', ' ', "'number' must be of type number"],
		['array', 'a, b', "'array' must be a list"],
	])('in the field %s, %j is refused', (name, entered, message) => {
		expect(() => formBody({ value: { [name]: entered }, schema })).toThrow(message);
	});

	test.each([[{ value: { to: '' } }], [{ value: null }], [undefined]])(
		'an empty form, %j, is refused',
		(form) => {
			expect(() => formBody(form)).toThrow('All fields of the call are empty');
		},
	);

	test('a form of which the fields are not known is sent as it was filled in', () => {
		const value = { to: '+15550100', seconds: '5' };
		expect(formBody({ value })).toEqual(value);
	});
});

test.each([
	['no fields', () => fields(), "'Fields' is empty"],
	['no list of fields', () => namedBody({}), "'Fields' is empty"],
	['a field without a name', () => fields({ name: ' ', value: 1 }), "'Fields' has no name"],
	[
		'a field twice',
		() => fields({ name: 'to', value: 1 }, { name: ' to', value: 2 }),
		"more than one field 'to'",
	],
	[
		'a field without a value',
		() => fields({ name: 'from', value: null }, { name: ' to', value: undefined }),
		"The field 'to' in 'Fields' has no value",
	],
	['broken JSON', () => parsedBody('{ "to": 1, }'), /^'JSON' is not valid JSON: .* at position 11/],
	['a list', () => parsedBody('[1]'), "'JSON' is not a JSON object"],
	['null', () => parsedBody('null'), "'JSON' is not a JSON object"],
	['an empty object', () => parsedBody('{}'), "'JSON' is an empty object"],
	['nothing in an object', () => parsedBody({ to: undefined }), "'JSON' is an empty object"],
])('%s is refused by name', (_name, build, message) => expect(build).toThrow(message));

describe('the body from the number to call', () => {
	const more = (...field: Array<{ name: string; value: unknown }>) =>
		({ field }) as Parameters<typeof numberBody>[2];

	test('has the number under the name that the service has for it, and more fields', () => {
		expect(numberBody('+15550100', 'to', {})).toEqual({ to: '+15550100' });
		const fields = more({ name: 'language', value: 'en' }, { name: 'seconds', value: 5 });
		const body = { phone: '+15550100', language: 'en', seconds: 5 };
		expect(numberBody('+15550100', 'phone', fields)).toEqual(body);
	});

	test.each(['', ' ', '\n'])('an empty number, %j, is refused', (to) => {
		const message = "'To' is empty: enter the number to call, as + and all digits";
		expect(() => numberBody(to, 'to', {})).toThrow(message);
	});

	test.each([
		[{ name: 'To', value: '+15550199' }, "'More Fields' has the field 'To', in which 'To' is sent"],
		[{ name: ' ', value: '1' }, "A field in 'More Fields' has no name"],
		[{ name: 'a', value: undefined }, "The field 'a' in 'More Fields' has no value"],
	])('with %j as another field is refused', (field, message) => {
		expect(() => numberBody('+15550100', 'to', more(field))).toThrow(message);
	});
});

test.each<[Record<string, unknown>, string]>([
	[{ to: '' }, "The number to call is empty: enter it in the field 'to'"],
	[{ to: ' ', language: 'en' }, "enter it in the field 'to'"],
	[{ TO: null, language: 'en' }, "enter it in the field 'TO'"],
	[{ to: undefined, language: 'en' }, "enter it in the field 'to'"],
	[{ to: [], language: 'en' }, "enter it in the field 'to'"],
	[{ to: [''], language: 'en' }, "enter it in the field 'to'"],
	[{ phone: '', from: ' ' }, 'All fields of the call are empty'],
	[{}, 'All fields of the call are empty'],
])('nobody is called with %j', (body, message) => {
	expect(() => requireSomebodyToCall(body as never, 'to')).toThrow(message);
});

test.each([{ to: '+15550100' }, { to: 15550100 }, { phone: '+15550100' }, { call: { to: '1' } }])(
	'somebody may be called with %j',
	(body) => {
		expect(() => requireSomebodyToCall(body as never, 'to')).not.toThrow();
	},
);
