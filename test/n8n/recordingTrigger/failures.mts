/** What the Recording Trigger does after a failure: of an execution, of the service, of a list. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { assertNoSecret } from '../../../harness/secrets.mts';
import { API_KEY, API_KEY_WITHOUT_PERMISSION } from '../../../harness/stack.mts';
import { failing } from '../../../harness/flow.mts';
import {
	DAY,
	guidsOf,
	HOUR,
	MINUTE,
	outputOf,
	serviceFor,
	type WaitingService,
} from './waiting.mts';

export function failureSuite(getN8n: () => N8n): void {
	suite('after a failure', { concurrency: 3 }, () => {
		test('a failed execution is repeated, but not before its time', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guid = await service.add(HOUR);
			const id = await service.activate({}, { nodes: [failing('The archive is full')] });
			const [first] = await service.executions(id, 1);
			assert.equal(first?.status, 'error');
			// Far enough away, because the checks of a busy machine take minutes.
			await service.control.advanceClock(5 * HOUR);
			await service.executions(id, 1);
			await service.control.advanceClock(HOUR);
			const executions = await service.executions(id, 2);
			assert.deepEqual(guidsOf(executions), [guid, guid]);
			assert.deepEqual(
				executions.map((execution) => outputOf(execution).attempt),
				[1, 2],
			);
		});

		test('Try Again After as set', async (t) => {
			const service = await serviceFor(t, getN8n);
			await service.add(HOUR);
			const id = await service.activate({ tryAgainAfter: 0.5 });
			await service.executions(id, 1);
			await service.control.advanceClock(30 * MINUTE);
			await service.executions(id, 2);
		});

		test('a list of which only a part can be read: that part is handed out, a failed execution says so, and the rest follows', async (t) => {
			const service = await serviceFor(t, getN8n);
			service.control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
			const guids: string[] = [];
			for (const days of [6, 5, 4]) guids.push(await service.add(days * DAY));
			const id = await service.activate();
			const failed = (await service.executions(id, 3)).filter(({ status }) => status === 'error');
			assert.equal(failed.length, 1);
			assert.match(
				String(failed[0]?.error?.message),
				/list of recordings is incomplete: 2 were read/,
			);
			await service.remove(String(guids[0]));
			const done = (await service.executions(id, 4)).filter(({ status }) => status === 'success');
			assert.deepEqual(guidsOf(done), guids);
		});

		test('records without a session GUID: the others are handed out, and a failed execution says so', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guid = await service.add(DAY, { to: 'reference-0001' });
			await service.add(DAY, { to: '+15550100' });
			const id = await service.activate({ sessionGuidField: 'to' });
			const executions = await service.executions(id, 2);
			const failed = executions.find(({ status }) => status === 'error');
			assert.match(
				String(failed?.error?.message),
				/lists recordings in which no session GUID is found: 1 recording/,
			);
			assert.match(String(failed?.error?.description), /'Session GUID Field'/);
			const done = executions.filter(({ status }) => status === 'success');
			const { recording } = outputOf(done[0]);
			assert.equal((recording as { sessionGuid: string }).sessionGuid, guid);
		});

		for (const { name, fail, mend, message } of [
			{
				name: 'answers 401',
				fail: async (service: WaitingService) => await service.setKey('wrong-key'),
				mend: async (service: WaitingService) => await service.setKey(API_KEY),
				message: /does not accept the API key \(401\)/,
			},
			{
				name: 'answers 403',
				fail: async (service: WaitingService) => await service.setKey(API_KEY_WITHOUT_PERMISSION),
				mend: async (service: WaitingService) => await service.setKey(API_KEY),
				message: /lacks permission for this action \(403\)/,
			},
			{
				name: 'answers 500',
				fail: async (service: WaitingService) => {
					service.control.addFault({
						match: { endpoint: 'listRecordings' },
						times: 'always',
						fault: { kind: 'status', status: 500 },
					});
				},
				mend: async (service: WaitingService) => service.control.clearFaults(),
				message: /failed to process the request/,
			},
			{
				name: 'answers with a web page',
				fail: async (service: WaitingService) => {
					service.control.addFault({ times: 'always', fault: { kind: 'html' } });
				},
				mend: async (service: WaitingService) => service.control.clearFaults(),
				message: /web page instead of data/,
			},
		]) {
			test(`the service ${name}: one failed execution says so, and then it goes on`, async (t) => {
				const service = await serviceFor(t, getN8n);
				await fail(service);
				const id = await service.activate();
				const [failed] = await getN8n().waitForExecutions({ workflowId: id, count: 1 });
				assert.equal(failed?.status, 'error');
				assert.match(String(failed.error?.message), message);
				assert.ok(String(failed.error?.description).length > 20, 'what to do');
				await assertNoSecret(failed.raw, API_KEY, 'wrong-key');
				const guid = await service.add(DAY);
				// The same failure is not reported again and again.
				await service.nextChecks(2);
				assert.equal((await getN8n().waitForExecutions({ workflowId: id, count: 1 })).length, 1);
				await mend(service);
				const executions = await service.executions(id, 2);
				assert.equal(outputOf(executions[1]).sessionGuid, guid);
			});
		}
	});
}
