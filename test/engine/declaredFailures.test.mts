import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { assertNoSecret } from '../../harness/secrets.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { always, getMany, reply } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';
import { ownService } from './ownService.mts';

const engine = await sharedEngine();

/** Answers each request for this with status 200. */
const answer = (endpoint: 'listRecordings' | 'makeCall' | 'sendSms', body: unknown) =>
	always(engine, endpoint, reply(body));
const FAILED = /^The service answered that the request failed/;

suite('an answer with status 2xx that says that it failed', () => {
	const lists = [
		{ success: false, data: [], message: 'database is down' },
		{ data: { recordings: [] }, errors: [{ message: 'database is down' }] },
	];
	for (const body of lists) {
		test(`Get Many fails with ${JSON.stringify(body)}`, async () => {
			answer('listRecordings', body);
			const execution = await engine.runNode({ parameters: getMany() });
			const request = 'GET /api/customer/recordings';
			const says = 'The service says: .*database is down';
			const description = new RegExp(`answered ${request} with status 200\\. ${says}`);
			assertFailed(execution, FAILED, description);
		});
	}

	test('Get Many does not fail with a record whose own status is a failure', async () => {
		const sessionGuid = crypto.randomUUID();
		const record = { sessionGuid, status: 'failed', error: 'no answer' };
		for (const body of [[record], { recordings: [record], error: null, deleted: 0 }]) {
			answer('listRecordings', body);
			const execution = await engine.runNode({ parameters: getMany() });
			assert.equal(execution.items(NODE)[0]?.json.sessionGuid, sessionGuid);
			engine.emulator.control.clearFaults();
		}
	});

	test('Get Many outputs no API key, even if a record has it', async () => {
		const sessionGuid = crypto.randomUUID();
		answer('listRecordings', [{ sessionGuid, link: `https://h/?Token=${API_KEY}`, to: '+1555' }]);
		const [item] = (await engine.runNode({ parameters: getMany() })).items(NODE);
		assert.partialDeepStrictEqual(item?.json, { sessionGuid, link: '[redacted]', to: '+1555' });
	});

	const details = {
		specifyBody: 'fields',
		fields: { field: [{ name: 'to', value: '+15550100' }] },
	};
	test('make fails unclearly if its answer is cut off, and accepts an answer that is text', async (t) => {
		const bodies = ['{"success":fal', 'queued[1'];
		const { run } = await ownService(t, engine, () => ({ body: bodies.shift() }));
		const parameters = { resource: 'call', operation: 'make', ...details };
		const lost = await run({ parameters });
		assertFailed(lost, /the call may have been placed/, /The connection .* was lost\.$/);
		assert.equal((await run({ parameters })).status, 'success');
	});

	for (const [operation, endpoint, resource] of [
		['make', 'makeCall', 'call'],
		['send', 'sendSms', 'sms'],
	] as const) {
		test(`${operation} fails, and is never repeated`, async () => {
			const { control } = engine.emulator;
			control.clearLogs();
			answer(endpoint, { success: false, message: `no credit for ${API_KEY}` });
			const execution = await engine.runNode({
				parameters: { resource, operation, ...details },
				settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 },
			});
			assertFailed(execution, FAILED, /The service says: .*no credit for \[redacted\]/);
			assert.equal(control.requests().length, 1);
			await assertNoSecret(execution.raw, API_KEY);
		});

		test(`${operation} outputs what an answer says that is no failure, without secrets`, async () => {
			const data = { id: 'call-1', recordCallPassword: 'secret', sentWith: `Token: ${API_KEY}` };
			const body = { success: true, error: { code: 0, message: '' }, data };
			answer(endpoint, body);
			const execution = await engine.runNode({ parameters: { resource, operation, ...details } });
			const { error, ...others } = body;
			const hidden = { recordCallPassword: '[redacted]', sentWith: '[redacted]' };
			const shown = { ...others, data: { ...data, ...hidden } };
			assert.deepEqual(execution.items(NODE)[0]?.json, { ...shown, serviceError: error });
		});
	}
});
