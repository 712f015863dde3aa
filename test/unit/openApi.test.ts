import { requestFields } from '../../nodes/VoiceAgent/call/openApi';

const PATH = '/api/customer/makecall';
const field = (name: string, type: string, more: object = {}) => ({
	name,
	type,
	required: false,
	description: '',
	choices: [],
	...more,
});

const schemas = {
	Call: {
		allOf: [{ $ref: '#/components/schemas/Target' }],
		required: ['mode'],
		properties: {
			mode: { $ref: '#/components/schemas/Mode' },
			seconds: { type: ['integer', 'null'], description: 'How long' },
			record: { type: 'boolean' },
			at: { type: 'string', format: 'date-time' },
			tags: { type: 'array', items: { type: 'string' } },
			metadata: { oneOf: [{ type: 'null' }, { type: 'object' }] },
			id: { type: 'string', readOnly: true },
		},
	},
	Target: { required: ['to'], properties: { to: { type: 'string', description: 'Number' } } },
	Mode: { enum: ['now', 'later', null] },
};
const openApi3 = (schema: object, path = PATH) => ({
	components: { schemas },
	paths: { [path]: { post: { requestBody: { content: { 'application/json': { schema } } } } } },
});

test('OpenAPI 3: references, allOf, types, choices, what is required', () => {
	expect(requestFields(openApi3({ $ref: '#/components/schemas/Call' }), 'POST', PATH)).toEqual([
		field('to', 'string', { required: true, description: 'Number' }),
		field('mode', 'options', { required: true, choices: ['now', 'later'] }),
		field('seconds', 'number', { description: 'How long' }),
		field('record', 'boolean'),
		field('at', 'dateTime'),
		field('tags', 'array'),
		field('metadata', 'object'),
		field('id', 'string'),
	]);
});

test('Swagger 2, with a base path and another letter case', () => {
	const document = {
		definitions: { Call: { properties: { To: { type: 'string' } } } },
		paths: {
			'/v1/API/Customer/MakeCall/': {
				post: { parameters: [{ in: 'body', schema: { $ref: '#/definitions/Call' } }] },
			},
		},
	};
	expect(requestFields(document, 'POST', PATH)).toEqual([field('To', 'string')]);
});

test.each([
	['nothing', undefined],
	['text', 'text'],
	['another document', { name: 'x' }],
	['another path', openApi3({ properties: {} }, '/api/customer/sms')],
	['another method', { paths: { [PATH]: { get: {} } } }],
	['no body', { paths: { [PATH]: { post: {} } } }],
])('%s: no fields', (_name, document) => {
	expect(requestFields(document, 'POST', PATH)).toBeUndefined();
});

test.each([
	[
		'a reference to itself',
		{ $ref: '#/components/schemas/A' },
		{ A: { $ref: '#/components/schemas/A' } },
	],
	[
		'allOf in a circle',
		{ $ref: '#/components/schemas/A' },
		{ A: { allOf: [{ $ref: '#/components/schemas/A' }] } },
	],
	['a reference elsewhere', { $ref: 'https://example.com/schema' }, {}],
	['an inherited name', { $ref: '#/constructor/prototype' }, {}],
])('%s ends', (_name, schema, defined) => {
	const document = { ...openApi3(schema), components: { schemas: defined } };
	expect(requestFields(document, 'POST', PATH)).toEqual([]);
});
