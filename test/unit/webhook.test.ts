import { isInRanges, parseAddressRanges } from '../../nodes/VoiceAgentTrigger/addressRange';
import { eventKey } from '../../nodes/VoiceAgentTrigger/session';
import {
	carriesSecret,
	parseWebhookCredential,
} from '../../nodes/VoiceAgentTrigger/webhookAuthentication';
import { payloadProblem, readWebhookBody } from '../../nodes/VoiceAgentTrigger/webhookPayload';

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

	test.each([
		['nothing', {}, "'Secret' is empty"],
		['an empty secret', { secret: '' }, "'Secret' is empty"],
		['a short secret', { secret: 'fifteen-letters' }, '16 characters or more'],
		['spaces around it', { secret: ` ${SECRET}` }, 'begins or ends with a space'],
		['a line break', { secret: `${SECRET}\nmore` }, 'control or non-ASCII'],
		['an umlaut', { secret: `${SECRET}ä` }, 'control or non-ASCII'],
		['an empty name', { headerName: '', secret: SECRET }, "'Name'"],
		['a name with a colon', { headerName: 'X:Y', secret: SECRET }, "'Name'"],
		['another place', { sendIn: 'body', secret: SECRET }, "'Send In'"],
	])('%s is refused by name, and not shown', (_name, fields, message) => {
		expect(() => parseWebhookCredential(fields)).toThrow(message);
		expect(() => parseWebhookCredential(fields)).not.toThrow(SECRET);
	});
});

describe('a request', () => {
	const inHeader = parseWebhookCredential({ secret: SECRET });
	const inQuery = parseWebhookCredential({ sendIn: 'query', secret: SECRET });
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
		['a shorter one', ['X-Webhook-Secret', SECRET.slice(1)]],
		['a longer one', ['X-Webhook-Secret', `${SECRET}x`]],
		['the header twice', ['X-Webhook-Secret', SECRET, 'x-webhook-secret', SECRET]],
		['the secret as the value of another header', ['X-Other', SECRET]],
		['the secret as a name', [SECRET, 'X-Webhook-Secret']],
		['the name as a value', ['X-Other', 'X-Webhook-Secret', SECRET, 'x']],
	])('with %s does not', (_name, rawHeaders) => expect(carries(rawHeaders)).toBe(false));

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
		['203.0.113.7', '203.0.113.7'],
		['203.0.113.7', '198.51.100.1, 203.0.113.7'],
		['10.255.255.255', '10.0.0.0/8'],
		['10.1.2.3', '10.9.9.9/8'],
		['192.168.5.130', '192.168.5.128/25'],
		['8.8.8.8', '0.0.0.0/0'],
		['::ffff:203.0.113.7', '203.0.113.7'],
		['::FFFF:cb00:7107', '203.0.113.0/24'],
		['203.0.113.7', '::ffff:203.0.113.0/120'],
		['::1', '::1'],
		['0:0:0:0:0:0:0:1', '::1'],
		['2001:db8:ffff::1', '2001:db8::/32'],
		['2001:DB8::', '2001:db8:0:0:0:0:0:0'],
		['fe80::1%eth0', 'fe80::/10'],
		['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::/112'],
		['64:ff9b::c000:201', '64:ff9b::192.0.2.1'],
	])('%s is in %s', (address, list) =>
		expect(isInRanges(address, parseAddressRanges(list))).toBe(true),
	);

	test.each([
		['203.0.113.8', '203.0.113.7'],
		['11.0.0.0', '10.0.0.0/8'],
		['192.168.5.127', '192.168.5.128/25'],
		['::1', '0.0.0.0/0'],
		['127.0.0.1', '::/0'],
		['::ffff:127.0.0.1', '::/0'],
		['2001:db9::1', '2001:db8::/32'],
		['', '0.0.0.0/0'],
		['unknown', '0.0.0.0/0'],
		['1.2.3', '0.0.0.0/0'],
		['1.2.3.4.5', '0.0.0.0/0'],
		['01.2.3.4', '0.0.0.0/0'],
		[undefined, '0.0.0.0/0'],
		[['10.0.0.1'], '10.0.0.0/8'],
	])('%j is not in %s', (address, list) =>
		expect(isInRanges(address, parseAddressRanges(list))).toBe(false),
	);

	test.each([
		...['', ' ', ',', '10.0.0.1,', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8'],
		...['256.0.0.1', '1.2.3', '010.0.0.1', '::/129', ':::', '1::2::3', '1:2:3:4:5:6:7'],
		...['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8::', '12345::', ':1:2:3:4:5:6:7', 'g::'],
		...['::1.2.3.4:1', 'localhost', 'fe80::1%eth0', '*', 'any', '10.0.0.*', '10.0.0.1 10.0.0.2'],
	])('the list %j is refused', (list) =>
		expect(() => parseAddressRanges(list)).toThrow("'Allowed Addresses' cannot be used"),
	);

	test.each([undefined, null, 5, ['10.0.0.1'], { a: 1 }])('%j is not a list', (list) =>
		expect(() => parseAddressRanges(list)).toThrow("'Allowed Addresses' cannot be used"),
	);
});

describe('the body of a webhook', () => {
	test.each([
		['parsed JSON', { a: 1 }, undefined, { a: 1 }],
		['JSON sent as text', '{"a":1}', undefined, { a: 1 }],
		['text', 'hello', undefined, { body: 'hello' }],
		['empty text', ' ', undefined, undefined],
		['no body', undefined, undefined, undefined],
		['JSON of an unknown type', undefined, Buffer.from('{"a":1}'), { a: 1 }],
		['a list', [1], undefined, [1]],
	])('%s', (_name, body, raw, expected) => expect(readWebhookBody(body, raw)).toEqual(expected));
});

describe('payloads', () => {
	const nested = (levels: number) =>
		JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`) as unknown;

	test('of usual shapes are harmless', () => {
		expect(payloadProblem({ a: [1, { b: null }], constructor: 'x', proto: {} })).toBeUndefined();
		expect(payloadProblem(undefined)).toBeUndefined();
		expect(payloadProblem(nested(64))).toBeUndefined();
	});

	test.each([
		['65 levels', nested(65), 'nested deeper than 64 levels'],
		['100,000 levels', nested(100_000), 'nested deeper than 64 levels'],
		['lists', JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`), 'nested deeper'],
		['__proto__', JSON.parse('{"__proto__":{"a":1}}'), "'__proto__'"],
		['__proto__ inside', JSON.parse('{"a":[{"__proto__":1}]}'), "'__proto__'"],
	])('%s are refused', (_name, payload, problem) =>
		expect(payloadProblem(payload)).toContain(problem),
	);
});

test('deliveries of one event have one key', () => {
	const key = 'callEnd:3f2504e0-4f89-41d3-9a0c-0305e82c3301';
	expect(eventKey('callEnd', '3f2504e0-4f89-41d3-9a0c-0305e82c3301')).toBe(key);
	expect(eventKey('callEnd', '{3F2504E0-4F89-41D3-9A0C-0305E82C3301}')).toBe(key);
	expect(eventKey('callStart', '3f2504e0-4f89-41d3-9a0c-0305e82c3301')).not.toBe(key);
});
