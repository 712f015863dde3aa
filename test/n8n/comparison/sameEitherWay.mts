/** Proofs of docs/comparison.md, section "The same either way". */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { voiceAgentTrigger } from '../../../harness/flow.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { codeNode, DECRYPT } from '../../bench/handBuiltFlow.mts';
import { failure, FORMER_PASSWORD, ownNode, type Proof } from './flows.mts';

export const sameEitherWay: Proof[] = [
	[
		'An altered recording or a wrong password',
		async ({ stack, run, get, add }) => {
			const altered = await add({ format: 'wav', password: PASSWORD });
			await stack.emulator.control.tamper(altered.sessionGuid, { flipBitAt: 100 });
			const other = await add({ format: 'wav', password: FORMER_PASSWORD });
			for (const recording of [altered, other]) {
				const handBuilt = await run([get(), codeNode(DECRYPT)], [recording]);
				assert.match(failure(handBuilt), /unable to authenticate data/);
				assert.deepEqual(handBuilt.items('Code'), []);
				const own = await run([ownNode('download')], [recording]);
				assert.match(failure(own), /cannot be decrypted/);
				assert.deepEqual(own.items('download'), []);
			}
		},
	],
	[
		'A webhook without the secret',
		async ({ stack, publish, post, webhook }) => {
			for (const node of [await webhook(), voiceAgentTrigger({ event: 'callEnd' })]) {
				const flow = await publish(node);
				const refused = await post(flow, { sessionGuid: randomUUID() }, 'another secret');
				assert.ok([401, 403].includes(refused.status), `${refused.status}`);
				const accepted = await post(flow, { sessionGuid: randomUUID() });
				assert.equal(accepted.status, 200);
				const { workflowId } = flow;
				// Only the accepted one has started an execution.
				assert.equal((await stack.n8n.waitForExecutions({ workflowId, count: 1 })).length, 1);
			}
		},
	],
];
