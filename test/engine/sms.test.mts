import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();

const message = [
	{ name: 'to', value: '+15550100' },
	{ name: 'text', value: 'Hello' },
];
const sendOne = async () =>
	await engine.runNode({
		parameters: { resource: 'sms', operation: 'send', fields: { field: message } },
	});

suite('Send', () => {
	test('outputs the answer of a service that offers SMS', async () => {
		engine.emulator.control.setShapes({ sms: '200' });
		const execution = await sendOne();
		assert.equal(execution.status, 'success', execution.error?.message);
		const [item, ...others] = execution.items(NODE);
		assert.deepEqual(others, []);
		assert.ok(Object.keys(item?.json ?? {}).length > 0);
	});

	for (const shape of ['501', '404', '405'] as const) {
		test(`says that SMS is not yet available after the answer ${shape}`, async () => {
			const { control } = engine.emulator;
			control.clearLogs();
			control.setShapes({ sms: shape });
			const unavailable = /^Sending SMS is not yet available from the service/;
			assertFailed(await sendOne(), unavailable, /Nothing was sent/);
			const sent = control.requests().map(({ method, path }) => `${method} ${path}`);
			assert.deepEqual(sent, ['POST /api/customer/sms']);
		});
	}
});
