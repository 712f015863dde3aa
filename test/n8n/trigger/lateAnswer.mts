/** Call Start webhooks whose workflow is too slow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Stack } from '../../../harness/stack.mts';
import {
	assertInstructions,
	assertBeforeEnd,
	publish,
	RESPOND,
	respond,
	slow,
	TRIGGER,
} from './callStarts.mts';

/** @param log what n8n has printed so far; no other test may make n8n print at the same time */
export function lateAnswerSuite(getStack: () => Stack, log: () => string): void {
	test('Call Start, a slow workflow: the fallback in time, and the execution goes on and shows it', async () => {
		const fallback = { recordCall: false };
		const from = log().length;
		const workflow = await publish(
			getStack(),
			{ respond: 'responseNode', options: { deadlineSeconds: 0.5 } },
			[slow(), respond({ recordCall: true })],
		);
		const answer = await workflow.call();
		assertInstructions(answer, fallback);
		assert.ok(answer.ms >= 490, `${answer.ms} ms`);

		const execution = await workflow.execution();
		assertBeforeEnd(answer, execution);
		assert.equal(execution.status, 'success', execution.error?.message);
		const { receivedAt, answerBy } = execution.items(TRIGGER)[0]?.json ?? {};
		assert.equal(Date.parse(String(answerBy)) - Date.parse(String(receivedAt)), 500);
		assert.equal(execution.items(RESPOND)[0]?.json.responded, false);
		assert.match(execution.raw, /This response came too late/);
		// The same connection serves the next request.
		assertInstructions(await workflow.call(), fallback);
		const printed = log().slice(from);
		assert.match(printed, /fallback: the workflow gave no instructions within 500 ms/);
		assert.doesNotMatch(printed, /headers|ERR_|Error|unhandled/i);
	});
}
