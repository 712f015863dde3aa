/** Call Start webhooks that the operation Respond to Call Start answers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { failing, inARow } from '../../../harness/flow.mts';
import type { Stack } from '../../../harness/stack.mts';
import { assertAsShown } from '../../docs/shownOutput.mts';
import {
	assertInstructions,
	assertBeforeEnd,
	callStartWorkflow,
	LONG_DEADLINE,
	OWN_PASSWORD,
	post,
	publish,
	RESPOND,
	respond,
	setJson,
	slow,
	TRIGGER,
	withPassword,
} from './callStarts.mts';

export function respondOperationSuite(getStack: () => Stack): void {
	suite('Call Start, Respond: Using Respond to Call Start', { concurrency: 1 }, () => {
		const fallback = { recordCall: false };
		const fields = { respond: 'responseNode', options: LONG_DEADLINE };

		test('the operation answers, with expressions on the item', async () => {
			const workflow = await publish(getStack(), fields, [
				respond({
					recordCall: '={{ $json.payload.to === "+15550100" }}',
					recordCallFormat: 'wav',
					moreInstructions: { maxSeconds: 60 },
				}),
				slow(),
			]);
			const answer = await workflow.call();
			assertInstructions(answer, { recordCall: true, recordCallFormat: 'wav', maxSeconds: 60 });
			const execution = await workflow.execution();
			assertBeforeEnd(answer, execution);
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.deepEqual(execution.items(RESPOND)[0]?.json, {
				instructions: { recordCall: true, recordCallFormat: 'wav', maxSeconds: 60 },
				encrypted: false,
				responded: true,
			});
		});

		test('encrypted; the password is neither in the item nor in the execution', async () => {
			const workflow = await publish(
				getStack(),
				fields,
				[respond({ recordCall: true, encryptRecording: true })],
				await withPassword(getStack(), OWN_PASSWORD),
			);
			assertInstructions(await workflow.call(), {
				recordCall: true,
				recordCallFormat: 'opus',
				recordCallPassword: OWN_PASSWORD,
			});
			const execution = await workflow.execution();
			assert.deepEqual(execution.items(RESPOND)[0]?.json, {
				instructions: { recordCall: true, recordCallFormat: 'opus' },
				encrypted: true,
				responded: true,
			});
			assertAsShown('Call Start: Respond', execution.items(RESPOND)[0]?.json);
			assert.doesNotMatch(execution.raw, /ssword/);
		});

		for (const [name, nodes, message] of [
			['a workflow without the operation', [setJson({ Service_Instructions: {} })], undefined],
			[
				'a workflow that fails before',
				[failing('broken'), respond({ recordCall: true })],
				/broken/,
			],
			[
				'instructions that cannot be used',
				[respond({ recordCall: '={{ "false" }}' })],
				/'Record Call' must be true or false/,
			],
			[
				'an instruction without a value',
				[respond({ recordCall: true, moreInstructions: { maxSeconds: '={{ $json.nothing }}' } })],
				/'Max Seconds' must be a number of 0 or more/,
			],
			[
				'a field spelled otherwise in Additional Fields',
				[
					respond({
						recordCall: true,
						moreInstructions: { additionalFields: '{"Record_Call_Password":""}' },
					}),
				],
				/'Additional Fields \(JSON\)' must not contain 'Record_Call_Password'/,
			],
		] as const) {
			test(`${name}: the fallback, immediately`, async () => {
				const workflow = await publish(getStack(), fields, [...nodes]);
				const answer = await workflow.call();
				// What n8n sends for the last node must not pass for an answer of the operation.
				assertInstructions(answer, fallback);
				assert.ok(answer.ms < 25_000, `${answer.ms} ms`);
				const execution = await workflow.execution();
				assert.equal(execution.status, message ? 'error' : 'success');
				if (message) assert.match(String(execution.error?.message), message);
			});
		}

		test('encryption without a password fails, and the call is not recorded', async () => {
			// What is left of the selection after the credential was deleted.
			const { voiceAgentRecordingPasswordApi: _deleted, ...credentials } = getStack().credentials;
			const { n8n } = getStack();
			const id = await n8n.importWorkflow(
				callStartWorkflow(fields, [respond({ recordCall: true, encryptRecording: true })]),
				credentials,
			);
			await n8n.activate(id);
			const answer = await post(await n8n.webhookUrl(id, TRIGGER), '{}');
			assertInstructions(answer, fallback);
			const [execution] = await getStack().n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(execution?.status, 'error');
			assert.match(String(execution.error?.message), /no password is available/);
		});

		test('no password for anybody: encryption fails behind a trigger without authentication', async () => {
			const open = { ...fields, authentication: 'none' };
			const encrypting = [respond({ recordCall: true, encryptRecording: true })];
			const workflow = await publish(getStack(), open, encrypting);
			assertInstructions(await workflow.call(), fallback);
			const { status, error } = await workflow.execution();
			assert.equal(status, 'error');
			assert.match(String(error?.message), /anybody could get the recording password/);

			const options = { ...(open as { options?: object }).options, allowedAddresses: '127.0.0.1' };
			const limited = await publish(getStack(), { ...open, options }, encrypting);
			const { json } = await limited.call();
			assert.match(JSON.stringify(json), /recordCallPassword/);
		});

		test("nor behind n8n's own Webhook node without authentication", async () => {
			const { n8n, credentials } = getStack();
			// Without it, n8n refuses the webhook. By its turn, the answer is out.
			const required = {
				name: 'Respond to Webhook',
				type: 'n8n-nodes-base.respondToWebhook',
				typeVersion: 1.1,
				parameters: { respondWith: 'noData', options: {} },
			};
			for (const [options, expected] of [
				[{}, 'error'],
				[{ ipWhitelist: '127.0.0.1' }, 'success'],
			] as const) {
				const webhook = {
					name: TRIGGER,
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					parameters: {
						path: `call-start-${expected}`,
						httpMethod: 'POST',
						responseMode: 'responseNode',
						options,
					},
				};
				const nodes = [webhook, respond({ recordCall: true, encryptRecording: true }), required];
				const id = await n8n.importWorkflow(inARow('Webhook', nodes), credentials);
				await n8n.activate(id);
				// Without the secret of the others, because n8n stores the headers of its own Webhook node.
				const answer = await fetch(await n8n.webhookUrl(id, TRIGGER), { method: 'POST' });
				const hasPassword = (await answer.text()).includes('recordCallPassword');
				assert.equal(hasPassword, expected === 'success');
				const [execution] = await n8n.waitForExecutions({ workflowId: id, count: 1 });
				assert.equal(execution?.status, expected);
			}
		});

		test('a response that nobody waits for says so', async () => {
			for (const parameters of [{ respond: 'onReceived' }, { respond: 'lastNode' }]) {
				const workflow = await publish(getStack(), parameters, [respond({ recordCall: true })]);
				assertInstructions(await workflow.call(), { recordCall: false });
				const { status, error } = await workflow.execution();
				assert.equal(status, 'error');
				assert.match(String(error?.message), /No VoiceAgent Trigger waits for this response/);
				assert.match(String(error?.description), /'Respond' to 'Using Respond to Call Start'/);
			}
		});

		test('listening in the editor works', async () => {
			const id = await getStack().n8n.importWorkflow(
				callStartWorkflow(fields, [respond({ recordCall: true })]),
				getStack().credentials,
			);
			await getStack().n8n.rest('POST', `/rest/workflows/${id}/run`, {
				workflowId: id,
				triggerToStartFrom: { name: TRIGGER },
			});
			const url = (await getStack().n8n.webhookUrl(id, TRIGGER)).replace(
				'/webhook/',
				'/webhook-test/',
			);
			assertInstructions(await post(url, '{}'), { recordCall: true, recordCallFormat: 'opus' });
			const [execution] = await getStack().n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(execution?.mode, 'manual');
			assert.equal(execution.items(RESPOND)[0]?.json.responded, true);
		});
	});
}
