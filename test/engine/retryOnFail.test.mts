import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Execution } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import type { Fault } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();
const numbers = ['+15550101', '+15550102', '+15550103'];

/** Runs an operation that sends a POST once for each number, with three tries. */
async function withRetries(operation: object, settings = {}): Promise<Execution> {
	return await engine.runNode({
		parameters: {
			...operation,
			specifyBody: 'fields',
			fields: { field: [{ name: 'to', value: '={{ $json.to }}' }] },
		},
		items: numbers.map((to) => ({ to })),
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100, ...settings },
	});
}

test('under Retry On Fail, a message that was not answered is not sent again', async () => {
	const { control } = engine.emulator;
	control.clearLogs();
	control.setShapes({ sms: '200' });
	const match = { endpoint: 'sendSms' } as const;
	control.addFault({ match, skip: 1, carryOut: true, fault: { kind: 'hangUp' } });
	const execution = await withRetries({ resource: 'sms', operation: 'send' });
	assertFailed(execution, /the message may have been sent/);
	assert.equal(control.requests().filter(({ method }) => method === 'POST').length, 2);
});

suite('Make under Retry On Fail', () => {
	/** Runs Make once for each number, with three tries. */
	async function callAll(options = {}, settings = {}) {
		const { control } = engine.emulator;
		const before = control.calls().length;
		const make = { resource: 'call', operation: 'make', options };
		const execution = await withRetries(make, settings);
		const dialed = control.calls().slice(before);
		return { execution, dialed: dialed.map(({ to }) => to) };
	}

	const lost = /connection to the service was lost\. \(ECONNRESET\)$/;
	const unclear: Array<[string, Fault, RegExp]> = [
		['no answer', { kind: 'hangUp' }, lost],
		['an answer cut off', { kind: 'drop', afterBytes: 5 }, lost],
		[
			'a redirect',
			{ kind: 'redirect', status: 303, to: '/api/customer/calls/1' },
			/redirected .* Enter the final address as 'Base URL'.* with status 303\.$/,
		],
	];
	for (const [name, fault, description] of unclear) {
		test(`after ${name}, neither this call nor one before it is dialed again [promise 4]`, async () => {
			const match = { endpoint: 'makeCall' } as const;
			engine.emulator.control.addFault({ match, skip: 1, carryOut: true, fault });
			const { execution, dialed } = await callAll();
			assert.deepEqual(dialed, numbers.slice(0, 2));
			assertFailed(execution, /the call may have been placed$/, description);
		});
	}

	test('a call that the service refused for now is dialed by the next try', async () => {
		engine.emulator.control.addFault({
			match: { endpoint: 'makeCall' },
			skip: 1,
			fault: { kind: 'status', status: 429 },
		});
		const { execution, dialed } = await callAll();
		assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
		assert.deepEqual(dialed, numbers);
		assert.equal(new Set(execution.items(NODE).map(({ json }) => json.sessionGuid)).size, 3);
	});

	for (const onError of ['stopWorkflow', 'continueRegularOutput']) {
		test(`Max Calls per Execution does not count refused calls, with ${onError}`, async () => {
			engine.emulator.control.addFault({
				match: { endpoint: 'makeCall' },
				fault: { kind: 'status', status: 429 },
			});
			const { execution, dialed } = await callAll({ maxCalls: 3 }, { onError });
			assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
			assert.deepEqual(
				execution.items(NODE).map(({ json }) => json.error),
				numbers.map(() => undefined),
			);
			assert.deepEqual([...dialed].sort(), numbers);
		});
	}
});
