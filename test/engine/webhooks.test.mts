import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Webhook } from '../../harness/engine/webhook.mts';
import type { Credential } from '../../harness/n8n/n8n.mts';
import { PASSWORD, WEBHOOK_HEADER, WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const DAY = 24 * 60 * 60 * 1000;
const OTHER_GUID = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

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

const callEnd = (sessionGuid = GUID) => ({ body: JSON.stringify({ sessionGuid }) });
const webhookCredential = async (data: Record<string, string>) => ({
	voiceAgentWebhookApi: await engine.n8n.createCredential({
		name: 'Webhook',
		type: 'voiceAgentWebhookApi',
		data,
	}),
});
const passwordCredential = async (password: string) => ({
	voiceAgentRecordingPasswordApi: await engine.n8n.createCredential({
		name: 'Password',
		type: 'voiceAgentRecordingPasswordApi',
		data: { password },
	}),
});

suite('who may send a webhook', () => {
	const wrong = {
		received: false,
		reason: `The shared secret is missing or wrong (header ${WEBHOOK_HEADER})`,
	};
	const headers: Array<[string, Record<string, string>]> = [
		['no secret', {}],
		['another secret', { [WEBHOOK_HEADER]: `${WEBHOOK_SECRET}x` }],
		['the secret in another header', { 'x-secret': WEBHOOK_SECRET }],
	];
	for (const [name, sent] of headers) {
		test(`${name}: refused, and no execution`, async () => {
			const webhook = await listen();
			const lines = await logged(async () =>
				assert.deepEqual(await post(webhook, { ...callEnd(), headers: sent }), {
					status: 401,
					json: wrong,
				}),
			);
			assert.deepEqual(webhook.started, []);
			const refused = "A webhook was refused (401, node 'Trigger', workflow #)";
			assert.deepEqual(lines, [`warn: ${refused}: ${wrong.reason}`]);
		});
	}

	test('the secret in the query, which does not reach the workflow', async () => {
		const inQuery = { sendIn: 'query', queryName: 'secret', secret: WEBHOOK_SECRET };
		const webhook = await listen({}, await webhookCredential(inQuery));
		const refused = await post(webhook, { query: `?secret=x&sessionGuid=${GUID}`, headers: {} });
		assert.deepEqual(refused, {
			status: 401,
			json: { received: false, reason: 'The shared secret is missing or wrong (query secret)' },
		});
		const query = `?secret=${WEBHOOK_SECRET}&sessionGuid=${GUID}`;
		assert.equal((await post(webhook, { query, headers: {} })).status, 200);
		assert.deepEqual(webhook.started[0]?.[0]?.json.payload, { sessionGuid: GUID });
		assert.equal(webhook.started.length, 1);
	});

	test('a signature: only what is signed is read', async () => {
		const secret = 'the secret of the signature';
		const signature = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
		const webhook = await listen({}, await webhookCredential({ scheme: 'hmac', secret }));
		const { body } = callEnd();
		const header = (value: string) => ({ 'x-webhook-signature': value });
		const refused = {
			status: 401,
			json: { received: false, reason: 'The signature is missing or wrong' },
		};
		assert.deepEqual(await post(webhook, { body, headers: {} }), refused);
		assert.deepEqual(
			await post(webhook, { body, headers: header(signature(`${body} `)) }),
			refused,
		);
		assert.equal(webhook.started.length, 0);

		const good = { body, headers: header(signature(body)) };
		assert.equal((await post(webhook, good)).status, 200);
		assert.deepEqual(webhook.started[0]?.[0]?.json.payload, { sessionGuid: GUID });
		// The query is not signed.
		const empty = { headers: header(signature('')), query: `?sessionGuid=${GUID}` };
		assert.equal((await post(webhook, empty)).status, 400);
		assert.equal(webhook.started.length, 1);
	});

	test('Authentication: None asks for no secret', async () => {
		const webhook = await listen({ authentication: 'none' });
		assert.equal((await post(webhook, { ...callEnd(), headers: {} })).status, 200);
	});

	test('another address is refused, even with the secret', async () => {
		const webhook = await listen({ options: { allowedAddresses: '192.0.2.0/24' } });
		assert.deepEqual(await post(webhook, callEnd()), {
			status: 403,
			json: { received: false, reason: 'The address is not allowed' },
		});
		const allowed = await listen({ options: { allowedAddresses: '127.0.0.1' } });
		assert.equal((await post(allowed, callEnd())).status, 200);
		assert.equal(webhook.started.length + allowed.started.length, 1);
	});

	for (const [name, credentials] of [
		['a secret that is too short', async () => await webhookCredential({ secret: 'short' })],
		['no secret', async () => ({ voiceAgentWebhookApi: undefined })],
	] as const) {
		test(`a request that cannot be checked is refused: ${name}`, async () => {
			const webhook = await listen({}, await credentials());
			const lines = await logged(async () =>
				assert.deepEqual(await post(webhook, callEnd()), {
					status: 403,
					json: {
						received: false,
						reason: 'The trigger cannot check requests: see the log of n8n',
					},
				}),
			);
			assert.equal(lines.length, 1);
			assert.match(
				String(lines[0]),
				/^warn: A webhook was refused \(403, .*\): it cannot be checked: .*(16 characters|none is selected in the node)/,
			);
			await assert.rejects(webhook.publish(), /16 characters|none is selected in the node/);
		});
	}
});

suite('Call End', () => {
	test('what comes out, and what the service is answered', async () => {
		const webhook = await listen();
		const started = Date.now();
		const endedAt = new Date(started - DAY).toISOString();
		const payload = { sessionGuid: GUID, endedAt };
		const body = JSON.stringify(payload);
		assert.deepEqual(await post(webhook, { body }), {
			status: 200,
			json: { received: true, sessionGuid: GUID },
		});
		const [item, ...others] = webhook.started[0] ?? [];
		assert.deepEqual(others, []);
		const { receivedAt, ...json } = item?.json ?? {};
		assert.deepEqual(json, {
			event: 'callEnd',
			sessionGuid: GUID,
			eventKey: `callEnd:${GUID}`,
			retentionEndsAt: new Date(started + 6 * DAY).toISOString(),
			hoursLeft: 144,
			payload,
		});
		const received = Date.parse(String(receivedAt));
		assert.ok(received >= started && received <= Date.now());
	});

	test('two sessions in one webhook are two items', async () => {
		const webhook = await listen();
		const body = JSON.stringify([{ sessionGuid: GUID }, { sessionGuid: OTHER_GUID }]);
		assert.deepEqual((await post(webhook, { body })).json, {
			received: true,
			sessionGuids: [GUID, OTHER_GUID],
		});
		assert.deepEqual(
			webhook.started[0]?.map(({ json }) => json.sessionGuid),
			[GUID, OTHER_GUID],
		);
	});

	test('very many values are no hindrance if the field is named', async () => {
		const webhook = await listen({ options: { sessionGuidField: 'reference' } });
		const body = JSON.stringify({ reference: GUID, levels: Array(60_000).fill(0) });
		assert.deepEqual((await post(webhook, { body })).json, { received: true, sessionGuid: GUID });
	});

	test('a query parameter with the name of the header reaches the workflow', async () => {
		const webhook = await listen();
		const query = `?${WEBHOOK_HEADER}=abc&sessionGuid=${GUID}`;
		await post(webhook, { query });
		assert.deepEqual(webhook.started[0]?.[0]?.json.payload, {
			[WEBHOOK_HEADER]: 'abc',
			sessionGuid: GUID,
		});
	});

	const unread: Array<[string, Posted, RegExp, object?]> = [
		['no body', {}, /^No session GUID: /],
		['no session GUID', { body: '{"call":"ended"}' }, /^No session GUID: /],
		[
			'a key __proto__',
			{ body: `{"sessionGuid":"${GUID}","__proto__":{}}`, type: 'text/plain' },
			/__proto__/,
		],
		['text', { body: 'hello', type: 'text/plain' }, /^the payload is neither JSON nor a form$/],
		[
			'too many values',
			{ body: JSON.stringify([GUID, ...Array(60_000).fill(0)]) },
			/the payload [^:]+: name the field in the option 'Session GUID Field'$/,
		],
	];
	for (const [name, posted, reason, options = {}] of unread) {
		test(`${name}: refused with the reason, and no execution`, async () => {
			const webhook = await listen({ options });
			const { status, json } = await post(webhook, posted);
			assert.equal(status, 400);
			const { received, reason: said } = json as { received: boolean; reason: string };
			assert.equal(received, false);
			assert.match(said, reason);
			assert.deepEqual(webhook.started, []);
		});
	}
});

suite('Call Start', () => {
	const start = async (parameters: Record<string, unknown>, more = {}) =>
		await listen({ event: 'callStart', ...parameters }, more);
	const answered = (block: object) => ({ status: 200, json: { Service_Instructions: block } });

	test('Respond: Immediately answers with the fields, and starts the workflow', async () => {
		const webhook = await start({
			recordCall: true,
			recordCallFormat: 'wav',
			encryptRecording: true,
		});
		const block = { recordCall: true, recordCallFormat: 'wav', recordCallPassword: PASSWORD };
		assert.deepEqual(await post(webhook, callEnd()), answered(block));
		const { receivedAt, ...item } = webhook.started[0]?.[0]?.json ?? {};
		assert.deepEqual(item, {
			event: 'callStart',
			sessionGuid: GUID,
			eventKey: `callStart:${GUID}`,
			payload: { sessionGuid: GUID },
		});
		assert.ok(receivedAt);
	});

	test('an empty password: the call is not recorded, and the workflow learns why', async () => {
		const webhook = await start(
			{ recordCall: true, encryptRecording: true },
			await passwordCredential(''),
		);
		assert.deepEqual(await post(webhook, callEnd()), answered({ recordCall: false }));
		const problem = String(webhook.started[0]?.[0]?.json.problem);
		assert.match(problem, /'Password'/);
		const lines = await logged(async () => await post(webhook, callEnd()));
		assert.deepEqual(lines, [`error: The call is not recorded: ${problem}`]);
	});

	test('no password: the call is not recorded, and the other instructions are kept', async () => {
		const parameters = { recordCall: true, encryptRecording: true };
		const webhook = await start(
			{ ...parameters, moreInstructions: { maxSeconds: 60 } },
			{ voiceAgentRecordingPasswordApi: undefined },
		);
		assert.deepEqual(
			await post(webhook, callEnd()),
			answered({ recordCall: false, maxSeconds: 60 }),
		);
		assert.match(
			String(webhook.started[0]?.[0]?.json.problem),
			/^'Encrypt Recording' is on, and no password is available/,
		);
	});

	test('instructions that cannot be used: the call is not recorded, nor is it without encryption', async () => {
		const encryptRecording = true;
		const webhook = await start({
			recordCall: true,
			encryptRecording,
			moreInstructions: { maxSeconds: 'x' },
		});
		assert.deepEqual(await post(webhook, callEnd()), answered({ recordCall: false }));
		const lastNode = await start({ respond: 'lastNode', encryptRecording: '={{ 5 }}' });
		lastNode.answer = async () => ({ Service_Instructions: { recordCall: true } });
		assert.deepEqual(await post(lastNode, callEnd()), answered({ recordCall: false }));
	});

	test('without a session GUID, or with two: an item, and none of them is chosen', async () => {
		const webhook = await start({});
		await post(webhook, { body: '{"call":"starts"}' });
		const two = [{ sessionGuid: GUID }, { sessionGuid: OTHER_GUID }];
		await post(webhook, { body: JSON.stringify(two) });
		const items = webhook.started.map(([item]) => item?.json);
		assert.deepEqual(
			items.map((item) => [item?.sessionGuid, item?.eventKey, item?.payload]),
			[
				[null, null, { call: 'starts' }],
				[null, null, { body: two }],
			],
		);
	});

	test('a payload that must not reach a workflow is answered, and starts none', async () => {
		const webhook = await start({ recordCall: true, recordCallFormat: 'mp3' });
		const body = `{"sessionGuid":"${GUID}","__proto__":{}}`;
		const lines = await logged(async () =>
			assert.deepEqual(
				await post(webhook, { body, type: 'text/plain' }),
				answered({ recordCall: true, recordCallFormat: 'mp3' }),
			),
		);
		assert.deepEqual(lines, [
			"warn: CallStart was answered and started no workflow: the payload has a field '__proto__'",
		]);
		assert.deepEqual(webhook.started, []);
	});

	suite('Respond: When Last Node Finishes', () => {
		const lastNode = async (deadlineSeconds: number, more = {}) =>
			await start({ respond: 'lastNode', options: { deadlineSeconds }, ...more });
		const wanted = { recordCall: true, recordCallFormat: 'mp3' };

		test('answers what the workflow puts out, before the time that the item shows', async () => {
			const webhook = await lastNode(30);
			webhook.answer = async () => ({ Service_Instructions: wanted });
			assert.deepEqual(await post(webhook, callEnd()), answered(wanted));
			const { receivedAt, answerBy } = webhook.started[0]?.[0]?.json ?? {};
			assert.equal(Date.parse(String(answerBy)) - Date.parse(String(receivedAt)), 30_000);
		});

		test('Encrypt Recording adds the password to it', async () => {
			const webhook = await lastNode(30, { encryptRecording: true });
			webhook.answer = async () => ({ Service_Instructions: wanted });
			const block = { ...wanted, recordCallPassword: PASSWORD };
			assert.deepEqual(await post(webhook, callEnd()), answered(block));
		});

		test('a deadline that is none: 5 seconds', async () => {
			const webhook = await start({
				respond: 'lastNode',
				options: { deadlineSeconds: '={{ 0 }}' },
			});
			webhook.answer = async () => ({ Service_Instructions: wanted });
			assert.deepEqual(await post(webhook, callEnd()), answered(wanted));
			const { receivedAt, answerBy } = webhook.started[0]?.[0]?.json ?? {};
			assert.equal(Date.parse(String(answerBy)) - Date.parse(String(receivedAt)), 5_000);
		});

		test('anything else is answered with the fallback', async () => {
			const webhook = await lastNode(30);
			webhook.answer = async () => ({ message: 'Error in workflow' });
			const lines = await logged(async () =>
				assert.deepEqual(await post(webhook, callEnd()), answered({ recordCall: false })),
			);
			assert.deepEqual(lines, [
				'warn: CallStart was answered with the fallback: the workflow failed or gave no instructions',
			]);
		});

		test('an answer in time is the only one', async () => {
			const webhook = await lastNode(1);
			webhook.answer = async () => ({ Service_Instructions: wanted });
			const lines = await logged(async () => {
				assert.deepEqual(await post(webhook, callEnd()), answered(wanted));
				await sleep(1_500);
			});
			assert.deepEqual(lines, []);
		});

		test('an answer that comes later is ignored', async () => {
			const webhook = await lastNode(1);
			const late = Promise.withResolvers<undefined>();
			webhook.answer = async () => {
				await late.promise;
				return { Service_Instructions: wanted };
			};
			assert.deepEqual(await post(webhook, callEnd()), answered({ recordCall: false }));
			late.resolve(undefined);
			// An answer to a request that has one would be an error that nobody catches.
			await sleep(100);
			assert.equal(webhook.started.length, 1);
		});

		test('a workflow that gives no answer: the fallback, at the deadline', async () => {
			const webhook = await lastNode(1);
			webhook.answer = async () => undefined;
			const lines = await logged(async () =>
				assert.deepEqual(await post(webhook, callEnd()), answered({ recordCall: false })),
			);
			assert.equal(webhook.started.length, 1);
			assert.deepEqual(lines, [
				'warn: CallStart was answered with the fallback: the workflow gave no instructions within 1000 ms',
			]);
		});
	});
});

suite('publishing a workflow', () => {
	const refused: Array<[string, Record<string, unknown>, RegExp, Record<string, string>?]> = [
		['an address that is none', { options: { allowedAddresses: 'here' } }, /here/],
		['a secret that is too short', {}, /16 characters/, { secret: 'short' }],
		[
			'a password that everyone may ask for',
			{ event: 'callStart', authentication: 'none', recordCall: true, encryptRecording: true },
			/Allowed IP Addresses/,
		],
		[
			'a password that everyone may ask for, if the last node records the call',
			{ event: 'callStart', authentication: 'none', respond: 'lastNode', encryptRecording: true },
			/Allowed IP Addresses/,
		],
		[
			'a format that is none',
			{ event: 'callStart', recordCall: true, recordCallFormat: 'flac' },
			/flac|Format/,
		],
		[
			'a deadline that is none',
			{ event: 'callStart', respond: 'lastNode', options: { deadlineSeconds: 0 } },
			/Deadline/,
		],
	];
	for (const [name, parameters, message, data] of refused) {
		test(`${name}: refused`, async () => {
			const webhook = await listen(parameters, data && (await webhookCredential(data)));
			await assert.rejects(webhook.publish(), message);
		});
	}

	const accepted: Array<Record<string, unknown>> = [
		{},
		{ authentication: 'none' },
		// The fields of Call Start keep their values.
		{ event: 'callEnd', authentication: 'none', recordCall: true, encryptRecording: true },
		{ options: { allowedAddresses: '={{ $env.ADDRESSES }}' } },
		{ event: 'callStart', recordCall: true, encryptRecording: true },
		{ event: 'callStart', authentication: 'none', recordCall: true, encryptRecording: false },
		// Without a recording, no answer has the password.
		{ event: 'callStart', authentication: 'none', encryptRecording: true },
		{
			event: 'callStart',
			authentication: 'none',
			recordCall: true,
			encryptRecording: true,
			options: { allowedAddresses: '127.0.0.1' },
		},
		{ event: 'callStart', respond: 'lastNode', options: { deadlineSeconds: '={{ 0 }}' } },
	];
	for (const parameters of accepted) {
		test(`${JSON.stringify(parameters)}: accepted`, async () => {
			const webhook = await listen(parameters);
			assert.equal(await webhook.publish(), true);
			assert.equal(await webhook.unpublish(), true);
		});
	}

	test('no password for recordings that are encrypted: refused', async () => {
		const webhook = await listen(
			{ event: 'callStart', recordCall: true, encryptRecording: true },
			{ voiceAgentRecordingPasswordApi: undefined },
		);
		await assert.rejects(webhook.publish(), /'Encrypt Recording' is on, and no password/);
	});

	test('more instructions: expressions are not checked, the others are', async () => {
		const publish = async (maxSeconds: unknown) =>
			await (await listen({ event: 'callStart', moreInstructions: { maxSeconds } })).publish();
		await publish('={{ $json.nothing }}');
		await assert.rejects(publish('long'), /'Max Seconds'/);
	});
});

suite('what n8n answers by itself', () => {
	const cases = [
		[{ event: 'callEnd', respond: 'lastNode' }, 'onReceived', ''],
		[{ event: 'callStart', respond: 'lastNode' }, 'lastNode', 'firstEntryJson'],
		[{ event: 'callStart', respond: 'responseNode' }, 'responseNode', ''],
		[{ event: 'callStart', respond: 'onReceived' }, 'onReceived', ''],
	] as const;
	for (const [parameters, responseMode, responseData] of cases) {
		test(JSON.stringify(parameters), async () => {
			const webhook = await listen(parameters);
			assert.deepEqual(await webhook.described('responseMode'), [responseMode, responseMode]);
			assert.deepEqual(await webhook.described('responseData'), [responseData, responseData]);
		});
	}
});
