/** Webhooks that are not what the trigger waits for, or of which not all can be read. */
import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { PASSWORD, WEBHOOK_HEADER, WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { ownTrigger, type Sent } from './ownTrigger.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER_GUID = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

const engine = await sharedEngine();
const json = (payload: unknown) => JSON.stringify(payload);
const secret = { [WEBHOOK_HEADER]: WEBHOOK_SECRET };

suite('the webhook of the other event', { concurrency: 4 }, () => {
	const call = { sessionGuid: GUID };
	const rows: Array<[name: string, (event: string) => Sent]> = [
		['in a field', (event) => ({ body: json({ event, ...call }) })],
		['in another field', (event) => ({ body: json({ WebhookType: event, data: call }) })],
		['inside', (event) => ({ body: json({ data: { meta: { event_type: event }, ...call } }) })],
		['without a session GUID', (event) => ({ body: json({ event }) })],
		['as the only key', (event) => ({ body: json({ [event]: call }) })],
		['in the query', (event) => ({ path: `/?event=${event}&sessionGuid=${GUID}` })],
		[
			'in a header',
			(event) => ({ body: json(call), headers: { ...secret, 'X-Webhook-Event': event } }),
		],
	];
	const spellings = [
		['CallStart', 'CallEnd'],
		['CALL_STARTED', 'call.ended'],
	] as const;
	const instructions = { recordCall: true, encryptRecording: true };

	for (const [index, [name, sent]] of rows.entries()) {
		const [start, end] = spellings[index % 2] ?? ['', ''];
		test(`is refused, and says that the addresses are swapped: ${name}`, async (t) => {
			const waitsForEnd = await ownTrigger(t, engine);
			const waitsForStart = await ownTrigger(t, engine, { event: 'callStart', ...instructions });
			for (const [expected, other, { send, webhook }, spelled] of [
				['CallEnd', 'CallStart', waitsForEnd, start],
				['CallStart', 'CallEnd', waitsForStart, end],
			] as const) {
				const reason = `This is a ${other} webhook, and the trigger waits for ${expected}: exchange the two addresses at the service`;
				const answer = await send(sent(spelled));
				assert.deepEqual(answer, { status: 400, json: { received: false, reason } });
				assert.deepEqual(webhook.started, []);
				assert.ok(engine.n8n.log.some((line) => line.endsWith(reason)));
				assert.equal(webhook.shown, undefined);
				webhook.isManual = true;
				await send(sent(spelled));
				assert.equal(
					String(webhook.shown),
					`NodeOperationError: A webhook was refused (400): ${reason}`,
				);
				webhook.isManual = false;
			}
			// Nothing of a refused CallEnd looks like an answer to CallStart.
			assert.ok(!engine.n8n.log.join().includes(PASSWORD));
			const own = await waitsForStart.send(sent(start));
			assert.equal(own.status, 200, json(own.json));
			assert.ok('Service_Instructions' in own.json);
			if (name !== 'without a session GUID') {
				assert.equal((await waitsForEnd.send(sent(end))).json.sessionGuid, GUID);
			}
		});
	}

	const kept: Array<[name: string, payload: object]> = [
		['both', { event: 'CallEnd', previous: { event: 'CallStart' } }],
		['in a field with another name', { note: 'CallStart' }],
		['as a part of a text', { event: 'The CallStart was at noon' }],
		['as one of several keys', { CallStart: {}, at: 1 }],
		['in the history of the call', { history: { first: { detail: { event: 'CallStart' } } } }],
		['another event', { event: 'call.analyzed' }],
	];
	for (const [name, payload] of kept) {
		test(`is not what only mentions it: ${name}`, async (t) => {
			const { send } = await ownTrigger(t, engine);
			const answer = await send({ body: json({ ...call, ...payload }) });
			assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid: GUID } });
		});
	}
});

/** Sends CallEnd webhooks, of which none starts the workflow. */
async function refusing(
	t: TestContext,
	parameters: object = {},
	fields: Record<string, string> = {},
) {
	const { webhook, send } = await ownTrigger(t, engine, { ...parameters }, fields);
	return async (sent: Sent) => {
		const answer = await send(sent);
		assert.deepEqual(webhook.started, []);
		return { status: answer.status, ...answer.json };
	};
}

const open = { authentication: 'none' };
const here = { ...open, options: { allowedAddresses: '127.0.0.1' } };
const fieldOf = (sessionGuidField: string) => ({ options: { sessionGuidField } });

suite('the test of an address by a web portal', { concurrency: 4 }, () => {
	const tests: Array<[name: string, Sent]> = [
		['nothing', {}],
		['a test', { body: json({ test: true, message: 'Hello' }) }],
		['an empty session GUID', { body: json({ event: 'CallEnd', sessionGuid: '' }) }],
		['an empty list', { body: '[]' }],
		[
			'a form',
			{ body: 'a=1', headers: { ...secret, 'content-type': 'application/x-www-form-urlencoded' } },
		],
		['a GET', { method: 'GET', path: '/?ping=1' }],
	];
	for (const [name, sent] of tests) {
		test(`is answered with 200 and the reason, and starts nothing: ${name}`, async (t) => {
			for (const parameters of [{}, here]) {
				const { status, received, reason } = await (await refusing(t, parameters))(sent);
				assert.deepEqual([status, received], [200, true]);
				const why =
					"the payload has no field 'sessionGuid', so this is taken for a test of the address";
				assert.equal(reason, `No workflow was started: ${why}`);
				const line = `info: A webhook without a session GUID was answered: ${reason}`;
				assert.ok(engine.n8n.log.includes(line));
			}
		});

		test(`is refused if nothing shows that it comes from the service: ${name}`, async (t) => {
			const { status, received, reason } = await (await refusing(t, open))(sent);
			assert.deepEqual([status, received], [400, false]);
			assert.equal(reason, "No session GUID: the payload has no field 'sessionGuid'");
		});
	}

	const guids: Array<[name: string, payload: object, parameters: object, reason: RegExp]> = [
		['in a field with another name', { call: { id: GUID } }, {}, /has no field 'sessionGuid'/],
		['two', { a: { sessionGuid: GUID }, b: { sessionGuid: OTHER_GUID } }, {}, /more than once/],
		['none of its form', { sessionGuid: 'test' }, {}, /does not hold a session GUID/],
		[
			'not in the field that is named',
			{ sessionGuid: GUID },
			fieldOf('call.reference'),
			/has no field 'call\.reference'/,
		],
		[
			'none of its form in the field that is named',
			{ reference: 'x' },
			fieldOf('reference'),
			/'reference' does not hold a session GUID/,
		],
	];
	for (const [name, payload, parameters, expected] of guids) {
		test(`is not a webhook with a session GUID that is not clear: ${name}`, async (t) => {
			const send = await refusing(t, parameters);
			const { status, received, reason } = await send({ body: json(payload) });
			assert.deepEqual([status, received], [400, false]);
			assert.match(String(reason), expected);
		});
	}

	test('is not a CallStart, which is always answered', async (t) => {
		const { send, webhook } = await ownTrigger(t, engine, { event: 'callStart', recordCall: true });
		const { status, json: answer } = await send({ body: '{}' });
		assert.equal(status, 200);
		assert.ok('Service_Instructions' in answer);
		assert.equal(webhook.started.length, 1);
	});
});

suite('more than 50,000 values', () => {
	const words = Array.from({ length: 50_001 }, (_, index) => ({ word: `w${index}` }));

	test('with the session GUID in the outermost levels start the workflow', async (t) => {
		const { send, webhook } = await ownTrigger(t, engine);
		const call = { sessionGuid: GUID, to: '+15550100', endedAt: new Date().toISOString() };
		for (const payload of [
			{ words, ...call },
			{ words, call },
			// Each turn of a conversation is small, and all of them together are not.
			{ turns: words.slice(0, 30_000), again: words.slice(0, 30_000), call },
		]) {
			const answer = await send({ body: json(payload) });
			assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid: GUID } });
			const { to, hoursLeft } = webhook.started.at(-1)?.[0]?.json ?? {};
			assert.deepEqual([to, hoursLeft], ['+15550100', 168]);
		}
	});

	test('without it are refused, and the reason names the field to enter', async (t) => {
		const send = await refusing(t);
		const { status, reason } = await send({ body: json({ words }) });
		assert.equal(status, 400);
		assert.match(String(reason), /more than 50000 values .* 'Session GUID Field'$/);
	});

	test('are no matter if the field is named', async (t) => {
		const { send } = await ownTrigger(t, engine, fieldOf('a.b.c'));
		const body = json({ words, a: { b: { c: GUID } } });
		assert.equal((await send({ body })).json.sessionGuid, GUID);
	});
});

suite('JSON in text', () => {
	const encoded = json({ sessionGuid: GUID });
	for (const [name, payload, place] of [
		['a field', { event: 'CallEnd', data: encoded }, "its field 'data'"],
		['a field inside', { data: { message: ` ${encoded}` } }, "its field 'data.message'"],
		['all of it', encoded, 'the payload'],
	] as const) {
		test(`is refused, and the reason says where it is: ${name}`, async (t) => {
			const send = await refusing(t);
			const headers = { ...secret, 'content-type': 'text/plain' };
			const { status, reason } = await send({ body: json(payload), headers });
			assert.equal(status, 400);
			const advice = 'let the service send JSON that is not encoded twice';
			assert.equal(reason, `No session GUID: ${place} is text that holds JSON: ${advice}`);
		});
	}

	test('does no harm beside a session GUID', async (t) => {
		const { send } = await ownTrigger(t, engine);
		const body = json({ sessionGuid: GUID, metadata: '{"campaign":7}' });
		assert.equal((await send({ body })).status, 200);
	});
});

test('the Test URL says in its answer that it is not the address for the service', async (t) => {
	const { send, webhook } = await ownTrigger(t, engine);
	webhook.isManual = true;
	const { status, json: answer } = await send({ body: json({ sessionGuid: GUID }) });
	assert.equal(status, 200);
	assert.match(String(answer.note), /^This is the Test URL .*Enter the Production URL/);
});
