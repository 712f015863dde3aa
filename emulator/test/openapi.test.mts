import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { call, type Json, receiver, send, start } from './helpers.mts';

async function documentOf(url: string): Promise<Json> {
	return (await send(url, 'GET', '/swagger/v1/swagger.json', { headers: {} })).json();
}

test('the OpenAPI document is valid by the official schema of its version', async (t) => {
	const { url } = await start(t);
	const validator = new Validator();
	const { valid, errors } = await validator.validate(await documentOf(url));
	assert.ok(valid, JSON.stringify(errors, null, 2));
	assert.equal(validator.version, '3.1');
});

test('the document names a server, both webhooks, and for each request whether it needs a key', async (t) => {
	const { url } = await start(t);
	type Operation = {
		security?: unknown[];
		requestBody?: { content: Record<string, { schema: unknown }> };
	};
	const { servers, webhooks, paths } = (await documentOf(url)) as {
		servers: { url: string }[];
		webhooks: Record<string, { post: Operation }>;
		paths: Record<string, Record<string, Operation>>;
	};
	assert.deepEqual(
		servers.map((server) => new URL(server.url, url).origin),
		[url],
	);
	// Service specification, Events.
	assert.deepEqual(Object.keys(webhooks), ['CallStart', 'CallEnd']);
	for (const [event, { post }] of Object.entries(webhooks)) {
		const { schema } = post.requestBody?.content['application/json'] ?? {};
		assert.deepEqual(schema, { $ref: `#/components/schemas/${event}Body` });
	}
	for (const [path, operations] of Object.entries(paths)) {
		const expected = path.startsWith('/control') ? [] : [{ Token: [] }];
		for (const { security } of Object.values(operations)) {
			assert.deepEqual(security, expected, path);
		}
	}
});

test('the validator finds what is wrong', async (t) => {
	const { url } = await start(t);
	const document = await documentOf(url);
	const broken = { ...document, info: { title: 'without a version' } };
	assert.equal((await new Validator().validate(broken)).valid, false);
});

test('redocly lint finds nothing but that SMS, which is not yet available, never succeeds', async (t) => {
	const { url } = await start(t);
	const folder = await mkdtemp(join(tmpdir(), 'voiceagent-openapi-'));
	t.after(() => rm(folder, { recursive: true }));
	await writeFile(join(folder, 'openapi.json'), JSON.stringify(await documentOf(url)));
	const redocly = fileURLToPath(
		new URL('../node_modules/@redocly/cli/bin/cli.js', import.meta.url),
	);
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[redocly, 'lint', 'openapi.json', '--extends', 'recommended', '--format', 'json'],
		{
			cwd: folder,
			// It would report its use and ask for a newer version, both over the internet.
			env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
		},
	);
	const { problems } = JSON.parse(stdout) as {
		problems: { severity: string; ruleId: string; location: { pointer: string }[] }[];
	};
	assert.deepEqual(
		problems.map(({ severity, ruleId, location }) => [severity, ruleId, location[0]?.pointer]),
		[['warn', 'operation-2xx-response', '#/paths/~1api~1customer~1sms/post/responses']],
	);
});

interface Media {
	schema: unknown;
	example?: unknown;
	examples?: Record<string, { value: unknown }>;
}

interface Operation {
	operationId: string;
	parameters?: (Media & { name: string })[];
	requestBody?: { content: Record<string, Media> };
	responses: Record<string, { content?: Record<string, Media> }>;
}

interface Described {
	method: string;
	path: string;
	pointer: string;
	operation: Operation;
}

function described(document: Json, section: 'paths' | 'webhooks' = 'paths'): Described[] {
	const items = document[section] as Record<string, Record<string, Operation>>;
	return Object.entries(items).flatMap(([path, operations]) =>
		Object.entries(operations).map(([method, operation]) => ({
			method: method.toUpperCase(),
			path,
			pointer: pointerTo('', section, path, method),
			operation,
		})),
	);
}

/** JSON Pointer as part of a URL (RFC 6901). */
function pointerTo(base: string, ...keys: string[]): string {
	const escaped = keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'));
	return [base, ...escaped.map(encodeURIComponent)].join('/');
}

const valuesOf = ({ example, examples = {} }: Partial<Media>): unknown[] => [
	...(example === undefined ? [] : [example]),
	// In a schema it is a list of values, elsewhere a map of objects that have a value.
	...(Array.isArray(examples)
		? (examples as unknown[])
		: Object.values(examples).map(({ value }) => value)),
];

interface Found {
	/** Where its schema is. */
	schema: string;
	value: unknown;
}

/** Every example, wherever it is. */
function examplesIn(node: unknown, pointer = ''): Found[] {
	if (typeof node !== 'object' || node === null) return [];
	const schema = 'schema' in node ? `${pointer}/schema` : pointer;
	const inside = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples');
	return [
		...valuesOf(node).map((value) => ({ schema, value })),
		...inside.flatMap(([key, child]) => examplesIn(child, pointerTo(pointer, key))),
	];
}

/** @returns what is wrong with values, by the schemas of the document */
function checkerOf(document: Json): (found: Found) => string[] {
	const ajv = new Ajv2020({ strict: false, allErrors: true });
	addFormats.default(ajv);
	// It is a format of JSON Schema too, which the package lacks.
	ajv.addFormat('iri', (text: string) => URL.canParse(text));
	ajv.addSchema(document, 'document');
	return ({ schema, value }) => {
		const validate = ajv.compile({ $ref: `document#${schema}` });
		return validate(value) ? [] : [`${schema}: ${ajv.errorsText(validate.errors)}`];
	};
}

test('every example in the document is valid by its schema', async (t) => {
	const { url } = await start(t);
	const document = await documentOf(url);
	const wrong = examplesIn(document).flatMap(checkerOf(document));
	assert.deepEqual(wrong, []);
});

test('every request, answer and parameter has an example, unless it is audio', async (t) => {
	const { url } = await start(t);
	const document = await documentOf(url);
	const all = [...described(document), ...described(document, 'webhooks')];
	const without = all.flatMap(({ pointer, operation }) => {
		const { parameters = [], requestBody, responses } = operation;
		const bodies = [requestBody, ...Object.values(responses)].flatMap((body) =>
			Object.entries(body?.content ?? {}),
		);
		const places = [
			...parameters.map((parameter): [string, Media] => [parameter.name, parameter]),
			...bodies.filter(([type]) => !type.startsWith('audio/') && !type.endsWith('/octet-stream')),
		];
		return places
			.filter(([, media]) => valuesOf(media).length === 0)
			.map(([name]) => `${pointer} ${name}`);
	});
	assert.deepEqual(without, []);
});

test('an example that is wrong is found wherever it is', async (t) => {
	const { url } = await start(t);
	const document = await documentOf(url);
	const check = checkerOf(document);
	const right = examplesIn(document);
	const places = [
		'/paths/~1control~1faults~1%7Bid%7D/delete/parameters/0/schema',
		'/paths/~1api~1customer~1makecall/post/requestBody/content/application~1json/schema',
		'/paths/~1api~1customer~1recordings/get/responses/200/content/application~1json/schema',
		'/paths/~1api~1customer~1recordings/get/responses/401/content/application~1json/schema',
		'/webhooks/CallEnd/post/requestBody/content/application~1json/schema',
		'/webhooks/CallStart/post/responses/200/content/application~1json/schema',
	];
	for (const schema of places) {
		assert.ok(
			right.some((found) => found.schema === schema),
			schema,
		);
		assert.equal(check({ schema, value: 5 }).length, 1, schema);
	}
	// The schemas have none of their own today.
	const components = { schemas: { Text: { type: 'string', examples: ['right', 5] } } };
	const own = { ...document, components };
	assert.equal(examplesIn(own).filter(({ value }) => value === 5).length, 1);
	const [found] = examplesIn({ components }).flatMap(checkerOf(own));
	assert.match(found ?? '', /^\/components\/schemas\/Text: data must be string/);
});

/** Requests that cannot succeed. */
const neverSucceeds: Record<string, string> = {
	sendSms: 'the service has announced SMS, but does not have it yet',
};

/** Names of the fields, in a list those of the first element. */
function fieldsOf(value: unknown): string[] {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	return Object.keys(first ?? {}).sort();
}

/** An emulator in which everything exists that the examples name. @returns it and what it sent */
async function prepared(t: TestContext, all: Described[], path: string) {
	const exampleOf = (name: string): unknown => {
		const { requestBody } = all.find((one) => one.operation.operationId === name)?.operation ?? {};
		return valuesOf(requestBody?.content['application/json'] ?? {})[0];
	};
	const hooks = await receiver(t, ({ body }) =>
		body['event'] === 'CallStart'
			? { Service_Instructions: { recordCall: true, recordCallFormat: 'wav' } }
			: {},
	);
	const isHangUp = path.endsWith('/end');
	const emulator = await start(t, {
		callSpeed: isHangUp ? 1 : Infinity,
		https: path === '/control/ca.pem',
		webhooks: { callStart: hooks.url, callEnd: hooks.url },
		faults: [{ match: { path: '/nowhere' }, fault: { kind: 'hangUp' } }],
	});
	const body = exampleOf('makeCall');
	const placed = await send(emulator.url, 'POST', '/api/customer/makecall', { body });
	const sessionGuid = String(placed.json()['sessionGuid']);
	if (!isHangUp) await emulator.control.completedCall(sessionGuid);
	// A session GUID that is stored cannot be added again.
	if (path.includes('/recordings/{sessionGuid}')) {
		await send(emulator.url, 'POST', '/control/recordings', { body: exampleOf('addRecording') });
	}
	return { emulator, sessionGuid };
}

test('every example of a request succeeds as it is, with an answer like the example of it', async (t) => {
	const document = await documentOf((await start(t)).url);
	const check = checkerOf(document);
	const all = described(document);
	// Reading changes nothing, so one emulator is enough for it. HTTPS is for the certificate.
	const forReading = await prepared(t, all, '/recordings/{sessionGuid}');
	for (const { method, path, pointer, operation } of all) {
		const { operationId, parameters = [], requestBody, responses } = operation;
		const isReading = method === 'GET' && path !== '/control/ca.pem';
		const bodies = valuesOf(requestBody?.content['application/json'] ?? {});
		for (const body of requestBody ? bodies : [undefined]) {
			const where = `${operationId} ${JSON.stringify(body)}`;
			const { emulator, sessionGuid } = isReading ? forReading : await prepared(t, all, path);
			let address = path;
			for (const parameter of parameters) {
				// The emulator alone makes the session GUIDs of calls.
				const value = path.startsWith('/control/calls/') ? sessionGuid : valuesOf(parameter)[0];
				address = address.replace(`{${parameter.name}}`, String(value));
			}
			const reply = await send(emulator.url, method, address, { body });
			const type = String(reply.headers['content-type']).replace(/;.*/, '');
			const documented = responses[reply.status]?.content?.[type];
			assert.ok(documented, `${where}: ${reply.status} ${type} ${reply.body.toString()}`);
			if (neverSucceeds[operationId] === undefined) assert.equal(reply.status, 200, where);
			if (type !== 'application/json') continue;
			const answer: unknown = reply.json();
			const keys = [String(reply.status), 'content', type, 'schema'];
			const schema = pointerTo(`${pointer}/responses`, ...keys);
			assert.deepEqual(check({ schema, value: answer }), [], where);
			assert.deepEqual(fieldsOf(answer), fieldsOf(documented.example), where);
		}
	}
});

test('the example of a refusal is what the emulator sends', async (t) => {
	const { url } = await start(t);
	const provoke: Record<string, { headers?: Record<string, string>; body?: unknown }> = {
		400: { body: {} },
		401: { headers: {} },
		403: { headers: { Token: 'demo-key-no-permission' } },
		404: {},
		'4XX': { headers: { Host: 'example.com' } },
		501: { body: {} },
	};
	for (const { method, path, operation } of described(await documentOf(url))) {
		for (const [status, { content }] of Object.entries(operation.responses)) {
			if (status === '200') continue;
			const where = `${operation.operationId} ${status}`;
			const address = path.replace(/\{.*\}/, 'unknown');
			assert.ok(provoke[status], where);
			const reply = await send(url, method, address, provoke[status]);
			assert.equal(reply.status, status === '4XX' ? 403 : Number(status), where);
			assert.deepEqual(reply.json(), content?.['application/json']?.example, where);
		}
	}
});

test('the webhooks are like their examples, and the answer to CallStart is followed', async (t) => {
	const document = await documentOf((await start(t)).url);
	const check = checkerOf(document);
	const sections = described(document, 'webhooks');
	const answer = sections[0]?.operation.responses['200']?.content?.['application/json']?.example;
	const { url, hooks } = await receiver(t, ({ body }) =>
		body['event'] === 'CallStart' ? answer : {},
	);
	const emulator = await start(t, { webhooks: { callStart: url, callEnd: url } });
	const { recorded, instructions } = await call(emulator, {
		to: '+15550100',
		metadata: { customerId: 'C-1042' },
	});
	assert.deepEqual(
		hooks.map(({ body }) => body['event']),
		sections.map(({ path }) => path),
	);
	for (const [index, { pointer, operation }] of sections.entries()) {
		const body = hooks[index]?.body;
		const schema = pointerTo(`${pointer}/requestBody`, 'content', 'application/json', 'schema');
		assert.deepEqual(check({ schema, value: body }), []);
		const { example } = operation.requestBody?.content['application/json'] ?? {};
		assert.deepEqual(fieldsOf(body), fieldsOf(example));
	}
	assert.deepEqual([recorded, instructions?.source, instructions?.problems], [true, 'reply', []]);
});
