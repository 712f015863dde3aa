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
		required: ['mode', 'id'],
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

test.each(['/v1/API/Customer/MakeCall', '/v1/API/Customer/MakeCall/', '/api/customer/makecall'])(
	'%s is the path, with another parameter before the body',
	(path) => {
		const no = { properties: { no: {} } };
		const body = { properties: { to: {} } };
		const parameters = [null, { in: 'header', schema: no }, { in: 'body', schema: body }];
		const document = { paths: { '/api/customer/sms': {}, [path]: { post: { parameters } } } };
		expect(requestFields(document, 'POST', PATH)).toEqual([field('to', 'string')]);
	},
);

test.each([
	['nothing', undefined],
	['text', 'text'],
	['another document', { name: 'x' }],
	['another path', openApi3({ properties: {} }, '/api/customer/sms')],
	['another method', { paths: { [PATH]: { get: {} } } }],
	['no body', { paths: { [PATH]: { post: {} } } }],
	[
		'no JSON',
		{ paths: { [PATH]: { post: { requestBody: { content: { 'text/plain': { schema: {} } } } } } } },
	],
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

const fieldsOf = (schema: object, defined: object = {}) =>
	requestFields({ ...openApi3(schema), components: { schemas: defined } }, 'POST', PATH);

test.each([
	['integers', { type: 'integer', enum: [1, 2] }, [1, 2]],
	['numbers', { type: 'number', enum: [0.5, 1] }, [0.5, 1]],
	['true or false', { type: 'boolean', enum: [true] }, [true]],
	['false alone', { type: 'boolean', enum: [false] }, [false]],
	['text', { type: 'string', enum: ['1', '2'] }, ['1', '2']],
	['several types', { enum: [1, 'auto', true] }, [1, 'auto', true]],
	['nullable, OpenAPI 3.0', { type: 'integer', nullable: true, enum: [1, null] }, [1]],
	['nullable, OpenAPI 3.1', { type: ['integer', 'null'], enum: [1, 2, null] }, [1, 2]],
	['two types', { type: ['string', 'integer'], enum: ['auto', 3] }, ['auto', 3]],
	['numbers listed as text', { type: 'integer', enum: ['1', '2'] }, [1, 2]],
	[
		'numbers, and text that is none',
		{ type: 'integer', enum: ['1', '', ' ', 'a'] },
		[1, '', ' ', 'a'],
	],
	[
		'true or false, as text',
		{ type: 'boolean', enum: ['True', 'FALSE', 'untrue', 'falsely', '1'] },
		[true, false, 'untrue', 'falsely', '1'],
	],
	['of no simple type', { type: 'array', enum: ['1', 'true'] }, ['1', 'true']],
	['a thousand', { enum: [...Array(1_000).keys()] }, [...Array(1_000).keys()]],
	['text listed as numbers', { type: 'string', enum: [1, 2] }, ['1', '2']],
	['one value', { const: 7 }, [7]],
	['by reference', { $ref: '#/components/schemas/Level' }, [1, 2]],
	['by allOf', { allOf: [{ $ref: '#/components/schemas/Level' }], nullable: true }, [1, 2]],
	['by anyOf', { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Level' }] }, [1, 2]],
])('choices keep the type of the schema: %s', (_name, property, choices) => {
	const defined = { Level: { type: 'integer', enum: [1, 2] } };
	expect(fieldsOf({ properties: { level: property } }, defined)).toEqual([
		field('level', 'options', { choices }),
	]);
});

test('two types are entered as text', () => {
	expect(fieldsOf({ properties: { level: { type: ['integer', 'string'] } } })).toEqual([
		field('level', 'string'),
	]);
});

test('a long description is cut', () => {
	expect(fieldsOf({ properties: { to: { description: 'x'.repeat(5_000) } } })).toEqual([
		field('to', 'string', { description: 'x'.repeat(1_000) }),
	]);
});

test.each([
	['objects', { enum: [{ a: 1 }, 2] }, 'string'],
	['thousands', { type: 'integer', enum: [...Array(5_000).keys()] }, 'number'],
])('no menu for choices that are %s', (_name, property, type) => {
	expect(fieldsOf({ properties: { level: property } })).toEqual([field('level', type)]);
});

test.each([
	['oneOf', { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Target' }] }],
	['anyOf', { anyOf: [{ $ref: '#/components/schemas/Target' }, { properties: { no: {} } }] }],
	['escapes', { $ref: '#/components/schemas/a~1b%20c~0d' }],
	['a list in the path', { $ref: '#/components/schemas/List/allOf/1' }],
	['another path', { $ref: '#/components/schemas/~1calls~1{id}/post/schema' }],
])('a body by %s', (_name, schema) => {
	const Target = { properties: { to: { type: 'string' } } };
	const defined = {
		Target,
		'a/b c~d': Target,
		List: { allOf: [{}, Target] },
		'/calls/{id}': { post: { schema: Target } },
	};
	expect(fieldsOf(schema, defined)).toEqual([field('to', 'string')]);
});

test.each([
	['%', '#/components/schemas/%'],
	['a huge one', `#/components/schemas/${'a/'.repeat(100_000)}`],
	['the document itself', '#'],
	['another document', 'x/components/schemas/Other'],
	['beyond null', '#/components/schemas/Null/x'],
	['beyond text', '#/components/schemas/Text/length'],
])('a reference that leads nowhere: %s', (_name, $ref) => {
	const properties = { no: { type: 'number' } };
	const defined = { Other: { type: 'number', properties }, Null: null, Text: 'text' };
	const document = { ...openApi3({ $ref }), type: 'number', properties };
	expect(requestFields({ ...document, components: { schemas: defined } }, 'POST', PATH)).toEqual(
		[],
	);
	expect(fieldsOf({ properties: { to: { $ref } } }, defined)).toEqual([field('to', 'string')]);
});

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** How many times a property of the document is read: a measure of work that no machine's speed changes. */
function counted(document: object): { document: object; reads: () => number } {
	let reads = 0;
	const watch = <T extends object>(value: T): T =>
		new Proxy(value, {
			get(target, key, receiver) {
				reads++;
				const inner: unknown = Reflect.get(target, key, receiver);
				return typeof inner === 'object' && inner !== null ? watched(inner) : inner;
			},
		});
	const proxies = new WeakMap<object, object>();
	const watched = (value: object) => {
		if (!proxies.has(value)) proxies.set(value, watch(value));
		return proxies.get(value)!;
	};
	return { document: watched(document), reads: () => reads };
}

describe('work is bounded', () => {
	const nested = (depth: number) => {
		let schema: object = { properties: { to: { type: 'string' } } };
		for (let level = 0; level < depth; level++) schema = { allOf: [schema] };
		return schema;
	};
	const alternatives = (depth: number): object =>
		depth === 0
			? { type: 'string' }
			: { oneOf: Array(9).fill(alternatives(depth - 1)), anyOf: Array(9).fill({}) };
	const many = (count: number, value: unknown) =>
		Object.fromEntries([...Array(count).keys()].map((index) => [`f${index}`, value]));

	test.each([
		['allOf that refers to itself twice', ref('A'), { A: { allOf: [ref('A'), ref('A')] } }],
		[
			'allOf that fans out in a circle',
			ref('A'),
			{ A: { allOf: [ref('B'), ref('B')] }, B: { allOf: [ref('A'), ref('A'), ref('B')] } },
		],
		[
			'forty levels that each refer twice to the next',
			ref('L0'),
			Object.fromEntries(
				[...Array(40).keys()].map((n) => [
					`L${n}`,
					{ allOf: [ref(`L${n + 1}`), ref(`L${n + 1}`)] },
				]),
			),
		],
		['references in a circle', ref('A'), { A: ref('B'), B: ref('A') }],
		['oneOf in a circle', ref('A'), { A: { oneOf: [ref('A'), ref('A')], anyOf: [ref('A')] } }],
	])('%s', (_name, schema, defined) => {
		const { document, reads } = counted({ ...openApi3(schema), components: { schemas: defined } });
		expect(requestFields(document, 'POST', PATH)).toEqual([]);
		expect(reads()).toBeLessThan(10_000);
	});

	test.each([
		['thousands of fields', { properties: many(5_000, { type: 'string' }) }, {}],
		['thousands of parts', { allOf: Array(30_000).fill({ properties: {} }) }, {}],
		[
			'many fields with the same long list of choices',
			{ properties: many(400, ref('Long')) },
			{ Long: { enum: [...Array(900).keys()] } },
		],
		['nesting beyond any stack', nested(50_000), {}],
		[
			'thousands of references, each to the next',
			ref('L0'),
			Object.fromEntries([...Array(9_000).keys()].map((n) => [`L${n}`, ref(`L${n + 1}`)])),
		],
		[
			'many fields with alternatives of alternatives',
			{ properties: many(400, alternatives(3)) },
			{},
		],
	])('%s: a clear error', (_name, schema, defined) => {
		const { document, reads } = counted({ ...openApi3(schema), components: { schemas: defined } });
		expect(() => requestFields(document, 'POST', PATH)).toThrow(
			/^The API document of the service describes a call with too many details for a form: /,
		);
		expect(reads()).toBeLessThan(200_000);
	});

	test('the greatest number of fields', () => {
		expect(fieldsOf({ properties: many(500, {}) })).toHaveLength(500);
	});

	test.each(['oneOf', 'anyOf'])('of thousands under %s, only the first are looked at', (name) => {
		const property = { [name]: [...Array(20_000).fill({ type: 'null' }), { type: 'number' }] };
		expect(fieldsOf({ properties: { to: property } })).toEqual([field('to', 'string')]);
	});

	test('deep nesting within the bounds is read', () => {
		expect(fieldsOf(nested(5_000))).toEqual([field('to', 'string')]);
	});
});
