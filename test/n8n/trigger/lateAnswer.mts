/** Call Start webhooks whose workflow is too slow. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Execution } from '../../../harness/n8n/n8n.mts';
import type { Stack } from '../../../harness/stack.mts';
import {
	assertInstructions,
	assertBeforeEnd,
	publish,
	RESPOND,
	respond,
	setJson,
	slow,
	TRIGGER,
	type CallStart,
} from './callStarts.mts';

/** @param log what n8n has printed so far; no other test may make n8n print at the same time */
export function lateAnswerSuite(getStack: () => Stack, log: () => string): void {
	suite('Call Start, a slow workflow', { concurrency: 2 }, () => {
		test('When Last Node Finishes: the fallback in time, and the execution goes on', async () => {
			const fallback = { recordCall: true, recordCallFormat: 'mp3' };
			const reply = { Service_Instructions: { recordCall: false } };
			const workflow = await publish(
				getStack(),
				{ respond: 'lastNode', ...fallback, options: { deadlineSeconds: 0.5 } },
				[slow(), setJson(reply)],
			);
			await assertLate(workflow, fallback, log);
		});

		test('Using the operation: the fallback in time, and the execution goes on and shows it', async () => {
			const fallback = { recordCall: false };
			const workflow = await publish(
				getStack(),
				{ respond: 'responseNode', options: { deadlineSeconds: 0.5 } },
				[slow(), respond({ recordCall: true })],
			);
			const execution = await assertLate(workflow, fallback, log);
			assert.deepEqual(execution.items(RESPOND)[0]?.json, {
				instructions: { recordCall: true, recordCallFormat: 'opus' },
				encrypted: false,
				responded: false,
			});
			assert.match(execution.raw, /This response came too late/);
		});
	});
}

/** The fallback arrives in time, the workflow ends well, and its late answer disturbs nobody. */
async function assertLate(
	workflow: CallStart,
	fallback: object,
	log: () => string,
): Promise<Execution> {
	const from = log().length;
	const answers = [await workflow.call(), await workflow.call()];
	for (const answer of answers) {
		assertInstructions(answer, fallback);
		assert.ok(answer.ms >= 490, `${answer.ms} ms`);
	}
	const executions = await workflow.executions(2);
	for (const [index, answer] of answers.entries()) {
		assertBeforeEnd(answer, executions[index] as Execution);
	}
	const [execution] = executions;
	assert.ok(execution);
	assert.equal(execution.status, 'success', execution.error?.message);
	const { receivedAt, answerBy } = execution.items(TRIGGER)[0]?.json ?? {};
	assert.equal(Date.parse(String(answerBy)) - Date.parse(String(receivedAt)), 500);
	// The same connection serves the next request.
	assertInstructions(await workflow.call(), fallback);
	const printed = log().slice(from);
	assert.match(
		printed,
		/answered with the fallback: the workflow gave no instructions within 500 ms/,
	);
	assert.doesNotMatch(printed, /headers|ERR_|Error|unhandled/i);
	return execution;
}
