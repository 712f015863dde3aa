import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import type { Execution, Workflow } from '../../harness/n8n/n8n.mts';
import { chain, startStack, WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../harness/stack.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const TRIGGER = 'VoiceAgent Trigger';
const AUTHENTIC = { [WEBHOOK_HEADER]: WEBHOOK_SECRET };
const MEGABYTE = 1024 * 1024;
const QUERY_SECRET = 'another secret & more?';

suite('trigger: Call End', () => {
	let stack: Stack;
	interface Active {
		id: string;
		url: string;
		runs: number;
	}
	const workflows = new Map<string, Active>();

	function triggerWorkflow(parameters: Record<string, unknown>): Workflow {
		return {
			name: `Trigger ${JSON.stringify(parameters)}`,
			nodes: [
				{
					name: TRIGGER,
					id: 'trigger',
					type: 'n8n-nodes-voiceagent.voiceAgentTrigger',
					typeVersion: 1,
					position: [0, 0],
					parameters,
					webhookId: crypto.randomUUID(),
				},
			],
			connections: {},
		};
	}

	async function activate(name: string, parameters: Record<string, unknown>): Promise<void> {
		const id = await stack.n8n.importWorkflow(triggerWorkflow(parameters), stack.credentials);
		await stack.n8n.activate(id);
		workflows.set(name, { id, url: await stack.n8n.webhookUrl(id, TRIGGER), runs: 0 });
	}

	before(async () => {
		// With one proxy in front, X-Forwarded-For tells the address of the sender.
		stack = await startStack({ n8n: { env: { N8N_PROXY_HOPS: '1' } } });
		// Nothing but the event: what n8n stores for a trigger that was left at its defaults.
		await activate('default', {});
		await activate('field', {
			event: 'callEnd',
			options: { sessionGuidField: 'call.reference' },
		});
		await activate('addresses', {
			options: { allowedAddresses: '203.0.113.0/24, 2001:db8::/32' },
		});
		await activate('expression', {
			options: {
				sessionGuidField: "={{ $json.body.fail ? $('Nowhere').first().json : $json.body.field }}",
			},
		});
		await activate('open', {
			authentication: 'none',
			options: { allowedAddresses: '={{ $json.headers["x-allow"] }}' },
		});
	});
	after(async () => await stack?.stop());

	function workflow(name = 'default'): Active {
		const found = workflows.get(name);
		assert.ok(found);
		return found;
	}

	interface Answer {
		status: number;
		json: unknown;
	}

	async function send(
		body: string,
		{
			type = 'application/json',
			to = 'default',
			query = '',
			headers = AUTHENTIC,
		}: {
			type?: string;
			to?: string;
			query?: string;
			headers?: Record<string, string> | [string, string][];
		} = {},
	): Promise<Answer> {
		const all = new Headers(headers);
		all.set('content-type', type);
		const response = await fetch(workflow(to).url + query, { method: 'POST', body, headers: all });
		const text = await response.text();
		return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
	}

	async function nextExecution(of = 'default'): Promise<Execution> {
		const { id } = workflow(of);
		const count = ++workflow(of).runs;
		const executions = await stack.n8n.waitForExecutions({ workflowId: id, count });
		assert.equal(executions.length, count, 'a run that nobody asked for');
		return executions[count - 1] as Execution;
	}

	/** A webhook that is taken, to see that none of those before it started a run. */
	async function assertNoRunBefore(of = 'default', options: object = {}): Promise<void> {
		const answer = await send(JSON.stringify({ sessionGuid: GUID, last: true }), {
			to: of,
			...options,
		});
		assert.equal(answer.status, 200, JSON.stringify(answer.json));
		const execution = await nextExecution(of);
		assert.equal((execution.items(TRIGGER)[0]?.json.payload as { last?: boolean }).last, true);
	}

	const accepted: Array<{
		name: string;
		body: string;
		type?: string;
		to?: string;
		payload?: unknown;
		sessionGuid?: string;
		/** What is known about the retention. */
		retentionEndsAt?: string;
	}> = [
		{ name: 'flat camelCase', body: JSON.stringify({ event: 'CallEnd', sessionGuid: GUID }) },
		{ name: 'PascalCase', body: JSON.stringify({ SessionGuid: GUID, Duration: 3 }) },
		{ name: 'snake_case', body: JSON.stringify({ session_guid: GUID }) },
		{
			name: 'nested one level',
			body: JSON.stringify({ data: { sessionGuid: GUID, x: [1, null] } }),
		},
		{
			name: 'the end of the call is known: 7 days from then',
			body: JSON.stringify({ sessionGuid: GUID, endedAt: '2026-11-14T12:00:00+02:00' }),
			retentionEndsAt: '2026-11-21T10:00:00.000Z',
		},
		{
			name: 'a form',
			body: `event=CallEnd&sessionGuid=${GUID}`,
			type: 'application/x-www-form-urlencoded',
			payload: { event: 'CallEnd', sessionGuid: GUID },
		},
		{ name: 'JSON sent as text', body: JSON.stringify({ sessionGuid: GUID }), type: 'text/plain' },
		{
			name: 'JSON of a type that n8n does not know',
			body: JSON.stringify({ sessionGuid: GUID }),
			type: 'application/vnd.voiceagent',
		},
		{
			name: 'a field that the user names',
			body: JSON.stringify({ call: { reference: GUID }, sessionGuid: 'another-0001' }),
			to: 'field',
		},
		{
			name: '19: a URL in the body stays text',
			body: JSON.stringify({ sessionGuid: GUID, url: 'http://127.0.0.1:1/api', baseUrl: 'x' }),
		},
		{
			name: '36: upper case in braces is passed on as it came, and has the same key',
			body: JSON.stringify({ sessionGuid: `{${GUID.toUpperCase()}}` }),
			sessionGuid: `{${GUID.toUpperCase()}}`,
		},
	];
	for (const { name, body, type, to, payload, sessionGuid = GUID, ...known } of accepted) {
		test(`${name}: 200 with a small JSON, and a run`, async () => {
			const started = Date.now();
			const answer = await send(body, { type, to });
			assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid } });
			const execution = await nextExecution(to);
			assert.equal(execution.status, 'success');
			const [item, ...others] = execution.items(TRIGGER);
			assert.equal(others.length, 0);
			const { receivedAt, hoursLeft, ...rest } = item?.json ?? {};
			assert.deepEqual(rest, {
				event: 'callEnd',
				sessionGuid,
				eventKey: `callEnd:${GUID}`,
				payload: payload ?? JSON.parse(body),
				...known,
			});
			const received = Date.parse(String(receivedAt));
			assert.ok(received >= started && received <= Date.now());
			if (known.retentionEndsAt === undefined) {
				assert.equal(hoursLeft, undefined);
			} else {
				const hours = (Date.parse(known.retentionEndsAt) - received) / 3_600_000;
				assert.ok(Math.abs(Number(hoursLeft) - hours) < 0.06, `${hoursLeft} is not ${hours}`);
			}
		});
	}

	const refused: Array<{
		name: string;
		body: string;
		type?: string;
		status?: number;
		reason?: RegExp;
	}> = [
		{
			name: '33: no GUID',
			body: '{"event":"CallEnd"}',
			reason: /the payload has no field 'sessionGuid'/,
		},
		{ name: '33: null', body: '{"sessionGuid":null}', reason: /does not hold a session GUID/ },
		{
			name: '33: a number',
			body: '{"sessionGuid":12345678}',
			reason: /does not hold a session GUID/,
		},
		{ name: '33: a list', body: `{"sessionGuid":["${GUID}"]}`, reason: /does not hold/ },
		{ name: '34: traversal', body: '{"sessionGuid":"../../x1"}', reason: /does not hold/ },
		{
			name: '35: fullwidth digits',
			body: JSON.stringify({ sessionGuid: GUID.replace('3', '３') }),
		},
		{
			name: '35: 1 MB',
			body: JSON.stringify({ sessionGuid: '1'.repeat(1_000_000) }),
			reason: /does not hold/,
		},
		{ name: '32: an array', body: `[{"sessionGuid":"${GUID}"}]`, reason: /not an object/ },
		{ name: '32: an empty body', body: '', reason: /not an object/ },
		{
			name: '32: plain text',
			body: 'hello',
			type: 'text/plain',
			reason: /the payload has no field/,
		},
		{
			name: '32: __proto__',
			body: `{"__proto__":{"sessionGuid":"${GUID}"}}`,
			reason: /^the payload has a field '__proto__'$/,
		},
		{
			name: '32: 100,000 levels',
			body: `{"sessionGuid":"${GUID}","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
			reason: /^the payload is nested deeper than 64 levels$/,
		},
		{ name: '32: broken JSON', body: '{"sessionGuid":', status: 422 },
	];
	for (const { name, body, type, status = 400, reason } of refused) {
		test(`${name}: ${status} with a JSON reason, and no run`, async () => {
			const answer = await send(body, { type });
			assert.equal(answer.status, status);
			if (status === 400) {
				const { received, reason: said } = answer.json as { received: boolean; reason: string };
				assert.equal(received, false);
				assert.match(said, reason ?? /^No session GUID: /);
			}
		});
	}

	test('Session GUID Field yields no text: the GUID is looked for, and 400 names the option', async () => {
		for (const other of [{}, { field: 5 }, { field: null }, { fail: true }]) {
			const without = await send(JSON.stringify(other), { to: 'expression' });
			assert.deepEqual(without, {
				status: 400,
				json: {
					received: false,
					reason:
						"No session GUID: the payload has no field 'sessionGuid', and the option 'Session GUID Field' yields no text",
				},
			});
			const body = JSON.stringify({ ...other, sessionGuid: GUID });
			assert.equal((await send(body, { to: 'expression' })).status, 200, body);
			const execution = await nextExecution('expression');
			assert.equal(execution.items(TRIGGER)[0]?.json.sessionGuid, GUID);
		}
	});

	for (const [name, headers, body] of [
		['31: a body of 17 MB', {}, () => Buffer.alloc(17 * MEGABYTE, ' ')],
		[
			'31: a gzip body of 200 MB',
			{ 'content-encoding': 'gzip' },
			() => gzipSync(Buffer.alloc(200 * MEGABYTE, ' ')),
		],
	] as const) {
		test(`${name} is rejected, and n8n lives on`, async () => {
			const status = await post(body(), headers);
			assert.ok(status === undefined || status >= 400, String(status));
			assert.ok((await fetch(`${stack.n8n.url}/healthz`)).ok);
		});
	}

	/** Resolves with the status, or `undefined` if n8n cut the connection while the body was sent. */
	async function post(body: Buffer, headers: Record<string, string>): Promise<number | undefined> {
		const sent = request(workflow().url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...AUTHENTIC, ...headers },
		});
		return await new Promise((resolve) => {
			sent.once('response', (response) => {
				resolve(response.statusCode);
				sent.destroy();
			});
			sent.on('error', () => resolve(undefined));
			sent.end(body);
		});
	}

	test('none of the refused requests started a run', async () => await assertNoRunBefore());

	suite('39: authentication', () => {
		const wrong: Array<[name: string, headers: [string, string][]]> = [
			['no secret', []],
			['an empty secret', [[WEBHOOK_HEADER, '']]],
			['a wrong secret', [[WEBHOOK_HEADER, `${WEBHOOK_SECRET.slice(0, -1)}x`]]],
			['a shorter secret', [[WEBHOOK_HEADER, WEBHOOK_SECRET.slice(0, -1)]]],
			['a longer secret', [[WEBHOOK_HEADER, `${WEBHOOK_SECRET}x`]]],
			[
				'the secret twice',
				[
					[WEBHOOK_HEADER, WEBHOOK_SECRET],
					[WEBHOOK_HEADER, WEBHOOK_SECRET],
				],
			],
			['the secret in another header', [['Authorization', `Bearer ${WEBHOOK_SECRET}`]]],
		];
		for (const [name, headers] of wrong) {
			test(`${name}: 401`, async () => {
				const answer = await send(JSON.stringify({ sessionGuid: GUID }), { headers });
				assert.deepEqual(answer, {
					status: 401,
					json: {
						received: false,
						reason: `The shared secret is missing or wrong (header ${WEBHOOK_HEADER})`,
					},
				});
			});
		}

		test('the secret in the query where a header is asked for: 401', async () => {
			const query = `?${WEBHOOK_HEADER}=${WEBHOOK_SECRET}&secret=${WEBHOOK_SECRET}`;
			const { status } = await send(JSON.stringify({ sessionGuid: GUID }), { headers: {}, query });
			assert.equal(status, 401);
		});

		test('the header in another letter case: 200', async () => {
			const headers = { [WEBHOOK_HEADER.toUpperCase()]: WEBHOOK_SECRET };
			await assertNoRunBefore('default', { headers });
		});

		test('a secret in the query', async () => {
			const query = await stack.n8n.createCredential({
				name: 'Query secret',
				type: 'voiceAgentWebhookApi',
				data: { sendIn: 'query', queryName: 'token', secret: QUERY_SECRET },
			});
			const id = await stack.n8n.importWorkflow(triggerWorkflow({}), {
				voiceAgentWebhookApi: query,
			});
			await stack.n8n.activate(id);
			workflows.set('query', { id, url: await stack.n8n.webhookUrl(id, TRIGGER), runs: 0 });
			const given = `token=${encodeURIComponent(QUERY_SECRET)}`;
			for (const refusedQuery of ['', '?token=', `?Token=x&${given}&${given}`, '?token=wrong']) {
				const { status, json } = await send('{}', { to: 'query', query: refusedQuery });
				assert.equal(status, 401, refusedQuery);
				assert.match((json as { reason: string }).reason, /\(query token\)$/);
			}
			await assertNoRunBefore('query', { query: `?${given}`, headers: {} });
		});

		test('an address that is not allowed: 403, with the right secret too', async () => {
			for (const from of ['203.0.112.255', '127.0.0.1', '::1', 'nonsense', '2001:db9::1']) {
				const headers = { ...AUTHENTIC, 'x-forwarded-for': from };
				const answer = await send(JSON.stringify({ sessionGuid: GUID }), {
					to: 'addresses',
					headers,
				});
				assert.deepEqual(
					answer,
					{ status: 403, json: { received: false, reason: 'The address is not allowed' } },
					from,
				);
			}
			// What the sender itself writes in front does not count.
			const forged = { ...AUTHENTIC, 'x-forwarded-for': '203.0.113.7, 198.51.100.1' };
			assert.equal((await send('{}', { to: 'addresses', headers: forged })).status, 403);
			// n8n's own address, where no proxy says otherwise.
			assert.equal((await send('{}', { to: 'addresses' })).status, 403);
		});

		test('an address that is allowed: 200, or 401 without the secret', async () => {
			for (const from of ['203.0.113.7', '::ffff:203.0.113.255', '2001:db8:1::']) {
				const headers = { 'x-forwarded-for': from };
				assert.equal((await send('{}', { to: 'addresses', headers })).status, 401, from);
				await assertNoRunBefore('addresses', { headers: { ...AUTHENTIC, ...headers } });
			}
		});

		test('an expression that yields no addresses refuses everybody', async () => {
			for (const allow of ['', '*', '999.0.0.1']) {
				const answer = await send('{}', { to: 'open', headers: { 'x-allow': allow } });
				assert.equal(answer.status, 403, allow);
				assert.match((answer.json as { reason: string }).reason, /cannot check requests/);
			}
			await assertNoRunBefore('open', { headers: { 'x-allow': '127.0.0.1' } });
		});

		test('a credential that was emptied afterwards refuses everybody', async () => {
			const credential = await stack.n8n.createCredential({
				name: 'Emptied',
				type: 'voiceAgentWebhookApi',
				data: { secret: WEBHOOK_SECRET },
			});
			const id = await stack.n8n.importWorkflow(triggerWorkflow({}), {
				voiceAgentWebhookApi: credential,
			});
			await stack.n8n.activate(id);
			workflows.set('emptied', { id, url: await stack.n8n.webhookUrl(id, TRIGGER), runs: 0 });
			await assertNoRunBefore('emptied');
			await stack.n8n.updateCredential(credential.id, {
				...credential,
				type: 'voiceAgentWebhookApi',
				data: { secret: '' },
			});
			for (const headers of [{}, { [WEBHOOK_HEADER]: '' }, AUTHENTIC]) {
				const answer = await send(JSON.stringify({ sessionGuid: GUID }), {
					to: 'emptied',
					headers,
				});
				assert.equal(answer.status, 403);
			}
			assert.match(stack.n8n.logTail(), /cannot be checked.*'Secret' is empty/);
		});

		// n8n tries again for 15 seconds, so these wait side by side.
		test('a workflow that cannot check requests is not activated, and says why', async () => {
			const rejected = async (
				parameters: Record<string, unknown>,
				message: RegExp,
				credentials = stack.credentials,
			) => {
				const id = await stack.n8n.importWorkflow(triggerWorkflow(parameters), credentials);
				await assert.rejects(stack.n8n.activate(id), message);
			};
			const weak = await stack.n8n.createCredential({
				name: 'Weak',
				type: 'voiceAgentWebhookApi',
				data: { secret: 'too short' },
			});
			await Promise.all([
				rejected(
					{ options: { allowedAddresses: '10.0.0.0/33' } },
					/'10\.0\.0\.0\/33' is no IP address/,
				),
				rejected({ options: { allowedAddresses: '' } }, /'Allowed Addresses'.*the list is empty/),
				rejected({}, /'Secret' must have 16 characters/, {
					...stack.credentials,
					voiceAgentWebhookApi: weak,
				}),
			]);
			const id = await stack.n8n.importWorkflow(triggerWorkflow({}));
			await assert.rejects(
				stack.n8n.activate(id),
				/Missing required credential: voiceAgentWebhookApi/,
			);
		});

		test('the test of the credential', async () => {
			const { id } = stack.credentials.voiceAgentWebhookApi;
			const type = 'voiceAgentWebhookApi';
			assert.deepEqual(await stack.n8n.testCredential({ id, type }), {
				status: 'OK',
				message: `The secret can be used. Requests must carry it in the header ${WEBHOOK_HEADER}.`,
			});
			for (const [secret, message] of [
				['', /'Secret' is empty/],
				['too short', /16 characters or more/],
				['with an umlaut: ä, and more', /non-ASCII/],
			] as const) {
				const result = await stack.n8n.testCredential({ id, type, data: { secret } });
				assert.equal(result.status, 'Error');
				assert.match(result.message, message);
			}
		});
	});

	test('40: Remove Duplicates ends a replayed webhook quietly', async () => {
		const workflowWithCheck = triggerWorkflow({});
		workflowWithCheck.nodes.push({
			name: 'Only once',
			id: 'once',
			type: 'n8n-nodes-base.removeDuplicates',
			typeVersion: 2,
			position: [220, 0],
			parameters: {
				operation: 'removeItemsSeenInPreviousExecutions',
				dedupeValue: '={{ $json.eventKey }}',
				options: {},
			},
		});
		workflowWithCheck.connections = chain([TRIGGER, 'Only once']);
		const id = await stack.n8n.importWorkflow(workflowWithCheck, stack.credentials);
		await stack.n8n.activate(id);
		workflows.set('once', { id, url: await stack.n8n.webhookUrl(id, TRIGGER), runs: 0 });
		const passed: number[] = [];
		for (const sessionGuid of [GUID, GUID.toUpperCase(), `${GUID.slice(0, -1)}2`]) {
			const answer = await send(JSON.stringify({ sessionGuid }), { to: 'once' });
			assert.equal(answer.status, 200);
			passed.push((await nextExecution('once')).items('Only once').length);
		}
		assert.deepEqual(passed, [1, 0, 1]);
	});

	test('listening in the editor works with a sample payload, and for one request', async () => {
		const id = await stack.n8n.importWorkflow(triggerWorkflow({}), stack.credentials);
		const testUrl = (await stack.n8n.webhookUrl(id, TRIGGER)).replace(
			'/webhook/',
			'/webhook-test/',
		);
		const listening = await stack.n8n.rest<{ waitingForWebhook?: boolean }>(
			'POST',
			`/rest/workflows/${id}/run`,
			{ workflowId: id, triggerToStartFrom: { name: TRIGGER } },
		);
		assert.equal(listening.waitingForWebhook, true);
		const post = async () =>
			await fetch(testUrl, {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...AUTHENTIC },
				body: JSON.stringify({ sessionGuid: GUID }),
			});
		const answer = await post();
		assert.equal(answer.status, 200);
		assert.deepEqual(await answer.json(), { received: true, sessionGuid: GUID });
		const [execution] = await stack.n8n.waitForExecutions({ workflowId: id, count: 1 });
		assert.equal(execution?.mode, 'manual');
		assert.equal(execution.items(TRIGGER)[0]?.json.sessionGuid, GUID);
		assert.equal((await post()).status, 404);
	});
});
