import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();

suite('Make', () => {
	const details: Array<[string, Record<string, unknown>]> = [
		[
			'fields',
			{
				specifyBody: 'fields',
				fields: {
					field: [
						{ name: 'to', value: '={{ $json.phone }}' },
						{ name: 'durationSeconds', value: '={{ 2 }}' },
					],
				},
			},
		],
		[
			'JSON',
			{ specifyBody: 'json', jsonBody: '={ "to": "{{ $json.phone }}", "durationSeconds": 2 }' },
		],
	];
	for (const [name, parameters] of details) {
		test(`Make, from ${name}: the call is placed once and the answer is passed through`, async () => {
			engine.emulator.control.clearLogs();
			const before = engine.emulator.control.calls().length;
			const execution = await engine.runNode({
				parameters: { resource: 'call', operation: 'make', ...parameters },
				items: [{ phone: '+15550100' }],
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			const [call, ...others] = engine.emulator.control.calls().slice(before);
			assert.equal(others.length, 0);
			assert.equal(call?.to, '+15550100');
			assert.equal(execution.items(NODE)[0]?.json.sessionGuid, call.sessionGuid);
			const { durationSeconds } = await engine.emulator.control.completedCall(call.sessionGuid);
			assert.equal(durationSeconds, 2);
			const [request] = engine.emulator.control.requests();
			assert.equal(`${request?.method} ${request?.path}`, 'POST /api/customer/makecall');
		});
	}

	const makeCall = async (to: string[], options: Record<string, unknown> = {}) =>
		await engine.runNode({
			parameters: {
				resource: 'call',
				operation: 'make',
				specifyBody: 'json',
				jsonBody: '={{ { to: $json.to, durationSeconds: 1 } }}',
				options,
			},
			items: to.map((one) => ({ to: one })),
			settings: { onError: 'continueRegularOutput' },
		});

	test('Make, from the form of the service: what is filled in is sent, in the type of the service', async () => {
		const before = engine.emulator.control.calls().length;
		const execution = await engine.runNode({
			parameters: {
				resource: 'call',
				operation: 'make',
				specifyBody: 'service',
				serviceFields: {
					mappingMode: 'defineBelow',
					value: { to: '+15550100', durationSeconds: '={{ "2" }}', from: null },
					schema: [
						{
							id: 'durationSeconds',
							displayName: 'durationSeconds',
							type: 'options',
							options: [{ name: '2', value: 2 }],
							required: false,
							display: true,
							defaultMatch: false,
						},
					],
				},
			},
		});
		assert.equal(execution.status, 'success', execution.error?.message);
		const [call] = engine.emulator.control.calls().slice(before);
		assert.equal(call?.to, '+15550100');
		const { durationSeconds } = await engine.emulator.control.completedCall(call.sessionGuid);
		assert.equal(durationSeconds, 2);
	});

	test('Make: Allowed Destinations', async () => {
		const before = engine.emulator.control.calls().length;
		const execution = await makeCall(['+15550100', '+4930123456'], {
			allowedDestinations: '+1555*',
		});
		const [placed, refused] = execution.items(NODE);
		assert.equal(placed?.json.error, undefined);
		assert.equal(
			refused?.json.error,
			"The call was not placed: +4930123456 is not among the 'Allowed Destinations'",
		);
		assert.equal(engine.emulator.control.calls().length, before + 1);
	});

	test('Make: Max Calls per Execution refuses before the first call', async () => {
		const before = engine.emulator.control.calls().length;
		const execution = await makeCall(['+15550100', '+15550101'], { maxCalls: 1 });
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => json.error),
			Array(2).fill(
				"The call was not placed: 2 calls in one execution are more than the 'Max Calls per Execution' of 1",
			),
		);
		assert.equal(engine.emulator.control.calls().length, before);
		await makeCall(['+15550100'], { maxCalls: 1 });
		assert.equal(engine.emulator.control.calls().length, before + 1);
	});

	const callOne = {
		resource: 'call',
		operation: 'make',
		specifyBody: 'json',
		jsonBody: '{"to":"+15550100"}',
	};

	test('Make answered with 202 and nothing else', async () => {
		engine.emulator.control.setShapes({ makeCallReply: '202-empty' });
		const execution = await engine.runNode({ parameters: callOne });
		assert.deepEqual(execution.items(NODE)[0]?.json, { accepted: true, httpStatus: 202 });
	});

	test('Make, 429: one request, no repetition', async () => {
		const { control } = engine.emulator;
		control.clearLogs();
		control.addFault({
			match: { endpoint: 'makeCall' },
			times: 9,
			fault: { kind: 'status', status: 429, retryAfter: 1 },
		});
		const execution = await engine.runNode({ parameters: callOne });
		assertFailed(execution, /too many requests/);
		assert.equal(control.requests().filter(({ method }) => method === 'POST').length, 1);
	});
});
