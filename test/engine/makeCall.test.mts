import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();
const { control } = engine.emulator;

suite('Make', () => {
	const duration = { name: 'durationSeconds', value: '={{ 2 }}' };
	const fields = [{ name: 'to', value: '={{ $json.phone }}' }, duration];
	const jsonBody = '={ "to": "{{ $json.phone }}", "durationSeconds": 2 }';
	/** A value that is text in the editor is sent in the type that the service has for it. */
	const serviceFields = {
		mappingMode: 'defineBelow',
		value: { to: '+15550100', durationSeconds: '={{ "2" }}', from: null },
		schema: [
			{
				id: 'durationSeconds',
				displayName: 'durationSeconds',
				type: 'options',
				required: false,
				display: true,
				defaultMatch: false,
				options: [{ name: '2', value: 2 }],
			},
		],
	};
	for (const [name, details] of [
		['the number', { to: '={{ $json.phone }}', moreFields: { field: [duration] } }],
		['named fields', { specifyBody: 'fields', fields: { field: fields } }],
		['JSON', { specifyBody: 'json', jsonBody }],
		['the form of the service', { specifyBody: 'service', serviceFields }],
	] as const) {
		test(`places a call once by ${name}, and passes the answer through`, async () => {
			control.clearLogs();
			const before = control.calls().length;
			const execution = await engine.runNode({
				parameters: { resource: 'call', operation: 'make', ...details },
				items: [{ phone: '+15550100' }],
			});
			assert.equal(execution.status, 'success', execution.error?.message);
			const [call, ...others] = control.calls().slice(before);
			assert.equal(others.length, 0);
			assert.equal(call?.to, '+15550100');
			const [item] = execution.items(NODE);
			assert.equal(item?.json.sessionGuid, call.sessionGuid);
			assert.equal(item?.json.recordingKey, call.sessionGuid.toLowerCase());
			assert.equal((await control.completedCall(call.sessionGuid)).durationSeconds, 2);
			const [request] = control.requests();
			assert.equal(`${request?.method} ${request?.path}`, 'POST /api/customer/makecall');
		});
	}

	for (const [name, details, message] of [
		['an empty number', { to: '={{ "" }}' }, /^'To' is empty: enter the number to call/],
		['nothing in the number', { to: '={{ undefined }}' }, /^'To' must be text/],
		['JSON as it opens', { specifyBody: 'json' }, /^The number to call is empty/],
		['named fields as they open', { specifyBody: 'fields' }, /^The number to call is empty/],
	] as const) {
		test(`calls nobody by itself: ${name}`, async () => {
			control.clearLogs();
			const parameters = { resource: 'call', operation: 'make', ...details };
			const execution = await engine.runNode({ parameters });
			assert.match(String(execution.error?.message), message);
			assert.deepEqual(control.requests(), []);
		});
	}

	test('cannot be executed as it opens: n8n asks for the number', async () => {
		control.clearLogs();
		const run = engine.runNode({ parameters: { resource: 'call', operation: 'make' } });
		await assert.rejects(run, /Parameter "To" is required/);
		assert.deepEqual(control.requests(), []);
	});

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

	for (const [options, why] of [
		[{ allowedDestinations: '+1555*' }, "+4930123456 is not among the 'Allowed Destinations'"],
		[{ doNotCall: '0049 30 123456' }, '+4930123456 is on the do-not-call list'],
		[
			{
				callingHours: '00:00-24:00',
				timeZone: '={{ $json.to.startsWith("+1") ? "UTC" : "Mars" }}',
			},
			"'Time Zone' has 'Mars': enter one such as Europe/Berlin",
		],
	] as const) {
		test(`refuses a call: ${why}`, async () => {
			const before = control.calls().length;
			const execution = await makeCall(['+15550100', '+4930123456'], options);
			const [placed, refused] = execution.items(NODE);
			assert.equal(placed?.json.error, undefined);
			assert.equal(refused?.json.error, `The call was not placed: ${why}`);
			assert.equal(control.calls().length, before + 1);
		});
	}

	test('is refused outside the calling hours, and may be placed later', async () => {
		const before = control.calls().length;
		const [day] = new Date(Date.now() + 30 * 3_600_000).toUTCString().split(',');
		const options = { callingHours: `${day} 00:00-24:00`, timeZone: 'UTC' };
		const [refused] = (await makeCall(['+15550100'], options)).items(NODE);
		assert.match(String(refused?.json.error), /^No call is placed outside 'Calling Hours': it is /);
		const { reason, callStatus } = refused?.json.details as Record<string, unknown>;
		assert.deepEqual([reason, callStatus], ['outsideCallingHours', 'waiting']);
		assert.equal(control.calls().length, before);
	});

	test('places no call under Place Once per Key if n8n cannot remember the key', async () => {
		const before = control.calls().length;
		const execution = await makeCall(['+15550100'], { placeOnce: 'order 7' });
		assert.equal(
			execution.items(NODE)[0]?.json.error,
			"The call was not placed: the key 'order 7' of 'Place Once per Key' cannot be noted by n8n",
		);
		assert.equal(control.calls().length, before);
	});

	test('refuses before the first call if there are more than Max Calls per Execution', async () => {
		const before = control.calls().length;
		const execution = await makeCall(['+15550100', '+15550101'], { maxCalls: 1 });
		const limit = "the 'Max Calls per Execution' of 1";
		const tooMany = `The call was not placed: 2 calls in one execution are more than ${limit}`;
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => json.error),
			[tooMany, tooMany],
		);
		assert.equal(control.calls().length, before);
		await makeCall(['+15550100'], { maxCalls: 1 });
		assert.equal(control.calls().length, before + 1);
	});

	const body = { specifyBody: 'json', jsonBody: '{"to":"+15550100"}' };
	const callOne = { resource: 'call', operation: 'make', ...body };

	test('outputs that the call is accepted after 202 and nothing else', async () => {
		control.setShapes({ makeCallReply: '202-empty' });
		const execution = await engine.runNode({ parameters: callOne });
		assert.deepEqual(execution.items(NODE)[0]?.json, { accepted: true, httpStatus: 202 });
	});

	test('does not repeat a call that is answered with 429', async () => {
		control.clearLogs();
		const fault = { kind: 'status', status: 429, retryAfter: 1 } as const;
		control.addFault({ match: { endpoint: 'makeCall' }, times: 9, fault });
		const execution = await engine.runNode({ parameters: callOne });
		assertFailed(execution, /too many requests/);
		assert.equal(control.requests().filter(({ method }) => method === 'POST').length, 1);
	});
});
