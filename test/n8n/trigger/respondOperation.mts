/** Call Start webhooks that the operation Respond to Call Start answers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { baseNode, failing, inARow, voiceAgentTrigger, wait } from '../../../harness/flow.mts';
import { WEBHOOK_HEADER, type Stack } from '../../../harness/stack.mts';
import { until } from '../../../harness/until.mts';
import { assertAsShown } from '../../docs/shownOutput.mts';
import { executionIds, succeeded } from '../suite.mts';
import {
	assertInstructions,
	assertBeforeEnd,
	LONG_DEADLINE,
	OWN_PASSWORD,
	post,
	publish,
	RESPOND,
	respond,
	setJson,
	TRIGGER,
	triggerWorkflow,
	withPassword,
} from './published.mts';

/** @param log what n8n has printed so far; no other test may make n8n print at the same time */
export function lateAnswerTest(getStack: () => Stack, log: () => string): void {
	test('a slow workflow is answered for in time, and its execution goes on and says so', async () => {
		const from = log().length;
		const workflow = await publish(
			getStack(),
			{ respond: 'responseNode', options: { deadlineSeconds: 0.5 } },
			[wait(6), respond({ recordCall: true })],
		);
		const answer = await workflow.call();
		assertInstructions(answer, { recordCall: false });
		assert.ok(answer.ms >= 490, `${answer.ms} ms`);

		const execution = succeeded(await workflow.execution());
		assertBeforeEnd(answer, execution);
		assert.equal(execution.items(RESPOND)[0]?.json.responded, false);
		assert.match(execution.raw, /This response came too late/);
		// The same connection serves the next request.
		assertInstructions(await workflow.call(), { recordCall: false });
		const printed = log().slice(from);
		assert.match(printed, /fallback: the workflow gave no instructions within 500 ms/);
		assert.doesNotMatch(printed, /headers|ERR_|Error|unhandled/i);
	});
}

/** n8n tries to publish for 15 seconds, unless an error is final. */
const RETRIES_MS = 15_000;

export function refusedPublicationTest(getStack: () => Stack): void {
	test('without a password for Encrypt Recording, publishing is refused at once', async () => {
		const stack = getStack();
		const workflow = triggerWorkflow({ recordCall: true, encryptRecording: true });
		const credentials = await withPassword(stack, '');
		const id = await stack.n8n.importWorkflow(workflow, credentials);
		const start = performance.now();
		await assert.rejects(stack.n8n.activate(id), /Enter a 'Recording Password'/);
		assert.ok(performance.now() - start < RETRIES_MS);
	});
}

export function respondOperationSuite(getStack: () => Stack): void {
	suite('Call Start, Respond: Using Respond to Call Start', { concurrency: 1 }, () => {
		const fallback = { recordCall: false };
		const fields = { respond: 'responseNode', options: LONG_DEADLINE };

		test('the operation answers, with a password that is not in the execution', async () => {
			const recordCall = '={{ $json.payload.to === "+15550100" }}';
			const workflow = await publish(
				getStack(),
				fields,
				[respond({ recordCall, encryptRecording: true }), wait(6)],
				await withPassword(getStack(), OWN_PASSWORD),
			);
			const answer = await workflow.call();
			assertInstructions(answer, {
				recordCall: true,
				recordCallFormat: 'opus',
				recordCallPassword: OWN_PASSWORD,
			});
			const execution = succeeded(await workflow.execution());
			assertBeforeEnd(answer, execution);
			assertAsShown('Call Start: Respond', execution.items(RESPOND)[0]?.json);
			assert.doesNotMatch(execution.raw, /ssword/);
		});

		for (const [name, nodes, status] of [
			['a workflow without the operation', [setJson('{"Service_Instructions":{}}')], 'success'],
			['a workflow that fails before', [failing('broken'), respond({})], 'error'],
		] as const) {
			test(`${name} is answered for with the fallback, immediately`, async () => {
				const workflow = await publish(getStack(), fields, [...nodes]);
				const answer = await workflow.call();
				// What n8n sends for the last node must not pass for an answer of the operation.
				assertInstructions(answer, fallback);
				assert.ok(answer.ms < 25_000, `${answer.ms} ms`);
				assert.equal((await workflow.execution()).status, status);
			});
		}

		test("nobody gets the password behind n8n's own Webhook node", async () => {
			const { n8n, credentials } = getStack();
			// Without it, n8n refuses the webhook. By its turn, the answer is out.
			const noData = { respondWith: 'noData' };
			const required = baseNode('Respond to Webhook', 'respondToWebhook', 1.1, noData);
			const webhook = baseNode('Webhook', 'webhook', 2, {
				httpMethod: 'POST',
				responseMode: 'responseNode',
				options: { ipWhitelist: '127.0.0.1' },
			});
			// A trigger that asks for a secret stands beside the webhook, and in a second workflow
			// between it and the answer.
			const answers = [respond({ recordCall: true, encryptRecording: true }), required];
			for (const isBetween of [false, true]) {
				const trigger = voiceAgentTrigger({ event: 'callStart', ...fields }, TRIGGER);
				webhook.parameters.path = `call-start-${isBetween}`;
				const workflow = inARow('Webhook', [webhook, ...(isBetween ? [trigger] : []), ...answers]);
				if (!isBetween) {
					workflow.nodes.push({ ...workflow.nodes[0], ...trigger, id: 'beside' } as never);
					const connections = workflow.connections as Record<string, unknown>;
					connections[TRIGGER] = connections[webhook.name];
				}
				const id = await n8n.importWorkflow(workflow, credentials);
				await n8n.activate(id);
				// Without the secret of the others, because n8n stores the headers of its own Webhook node.
				const answer = await fetch(await n8n.webhookUrl(id, webhook.name), {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ canEncrypt: true }),
				});
				assert.doesNotMatch(await answer.text(), /recordCall/);
				const [execution] = await n8n.waitForExecutions({ workflowId: id, count: 1 });
				assert.equal(execution?.status, 'error');
				assert.match(
					String(execution.error?.message),
					/^The trigger does not authenticate requests/,
				);
			}
		});

		test('a request that resumes a waiting execution gets no password', async () => {
			const resume = { resume: 'webhook', responseMode: 'responseNode' };
			const { n8n } = getStack();
			const { id, call } = await publish(
				getStack(),
				{ ...fields, options: { deadlineSeconds: 1 } },
				[
					setJson('={{ { url: $execution.resumeUrl } }}'),
					baseNode('Wait', 'wait', 1.1, resume),
					respond({ recordCall: true, encryptRecording: true }),
				],
				await withPassword(getStack(), OWN_PASSWORD),
			);
			assertInstructions(await call('{}'), fallback);
			const [url] = await until(async () => {
				const [waiting] = await executionIds(n8n, { workflowId: id, status: ['waiting'] });
				const { data } = await n8n.rest<{ data: string }>('GET', `/rest/executions/${waiting}`);
				return /http[^"]+webhook-waiting[^"]+/.exec(data);
			});
			const answer = (await (await fetch(url)).json()) as object;
			const encrypted = { recordCall: true, recordCallFormat: 'opus' };
			assert.deepEqual(answer, { Service_Instructions: fallback, encrypted });
		});

		/** Listens in the editor, for one request. */
		async function listen() {
			const { n8n, credentials } = getStack();
			const workflow = triggerWorkflow(fields, [respond({ recordCall: true })]);
			const id = await n8n.importWorkflow(workflow, credentials);
			const published = await n8n.webhookUrl(id, TRIGGER);
			const triggerToStartFrom = { name: TRIGGER };
			await n8n.rest('POST', `/rest/workflows/${id}/run`, { workflowId: id, triggerToStartFrom });
			return { n8n, id, url: published.replace('/webhook/', '/webhook-test/') };
		}

		test('listening in the editor works, for one request', async () => {
			const { n8n, id, url } = await listen();
			assertInstructions(await post(url, '{}'), { recordCall: true, recordCallFormat: 'opus' });
			const [execution] = await n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(execution?.mode, 'manual');
			assert.equal(execution.items(RESPOND)[0]?.json.responded, true);
			assert.equal((await post(url, '{}')).status, 404);
		});

		test('a refused request shows in the editor that listens, and starts nothing', async () => {
			const { n8n, id, url } = await listen();
			const refused = await post(url, '', { [WEBHOOK_HEADER]: 'wrong' });
			assert.equal(refused.status, 401);
			assert.equal((refused.json as { received: boolean }).received, false);
			const [execution] = await n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.match(String(execution?.error?.message), /^A webhook was refused \(401\): /);
			assert.deepEqual(execution?.items(RESPOND), []);
		});
	});
}
