/** Connection: Check says in words what was recognized, and changes nothing. */
import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import type { Engine } from '../../harness/engine/engine.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { ownEngine } from './engines.mts';
import { always, reply } from './oneRecording.mts';
import { failure } from './outcome.mts';

const HOUR = 3_600_000;

async function check(engine: Engine) {
	const execution = await engine.runNode({
		parameters: { resource: 'connection', operation: 'check' },
		settings: { onError: 'continueRegularOutput' },
	});
	const requests = engine.emulator.control.requests();
	assert.ok(requests.every(({ method }) => method === 'GET'));
	const [item, ...others] = execution.items(NODE);
	assert.equal(others.length, 0);
	return { json: item?.json ?? {}, message: String(item?.json.message), execution };
}

/** A service that answers a request for the list with this. */
async function listing(t: TestContext, body: (endedAt: string) => unknown) {
	const engine = await ownEngine(t);
	const endedAt = new Date(engine.emulator.control.now() - 48 * HOUR).toISOString();
	always(engine, 'listRecordings', reply(body(endedAt)));
	return engine;
}

suite('Connection: Check', { concurrency: 4 }, () => {
	test('says what is recognized in the list, and which fields to name', async (t) => {
		let endedAt = '';
		const engine = await listing(t, (time) => {
			endedAt = time;
			const calls = [
				{ info: { Session_Guid: 'call-0001', EndTime: endedAt } },
				{ info: { Session_Guid: 'call-0002', EndTime: null } },
				{ info: { note: 'nothing' } },
			];
			return { result: { calls } };
		});
		const { json, message } = await check(engine);
		const { message: _words, ...facts } = json;
		assert.deepEqual(facts, {
			recordings: 3,
			listField: 'result.calls',
			example: { sessionGuid: 'call-0001', endedAt },
			withoutSessionGuid: 1,
			withoutCallEnd: 2,
			complete: true,
			hoursLeft: 120,
		});
		const words = [
			'The service accepts the API key and lists recordings: 3.',
			"1 of them have no 'Session GUID Field' that is recognized: name it in the VoiceAgent API credential.",
			"2 of them have no 'Call End Field' that is recognized: name it in the VoiceAgent API credential.",
		];
		assert.equal(message, words.join(' '));
	});

	test('finds the call that ended first wherever it is in the list', async (t) => {
		const engine = await listing(t, (endedAt) => [
			{ sessionGuid: 'call-0001', endedAt: new Date(Date.parse(endedAt) + 9 * HOUR).toISOString() },
			{ sessionGuid: 'call-0002', endedAt },
		]);
		assert.equal((await check(engine)).json.hoursLeft, 120);
	});

	test('says that a list is incomplete, and where that is set', async (t) => {
		const engine = await listing(t, () => ({ data: [{ sessionGuid: 'call-0001' }], total: 7 }));
		const { json, message } = await check(engine);
		assert.equal(json.complete, false);
		const why = "1 were read, and the field 'total' is 7";
		const warning = `The list of recordings is incomplete: ${why}. Set 'Paging' in`;
		assert.ok(message.includes(warning), message);
	});

	test('asks for another check if the list is empty', async (t) => {
		const { json, message } = await check(await ownEngine(t));
		assert.equal(json.recordings, 0);
		assert.equal(json.hoursLeft, null);
		assert.match(message, /lists recordings: 0\. Check again after a call that was recorded\.$/);
	});

	test('fails if the service does not list recordings', async (t) => {
		const engine = await listing(t, () => ({ count: 'none' }));
		assert.match(failure((await check(engine)).execution), /^unreadableList: /);
	});
});
