import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { Execution } from '../../tools/n8n.mts';
import { startStack, type Stack } from './stack.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const TRIGGER = 'VoiceAgent Trigger';

suite('trigger: Call End', () => {
	let stack: Stack;
	const workflows = new Map<string, { id: string; url: string; runs: number }>();

	before(async () => {
		stack = await startStack();
		for (const sessionGuidField of ['', 'call.reference']) {
			const id = await stack.n8n.importWorkflow({
				name: `Trigger ${sessionGuidField}`,
				nodes: [
					{
						name: TRIGGER,
						id: 'trigger',
						type: 'n8n-nodes-voiceagent.voiceAgentTrigger',
						typeVersion: 1,
						position: [0, 0],
						parameters: { event: 'callEnd', options: { sessionGuidField } },
						webhookId: crypto.randomUUID(),
					},
				],
				connections: {},
			});
			await stack.n8n.activate(id);
			const url = await stack.n8n.webhookUrl(id, TRIGGER);
			workflows.set(sessionGuidField, { id, url, runs: 0 });
		}
	});
	after(async () => await stack?.stop());

	function workflow(field = '') {
		const found = workflows.get(field);
		assert.ok(found);
		return found;
	}

	async function send(
		body: string,
		{ type = 'application/json', field = '', method = 'POST' } = {},
	): Promise<{ status: number; json: unknown }> {
		const response = await fetch(workflow(field).url, {
			method,
			body,
			headers: { 'content-type': type },
		});
		const text = await response.text();
		return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
	}

	async function nextExecution(field = ''): Promise<Execution> {
		const { id } = workflow(field);
		const count = ++workflow(field).runs;
		const executions = await stack.n8n.waitForExecutions({ workflowId: id, count });
		assert.equal(executions.length, count, 'a run that nobody asked for');
		return executions[count - 1] as Execution;
	}

	const accepted: Array<{
		name: string;
		body: string;
		type?: string;
		field?: string;
		payload?: unknown;
		sessionGuid?: string;
	}> = [
		{ name: 'flat camelCase', body: JSON.stringify({ event: 'CallEnd', sessionGuid: GUID }) },
		{ name: 'PascalCase', body: JSON.stringify({ SessionGuid: GUID, Duration: 3 }) },
		{ name: 'snake_case', body: JSON.stringify({ session_guid: GUID }) },
		{
			name: 'nested one level',
			body: JSON.stringify({ data: { sessionGuid: GUID, x: [1, null] } }),
		},
		{
			name: 'a form',
			body: `event=CallEnd&sessionGuid=${GUID}`,
			type: 'application/x-www-form-urlencoded',
			payload: { event: 'CallEnd', sessionGuid: GUID },
		},
		{ name: 'JSON sent as text', body: JSON.stringify({ sessionGuid: GUID }), type: 'text/plain' },
		{
			name: 'a field that the user names',
			body: JSON.stringify({ call: { reference: GUID }, sessionGuid: 'another-0001' }),
			field: 'call.reference',
		},
		{
			name: '19: a URL in the body stays text',
			body: JSON.stringify({ sessionGuid: GUID, url: 'http://127.0.0.1:1/api', baseUrl: 'x' }),
		},
		{
			name: '36: upper case in braces is passed on as it came',
			body: JSON.stringify({ sessionGuid: `{${GUID.toUpperCase()}}` }),
			sessionGuid: `{${GUID.toUpperCase()}}`,
		},
	];
	for (const { name, body, type, field, payload, sessionGuid = GUID } of accepted) {
		test(`${name}: 200 with a small JSON, and a run`, async () => {
			const started = Date.now();
			const answer = await send(body, { type, field });
			assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid } });
			const execution = await nextExecution(field);
			assert.equal(execution.status, 'success');
			const [item, ...others] = execution.items(TRIGGER);
			assert.equal(others.length, 0);
			const { receivedAt, ...rest } = item?.json ?? {};
			assert.deepEqual(rest, { sessionGuid, payload: payload ?? JSON.parse(body) });
			const received = Date.parse(String(receivedAt));
			assert.ok(received >= started && received <= Date.now());
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
		{ name: '32: an array', body: `[{"sessionGuid":"${GUID}"}]`, reason: /not an object/ },
		{ name: '32: an empty body', body: '', reason: /not an object/ },
		{
			name: '32: plain text',
			body: 'hello',
			type: 'text/plain',
			reason: /the payload has no field/,
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

	test('none of the refused requests started a run', async () => {
		await send(JSON.stringify({ sessionGuid: GUID, last: true }));
		const execution = await nextExecution();
		assert.equal((execution.items(TRIGGER)[0]?.json.payload as { last?: boolean }).last, true);
	});
});
