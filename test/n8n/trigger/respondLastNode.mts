/** Call Start webhooks that the last node of the workflow answers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { failing } from '../../../harness/flow.mts';
import type { Stack } from '../../../harness/stack.mts';
import { assertInstructions, LONG_DEADLINE, publish, setJson } from './callStarts.mts';

export function respondLastNodeSuite(getStack: () => Stack): void {
	suite('Call Start, Respond: When Last Node Finishes', { concurrency: 1 }, () => {
		const fallback = { recordCall: true, recordCallFormat: 'mp3' };
		const fields = { respond: 'lastNode', ...fallback, options: LONG_DEADLINE };

		test('the first item of the last node is the answer', async () => {
			const reply = { Service_Instructions: { recordCall: false, note: 'own' }, more: [1] };
			const workflow = await publish(getStack(), fields, [setJson(reply)]);
			const { status, json } = await workflow.call();
			assert.deepEqual({ status, json }, { status: 200, json: reply });
			assert.equal((await workflow.execution()).status, 'success');
		});

		for (const [name, nodes, status] of [
			['an item without instructions', [setJson({ recordCall: false })], 'success'],
			['a workflow that fails', [failing('broken')], 'error'],
		] as const) {
			test(`${name}: the fallback, immediately`, async () => {
				const workflow = await publish(getStack(), fields, [...nodes]);
				const answer = await workflow.call();
				assertInstructions(answer, fallback);
				assert.ok(answer.ms < 25_000, `${answer.ms} ms`);
				assert.equal((await workflow.execution()).status, status);
			});
		}
	});
}
