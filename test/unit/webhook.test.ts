import crypto from 'node:crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

import { isInRanges, parseAddressRanges } from '../../nodes/VoiceAgentTrigger/addressRange';
import { eventKey, sessionGuidField, sessionsOf } from '../../nodes/VoiceAgentTrigger/session';
import {
	carriesSecret,
	parseWebhookCredential,
} from '../../nodes/VoiceAgentTrigger/webhookAuthentication';
import type { WebhookSecret } from '../../nodes/VoiceAgentTrigger/webhookAuthentication';
import type { ReceivedBody } from '../../nodes/VoiceAgentTrigger/webhookPayload';
import {
	readRawBody,
	payloadProblem,
	readWebhookBody,
} from '../../nodes/VoiceAgentTrigger/webhookPayload';

const SECRET = 'correct-horse-battery';

describe('the secret of a webhook credential', () => {
	test('in a header or in the query, with the names that the form proposes', () => {
		expect(parseWebhookCredential({ secret: SECRET })).toEqual({
			sendIn: 'header',
			name: 'X-Webhook-Secret',
			secret: SECRET,
		});
		expect(parseWebhookCredential({ sendIn: 'query', secret: SECRET })).toEqual({
			sendIn: 'query',
			name: 'secret',
			secret: SECRET,
		});
	});

	test('of the least length', () => {
		const secret = 'sixteen--letters';
		expect(parseWebhookCredential({ secret })).toMatchObject({ secret });
	});

	test.each([
		['nothing', {}, "'Secret' is empty"],
		['a short secret', { secret: 'fifteen-letters' }, '16 characters or more'],
		['spaces around it', { secret: ` ${SECRET}` }, 'begins or ends with a space'],
		['a line break', { secret: `${SECRET}\nmore` }, 'control or non-ASCII'],
		['an umlaut', { secret: `${SECRET}ä` }, 'control or non-ASCII'],
		['a name that is no text', { headerName: 12345, secret: SECRET }, "'Header Name'"],
		['a name with a colon', { headerName: 'X:Y', secret: SECRET }, "'Header Name'"],
		[
			'a parameter without a name',
			{ sendIn: 'query', queryName: '', secret: SECRET },
			"'Query Parameter Name'",
		],
		['another place', { sendIn: 'body', secret: SECRET }, "'Send In'"],
		['another proof', { scheme: 'magic', secret: SECRET }, "'Verify By'"],
	])('%s is refused by name, and not shown', (_name, fields, message) => {
		expect(() => parseWebhookCredential(fields)).toThrow(message);
		expect(() => parseWebhookCredential(fields)).not.toThrow(SECRET);
	});
});

describe('a request', () => {
	const inHeader = parseWebhookCredential({ secret: SECRET }) as WebhookSecret;
	const inQuery = parseWebhookCredential({ sendIn: 'query', secret: SECRET }) as WebhookSecret;
	const carries = (rawHeaders: string[], query: Record<string, unknown> = {}) =>
		carriesSecret({ rawHeaders, query }, inHeader);

	test('with the secret in the header passes, whatever the letter case of its name', () => {
		expect(carries(['Host', 'n8n', 'X-Webhook-Secret', SECRET])).toBe(true);
		expect(carries(['x-webhook-secret', SECRET])).toBe(true);
	});

	test.each([
		['no header', []],
		['an empty header', ['X-Webhook-Secret', '']],
		['a wrong secret of the same length', ['X-Webhook-Secret', SECRET.replace('c', 'd')]],
		['the header twice', ['X-Webhook-Secret', SECRET, 'x-webhook-secret', SECRET]],
		['the secret as the value of another header', ['X-Other', SECRET]],
	])('with %s does not', (_name, rawHeaders) => expect(carries(rawHeaders)).toBe(false));

	test.each([SECRET, SECRET.replace('c', 'd'), SECRET.slice(1), `${SECRET}x`, ''])(
		'its secret is compared in constant time, whatever its length: %j [fault 39]',
		(given) => {
			const compare = jest.spyOn(crypto, 'timingSafeEqual');
			try {
				expect(carries(['X-Webhook-Secret', given])).toBe(given === SECRET);
				expect(
					compare.mock.calls.map(([one, other]) => [one.byteLength, other.byteLength]),
				).toEqual([[32, 32]]);
			} finally {
				compare.mockRestore();
			}
		},
	);

	test('with the secret in the wrong place does not', () => {
		expect(carries([], { secret: SECRET, 'X-Webhook-Secret': SECRET })).toBe(false);
		expect(carriesSecret({ rawHeaders: ['secret', SECRET], query: {} }, inQuery)).toBe(false);
	});

	test.each([
		[{ secret: SECRET }, true],
		[{}, false],
		[{ secret: '' }, false],
		[{ Secret: SECRET }, false],
		[{ secret: [SECRET, SECRET] }, false],
		[{ secret: { 0: SECRET } }, false],
	])('query %j', (query, passes) =>
		expect(carriesSecret({ rawHeaders: [], query }, inQuery)).toBe(passes),
	);
});

describe('allowed addresses', () => {
	test.each([
		['203.0.113.7', '198.51.100.1, 203.0.113.7'],
		['10.255.255.255', '10.0.0.0/8'],
		['10.1.2.3', '10.9.9.9/8'],
		['192.168.5.130', '192.168.5.128/25'],
		['8.8.8.8', '0.0.0.0/0'],
		['::FFFF:cb00:7107', '203.0.113.0/24'],
		['::1', '::1'],
		['0:0:0:0:0:0:0:1', '::1'],
		['2001:DB8::', '2001:db8:0:0:0:0:0:0'],
		['64:ff9b::c000:201', '64:ff9b::192.0.2.1'],
		['fe80::1%eth0', 'fe80::1'],
	])('%s is in %s', (address, list) =>
		expect(isInRanges(address, parseAddressRanges(list))).toBe(true),
	);

	test.each([
		['203.0.113.8', '203.0.113.7'],
		['11.0.0.0', '10.0.0.0/8'],
		['192.168.5.127', '192.168.5.128/25'],
		['::1', '0.0.0.0/0'],
		// Only ::ffff:0:0/96 stands for IPv4 (RFC 4291, section 2.5.5.2).
		['2001:db8::203.0.113.7', '203.0.113.7'],
		['::203.0.113.7', '203.0.113.7'],
		['::ff00:203.0.113.7', '203.0.113.7'],
		['', '0.0.0.0/0'],
		['unknown', '0.0.0.0/0'],
		['01.2.3.4', '0.0.0.0/0'],
		[undefined, '0.0.0.0/0'],
		[['10.0.0.1'], '10.0.0.0/8'],
	])('%j is not in %s', (address, list) =>
		expect(isInRanges(address, parseAddressRanges(list))).toBe(false),
	);

	test.each(
		[
			'10.0.0.1,|10.0.0.0/33|10.0.0.0/|10.0.0.0/-1|10.0.0.0/8/8|10.0.0.*|10.0.0.1 10.0.0.2|1.2.3',
			'256.0.0.1|010.0.0.1|https://10.0.0.1/8|localhost|any|2001:db8::/32|::ffff:203.0.113.0/120',
			':::|1::2::3|1:2:3:4:5:6:7|1:2:3:4:5:6:7:8:9|12345::|g::|::1.2.3.4:1|fe80::1%eth0',
		].flatMap((lists) => lists.split('|')),
	)('the list %j is refused', (list) =>
		expect(() => parseAddressRanges(list)).toThrow("'Allowed IP Addresses' cannot be used"),
	);

	test.each([
		['10.0.0.1,  10.0.0.* ', "'10.0.0.*' is not an IP address or IPv4 range"],
		['x'.repeat(99), `'${'x'.repeat(64)}' is not an IP address or IPv4 range`],
		[' ', 'the list is empty'],
		[undefined, 'the list is empty'],
		[['10.0.0.1'], 'the list is empty'],
	])('of the list %j, the error names the entry', (list, detail) =>
		expect(() => parseAddressRanges(list)).toThrow(detail),
	);
});

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2d6c1a-0000-4000-8000-123456789abc';

describe('the body of a webhook', () => {
	const readRaw = async (request: Partial<ReceivedBody>) =>
		await readRawBody({ headers: {}, ...request });
	const json = '{"a":1}';
	const form = 'application/x-www-form-urlencoded';
	test.each([
		['parsed JSON', 'application/json', { a: 1 }, json, { a: 1 }],
		['JSON sent as text', 'text/plain', json, json, { a: 1 }],
		['JSON with a byte order mark', 'text/plain', `\uFEFF${json}`, `\uFEFF${json}`, { a: 1 }],
		['JSON of an unknown type', 'application/cloudevents+json', undefined, json, { a: 1 }],
		['JSON sent as a form', form, { [json]: '' }, json, { a: 1 }],
		['a form', `${form}; charset=utf-8`, { a: '1' }, 'a=1', { a: '1' }],
		[
			'a multipart form',
			'multipart/form-data; boundary=x',
			{ data: { a: '1' }, files: {} },
			undefined,
			{ a: '1' },
		],
		['XML', 'text/xml', { call: { a: '1' } }, '<Call><A>1</A></Call>', { call: { a: '1' } }],
		['no body', undefined, undefined, undefined, undefined],
		['blanks of an unknown type', undefined, undefined, ' \n', undefined],
		['a form that is a number', form, { 5: '' }, '5', { 5: '' }],
		['a form that is a JSON text', form, { '"{"': '' }, '"{"', { '"{"': '' }],
	])('%s', (_name, type, body, raw, expected) => {
		const rawBody = raw === undefined ? undefined : Buffer.from(raw);
		const headers = { 'content-type': type };
		expect(readWebhookBody({ body, rawBody, headers })).toEqual(expected);
	});

	test.each([
		['text', 'text/plain', 'hello, all'],
		['JSON lines', 'application/x-ndjson', `${json}\n${json}`],
		['what begins like JSON', form, '{a=1'],
	])('that is %s is refused', (_name, type, text) => {
		const request = { rawBody: Buffer.from(text), headers: { 'content-type': type } };
		expect(() => readWebhookBody(request)).toThrow(SyntaxError);
	});

	test('that n8n has not read is read once', async () => {
		const readRawBody = jest.fn(async () => undefined);
		expect(await readRaw({ body: {}, readRawBody })).toBeUndefined();
		expect(readRawBody).toHaveBeenCalledTimes(0);
		expect(await readRaw({ readRawBody })).toBeUndefined();
		expect(readRawBody).toHaveBeenCalledTimes(1);
		expect(await readRaw({})).toBeUndefined();
	});

	test.each([
		[413, Object.assign(new Error('too large'), { status: 413 })],
		[400, new Error('aborted')],
	])('that cannot be read: %i', async (status, error) => {
		const readRawBody = async () => await Promise.reject(error);
		expect(await readRaw({ readRawBody })).toEqual({ status, reason: 'The body cannot be read' });
	});
});

describe('payloads', () => {
	const nested = (levels: number) =>
		JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`) as unknown;

	test('of usual shapes are harmless', async () => {
		expect(payloadProblem({ a: [1, { b: null }], constructor: 'x', proto: {} })).toBeUndefined();
		expect(payloadProblem(undefined)).toBeUndefined();
		expect(payloadProblem(nested(64))).toBeUndefined();
	});

	test.each([
		['65 levels', nested(65), 'nested deeper than 64 levels'],
		['100,000 levels', nested(100_000), 'nested deeper than 64 levels'],
		['__proto__', JSON.parse('{"__proto__":{"a":1}}'), "'__proto__'"],
		['__proto__ inside', JSON.parse('{"a":[{"__proto__":1}]}'), "'__proto__'"],
	])('%s are refused', async (_name, payload, problem) =>
		expect(payloadProblem(payload)).toContain(problem),
	);
});

describe('the events of a webhook', () => {
	const found = (payload: unknown, query = {}, field: string | undefined = '') =>
		sessionsOf({ payload, query, field });
	const one = { sessionGuid: GUID, to: 'a' };
	const two = { sessionGuid: OTHER, to: 'b' };
	const both = [
		{ sessionGuid: GUID, payload: one },
		{ sessionGuid: OTHER, payload: two },
	];

	test('in a list: one each, also of one session', () => {
		expect(found([one, two])).toEqual({ sessions: both });
		expect(found([one, one])).toEqual({ sessions: [both[0], both[0]] });
	});

	test.each([
		['an object with a list of one has all of it', { events: [one] }, { events: [one] }],
		['a call with parts has all of it', { legs: [one, one] }, { legs: [one, one] }],
		['an object', one, one],
		['a list with something else has all of it', [one, 'text'], [one, 'text']],
	])('%s', async (_name, payload, kept) =>
		expect(found(payload)).toEqual({ sessions: [{ sessionGuid: GUID, payload: kept }] }),
	);

	test('in the query', async () => {
		const query = { session_guid: GUID };
		expect(found({ event: 'CallEnd' }, query)).toEqual({
			sessions: [{ sessionGuid: GUID, payload: { event: 'CallEnd' } }],
		});
		expect(found(query, query)).toEqual({
			sessions: [{ sessionGuid: GUID, payload: query }],
		});
		expect(found(one, query)).toEqual({ sessions: [{ sessionGuid: GUID, payload: one }] });
		expect(found({}, { ref: GUID }, 'ref')).toEqual({
			sessions: [{ sessionGuid: GUID, payload: {} }],
		});
	});

	const twice = "field 'sessionGuid' occurs more than once with different values";
	test.each([
		['another one in the query', one, { sessionGuid: OTHER }, twice],
		['a batch and one in the query', [one, two], { sessionGuid: GUID }, twice],
		['a list in an object', { account: 7, events: [one, two] }, {}, twice],
		['an event with two', [one, { a: one, b: two }], {}, `event 2 of 2: ${twice}`],
		['an event without', [one, {}], {}, "event 2 of 2: the payload has no field 'sessionGuid'"],
		['an empty list', [], {}, "the payload has no field 'sessionGuid'"],
		['a list of texts', [GUID], {}, "the payload has no field 'sessionGuid'"],
	])('%s: refused', async (_name, payload, query, problem) =>
		expect(found(payload, query)).toEqual({ problem }),
	);

	test('by the field that the user names', async () => {
		const named = (reference: string) => ({ call: { reference }, sessionGuid: 'x-00000001' });
		const list = [named(GUID), named(OTHER)];
		const expected = {
			sessions: [
				{ sessionGuid: GUID, payload: list[0] },
				{ sessionGuid: OTHER, payload: list[1] },
			],
		};
		expect(found(list, {}, 'call.reference')).toEqual(expected);
		expect(found({ events: list }, {}, 'call.reference')).toEqual({
			problem: "the payload has no field 'call.reference'",
		});
	});

	test('a field that cannot be read', async () => {
		const received = { payload: one, query: {}, field: undefined };
		expect(sessionsOf(received)).toEqual({
			sessions: [{ sessionGuid: GUID, payload: one }],
		});
		expect(sessionsOf({ ...received, payload: {} })).toEqual({
			problem:
				"the payload has no field 'sessionGuid', and the option 'Session GUID Field' yields no text",
		});
	});

	test('a query with too many values is not searched', () => {
		const query = { items: Array<string>(60_000).fill('x'), sessionGuid: OTHER };
		expect(found(one, query)).toEqual({ sessions: [{ sessionGuid: GUID, payload: one }] });
	});

	test('too many values: the field must be named', async () => {
		const wide = { ...one, items: Array.from({ length: 60_000 }, () => ({})) };
		expect(found(wide)).toEqual({
			problem:
				"the payload has more than 50000 values or 64 levels, too many to search: name the field in the option 'Session GUID Field'",
		});
		expect(found(wide, {}, 'sessionGuid')).toEqual({
			sessions: [{ sessionGuid: GUID, payload: wide }],
		});
	});
});

test.each([
	[' call.id ', 'call.id'],
	['', ''],
	[undefined, ''],
	[5, undefined],
	[null, undefined],
	[new Error('the expression fails'), undefined],
])("the option 'Session GUID Field' %j is %j", (value, field) => {
	const getNodeParameter = (name: string, fallback: unknown) => {
		if (value instanceof Error) throw value;
		return name === 'options.sessionGuidField' && value !== undefined ? value : fallback;
	};
	expect(sessionGuidField({ getNodeParameter } as IWebhookFunctions)).toBe(field);
});

test('deliveries of one event have one key', () => {
	const key = 'callEnd:3f2504e0-4f89-41d3-9a0c-0305e82c3301';
	expect(eventKey('callEnd', '3f2504e0-4f89-41d3-9a0c-0305e82c3301')).toBe(key);
	expect(eventKey('callEnd', '{3F2504E0-4F89-41D3-9A0C-0305E82C3301}')).toBe(key);
	expect(eventKey('callStart', '3f2504e0-4f89-41d3-9a0c-0305e82c3301')).not.toBe(key);
});
