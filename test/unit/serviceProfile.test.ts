import { finderOf } from '../../nodes/data/secretForms';
import { Anonymizer } from '../../nodes/VoiceAgent/connection/explore/profile/anonymizer';
import { phoneFiller } from '../../nodes/VoiceAgent/connection/explore/profile/phones';

const SECRET = 'sk-live-4f9aQ';
const anonymizer = () => new Anonymizer(finderOf([SECRET]), 'https://voice.acme-telecom.de');

describe('a service profile keeps the form of', () => {
	test.each([
		[
			'a GUID',
			'3F2504E0-4F89-41D3-9A0C-0305E82C3301',
			/^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/,
		],
		['one in braces', '{3f2504e0-4f89-41d3-9a0c-0305e82c3301}', /^\{[\da-f-]{36}\}$/],
		['one without hyphens', '3f2504e04f8941d39a0c0305e82c3301', /^[\da-f]{32}$/],
		['another identifier', 'call-0001', /^[a-z]{4}-0\d{3}$/],
		['a time', '2026-11-20T12:34:56.789Z', /^20\d\d-\d\d-\d\dT\d\d:\d\d:56\.789Z$/],
		['one with a zone', '2026-11-20 12:34:56+01:00', /^20\d\d-\d\d-\d\d \d\d:\d\d:56\+01:00$/],
		[
			'one of HTTP',
			'Fri, 20 Nov 2026 12:34:56 GMT',
			/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:56 GMT$/,
		],
		['one of .NET', '/Date(1700000000000+0100)/', /^\/Date\(1\d{12}\+\d{4}\)\/$/],
		['a date', '2026-11-20', /^20\d\d-\d\d-\d\d$/],
		['a number of the US', '+1 212-867-5309', /^\+1 \d{3}-555-01\d\d$/],
		['a number of Germany', '+49 30 12345678', /^\+49 30 23125\d{3}$/],
		[
			'an address',
			'https://pbx.acme.de:8443/api/x?page=2&name=Anna',
			/^https:\/\/host-\d+\.example\/api\/[a-z]\?page=2&name=[A-Z][a-z]{3}$/,
		],
		['an e-mail', 'anna.meier@acme.de', /^[a-z]{4}\.[a-z]{5}@host-\d+\.example$/],
		['an IP address', '203.0.113.77', /^192\.0\.2\.1$/],
		['a name', 'Anna Meier', /^[A-Z][a-z]{3} [A-Z][a-z]{4}$/],
		['a name in Greek', 'Άννα', /^[Α-Ω][α-ω]{3}$/],
		['a name in Chinese', '张伟', /^\p{Script=Han}{2}$/u],
		['JSON in text', '{"name":"Anna","ok":true}', /^\{"name":"[A-Z][a-z]{3}","ok":true\}$/],
		['a web page', '<html><h1>Anna</h1></html>', /^<html><h1>[A-Z][a-z]{3}<\/h1><\/html>$/],
	])('%s', (_kind, text, form) => {
		const shown = anonymizer().text(text);
		expect(shown).toMatch(form);
		expect(shown).not.toBe(text);
	});

	test.each(['', 'true', 'queued', 'mp3', 'audio/mpeg', 'CallEnd', '0001-01-01T00:00:00'])(
		'%j, which says nothing about anybody',
		(text) => expect(anonymizer().text(text)).toBe(text),
	);
});

test('the same thing becomes the same other thing, however it is spelled', () => {
	const one = anonymizer();
	one.learn('+15550100');
	const guid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
	const other = one.text(guid);
	expect(one.text(`{${guid.toUpperCase()}}`)).toBe(`{${other.toUpperCase()}}`);
	expect(one.path(`/api/customer/recordings/${guid}`)).toBe(`/api/customer/recordings/${other}`);
	const name = `attachment; filename="${guid}.opus"`;
	expect(one.header('content-disposition', name)).toBe(`attachment; filename="${other}.opus"`);
	const number = one.text('+1 555-0100').replace(/\D/g, '');
	expect(one.value({ to: 15550100 })).toEqual({ to: Number(number) });
	expect(one.text('tel:+15550100')).toContain(number);
	expect(one.text('anna')).toBe(one.text('ANNA').toLowerCase());
});

test('all times move by the same time', () => {
	const one = anonymizer();
	const ms = Date.parse('2026-11-20T12:34:56Z');
	const moved = Date.parse(one.text('2026-11-20T12:34:56Z'));
	expect(moved).toBeLessThan(ms - 29 * 24 * 3_600_000);
	expect(Date.parse(one.text('Fri, 20 Nov 2026 12:34:56 GMT'))).toBe(moved);
	expect(one.value({ at: ms / 1000, atMs: ms })).toEqual({ at: moved / 1000, atMs: moved });
	expect(one.text(String(ms))).toBe(String(moved));
});

test('numbers that count pages stay beside a list, and others do not', () => {
	const page = { total: 312, page: 2, from: 4711, account: 4711, records: [{ total: 312 }] };
	const shown = anonymizer().value(page, { hasCounts: true }) as typeof page;
	expect(shown).toMatchObject({ total: 312, page: 2 });
	expect(shown.from).not.toBe(4711);
	expect(shown.account).toBe(shown.from);
	expect(shown.records[0]?.total).not.toBe(312);
});

test('a number beside a list is the number of its records only if it was before', () => {
	for (let tries = 0; tries < 50; tries++) {
		const one = anonymizer();
		for (const records of [1, 2, 3]) one.learnPage(records);
		const shown = one.value({ amount: 7, price: 3, rate: '9' }, { hasCounts: true });
		const { amount, price, rate } = shown as Record<string, number | string>;
		expect([4, 5, 6, 8, 9]).toContain(amount);
		expect(price).toBe(3);
		expect(['4', '5', '6', '7', '8']).toContain(rate);
	}
});

test('a key beside others of the same form stays if the API document names it as a field', () => {
	const answer = { Anna: { calls: [] }, Soundtracks: { calls: [] } };
	expect(Object.keys(anonymizer().value(answer) as object)).not.toContain('Soundtracks');
	const one = anonymizer();
	const example = { example: { properties: { Anna: {} } } };
	one.learnDocument({
		components: { schemas: { Page: { properties: { Soundtracks: example } } } },
	});
	const names = Object.keys(one.value(answer) as object);
	expect(names).toContain('Soundtracks');
	expect(names).not.toContain('Anna');
});

test.each([
	['a GUID', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
	['a number', '+4915112345678'],
	['digits', '4915112345678'],
	['an e-mail', 'anna@acme.de'],
	['a sentence', 'Call of Anna'],
	['the key', SECRET],
])('the name of a field that is %s is replaced', (_kind, name) => {
	const shown = Object.keys(anonymizer().value({ [name]: 1, sessionGuid: 2 }) as object);
	expect(shown[0]).not.toBe(name);
	expect(shown[1]).toBe('sessionGuid');
});

test('names among which values of the same form stand are data, unless they are known', () => {
	const numbers = { caller: { e164: 1 }, callee: { e164: 1 } };
	expect(Object.keys(anonymizer().value(numbers) as object)).toEqual(['caller', 'callee']);
	const people = { anna: { calls: 1 }, bernd: { calls: 1 } };
	expect(JSON.stringify(anonymizer().value(people))).not.toMatch(/anna|bernd/);
});

test('of an OpenAPI document, names, references and types stay', () => {
	const document = {
		openapi: '3.0.1',
		paths: { '/api/customer/calls/{id}': { post: { $ref: '#/components/schemas/Call' } } },
		components: { schemas: { Call: { type: 'object', required: ['to'], title: 'Anna' } } },
	};
	const shown = anonymizer().value(document, { isDocument: true });
	const [[title]] = [[JSON.stringify(shown).match(/"title":"(\w{4})"/)?.[1] ?? '']];
	const { components } = document;
	const Call = { ...components.schemas.Call, title };
	expect(shown).toEqual({ ...document, components: { schemas: { Call } } });
	expect(title).not.toBe('Anna');
});

describe('nobody is left', () => {
	const everyone = /zwetschge|hagebutte|9988776/i;
	const document = (value: unknown) => anonymizer().value(value, { isDocument: true });
	const decoded = (text: string) =>
		text.replaceAll(/%([\da-f]{2})/gi, (_all, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		);

	test.each([
		['an address in angle brackets', '<zwetschge@hagebutte.de>'],
		['one within a web page', '<p>From: Anna <zwetschge@hagebutte.de> at noon</p>'],
		['a SIP address', '<sip:zwetschge@hagebutte.de>;tag=1'],
		['a SIP name', '<sip:zwetschge>'],
		['a comment, an attribute', '<!-- Zwetschge --><a title=hagebutte href="tel:+4917099887766">'],
		['a form', 'name=Zwetschge&to=%2B4917099887766'],
		['a query within a query', 'https://a.example/?to=https%3A%2F%2Fb.example%2F%3Fq%3Dzwetschge'],
		['a data address', 'data:text/plain,zwetschge@hagebutte.de'],
		['JSON in JSON', JSON.stringify({ 'zwetschge@hagebutte.de': '{"+4917099887766":"Anna"}' })],
	])('in %s', (_where, text) => expect(anonymizer().text(text)).not.toMatch(everyone));

	test.each([
		['set-cookie', 'zwetschge=zwetschge%40hagebutte.de; Domain=hagebutte.de; Path=/zwetschge'],
		['www-authenticate', 'Bearer realm="zwetschge@hagebutte.de"'],
		['cache-control', 'private="zwetschge"'],
		['link', '<https://hagebutte.de/zwetschge?next=zwetschge>; rel="next"; title="Zwetschge"'],
		['location', '//hagebutte.de/zwetschge/+4917099887766#zwetschge'],
		['location', 'https://zwetschge:hagebutte@host.example/x;zwetschge=1'],
		['content-disposition', "attachment; filename*=UTF-8''Zwetschge%20%2B4917099887766.mp3"],
		['vary', 'X-Zwetschge, Accept'],
	])('in the header %s: %s', (name, value) =>
		expect(decoded(anonymizer().header(name, value))).not.toMatch(everyone),
	);

	test.each([
		['a contact', { info: { contact: { name: 'Zwetschge', email: 'z@hagebutte.de' } } }],
		['a license', { info: { license: { name: 'Hagebutte' } } }],
		['the name of a tag', { tags: [{ name: 'Zwetschge' }] }],
		['an example', { schema: { example: { name: 'Zwetschge', operationId: 'hagebutte' } } }],
		['examples', { examples: { one: { value: { name: 'Zwetschge', $ref: '#/hagebutte' } } } }],
		['a list of examples', { schema: { examples: [{ in: 'x', name: 'Zwetschge' }] } }],
		['a default', { schema: { default: { required: ['zwetschge'], in: 'x', name: 'Hagebutte' } } }],
		['an extension', { 'x-owner': { in: 'office', name: 'Zwetschge' } }],
		['the example of a parameter', { parameters: [{ in: 'query', example: 'zwetschge' }] }],
	])('in an OpenAPI document: %s', (_where, value) =>
		expect(JSON.stringify(document(value))).not.toMatch(everyone),
	);

	test.each([
		['numbers', { zwetschge: '+4917099887766', hagebutte: '+49 30 9988776' }],
		['e-mail addresses', { zwetschge: 'z@acme.de', hagebutte: 'h@acme.de' }],
	])('in names beside which %s stand', (_what, people) =>
		expect(JSON.stringify(anonymizer().value({ people }))).not.toMatch(everyone),
	);
});

test('of an OpenAPI document, parameters keep their names, and properties theirs', () => {
	const document = {
		parameters: [{ name: 'page', in: 'query' }],
		components: {
			securitySchemes: { key: { type: 'apiKey', name: 'Token', in: 'header' } },
			schemas: {
				Call: { properties: { example: { type: 'string' }, 'x-id': { type: 'integer' } } },
			},
		},
		responses: { default: { $ref: '#/components/responses/Error' } },
	};
	expect(anonymizer().value(document, { isDocument: true })).toEqual(document);
});

test('elements of XML with a declared prefix keep their names', () => {
	const text = '<s:Envelope xmlns:s="http://a.example/"><s:Body>Anna</s:Body></s:Envelope>';
	expect(anonymizer().text(text)).toMatch(/^<s:Envelope .*><s:Body>[A-Z][a-z]{3}<\/s:Body>/);
});

test('a number without a country code is not taken for a time', () => {
	const now = Math.floor(Date.now() / 1000);
	const one = anonymizer();
	const shown = one.value({ startedAt: now - 60, to: now, from: String(now) }) as {
		startedAt: number;
		to: number;
		from: string;
	};
	expect(shown.to).not.toBe(shown.startedAt + 60);
	expect(shown.from).toBe(String(shown.to));
});

test.each([
	['12128675309', /^1\d{3}55501\d\d$/],
	['447911123456', /^447700900\d{3}$/],
	['390612345678', /^390{7}\d{3}$/],
	['35312345678', /^3530{5}\d{3}$/],
])('%s becomes a number that nobody has', (digits, form) => {
	expect(phoneFiller(digits)).toMatch(form);
});
