/** The operation Respond of Call Start, behind several triggers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { voiceAgentTrigger } from '../../harness/flow.mts';
import type { Json } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { failure } from './outcome.mts';

const engine = await sharedEngine();

const trigger = (name: string, parameters: object) =>
	voiceAgentTrigger({ event: 'callStart', respond: 'responseNode', ...parameters }, name);

/** Runs Respond, and returns what the webhook is answered too. */
async function respond(
	run: Omit<Parameters<typeof engine.runNode>[0], 'parameters'>,
	parameters: Record<string, unknown> = {},
) {
	const responses: unknown[] = [];
	const execution = await engine.runNode(
		{
			parameters: { resource: 'callStart', operation: 'respond', ...parameters },
			settings: { onError: 'continueRegularOutput' },
			...run,
		},
		(response) => responses.push(response),
	);
	const [hint, ...others] = execution.hints(NODE);
	assert.deepEqual(others, []);
	const items = execution.items(NODE).map(({ json }) => json);
	return { execution, responses, hint, items };
}

suite('the password of a recording', () => {
	const encrypts = { recordCall: true, encryptRecording: true };
	// n8n hands the items on through triggers that stand in the middle.
	const before = [trigger('Closed', {})];

	test('is refused behind a trigger that has checked no request', async () => {
		const { execution, responses } = await respond({ before }, encrypts);
		assert.match(failure(execution), /^passwordUnprotected: /);
		assert.deepEqual(responses, []);
	});

	test('is not sent for an item that only claims a check: the call is not recorded', async () => {
		const { responses, execution } = await respond(
			{ before, items: [{ canEncrypt: true }] },
			encrypts,
		);
		const encrypted = { recordCall: true, recordCallFormat: 'opus' };
		const [{ body }] = responses as [{ body: unknown }];
		assert.deepEqual(body, { Service_Instructions: { recordCall: false }, encrypted });
		assert.ok(!execution.raw.includes(PASSWORD));
	});
});

suite('the instructions for the service', () => {
	const behind = [trigger('Trigger', {})];
	const opus = { recordCall: true, recordCallFormat: 'opus' };
	const none: Record<string, Json> = {};
	const answered = (instructions: object) => ({
		body: { Service_Instructions: instructions },
		headers: { 'content-type': 'application/json; charset=utf-8' },
		statusCode: 200,
	});

	test('are the instructions of the first item, without a password if it is not needed', async () => {
		const voiceAgentApi = { id: 'none', name: 'none' };
		const { responses, items, hint } = await respond(
			{
				before: behind,
				items: [{ answerBy: '2999-01-01T00:00:00.000Z' }, none],
				credentials: { voiceAgentApi },
			},
			{ recordCall: true },
		);
		assert.deepEqual(responses, [answered(opus)]);
		const instructions = opus;
		assert.deepEqual(items, [
			{ instructions, encrypted: false, responded: true },
			{ instructions, encrypted: false, responded: false },
		]);
		assert.equal(hint, undefined);
	});

	for (const binaryMode of ['separate', 'combined'])
		test(`are sent and called late after the deadline (binary mode ${binaryMode})`, async () => {
			const items = [{ answerBy: '2020-01-01T00:00:00.000Z' }, none];
			const workflowSettings = { binaryMode };
			const late = await respond(
				{ before: behind, items, workflowSettings },
				{ recordCall: false },
			);
			assert.deepEqual(late.responses, [answered({ recordCall: false })]);
			assert.deepEqual(
				late.items.map(({ responded }) => responded),
				[false, false],
			);
			const option = "'Deadline \\(Seconds\\)'";
			assert.match(
				String(late.hint),
				new RegExp(
					`^This response came too late: .* raise the option ${option} of the trigger\\.$`,
				),
			);
		});

	test('are called late if the first of two triggers has stopped waiting', async () => {
		const before = [trigger('First', {}), trigger('Second', {})];
		const items = [{ answerBy: '2020-01-01T00:00:00.000Z' }];
		assert.notEqual((await respond({ before, items })).hint, undefined);
	});

	const off = { ...trigger('Off', {}), disabled: true };
	const immediate = trigger('Immediately', { respond: 'onReceived' });
	test('are refused behind triggers that do not wait', async () => {
		const before = [off, immediate];
		const { execution, responses } = await respond({ before }, { recordCall: true });
		assert.match(failure(execution), /^nobodyWaitsForResponse: /);
		assert.deepEqual(responses, []);
	});
});
