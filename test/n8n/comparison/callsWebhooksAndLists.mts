/** Proofs of docs/comparison.md, section "Calls, webhooks and lists". */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import {
	failing,
	recordingTrigger,
	voiceAgent,
	voiceAgentTrigger,
	wait,
} from '../../../harness/flow.mts';
import type { Json, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import {
	EVERY_SECOND,
	failure,
	outputOf,
	ownNode,
	RECORDINGS,
	RETRY,
	type Proof,
} from './flows.mts';

export const callsWebhooksAndLists: Proof[] = [
	[
		'CallStart while the workflow fails or is slow',
		async ({ stack, publish, webhook }) => {
			const { control } = stack.emulator;
			const broken = failing('broken');
			// Slower than the service waits.
			const slow = wait(20);
			const callWith = async (first: WorkflowNode, ...others: WorkflowNode[]) => {
				const callStart = await publish(first, ...others);
				control.clearLogs();
				control.setWebhooks({ callStart: callStart.url });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 2 });
				const { recorded } = await control.completedCall(sessionGuid);
				control.setWebhooks({ callStart: null });
				return { recorded, status: control.deliveries()[0]?.status };
			};
			const byHand = async (...between: WorkflowNode[]) =>
				await callWith(await webhook({ responseMode: 'responseNode' }), ...between, {
					name: 'Respond to Webhook',
					type: 'n8n-nodes-base.respondToWebhook',
					typeVersion: 1.5,
					parameters: {
						respondWith: 'json',
						responseBody: '{"Service_Instructions":{"recordCall":true}}',
						options: {},
					},
				});
			const own = async (...between: WorkflowNode[]) =>
				await callWith(
					voiceAgentTrigger({
						event: 'callStart',
						respond: 'responseNode',
						recordCall: true,
						options: { deadlineSeconds: 1 },
					}),
					...between,
					voiceAgent({ resource: 'callStart', operation: 'respond', recordCall: true }),
				);

			const answered = { recorded: true, status: 200 };
			assert.deepEqual(await byHand(), answered);
			assert.deepEqual(await byHand(broken), { recorded: false, status: 500 });
			assert.deepEqual(await byHand(slow), { recorded: false, status: null });
			for (const between of [[], [broken], [slow]]) {
				assert.deepEqual(await own(...between), answered);
			}
		},
	],
	[
		'A call that is placed while its answer is lost',
		async ({ stack, run, get, during }) => {
			const { control } = stack.emulator;
			const call = async (node: WorkflowNode) => {
				const before = control.calls().length;
				const execution = await during(
					{ match: { endpoint: 'makeCall' }, carryOut: true, fault: { kind: 'hangUp' } },
					() => run([node]),
				);
				return { execution, calls: control.calls().length - before };
			};
			const jsonBody = '{"to":"+15550100"}';
			const byHand = {
				method: 'POST',
				url: `${stack.emulator.url}/api/customer/makecall`,
				sendBody: true,
				specifyBody: 'json',
				jsonBody,
				options: {},
			};
			assert.equal((await call(get(byHand, RETRY))).calls, 2);
			assert.match(failure((await call(get(byHand))).execution), /You can retry the request/);

			const make = { resource: 'call', operation: 'make', specifyBody: 'json', jsonBody };
			const own = await call(voiceAgent(make));
			assert.equal(own.calls, 1);
			assert.match(failure(own.execution), /the call may have been placed/);
			const retried = await call(voiceAgent(make, RETRY));
			assert.equal(retried.calls, 1);
			assert.match(failure(retried.execution), /the call may have been placed/);
		},
	],
	[
		'A recording that no webhook reported',
		async ({ stack, publish, get, requests, add }) => {
			/** How often a recording is downloaded while the list is read so many times. */
			const downloads = async (lists: number, ...nodes: WorkflowNode[]) => {
				// A new one, because the flow before may still be busy with the former.
				const { sessionGuid } = await add({ format: 'wav' });
				stack.emulator.control.clearLogs();
				const { workflowId } = await publish(...nodes);
				const deadline = Date.now() + 120_000;
				while (requests('GET', RECORDINGS).length < lists) {
					assert.ok(Date.now() < deadline, 'the list is not read any more');
					await sleep(100);
				}
				await stack.n8n.deactivate(workflowId);
				await sleep(500);
				return requests('GET', `${RECORDINGS}/${sessionGuid}`).length;
			};
			const handBuilt = await downloads(
				4,
				{
					name: 'Schedule Trigger',
					type: 'n8n-nodes-base.scheduleTrigger',
					typeVersion: 1.2,
					parameters: {
						rule: { interval: [{ field: 'cronExpression', expression: EVERY_SECOND }] },
					},
				},
				{ ...get({ url: `${stack.emulator.url}${RECORDINGS}`, options: {} }), name: 'List' },
				get(),
			);
			assert.ok(handBuilt >= 3, `${handBuilt} downloads`);
			const own = await downloads(
				2,
				recordingTrigger({ minutesBetweenChecks: 1, options: { minimumAge: 0 } }),
				ownNode('download'),
			);
			assert.equal(own, 1);
		},
	],
	[
		'A list whose shape is not known',
		async ({ stack, run, get, add }) => {
			const guids: string[] = [];
			for (let index = 0; index < 3; index++) guids.push((await add()).sessionGuid);
			const shapes = ['nextUrl', 'cursor', 'pageNumber', 'offset', 'linkHeader'] as const;
			for (const paging of shapes) {
				stack.emulator.control.setShapes({ list: 'paged', paging, pageSize: 2 });
				const list = { url: `${stack.emulator.url}${RECORDINGS}`, options: {} };
				const handBuilt = outputOf(await run([get(list)]));
				// The first page: two items where it is an array, otherwise one that holds both.
				const { data, items = data } = handBuilt[0]?.json ?? {};
				const page = paging === 'linkHeader' ? handBuilt : items;
				assert.equal((page as Json[]).length, 2);
				assert.equal(handBuilt.length, paging === 'linkHeader' ? 2 : 1);
				const own = await run([voiceAgent({ resource: 'recording', operation: 'getMany' })]);
				assert.deepEqual(
					outputOf(own)
						.map(({ json }) => json.sessionGuid)
						.sort(),
					[...guids].sort(),
				);
			}
		},
	],
	[
		'Deleting a recording that is already gone',
		async ({ stack, run, remove, requests, add }) => {
			const twice = async (node: WorkflowNode) => {
				const recording = await add();
				assert.equal((await run([node], [recording])).status, 'success');
				stack.emulator.control.clearLogs();
				return await run([node], [recording]);
			};
			assert.equal((await twice(remove(RETRY))).status, 'error');
			assert.equal(requests('DELETE').length, 3);
			assert.equal(outputOf(await twice(ownNode('delete')))[0]?.json.alreadyGone, true);
		},
	],
];
