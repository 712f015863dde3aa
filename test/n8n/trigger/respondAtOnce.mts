/** Call Start webhooks that the trigger answers itself. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { failing } from '../../../harness/flow.mts';
import type { Stack } from '../../../harness/stack.mts';
import { assertBeforeEnd, assertInstructions, publish, slow } from './callStarts.mts';

export function respondAtOnceSuite(getStack: () => Stack): void {
	suite('Call Start, Respond: Immediately', { concurrency: 1 }, () => {
		test('answers with the fields, whose expressions read the payload', async () => {
			const workflow = await publish(getStack(), {
				recordCall: '={{ $json.body.to.startsWith("+49") }}',
				moreInstructions: '={ "maxSeconds": {{ $json.body.limit }}, "language": "en" }',
			});
			const more = { maxSeconds: 30, language: 'en' };
			const recorded = { recordCall: true, recordCallFormat: 'opus' };
			const german = await workflow.call({ to: '+49301234', limit: 30 });
			assertInstructions(german, { ...more, ...recorded });
			const other = await workflow.call({ to: '+15550100', limit: 30 });
			assertInstructions(other, { ...more, recordCall: false });
		});

		test('answers before the workflow runs, whatever its result, and not without the secret', async () => {
			const workflow = await publish(getStack(), { recordCall: true }, [slow(), failing('broken')]);
			const forged = await fetch(workflow.url, { method: 'POST', body: '{}' });
			assert.equal(forged.status, 401);
			const answer = await workflow.call();
			assertInstructions(answer, { recordCall: true, recordCallFormat: 'opus' });
			const execution = await workflow.execution();
			assertBeforeEnd(answer, execution);
			assert.equal(execution.status, 'error');
		});
	});
}
