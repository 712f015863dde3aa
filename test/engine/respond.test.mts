/** The operation Respond of Call Start, behind several triggers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { voiceAgentTrigger } from '../../harness/flow.mts';
import type { WorkflowNode } from '../../harness/n8n/n8n.mts';
import { sharedEngine } from './engines.mts';
import { failure } from './outcome.mts';

const engine = await sharedEngine();

const trigger = (name: string, parameters: object) =>
	voiceAgentTrigger({ event: 'callStart', respond: 'responseNode', ...parameters }, name);

/** n8n hands the items on through triggers that stand in the middle. */
async function respondBehind(before: WorkflowNode[]): Promise<string> {
	const execution = await engine.runNode({
		parameters: {
			resource: 'callStart',
			operation: 'respond',
			recordCall: true,
			encryptRecording: true,
		},
		before,
		settings: { onError: 'continueRegularOutput' },
	});
	return failure(execution);
}

suite('the password of a recording', () => {
	const open = trigger('Open', { authentication: 'none' });
	const closed = trigger('Closed', {});
	const limited = { authentication: 'none', options: { allowedAddresses: '127.0.0.1' } };
	for (const [name, before] of [
		['of two triggers, the first answers anybody', [open, closed]],
		['of two triggers, the second answers anybody', [closed, open]],
	] as const) {
		test(`${name}: refused`, async () => {
			assert.match(await respondBehind([...before]), /^passwordUnprotected: /);
		});
	}

	test('two triggers that ask for a secret or an address: answered', async () => {
		const before = [closed, trigger('Limited', limited)];
		assert.match(await respondBehind(before), /^undefined: undefined/);
	});
});
