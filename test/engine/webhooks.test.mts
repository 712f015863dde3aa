import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, suite, test } from 'node:test';

import type { Webhook } from '../../harness/engine/webhook.mts';
import type { Credential } from '../../harness/n8n/n8n.mts';
import { PASSWORD, WEBHOOK_HEADER, WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { apiCredential, sharedEngine } from './engines.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const DAY = 24 * 60 * 60 * 1000;
const OTHER_GUID = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

const TWO = JSON.stringify([{ sessionGuid: GUID }, { sessionGuid: OTHER_GUID }]);
const POLLUTING = `{"sessionGuid":"${GUID}","__proto__":{}}`;

const engine = await sharedEngine();
const open: Webhook[] = [];
after(async () => {
	for (const webhook of open) await webhook.close();
});

async function listen(
	parameters: Record<string, unknown> = {},
	credentials: Record<string, Credential | undefined> = {},
): Promise<Webhook> {
	const webhook = await engine.listen({
		parameters,
		credentials: credentials as Record<string, Credential>,
	});
	open.push(webhook);
	return webhook;
}

interface Posted {
	body?: string;
	type?: string;
	headers?: Record<string, string>;
	query?: string;
}

async function post(
	{ url }: Webhook,
	{ body, type = 'application/json', headers, query = '' }: Posted = {},
): Promise<{ status: number; json: unknown }> {
	const response = await fetch(`${url}${query}`, {
		method: 'POST',
		headers: {
			...(body !== undefined && { 'content-type': type }),
			...(headers ?? { [WEBHOOK_HEADER]: WEBHOOK_SECRET }),
		},
		body,
	});
	return { status: response.status, json: await response.json() };
}

/** The lines that the log of n8n gets meanwhile, without the number of the workflow. */
async function logged(run: () => Promise<unknown>): Promise<string[]> {
	const before = engine.n8n.log.length;
	await run();
	const lines = engine.n8n.log.slice(before).map((line) => line.replace(/workflow-\d+/, '#'));
	assert.ok(lines.every((line) => !line.includes(WEBHOOK_SECRET) && !line.includes(PASSWORD)));
	return lines;
}

const encrypts = { recordCall: true, encryptRecording: true };
/** An account that has these fields. */
const account = async (fields: Record<string, string>) => ({
	voiceAgentApi: await apiCredential(engine, fields),
});
const noAccount = { voiceAgentApi: undefined };
const noPassword = await account({ recordingPassword: '' });
const noSecret = await account({ webhookSecret: '' });
const CALL = { body: JSON.stringify({ sessionGuid: GUID }) };
/** Without a secret, so that the credential is needed for nothing else. */
const addressProves = { authentication: 'none', options: { allowedAddresses: '127.0.0.1' } };

suite('who may send a webhook', () => {
	const refused = (status: number, reason: string) => ({
		status,
		json: { received: false, reason },
	});

	test('a webhook without the secret is refused, and starts no execution', async () => {
		const webhook = await listen();
		const reason = `The shared secret is missing or wrong (header ${WEBHOOK_HEADER})`;
		const headers = { [WEBHOOK_HEADER]: `${WEBHOOK_SECRET}x` };
		const lines = await logged(async () =>
			assert.deepEqual(await post(webhook, { ...CALL, headers }), refused(401, reason)),
		);
		assert.deepEqual(webhook.started, []);
		const line = `warn: A webhook was refused (401, node 'Trigger', workflow #): ${reason}`;
		assert.deepEqual(lines, [line]);
		assert.equal(webhook.shown, undefined);
		webhook.isManual = true;
		await post(webhook, { ...CALL, headers });
		assert.equal(
			String(webhook.shown),
			`NodeOperationError: A webhook was refused (401): ${reason}`,
		);
	});

	test('the secret may be in the query, and does not reach the workflow', async () => {
		const webhook = await listen({}, await account({ sendIn: 'query', queryName: 'secret' }));
		const send = async (secret: string) =>
			await post(webhook, { query: `?secret=${secret}&sessionGuid=${GUID}`, headers: {} });
		const reason = 'The shared secret is missing or wrong (query secret)';
		assert.deepEqual(await send('x'), refused(401, reason));
		assert.equal((await send(WEBHOOK_SECRET)).status, 200);
		assert.deepEqual(webhook.started[0]?.[0]?.json.payload, { sessionGuid: GUID });
		assert.equal(webhook.started.length, 1);
	});

	test('a signature is that of the bytes that came, and only what is signed is read', async () => {
		const webhookSecret = 'the secret of the signature';
		const hmac = { webhookVerification: 'hmac', webhookSecret };
		const webhook = await listen({}, await account(hmac));
		const signed = (text: string) => ({
			'x-webhook-signature': createHmac('sha256', webhookSecret).update(text).digest('hex'),
		});
		const { body } = CALL;
		for (const headers of [{}, signed(`${body} `)]) {
			const answer = await post(webhook, { body, headers });
			assert.deepEqual(answer, refused(401, 'The signature is missing or wrong'));
		}
		// The query is not signed.
		const empty = { headers: signed(''), query: `?sessionGuid=${GUID}` };
		const { status, json } = await post(webhook, empty);
		assert.deepEqual([status, webhook.started], [200, []]);
		assert.match(String((json as { reason: string }).reason), /^No workflow was started: /);

		for (const [sent, type] of [
			[body, 'application/json'],
			[`SessionGuid=${GUID}&to=%2B1`, 'application/x-www-form-urlencoded'],
			[body, 'application/cloudevents+json'],
			[`<End><SessionGuid>${GUID}</SessionGuid></End>`, 'text/xml'],
		] as const) {
			const { status } = await post(webhook, { body: sent, type, headers: signed(sent) });
			assert.equal(status, 200, type);
			assert.equal(webhook.started.at(-1)?.[0]?.json.sessionGuid, GUID);
		}
	});

	test('Authentication: None asks for no secret', async () => {
		const webhook = await listen({ authentication: 'none' });
		assert.equal((await post(webhook, { ...CALL, headers: {} })).status, 200);
	});

	test('a webhook from another address is refused, even with the secret', async () => {
		const webhook = await listen({ options: { allowedAddresses: '192.0.2.0/24' } });
		assert.deepEqual(await post(webhook, CALL), refused(403, 'The address is not allowed'));
		assert.equal(webhook.started.length, 0);
		const allowed = await listen({ options: { allowedAddresses: '127.0.0.1' } });
		assert.equal((await post(allowed, CALL)).status, 200);
	});

	const addresses = (allowedAddresses: string) => ({ options: { allowedAddresses } });
	for (const [name, parameters, credentials, why] of [
		['no account', {}, noAccount, /none is selected in the node/],
		['no secret', {}, noSecret, /'Webhook Secret' is empty/],
		['no addresses', addresses('={{ "10.0.0.*" }}'), {}, /'10\.0\.0\.\*' is not an IP/],
		['nothing', addresses('={{ $json.nothing }}'), {}, /the list is empty/],
	] as const) {
		test(`a request that cannot be checked is refused: ${name}`, async () => {
			const webhook = await listen(parameters, credentials);
			const reason = 'The trigger cannot check requests: see the log of n8n';
			const lines = await logged(async () =>
				assert.deepEqual(await post(webhook, CALL), refused(403, reason)),
			);
			assert.equal(lines.length, 1);
			assert.match(
				String(lines[0]),
				/^warn: A webhook was refused \(403, .*\): it cannot be checked: /,
			);
			assert.match(String(lines[0]), why);
		});
	}
});

suite('Call End', () => {
	test('outputs the call, and answers the service with its session GUID', async () => {
		const webhook = await listen();
		const started = Date.now();
		const payload = { sessionGuid: GUID, endedAt: new Date(started - DAY).toISOString() };
		const answer = await post(webhook, { body: JSON.stringify(payload) });
		assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid: GUID } });
		const [item, ...others] = webhook.started[0] ?? [];
		assert.deepEqual(others, []);
		const { receivedAt, ...json } = item?.json ?? {};
		assert.deepEqual(json, {
			event: 'callEnd',
			sessionGuid: GUID,
			recordingKey: GUID,
			...{ to: null, from: null, direction: null },
			eventKey: `callEnd:${GUID}`,
			endedAt: payload.endedAt,
			keptUntil: new Date(started + 6 * DAY).toISOString(),
			hoursLeft: 144,
			payload,
		});
		const received = Date.parse(String(receivedAt));
		assert.ok(received >= started && received <= Date.now());
	});

	test('outputs two items for two sessions in one webhook', async () => {
		const webhook = await listen();
		const { json } = await post(webhook, { body: TWO });
		assert.deepEqual(json, { received: true, sessionGuids: [GUID, OTHER_GUID] });
		const guids = webhook.started[0]?.map((item) => item.json.sessionGuid);
		assert.deepEqual(guids, [GUID, OTHER_GUID]);
	});

	test('passes on a query parameter with the name of the header', async () => {
		const webhook = await listen();
		await post(webhook, { query: `?${WEBHOOK_HEADER}=abc&sessionGuid=${GUID}` });
		const { payload } = webhook.started[0]?.[0]?.json ?? {};
		assert.deepEqual(payload, { [WEBHOOK_HEADER]: 'abc', sessionGuid: GUID });
	});

	const unread: Array<[string, Posted, RegExp]> = [
		['no call', {}, /^No session GUID: /],
		['a key __proto__', { body: POLLUTING, type: 'text/plain' }, /__proto__/],
	];
	for (const [name, posted, expected] of unread) {
		test(`is refused with the reason, and starts no execution: ${name}`, async () => {
			const webhook = await listen({ authentication: 'none' });
			const { status, json } = await post(webhook, posted);
			const { received, reason } = json as { received: boolean; reason: string };
			assert.deepEqual([status, received], [400, false]);
			assert.match(reason, expected);
			assert.deepEqual(webhook.started, []);
		});
	}
});

suite('Call Start', () => {
	const start = async (parameters: Record<string, unknown>, more = {}) =>
		await listen({ event: 'callStart', ...parameters }, more);
	const answered = (block: object) => ({ status: 200, json: { Service_Instructions: block } });

	test('Respond: Immediately answers with the fields, and starts the workflow', async () => {
		const recordCall = '={{ $json.body.sessionGuid.length > 30 }}';
		const webhook = await start({ ...encrypts, recordCall, recordCallFormat: 'wav' });
		const block = { recordCall: true, recordCallFormat: 'wav', recordCallPassword: PASSWORD };
		assert.deepEqual(await post(webhook, CALL), answered(block));
		const { receivedAt, ...item } = webhook.started[0]?.[0]?.json ?? {};
		assert.deepEqual(item, {
			event: 'callStart',
			sessionGuid: GUID,
			recordingKey: GUID,
			...{ to: null, from: null, direction: null },
			eventKey: `callStart:${GUID}`,
			payload: { sessionGuid: GUID },
		});
		assert.ok(receivedAt);
	});

	test('does not record without a password, and tells the workflow why [security 7]', async () => {
		const webhook = await start(
			{ ...encrypts, options: { moreInstructions: '{"maxSeconds":60}' } },
			noPassword,
		);
		const lines = await logged(async () => {
			const reply = answered({ recordCall: false, maxSeconds: 60 });
			assert.deepEqual(await post(webhook, CALL), reply);
		});
		const problem = String(webhook.started[0]?.[0]?.json.problem);
		assert.match(problem, /^'Encrypt Recording' is on, and no password/);
		assert.deepEqual(lines, [`error: The call is not recorded: ${problem}`]);
	});

	test('does not record with instructions that cannot be used, nor without encryption', async () => {
		for (const wrong of [
			{ options: { moreInstructions: 'x' } },
			{ options: { moreInstructions: '={{ $json.nothing }}' } },
			// Expressions that yield no flag, and one that fails.
			{ recordCall: '={{ 5 }}' },
			{ encryptRecording: '={{ 5 }}' },
			{ encryptRecording: "={{ $('Nowhere').first().json.yes }}" },
		]) {
			const webhook = await start({ ...encrypts, ...wrong });
			assert.deepEqual(await post(webhook, CALL), answered({ recordCall: false }));
		}
	});

	test('outputs an item without a session GUID if there is none, or more than one', async () => {
		const webhook = await start({});
		for (const body of ['{"call":"starts"}', TWO]) await post(webhook, { body });
		const items = webhook.started.map(([item]) => item?.json);
		assert.deepEqual(
			items.map((item) => [item?.sessionGuid, item?.eventKey, item?.payload]),
			[
				[null, null, { call: 'starts' }],
				[null, null, JSON.parse(TWO)],
			],
		);
	});

	test('answers a payload that must not reach a workflow, and starts none', async () => {
		const fields = { recordCall: true, recordCallFormat: 'mp3' };
		// A password that is not needed need not be there.
		const missing = { id: 'none', name: 'none' };
		const webhook = await start({ ...fields, ...addressProves }, { voiceAgentApi: missing });
		const lines = await logged(async () => {
			const answer = await post(webhook, { body: POLLUTING, type: 'text/plain' });
			assert.deepEqual(answer, answered(fields));
		});
		const started = 'warn: CallStart was answered and started no workflow';
		assert.deepEqual(lines, [`${started}: the payload has a field '__proto__'`]);
		assert.deepEqual(webhook.started, []);
	});

	suite('Respond: Using Respond to Call Start', () => {
		const wanted = { recordCall: true, recordCallFormat: 'mp3' };
		const given = async () => ({ Service_Instructions: wanted });
		const fallback = answered({ recordCall: false });
		/**
		 * Posts a webhook whose workflow gives this reply.
		 *
		 * @returns how long the workflow may take, and what n8n logs
		 */
		async function answer(
			deadlineSeconds: number,
			reply: () => Promise<unknown>,
			expected: object,
		) {
			const webhook = await start({ respond: 'responseNode', options: { deadlineSeconds } });
			webhook.answer = reply;
			const lines = await logged(async () => assert.deepEqual(await post(webhook, CALL), expected));
			const { receivedAt, answerBy } = webhook.started[0]?.[0]?.json ?? {};
			return { ms: Date.parse(String(answerBy)) - Date.parse(String(receivedAt)), lines };
		}
		const why = 'warn: CallStart was answered with the fallback: the workflow';

		test('answers what the workflow puts out, before the time that the item shows', async () =>
			assert.deepEqual(await answer(30, given, answered(wanted)), { ms: 30_000, lines: [] }));

		test('answers anything else with the fallback', async () => {
			const { lines } = await answer(30, async () => ({ message: 'Error' }), fallback);
			assert.deepEqual(lines, [`${why} failed or gave no instructions`]);
		});

		test('answers for a workflow without an answer with the fallback, at the deadline', async () => {
			const { lines } = await answer(1, async () => undefined, fallback);
			assert.deepEqual(lines, [`${why} gave no instructions within 1000 ms`]);
		});
	});
});

suite('the password of a recording', () => {
	const none = { authentication: 'none' };
	const everywhere = { ...none, options: { allowedAddresses: '0.0.0.0/1, 128.0.0.0/1' } };
	for (const parameters of [none, everywhere]) {
		test(`is for nobody who has proven nothing: ${JSON.stringify(parameters)}`, async () => {
			const webhook = await listen({ event: 'callStart', ...parameters, ...encrypts });
			const { json } = await post(webhook, { body: '{}', headers: {} });
			assert.deepEqual(json, { Service_Instructions: { recordCall: false } });
			assert.match(String(webhook.started[0]?.[0]?.json.problem), /does not authenticate requests/);
			await assert.rejects(webhook.publish(), /anyone could get the recording/);
		});
	}

	for (const event of ['callEnd', 'callStart']) {
		test(`is hidden if the service repeats it, even a previous one: ${event}`, async () => {
			const former = await account({ previousPassword1: 'the password of last year' });
			const webhook = await listen({ event }, former);
			const payload = {
				sessionGuid: GUID,
				encryption: { key: PASSWORD },
				parts: [{ name: 'k', value: { text: `It is ${PASSWORD}.` } }],
				encoded: Buffer.from(`p=${PASSWORD}`).toString('base64'),
				former: 'the password of last year',
				to: '+15550100',
			};
			await post(webhook, { body: JSON.stringify(payload) });
			const item = webhook.started[0]?.[0]?.json;
			assert.deepEqual(item?.payload, {
				sessionGuid: GUID,
				encryption: { key: '[redacted]' },
				parts: [{ name: 'k', value: { text: '[redacted]' } }],
				encoded: '[redacted]',
				former: '[redacted]',
				to: '+15550100',
			});
		});
	}

	test('keeps no CallEnd from being received if its credential cannot be read', async () => {
		const missing = { id: 'missing', name: 'Missing' };
		const webhook = await listen(addressProves, { voiceAgentApi: missing });
		assert.equal((await post(webhook, CALL)).status, 200);
		assert.equal(webhook.started.length, 1);
	});

	const off = { Service_Instructions: { recordCall: false } };
	const on = { recordCall: true, recordCallFormat: 'opus' };
	const respond = { event: 'callStart', respond: 'responseNode' };
	const here = { allowedAddresses: '127.0.0.1' };
	interface Answered {
		name: string;
		parameters?: Record<string, unknown>;
		credentials?: Record<string, Credential>;
		/** What the workflow answers; by default, what Respond does to record and encrypt. */
		answer?: object;
		/** Whether the service gets the password. */
		isSent: boolean;
		/** Whether the item says that the trigger could send it. */
		canEncrypt: boolean;
	}
	const rows: Answered[] = [
		{ name: 'is added to what Respond answers', isSent: true, canEncrypt: true },
		{
			name: 'is sent if the address proves who asks',
			parameters: { ...none, options: here },
			isSent: true,
			canEncrypt: true,
		},
		{
			name: 'is not sent with Respond either if nothing proves who asks',
			parameters: none,
			isSent: false,
			canEncrypt: false,
		},
		{
			name: 'that is missing keeps a call from being recorded',
			credentials: noPassword,
			isSent: false,
			canEncrypt: false,
		},
		{
			name: 'is not taken from another node than Respond',
			answer: { Service_Instructions: { recordCallPassword: 'a' } },
			isSent: false,
			canEncrypt: true,
		},
	];
	for (const { name, parameters, credentials, answer, isSent, canEncrypt } of rows) {
		test(name, async () => {
			const webhook = await listen({ ...respond, ...parameters }, credentials);
			webhook.answer = async () => ({ ...off, ...(answer ?? { encrypted: on }) });
			const { json } = await post(webhook, { body: '{}' });
			const instructions = { ...on, recordCallPassword: PASSWORD };
			assert.deepEqual(json, isSent ? { Service_Instructions: instructions } : off);
			assert.equal(webhook.started[0]?.[0]?.json.canEncrypt, canEncrypt);
		});
	}
});

suite('publishing a workflow', () => {
	const open = { event: 'callStart', authentication: 'none' };
	const refused: Array<[string, Record<string, unknown>, RegExp]> = [
		['an address that is none', { options: { allowedAddresses: 'here' } }, /here/],
		[
			'encryption that an expression may ask for, without authentication',
			{
				...open,
				recordCall: '={{ $json.body.yes }}',
				encryptRecording: '={{ $json.body.secret }}',
			},
			/Allowed IP Addresses/,
		],
		[
			'a deadline that is none',
			{ event: 'callStart', respond: 'responseNode', options: { deadlineSeconds: 0 } },
			/Deadline/,
		],
		[
			'an instruction that cannot be used',
			{ event: 'callStart', options: { moreInstructions: 'long' } },
			/'More Instructions \(JSON\)' is not valid JSON/,
		],
	];
	for (const [name, parameters, message] of refused) {
		test(`is refused with ${name}`, async () =>
			await assert.rejects((await listen(parameters)).publish(), message));
	}

	test('is refused without a secret, and without a password that is needed', async () => {
		await assert.rejects((await listen({}, noAccount)).publish(), /none is selected in the node/);
		await assert.rejects((await listen({}, noSecret)).publish(), /'Webhook Secret' is empty/);
		const webhook = await listen({ event: 'callStart', ...encrypts }, noPassword);
		await assert.rejects(webhook.publish(), /'Encrypt Recording' is on, and no password/);
	});

	const accepted: Array<Record<string, unknown>> = [
		{},
		{ authentication: 'none' },
		// The fields of Call Start keep their values.
		{ event: 'callEnd', authentication: 'none', ...encrypts },
		{ options: { allowedAddresses: '={{ $env.ADDRESSES }}' } },
		{ event: 'callStart', ...encrypts },
		{ ...open, recordCall: true, encryptRecording: false },
		{ ...open, ...encrypts, options: { allowedAddresses: '127.0.0.1' } },
		{ event: 'callStart', options: { moreInstructions: '={{ $json.nothing }}' } },
	];
	for (const parameters of accepted) {
		test(`is accepted with ${JSON.stringify(parameters)}`, async () => {
			const webhook = await listen(parameters);
			assert.equal(await webhook.publish(), true);
			assert.equal(await webhook.unpublish(), true);
		});
	}
});

test('only Call Start waits for the workflow, and only if Respond says so', async () => {
	const webhook = await listen({ event: 'callEnd', respond: 'responseNode' });
	assert.deepEqual(await webhook.described('responseMode'), ['onReceived', 'onReceived']);
	const waiting = await listen({ event: 'callStart', respond: 'responseNode' });
	assert.deepEqual(await waiting.described('responseMode'), ['responseNode', 'responseNode']);
});
