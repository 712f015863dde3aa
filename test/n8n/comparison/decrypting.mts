/** Proofs of docs/comparison.md, section "Decrypting". */
import assert from 'node:assert/strict';

import type { WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { PASSWORD, startStack } from '../../../harness/stack.mts';
import { codeNode, DECRYPT, httpRequest, tokenHeader } from '../../bench/handBuiltFlow.mts';
import { failure, FILE, FORMER_PASSWORD, outputOf, ownNode, type Proof } from './flows.mts';

export const decrypting: Proof[] = [
	[
		'An encrypted recording in n8n as installed',
		async ({ run }) => {
			const asInstalled = await startStack();
			try {
				const { emulator } = asInstalled;
				const { sessionGuid } = await emulator.control.addRecording({ password: PASSWORD });
				const header = await tokenHeader(asInstalled);
				const runHere = async (...nodes: WorkflowNode[]) =>
					await run(nodes, [{ sessionGuid }], asInstalled);

				const code = await runHere(httpRequest(asInstalled, header), codeNode(DECRYPT));
				assert.match(failure(code), /Module 'crypto' is disallowed/);
				const own = await runHere(ownNode('download'));
				assert.equal(outputOf(own)[0]?.json.decrypted, true);
			} finally {
				await asInstalled.stop();
			}
		},
	],
	[
		'A recording of many megabytes',
		async ({ stack, run, get, add }) => {
			const growth = async (sizeBytes: number, ...nodes: WorkflowNode[]) => {
				const { n8n } = stack;
				const recording = await add({ format: 'wav', sizeBytes, password: PASSWORD });
				const before = n8n.memory().rssBytes;
				let most = before;
				const look = setInterval(() => (most = Math.max(most, n8n.memory().rssBytes)), 100);
				try {
					const [item] = outputOf(await run(nodes, [recording]));
					assert.ok(Number(item?.binary?.data?.bytes) >= sizeBytes * 0.99);
				} finally {
					clearInterval(look);
				}
				return most - before;
			};
			// Ours first: memory that a run has freed is not given back at once, and would hide the growth of the next.
			const own = await growth(150_000_000, ownNode('download'));
			assert.ok(own < 150_000_000, `${own} bytes`);
			const handBuilt = await growth(16_000_000, get({ options: FILE }), codeNode(DECRYPT));
			assert.ok(handBuilt > 160_000_000, `${handBuilt} bytes`);
		},
	],
	[
		'The password of the recordings',
		async ({ stack, run, get, add }) => {
			const { n8n } = stack;
			const [recording, older] = [
				await add({ password: PASSWORD }),
				await add({ password: FORMER_PASSWORD }),
			];
			const whereReadable = async (...nodes: WorkflowNode[]) => {
				const execution = await run(nodes, [recording]);
				assert.equal(execution.status, 'success', execution.error?.message);
				const stored = await Promise.all([
					n8n.rest('GET', `/rest/workflows/${execution.workflowId}`),
					n8n.rest('GET', `/rest/executions/${execution.id}`),
				]);
				return stored.map((record) => JSON.stringify(record).includes(PASSWORD));
			};
			assert.deepEqual(await whereReadable(get(), codeNode(DECRYPT)), [true, true]);
			assert.deepEqual(await whereReadable(ownNode('download')), [false, false]);
			const handBuilt = await run([get(), codeNode(DECRYPT)], [older]);
			assert.match(failure(handBuilt), /unable to authenticate data/);
			const voiceAgentRecordingPasswordApi = await n8n.createCredential({
				name: 'Password that was changed',
				type: 'voiceAgentRecordingPasswordApi',
				data: { password: PASSWORD, previous: { entries: [{ password: FORMER_PASSWORD }] } },
			});
			const credentials = { ...stack.credentials, voiceAgentRecordingPasswordApi };
			const own = await run([ownNode('download')], [older], { ...stack, credentials });
			assert.equal(outputOf(own)[0]?.json.passwordIndex, 1);
		},
	],
];
