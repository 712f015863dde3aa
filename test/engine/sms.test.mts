import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();

suite('Send', () => {
	test('SMS: today it says that the service does not offer it yet', async () => {
		engine.emulator.control.clearLogs();
		const execution = await engine.runNode({
			parameters: {
				resource: 'sms',
				operation: 'send',
				specifyBody: 'json',
				jsonBody: '{"to":"+15550100","text":"Hello"}',
			},
		});
		assertFailed(
			execution,
			/^Sending SMS is not yet available from the service/,
			/Nothing was sent/,
		);
		const sent = engine.emulator.control.requests();
		assert.deepEqual(
			sent.map(({ method, path }) => `${method} ${path}`),
			['POST /api/customer/sms'],
		);
	});

	test('SMS, once the service offers it: its answer', async () => {
		engine.emulator.control.setShapes({ sms: '200' });
		const execution = await engine.runNode({
			parameters: {
				resource: 'sms',
				operation: 'send',
				specifyBody: 'json',
				jsonBody: '{"to":"+15550100","text":"Hello"}',
			},
		});
		assert.equal(execution.status, 'success', execution.error?.message);
		const [item, ...others] = execution.items(NODE);
		assert.deepEqual(others, []);
		assert.ok(Object.keys(item?.json ?? {}).length > 0);
	});

	for (const shape of ['501', '404', '405'] as const) {
		test(`SMS answered with ${shape}: not yet available`, async () => {
			engine.emulator.control.setShapes({ sms: shape });
			const execution = await engine.runNode({
				parameters: {
					resource: 'sms',
					operation: 'send',
					specifyBody: 'json',
					jsonBody: '{"to":"+15550100"}',
				},
			});
			assertFailed(execution, /^Sending SMS is not yet available/);
		});
	}
});
