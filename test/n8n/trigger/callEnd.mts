/** Call End webhooks: which payloads start an execution, and what comes out. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import type { WorkflowNode } from '../../../harness/n8n/n8n.mts';
import type { Stack } from '../../../harness/stack.mts';
import { postWebhook } from '../../../harness/webhook.mts';
import { AUTHENTIC, CallEndWebhooks, GUID, TRIGGER, triggerWorkflow } from './callEndWebhooks.mts';

const OTHER = '9b2d6c1a-0000-4000-8000-123456789abc';

const MEGABYTE = 1024 * 1024;

export function callEndSuite(getStack: () => Stack): void {
	suite('Call End', { concurrency: 1 }, () => {
		let stack: Stack;
		let webhooks: CallEndWebhooks;
		before(async () => {
			stack = getStack();
			webhooks = new CallEndWebhooks(stack);
			// Nothing but the event: what n8n stores for a trigger that was left at its defaults.
			await webhooks.activate('default', {});
			await webhooks.activate('field', {
				event: 'callEnd',
				options: { sessionGuidField: 'call.reference' },
			});
			await webhooks.activate('expression', {
				options: {
					sessionGuidField: "={{ $json.body.fail ? $('Nowhere').first().json : $json.body.field }}",
				},
			});
		});

		const accepted: Array<{
			name: string;
			body: string;
			type?: string;
			method?: string;
			query?: string;
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
			{
				name: 'JSON sent as text',
				body: JSON.stringify({ sessionGuid: GUID }),
				type: 'text/plain',
			},
			{
				name: 'JSON of a type that n8n does not know',
				body: JSON.stringify({ sessionGuid: GUID }),
				type: 'application/vnd.voiceagent',
			},
			{
				name: 'JSON without a content type',
				body: JSON.stringify({ sessionGuid: GUID }),
				type: '',
			},
			{
				name: 'JSON sent as a form, as curl does',
				body: JSON.stringify({ sessionGuid: GUID, note: 'a=1&b=%20' }),
				type: 'application/x-www-form-urlencoded',
			},
			{
				name: 'JSON with a byte order mark, as text',
				body: `\uFEFF${JSON.stringify({ sessionGuid: GUID })}`,
				type: 'text/plain; charset=utf-8',
				payload: { sessionGuid: GUID },
			},
			{
				name: 'JSON with a byte order mark',
				body: `\uFEFF${JSON.stringify({ sessionGuid: GUID })}`,
				payload: { sessionGuid: GUID },
			},
			{
				name: 'four levels down, in a list',
				body: JSON.stringify({ a: { b: [{ c: { session_guid: GUID } }] } }),
			},
			{
				name: 'JSON in a form field',
				body: new URLSearchParams({ payload: JSON.stringify({ sessionGuid: GUID }) }).toString(),
				type: 'application/x-www-form-urlencoded',
				payload: { payload: JSON.stringify({ sessionGuid: GUID }) },
			},
			{
				name: 'a form with brackets',
				body: `data[sessionGuid]=${GUID}`,
				type: 'application/x-www-form-urlencoded',
				payload: { 'data[sessionGuid]': GUID },
			},
			{
				name: 'a multipart form',
				body: `--x\r\nContent-Disposition: form-data; name="SessionGuid"\r\n\r\n${GUID}\r\n--x--\r\n`,
				type: 'multipart/form-data; boundary=x',
				payload: { SessionGuid: GUID },
			},
			{
				name: 'XML with a namespace and attributes',
				body: `<e:End xmlns:e="urn:e"><e:SessionGuid type="guid">${GUID}</e:SessionGuid></e:End>`,
				type: 'application/soap+xml; charset=utf-8',
				payload: {
					'e:end': {
						$: { 'xmlns:e': 'urn:e' },
						'e:sessionguid': { _: GUID, $: { type: 'guid' } },
					},
				},
			},
			{
				name: 'a message of a queue, with JSON in a text',
				body: JSON.stringify({
					Type: 'Notification',
					Message: JSON.stringify({ detail: { sessionGuid: GUID } }),
				}),
			},
			{
				name: 'a list of one',
				body: JSON.stringify([{ sessionGuid: GUID }]),
				payload: { sessionGuid: GUID },
			},
			{
				name: 'PUT',
				body: JSON.stringify({ sessionGuid: GUID }),
				method: 'PUT',
			},
			{
				name: 'GET with a query',
				body: '',
				method: 'GET',
				query: `?event=CallEnd&session_guid=${GUID}`,
				payload: { event: 'CallEnd', session_guid: GUID },
			},
			{
				name: 'a query beside a body without it',
				body: JSON.stringify({ event: 'CallEnd' }),
				query: `?sessionGuid=${GUID}`,
			},
			{
				name: 'a field that the user names',
				body: JSON.stringify({ call: { reference: GUID }, sessionGuid: 'another-0001' }),
				to: 'field',
			},
			{
				name: 'a URL in the body stays text [fault 19]',
				body: JSON.stringify({ sessionGuid: GUID, url: 'http://127.0.0.1:1/api', baseUrl: 'x' }),
			},
			{
				name: 'upper case in braces is passed on as it came, and has the same key',
				body: JSON.stringify({ sessionGuid: `{${GUID.toUpperCase()}}` }),
				sessionGuid: `{${GUID.toUpperCase()}}`,
			},
		];
		for (const { name, payload, sessionGuid = GUID, retentionEndsAt, ...sent } of accepted) {
			const { body, to } = sent;
			const known = { ...(retentionEndsAt !== undefined && { retentionEndsAt }) };
			test(`${name}: 200 with a small JSON, and an execution`, async () => {
				const started = Date.now();
				const answer = await webhooks.send(body, sent);
				assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid } });
				const execution = await webhooks.nextExecution(to);
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
				if (retentionEndsAt === undefined) {
					assert.equal(hoursLeft, undefined);
				} else {
					const hours = (Date.parse(retentionEndsAt) - received) / 3_600_000;
					assert.ok(Math.abs(Number(hoursLeft) - hours) < 0.06, `${hoursLeft} is not ${hours}`);
				}
			});
		}

		const refused: Array<{
			name: string;
			body: string;
			type?: string;
			method?: string;
			query?: string;
			status?: number;
			reason?: RegExp;
		}> = [
			{
				name: 'no GUID [fault 33]',
				body: '{"event":"CallEnd"}',
				reason: /the payload has no field 'sessionGuid'/,
			},
			{
				name: 'null [fault 33]',
				body: '{"sessionGuid":null}',
				reason: /does not hold a session GUID/,
			},
			{
				name: 'a number [fault 33]',
				body: '{"sessionGuid":12345678}',
				reason: /does not hold a session GUID/,
			},
			{ name: 'traversal [fault 34]', body: '{"sessionGuid":"../../x1"}', reason: /does not hold/ },
			{
				name: 'fullwidth digits [fault 35]',
				body: JSON.stringify({ sessionGuid: GUID.replace('3', '３') }),
			},
			{
				name: '1 MB [fault 35]',
				body: JSON.stringify({ sessionGuid: '1'.repeat(1_000_000) }),
				reason: /does not hold/,
			},
			{
				name: 'an array of texts [fault 32]',
				body: `["${GUID}"]`,
				reason: /no field 'sessionGuid'/,
			},
			{ name: 'an empty body [fault 32]', body: '', reason: /no field 'sessionGuid'/ },
			{ name: 'GET without a query', body: '', method: 'GET', reason: /no field/ },
			{
				name: 'two different ones',
				body: JSON.stringify({ sessionGuid: GUID, parent: { sessionGuid: OTHER } }),
				reason: /occurs more than once with different values$/,
			},
			{
				name: 'another one in the query',
				body: JSON.stringify({ sessionGuid: GUID }),
				query: `?sessionGuid=${OTHER}`,
				reason: /occurs more than once with different values$/,
			},
			{
				name: 'a batch with an event that has none',
				body: JSON.stringify([{ sessionGuid: GUID }, { event: 'ping' }]),
				reason: /^No session GUID: event 2 of 2: the payload has no field/,
			},
			{
				name: '500,000 objects',
				body: JSON.stringify({ sessionGuid: GUID, a: Array.from({ length: 500_000 }, () => ({})) }),
				reason: /^the payload has more than 50000 values .*'Session GUID Field'$/,
			},
			{
				name: '500,000 fields',
				body: `{"sessionGuid":"${GUID}",${Array.from({ length: 500_000 }, (_, i) => `"f${i}":0`).join()}}`,
				reason: /^the payload has more than 50000 values .*'Session GUID Field'$/,
			},
			{
				name: 'plain text',
				body: 'hello',
				type: 'text/plain',
				reason: /the payload has no field/,
			},
			{
				name: '__proto__ [fault 32]',
				body: `{"__proto__":{"sessionGuid":"${GUID}"}}`,
				reason: /^the payload has a field '__proto__'$/,
			},
			{
				name: '100,000 levels [fault 32]',
				body: `{"sessionGuid":"${GUID}","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
				reason: /^the payload is nested deeper than 64 levels$/,
			},
			{ name: 'broken JSON [fault 32]', body: '{"sessionGuid":', status: 422 },
		];
		for (const { name, body, status = 400, reason, ...sent } of refused) {
			test(`${name}: ${status} with a JSON reason, and no execution`, async () => {
				const answer = await webhooks.send(body, sent);
				assert.equal(answer.status, status, JSON.stringify(answer.json));
				if (status === 400) {
					const { received, reason: said } = answer.json as { received: boolean; reason: string };
					assert.equal(received, false);
					assert.match(said, reason ?? /^No session GUID: /);
				}
			});
		}

		test('a batch: one item for each event', async () => {
			const events = [
				{ sessionGuid: GUID, endedAt: '2026-11-14T12:00:00Z' },
				{ sessionGuid: OTHER, to: '+15550100' },
			];
			for (const [body, type] of [
				[JSON.stringify(events), undefined],
				[JSON.stringify({ account: 7, data: { events } }), undefined],
				[events.map((event) => JSON.stringify(event)).join('\n'), 'application/x-ndjson'],
				[
					new URLSearchParams({ payload: JSON.stringify(events) }).toString(),
					'application/x-www-form-urlencoded',
				],
			] as const) {
				const answer = await webhooks.send(body, { type });
				assert.deepEqual(answer, {
					status: 200,
					json: { received: true, sessionGuids: [GUID, OTHER] },
				});
				const items = (await webhooks.nextExecution()).items(TRIGGER).map(({ json }) => json);
				assert.deepEqual(
					items.map(({ sessionGuid, eventKey, payload }) => [sessionGuid, eventKey, payload]),
					events.map((event) => [event.sessionGuid, `callEnd:${event.sessionGuid}`, event]),
				);
				assert.equal(items[0]?.retentionEndsAt, '2026-11-21T12:00:00.000Z');
				assert.equal(items[1]?.retentionEndsAt, undefined);
			}
		});

		test('a payload with 100,000 values: the field that the user names is read', async () => {
			const list = Array.from({ length: 50_000 }, (_, id) => ({ id }));
			const body = JSON.stringify({ list, call: { reference: GUID } });
			assert.equal((await webhooks.send(body, { to: 'field' })).status, 200);
			const [item] = (await webhooks.nextExecution('field')).items(TRIGGER);
			assert.equal(item?.json.sessionGuid, GUID);
		});

		test('Session GUID Field yields no text: the GUID is looked for, and 400 names the option', async () => {
			for (const other of [{}, { field: 5 }, { field: null }, { fail: true }]) {
				const without = await webhooks.send(JSON.stringify(other), { to: 'expression' });
				assert.deepEqual(without, {
					status: 400,
					json: {
						received: false,
						reason:
							"No session GUID: the payload has no field 'sessionGuid', and the option 'Session GUID Field' yields no text",
					},
				});
				const body = JSON.stringify({ ...other, sessionGuid: GUID });
				assert.equal((await webhooks.send(body, { to: 'expression' })).status, 200, body);
				const execution = await webhooks.nextExecution('expression');
				assert.equal(execution.items(TRIGGER)[0]?.json.sessionGuid, GUID);
			}
		});

		for (const [name, headers, body] of [
			['a body of 17 MB', {}, () => Buffer.alloc(17 * MEGABYTE, ' ')],
			[
				'a gzip body of 200 MB',
				{ 'content-encoding': 'gzip' },
				() => gzipSync(Buffer.alloc(200 * MEGABYTE, ' ')),
			],
			[
				'a gzip body of 200 MB with an unusual type',
				{ 'content-encoding': 'gzip', 'content-type': 'application/octet-stream' },
				() => gzipSync(Buffer.alloc(200 * MEGABYTE, ' ')),
			],
			[
				'a body that is not gzip',
				{ 'content-encoding': 'gzip', 'content-type': 'application/octet-stream' },
				() => Buffer.from('{}'),
			],
		] as const) {
			test(`${name} is rejected, and n8n lives on [fault 31]`, async () => {
				const status = await post(body(), headers);
				assert.ok(status === undefined || status >= 400, String(status));
				assert.ok((await fetch(`${stack.n8n.url}/healthz`)).ok);
			});
		}

		/** Resolves with the status, or `undefined` if n8n cut the connection while the body was sent. */
		async function post(
			body: Buffer,
			headers: Record<string, string>,
		): Promise<number | undefined> {
			const sent = request(webhooks.workflow().url, {
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

		test('none of the refused requests started an execution [faults 32, 33, 34, 35]', async () =>
			await webhooks.assertNoneBefore());

		test('Remove Duplicates ends a replayed webhook quietly [fault 40]', async () => {
			const onlyOnce: WorkflowNode = {
				name: 'Only once',
				type: 'n8n-nodes-base.removeDuplicates',
				typeVersion: 2,
				parameters: {
					operation: 'removeItemsSeenInPreviousExecutions',
					dedupeValue: '={{ $json.eventKey }}',
					options: {},
				},
			};
			await webhooks.activate('once', {}, { nodes: [onlyOnce] });
			const passed: number[] = [];
			for (const sessionGuid of [GUID, GUID.toUpperCase(), `${GUID.slice(0, -1)}2`]) {
				const answer = await webhooks.send(JSON.stringify({ sessionGuid }), { to: 'once' });
				assert.equal(answer.status, 200);
				passed.push((await webhooks.nextExecution('once')).items('Only once').length);
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
			const post = async () => await postWebhook(testUrl, JSON.stringify({ sessionGuid: GUID }));
			const answer = await post();
			assert.equal(answer.status, 200);
			assert.deepEqual(await answer.json(), { received: true, sessionGuid: GUID });
			const [execution] = await stack.n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(execution?.mode, 'manual');
			assert.equal(execution.items(TRIGGER)[0]?.json.sessionGuid, GUID);
			assert.equal((await post()).status, 404);
		});
	});
}
