import { requestFields } from '../../nodes/VoiceAgent/call/callForm';

const PATH = '/api/customer/makecall';
const field = (id: string, type: string, more: object = {}) => ({
	id,
	displayName: id,
	type,
	required: false,
	display: true,
	defaultMatch: false,
	...more,
});
const menu = (values: Array<string | number | boolean>) => ({
	options: values.map((value) => ({ name: String(value), value })),
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const documentOf = (schema: object, schemas: object = {}) => ({
	components: { schemas },
	paths: { [PATH]: { post: { requestBody: { content: { 'application/json': { schema } } } } } },
});
const fieldsOf = (schema: object, schemas?: object) =>
	requestFields(documentOf(schema, schemas), PATH);
const typed = (property: object, schemas?: object) =>
	fieldsOf({ properties: { level: property } }, schemas);

test('OpenAPI 3: fields are read with references, allOf, types, choices and `required`', () => {
	const schemas = {
		Call: {
			allOf: [ref('Target')],
			required: ['mode', 'id'],
			properties: {
				mode: ref('Mode'),
				seconds: { type: ['integer', 'null'], description: 'How long' },
				record: { type: 'boolean' },
				volume: { type: 'number' },
				at: { type: 'string', format: 'date-time' },
				tags: { type: 'array', items: { type: 'string' } },
				metadata: { oneOf: [{ type: 'null' }, { type: 'object' }] },
				id: { type: 'string', readOnly: true },
			},
		},
		Target: { required: ['to'], properties: { to: { type: 'string', description: 'Number' } } },
		Mode: { enum: ['now', 'later', null] },
	};
	expect(fieldsOf(ref('Call'), schemas)).toEqual([
		field('to', 'string', { required: true, displayName: 'to: Number' }),
		field('mode', 'options', { required: true, ...menu(['now', 'later']) }),
		field('seconds', 'number', { displayName: 'seconds: How long' }),
		field('record', 'boolean'),
		field('volume', 'number'),
		field('at', 'dateTime'),
		field('tags', 'array'),
		field('metadata', 'object'),
		field('id', 'string'),
	]);
});

test.each(['/v1/API/Customer/MakeCall', '/v1/API/Customer/MakeCall/', '/api/customer/makecall'])(
	'the fields of Swagger 2 are found at %s, behind a parameter that is not the body',
	(path) => {
		const no = { properties: { no: {} } };
		const body = { $ref: '#/definitions/Call' };
		const parameters = [null, { in: 'header', schema: no }, { in: 'body', schema: body }];
		const document = {
			definitions: { Call: { properties: { to: {} } } },
			paths: { '/api/customer/sms': {}, [path]: { post: { parameters } } },
		};
		expect(requestFields(document, PATH)).toEqual([field('to', 'string')]);
	},
);

test.each([
	['integers', { type: 'integer', enum: [1, 2] }, [1, 2]],
	['true or false', { type: 'boolean', enum: [true] }, [true]],
	['several types', { enum: [1, 'auto', true] }, [1, 'auto', true]],
	['nullable, OpenAPI 3.0', { type: 'integer', nullable: true, enum: [1, null] }, [1]],
	['nullable, OpenAPI 3.1', { type: ['integer', 'null'], enum: [1, 2, null] }, [1, 2]],
	['one value', { const: 7 }, [7]],
	['by reference', ref('Level'), [1, 2]],
	['by allOf', { allOf: [ref('Level')], nullable: true }, [1, 2]],
	['by anyOf', { anyOf: [{ type: 'null' }, ref('Level')] }, [1, 2]],
])('choices are those of the schema: %s', (_name, property, choices) => {
	const schemas = { Level: { type: 'integer', enum: [1, 2] } };
	expect(typed(property, schemas)).toEqual([field('level', 'options', menu(choices))]);
});

test('choices that are objects have no menu, and a value of two types is entered as text', () => {
	expect(typed({ enum: [{ a: 1 }, 2] })).toEqual([field('level', 'string')]);
	expect(typed({ type: ['integer', 'string'] })).toEqual([field('level', 'string')]);
});

test.each([
	['anyOf', { anyOf: [ref('Target'), { properties: { no: {} } }] }],
	['escapes', ref('a~1b%20c~0d')],
	['a list in the path', ref('List/allOf/1')],
	['several references', ref('Alias')],
])('the body is found by %s', (_name, schema) => {
	const Target = { properties: { to: { type: 'string' } } };
	const schemas = {
		Target,
		Alias: ref('Target'),
		'a/b c~d': Target,
		List: { allOf: [{}, Target] },
	};
	expect(fieldsOf(schema, schemas)).toEqual([field('to', 'string')]);
});

describe('the error says what cannot be read:', () => {
	/** Each refers twice to the next one. */
	const levels = [...Array(40).keys()].map((level) => {
		const next = ref(`L${level + 1}`);
		return [`L${level}`, { allOf: [next, next] }];
	});
	const text = { requestBody: { content: { 'text/plain': { schema: {} } } } };
	test.each<[string, unknown, RegExp]>([
		['nothing', undefined, /no fields for POST/],
		['text', 'text', /no fields/],
		['the name of a path', { paths: { '/api/customer/sms': { post: {} } } }, /no fields/],
		['another method', { paths: { [PATH]: { get: {} } } }, /no fields/],
		['a path without a body', { paths: { [PATH]: { post: {} } } }, /no fields/],
		['a body that is not JSON', { paths: { [PATH]: { post: text } } }, /no fields/],
		['a body without properties', documentOf({ type: 'object' }), /no fields/],
		['another document', documentOf({ $ref: 'https://example.com/x' }), /'https:.*' leads nowhere/],
		['another file', documentOf({ $ref: './paths' }), /'.\/paths' leads nowhere/],
		['a reference beyond null', documentOf(ref('No/x'), { No: null }), /leads nowhere/],
		['an inherited name', documentOf({ $ref: '#/constructor/prototype' }), /leads nowhere/],
		['a reference beyond text', documentOf(ref('Text/length'), { Text: 'text' }), /leads nowhere/],
		['a huge reference', documentOf({ $ref: `#/${'a/'.repeat(9_999)}` }), /'#[a/]{99}' leads/],
		['a reference to itself', documentOf(ref('A'), { A: ref('A') }), /go too deep/],
		['allOf in a circle', documentOf(ref('A'), { A: { allOf: [ref('A')] } }), /go too deep/],
		['oneOf in a circle', documentOf(ref('A'), { A: { oneOf: [ref('A')] } }), /go too deep/],
		['what fans out', documentOf(ref('L0'), Object.fromEntries(levels)), /go too deep/],
		['too many parts', documentOf({ allOf: Array(30_000).fill({}) }), /go too deep/],
	])('%s', (_name, document, detail) => {
		const read = () => requestFields(document, PATH);
		expect(read).toThrow(/^No form for a call can be made from the API document of the service: /);
		expect(read).toThrow(detail);
	});
});
