import crypto from 'node:crypto';

import {
	isInRanges,
	isNarrow,
	parseAddressRanges,
} from '../../nodes/VoiceAgentTrigger/addressRanges';
import type { WebhookRequest } from '../../nodes/service/webhooks/request';
import { payloadOf, sessionsOf } from '../../nodes/service/webhooks/payload';
import { sessionJson } from '../../nodes/VoiceAgentTrigger/session';
import { parseWebhookVerification } from '../../nodes/service/webhooks/verification';

const SECRET = 'correct-horse-battery';
const OTHER_SECRET = 'battery-of-the-horse';
const request: WebhookRequest = { rawHeaders: [], headers: {}, query: {} };
const receiver = { address: undefined, isWatched: false };

test.each([
	['nothing', {}, "'Webhook Secret' is empty"],
	['an empty secret', { webhookSecret: '' }, "'Webhook Secret' is empty"],
	['a short secret', { webhookSecret: 'fifteen-letters' }, '16 characters or more'],
	['spaces around it', { webhookSecret: ` ${SECRET}` }, 'begins or ends with a space'],
	['a line break', { webhookSecret: `${SECRET}\nmore` }, 'control or non-ASCII'],
	['an umlaut', { webhookSecret: `${SECRET}ä` }, 'control or non-ASCII'],
	['a name that is no text', { headerName: 12345, webhookSecret: SECRET }, "'Header Name'"],
	['a name with a colon', { headerName: 'X:Y', webhookSecret: SECRET }, "'Header Name'"],
	[
		'a parameter without a name',
		{ sendIn: 'query', queryName: '', webhookSecret: SECRET },
		"'Query Parameter Name'",
	],
	['another place', { sendIn: 'body', webhookSecret: SECRET }, "'Send In'"],
	[
		'another method',
		{ webhookVerification: 'magic', webhookSecret: SECRET },
		"'Webhook Verification'",
	],
	[
		'a short previous secret',
		{ webhookSecret: SECRET, previousWebhookSecret: 'fifteen-letters' },
		"'Previous Webhook Secret' must have 16",
	],
	[
		'a previous secret with an umlaut',
		{ webhookSecret: SECRET, previousWebhookSecret: `${SECRET}ä` },
		"'Previous Webhook Secret' has a control",
	],
])(
	'a credential with %s is refused by name, and its secret not shown',
	(_name, fields, message) => {
		expect(() => parseWebhookVerification(fields)).toThrow(message);
		expect(() => parseWebhookVerification(fields)).not.toThrow(SECRET);
	},
);

describe('a request', () => {
	const inHeader = parseWebhookVerification({ webhookSecret: SECRET });
	const check = (...rawHeaders: string[]) => inHeader({ ...request, rawHeaders }, receiver);
	const wrong = 'The shared secret is missing or wrong (header X-Webhook-Secret)';

	test('with the secret in the header passes, whatever the letter case of its name', () => {
		const query = { 'X-Webhook-Secret': 'abc' };
		const rawHeaders = ['Host', 'n8n', 'x-webhook-secret', SECRET];
		expect(inHeader({ ...request, rawHeaders, query }, receiver)).toEqual(query);
	});

	test('with the shortest secret passes', () => {
		const secret = 'sixteen--letters';
		const rawHeaders = ['X-Webhook-Secret', secret];
		const proof = parseWebhookVerification({ webhookSecret: secret });
		expect(proof({ ...request, rawHeaders }, receiver)).toEqual({});
	});

	test.each([
		['no header', []],
		['an empty header', ['X-Webhook-Secret', '']],
		['a wrong secret of the same length', ['X-Webhook-Secret', SECRET.replace('c', 'd')]],
		['the header twice', ['X-Webhook-Secret', SECRET, 'x-webhook-secret', SECRET]],
		['the secret as the value of another header', ['X-Other', SECRET]],
	])('with %s is refused', (_name, rawHeaders) => {
		expect(() => check(...rawHeaders)).toThrow(wrong);
	});

	test.each([SECRET, SECRET.replace('c', 'd'), SECRET.slice(1), `${SECRET}x`, ''])(
		'has its secret compared in constant time, whatever its length: %j [fault 39] [security 5]',
		(given) => {
			const compare = jest.spyOn(crypto, 'timingSafeEqual');
			try {
				const checked = expect(() => check('X-Webhook-Secret', given));
				if (given === SECRET) checked.not.toThrow();
				else checked.toThrow(wrong);
				expect(
					compare.mock.calls.map(([one, other]) => [one.byteLength, other.byteLength]),
				).toEqual([[32, 32]]);
			} finally {
				compare.mockRestore();
			}
		},
	);

	test.each([SECRET, OTHER_SECRET])(
		'with either of two secrets passes, and both are compared each time: %s',
		(given) => {
			const compare = jest.spyOn(crypto, 'timingSafeEqual');
			try {
				const proof = parseWebhookVerification({
					webhookSecret: SECRET,
					previousWebhookSecret: OTHER_SECRET,
				});
				const rawHeaders = ['X-Webhook-Secret', given];
				expect(proof({ ...request, rawHeaders }, receiver)).toEqual({});
				expect(compare).toHaveBeenCalledTimes(2);
				const wrongOnes = ['X-Webhook-Secret', `${given}x`];
				expect(() => proof({ ...request, rawHeaders: wrongOnes }, receiver)).toThrow(wrong);
			} finally {
				compare.mockRestore();
			}
		},
	);

	test('with the secret in the query passes, and is read without it', () => {
		const inQuery = parseWebhookVerification({ sendIn: 'query', webhookSecret: SECRET });
		const query = { secret: SECRET, to: 'a' };
		expect(inQuery({ ...request, query }, receiver)).toEqual({ to: 'a' });
		for (const query of [
			{},
			{ secret: '' },
			{ Secret: SECRET },
			{ secret: [SECRET, SECRET] },
			{ secret: { 0: SECRET } },
		]) {
			const rawHeaders = ['secret', SECRET];
			expect(() => inQuery({ ...request, rawHeaders, query }, receiver)).toThrow('(query secret)');
		}
	});
});

describe('allowed addresses', () => {
	test.each([
		['203.0.113.7', '198.51.100.1, 203.0.113.7'],
		['10.1.2.3', '10.9.9.9/8'],
		['192.168.5.130', '192.168.5.128/25'],
		['8.8.8.8', '0.0.0.0/0'],
		['::FFFF:cb00:7107', '203.0.113.0/24'],
		['0:0:0:0:0:0:0:1', '::1'],
		['2001:DB8::', '2001:db8:0:0:0:0:0:0'],
		['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
		['64:ff9b::c000:201', '64:ff9b::192.0.2.1'],
		['fe80::1%eth0', 'fe80::1'],
	])('%s is in %s', (address, list) =>
		expect(isInRanges(address, parseAddressRanges(list))).toBe(true),
	);

	test.each([
		['203.0.113.8', '203.0.113.7'],
		['192.168.5.127', '192.168.5.128/25'],
		['::1', '0.0.0.0/0'],
		['2002:db8::1', '2001:db8::1'],
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

	test.each([
		'10.0.0.1,',
		'10.0.0.1 10.0.0.2',
		'10.0.0.0/33',
		'10.0.0.0/',
		'10.0.0.0/-1',
		'10.0.0.0/8/8',
		'10.0.0.*',
		'1.2.3',
		'256.0.0.1',
		'010.0.0.1',
		'https://10.0.0.1/8',
		'localhost',
		'any',
		// Ranges are those of IPv4 only.
		'2001:db8::/32',
		'::ffff:203.0.113.0/120',
		':::',
		'1::2::3',
		'1:2:3:4:5:6:7',
		'1:2:3:4:5:6:7:8:9',
		'::1]/[::1',
		'12345::',
		'g::',
		'::1.2.3.4:1',
		'fe80::1%eth0',
		'cafe',
		'1234/8',
	])('the list %j is refused', (list) =>
		expect(() => parseAddressRanges(list)).toThrow("'Allowed IP Addresses' cannot be used"),
	);

	test.each([
		['10.0.0.0/8, ::1', true],
		['10.0.0.0/7', false],
		['10.0.0.1, 0.0.0.0/0', false],
	])('the list %s is narrow enough to say who somebody is: %s', (list, expected) =>
		expect(isNarrow(parseAddressRanges(list))).toBe(expected),
	);

	test.each([
		['10.0.0.1,  10.0.0.* ', "'10.0.0.*' is not an IP address or IPv4 range"],
		['x'.repeat(99), `'${'x'.repeat(64)}' is not an IP address or IPv4 range`],
		[' ', 'the list is empty'],
		[undefined, 'the list is empty'],
	])('the error of the list %j says what is wrong: %s', (list, detail) =>
		expect(() => parseAddressRanges(list)).toThrow(detail),
	);
});

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2d6c1a-0000-4000-8000-123456789abc';

describe('the payload of a webhook', () => {
	const json = '{"a":1}';
	const form = 'application/x-www-form-urlencoded';
	/** A webhook as n8n gives it to the trigger. */
	interface Sent {
		type?: string;
		/** As n8n has parsed it. */
		body?: unknown;
		/** As it arrived. */
		raw?: string;
	}
	const payload = ({ type, body, raw }: Sent, query = {}) => {
		const rawBody = raw === undefined ? undefined : Buffer.from(raw);
		return payloadOf({ ...request, headers: { 'content-type': type }, body, rawBody }, query);
	};

	const marked = `\uFEFF${json}`;
	const read: Array<Sent & { name: string; expected: object }> = [
		{
			name: 'parsed JSON',
			type: 'application/json',
			body: { a: 1 },
			raw: json,
			expected: { a: 1 },
		},
		{ name: 'JSON sent as text', type: 'text/plain', body: json, raw: json, expected: { a: 1 } },
		{
			name: 'JSON with a byte order mark',
			type: 'text/plain',
			body: marked,
			raw: marked,
			expected: { a: 1 },
		},
		{
			name: 'JSON of an unknown type',
			type: 'application/cloudevents+json',
			raw: json,
			expected: { a: 1 },
		},
		{
			name: 'JSON sent as a form',
			type: `${form}; charset=utf-8`,
			body: { [json]: '' },
			raw: json,
			expected: { a: 1 },
		},
		{ name: 'a form', type: form, body: { a: '{1}' }, raw: 'a={1}', expected: { a: '{1}' } },
		{
			name: 'a multipart form',
			type: 'multipart/form-data; boundary=x',
			body: { data: { a: 1 } },
			expected: { a: 1 },
		},
		{ name: 'a form that is a number', type: form, body: { 5: '' }, raw: '5', expected: { 5: '' } },
		{ name: 'the query if there is no body', expected: { of: 'the query' } },
		{
			name: 'the query if the body has only blanks',
			raw: ' \n',
			expected: { of: 'the query' },
		},
	];
	test.each(read)('is $name', ({ expected, ...sent }) =>
		expect(payload(sent, { of: 'the query' })).toEqual(expected),
	);

	test.each([
		['text', 'text/plain', 'hello, all'],
		['JSON lines', 'application/x-ndjson', `${json}\n${json}`],
		['a form that begins like JSON', form, '{a=1'],
	])('that is %s is refused', (_name, type, raw) =>
		expect(() => payload({ type, raw })).toThrow('neither JSON nor a form'),
	);

	test('is read without the password of the recording', () => {
		const block = { recordCall: true, record_call_password: 'secret' };
		const body = {
			sessionGuid: GUID,
			Service_Instructions: block,
			sent: '{"recordCallPassword":"secret"}',
			fields: [{ name: 'RecordCallPassword', value: 'secret', length: 6 }],
			'Service_Instructions[recordCallPassword]': ['secret'],
			recordCallPassword: null,
		};
		const read = payload({ type: 'application/json', body });
		expect(JSON.stringify(read)).not.toContain('secret');
		expect(read).toMatchObject({
			sessionGuid: GUID,
			Service_Instructions: { recordCall: true, record_call_password: '[redacted]' },
			recordCallPassword: null,
		});
	});

	const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
	test.each([
		['64 levels', nested(64), undefined],
		['65 levels', nested(65), 'nested deeper than 64 levels'],
		['100,000 levels', nested(100_000), 'nested deeper than 64 levels'],
		['usual names', '{"a":[1,{"b":null}],"constructor":"x","proto":{}}', undefined],
		['__proto__', '{"__proto__":{"a":1}}', "'__proto__'"],
		['__proto__ inside', '{"a":[{"__proto__":1}]}', "'__proto__'"],
	])('with %s [fault 32]', (_name, text, problem) => {
		const body = JSON.parse(text) as unknown;
		const read = () => payload({ type: 'application/json', body, raw: text });
		if (problem === undefined) expect(read()).toEqual(body);
		else expect(read).toThrow(problem);
	});
});

describe('the events of a webhook', () => {
	const one = { sessionGuid: GUID, to: 'a' };
	const two = { sessionGuid: OTHER, to: 'b' };

	test.each([
		['an object', one],
		['an object with a list of one', { events: [one] }],
		['a call with parts', { legs: [one, one] }],
		['a list with something else', [one, 'text']],
	])('are one in %s', (_name, payload) =>
		expect(sessionsOf(payload, {}, '')).toEqual({ sessions: [{ sessionGuid: GUID, payload }] }),
	);

	test('are as many as a list has entries, even of one session', () => {
		const sessions = [one, two, one].map((payload) => ({
			sessionGuid: payload.sessionGuid,
			payload,
		}));
		expect(sessionsOf([one, two, one], {}, '')).toEqual({ sessions });
	});

	test.each([
		[{ event: 'CallEnd' }, { session_guid: GUID }, ''],
		[one, { session_guid: GUID }, ''],
		[{}, { ref: GUID }, 'ref'],
	])('are found with the session GUID in the query: %j, %j', (payload, query, field) =>
		expect(sessionsOf(payload, query, field)).toEqual({
			sessions: [{ sessionGuid: GUID, payload }],
		}),
	);

	test('are found by the session GUID in the field that the user names', () => {
		const list = [GUID, OTHER].map((reference) => ({
			call: { reference },
			sessionGuid: 'x-00000001',
		}));
		const { sessions } = sessionsOf(list, {}, 'call.reference');
		expect(sessions.map(({ sessionGuid }) => sessionGuid)).toEqual([GUID, OTHER]);
	});

	const twice = "field 'sessionGuid' occurs more than once with different values";
	test.each([
		['another one in the query', one, { sessionGuid: OTHER }, twice],
		['a batch and one in the query', [one, two], { sessionGuid: GUID }, `event 2 of 2: ${twice}`],
		['a list in an object', { account: 7, events: [one, two] }, {}, twice],
		['an event with two', [one, { a: one, b: two }], {}, `event 2 of 2: ${twice}`],
		['an event without', [one, {}], {}, "event 2 of 2: the payload has no field 'sessionGuid'"],
		['an empty list', [], {}, "the payload has no field 'sessionGuid'"],
		['a list of texts', [GUID], {}, "the payload has no field 'sessionGuid'"],
	])('are refused with the reason: %s', (_name, payload, query, problem) =>
		expect(sessionsOf(payload, query, '')).toEqual({ sessions: [], problem }),
	);
});

test('deliveries of one event have one key', () => {
	const keyOf = (event: 'callStart' | 'callEnd', sessionGuid: string) =>
		sessionJson(event, { sessionGuid, payload: {} }, { receivedMs: 0 }).eventKey;
	expect(keyOf('callEnd', GUID)).toBe(`callEnd:${GUID}`);
	expect(keyOf('callEnd', `{${GUID.toUpperCase()}}`)).toBe(`callEnd:${GUID}`);
	expect(keyOf('callStart', GUID)).toBe(`callStart:${GUID}`);
});
