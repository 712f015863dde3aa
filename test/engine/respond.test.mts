/** The operation Respond of Call Start, behind several triggers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { voiceAgentTrigger } from '../../harness/flow.mts';
import type { Json } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { failure } from './outcome.mts';

const engine = await sharedEngine();

const trigger = (name: string, parameters: object) =>
	voiceAgentTrigger({ event: 'callStart', respond: 'responseNode', ...parameters }, name);

/** Runs Respond, and returns what the webhook is answered too. */
async function respond(
	run: Omit<Parameters<typeof engine.runNode>[0], 'parameters'>,
	parameters: Record<string, unknown> = {},
) {
	const responses: unknown[] = [];
	const execution = await engine.runNode(
		{
			parameters: { resource: 'callStart', operation: 'respond', ...parameters },
			settings: { onError: 'continueRegularOutput' },
			...run,
		},
		(response) => responses.push(response),
	);
	const [hint, ...others] = execution.hints(NODE);
	assert.deepEqual(others, []);
	const items = execution.items(NODE).map(({ json }) => json);
	return { execution, responses, hint, items };
}

suite('the password of a recording', () => {
	const encrypts = { recordCall: true, encryptRecording: true };
	// n8n hands the items on through triggers that stand in the middle.
	const before = [trigger('Closed', {})];

	test('is refused behind a trigger that has checked no request', async () => {
		const { execution, responses } = await respond({ before }, encrypts);
		assert.match(failure(execution), /^passwordUnprotected: /);
		assert.deepEqual(responses, []);
	});

	test('is not sent for an item that only claims a check: the call is not recorded [security 7]', async () => {
		const { responses, execution } = await respond(
			{ before, items: [{ canEncrypt: true }] },
			encrypts,
		);
		const encrypted = { recordCall: true, recordCallFormat: 'opus' };
		const [{ body }] = responses as [{ body: unknown }];
		assert.deepEqual(body, { Service_Instructions: { recordCall: false }, encrypted });
		assert.ok(!execution.raw.includes(PASSWORD));
	});
});

suite('the instructions for the service', () => {
	const behind = [trigger('Trigger', {})];
	const opus = { recordCall: true, recordCallFormat: 'opus' };
	const none: Record<string, Json> = {};
	const answered = (instructions: object) => ({
		body: { Service_Instructions: instructions },
		headers: { 'content-type': 'application/json; charset=utf-8' },
		statusCode: 200,
	});

	test('are the instructions of the first item, without a password if it is not needed', async () => {
		const voiceAgentApi = { id: 'none', name: 'none' };
		const { responses, items, hint } = await respond(
			{
				before: behind,
				items: [{ answerBy: '2999-01-01T00:00:00.000Z' }, none],
				credentials: { voiceAgentApi },
			},
			{ recordCall: true },
		);
		assert.deepEqual(responses, [answered(opus)]);
		const instructions = opus;
		assert.deepEqual(items, [
			{ instructions, encrypted: false, responded: true },
			{ instructions, encrypted: false, responded: false },
		]);
		assert.equal(hint, undefined);
	});

	test('have more fields if the option has some, and are refused if it has no value', async () => {
		const more = (moreInstructions: string) => ({ options: { moreInstructions } });
		const given = await respond({ before: behind }, more('{"maxSeconds":60}'));
		assert.deepEqual(given.responses, [answered({ maxSeconds: 60, recordCall: false })]);
		const missing = await respond({ before: behind }, more('={{ $json.nothing }}'));
		assert.match(failure(missing.execution), /'More Instructions \(JSON\)' is not a JSON object/);
		assert.deepEqual(missing.responses, []);
	});

	for (const binaryMode of ['separate', 'combined'])
		test(`are sent and called late after the deadline (binary mode ${binaryMode})`, async () => {
			const items = [{ answerBy: '2020-01-01T00:00:00.000Z' }, none];
			const workflowSettings = { binaryMode };
			const late = await respond(
				{ before: behind, items, workflowSettings },
				{ recordCall: false },
			);
			assert.deepEqual(late.responses, [answered({ recordCall: false })]);
			assert.deepEqual(
				late.items.map(({ responded }) => responded),
				[false, false],
			);
			const option = "'Deadline \\(Seconds\\)'";
			assert.match(
				String(late.hint),
				new RegExp(
					`^This response came too late: .* raise the option ${option} of the trigger\\.$`,
				),
			);
		});

	test('are called late if the first of two triggers has stopped waiting', async () => {
		const before = [trigger('First', {}), trigger('Second', {})];
		const items = [{ answerBy: '2020-01-01T00:00:00.000Z' }];
		assert.notEqual((await respond({ before, items })).hint, undefined);
	});

	const off = { ...trigger('Off', {}), disabled: true };
	const immediate = trigger('Immediately', { respond: 'onReceived' });
	test('are refused behind triggers that do not wait', async () => {
		const before = [off, immediate];
		const { execution, responses } = await respond({ before }, { recordCall: true });
		assert.match(failure(execution), /^nobodyWaitsForResponse: /);
		assert.deepEqual(responses, []);
	});
});

suite('the answer of another system', () => {
	const kept = '"id":12345678901234567890, "same":1,"same":2';
	const other = `{"Service_Instructions":{"RecordCall":false,${kept}} }`;
	const withRecording = (recording: string) =>
		`{"Service_Instructions":{"recordCall":${recording},${kept}} }`;

	/** Runs Respond behind a trigger, with this file of the other system. */
	async function respondWith(file: string, parameters: object = {}) {
		const data = { data: Buffer.from(file).toString('base64'), mimeType: 'application/json' };
		return await respond(
			{
				before: [trigger('Trigger', {})],
				pinned: { Trigger: [{ json: { canEncrypt: true }, binary: { data } }] },
			},
			{ recordCall: true, keepOtherAnswer: true, ...parameters },
		);
	}

	test('is sent byte for byte, but for the recording', async () => {
		const { responses, items } = await respondWith(other, {
			options: { moreInstructions: '{"hidden":1}' },
		});
		const [{ body }] = responses as [{ body: unknown }];
		assert.equal(body, withRecording('true,"recordCallFormat":"opus"'));
		const instructions = { recordCall: true, recordCallFormat: 'opus' };
		assert.deepEqual(items, [{ instructions, encrypted: false, responded: true }]);
	});

	test('is handed on without any password if the recording is to be encrypted', async () => {
		const theirs = `{"Service_Instructions":{"recordCallPassword":"theirs",${kept}} }`;
		const { responses } = await respondWith(theirs, { encryptRecording: true });
		const [{ body }] = responses as [{ body: unknown }];
		assert.deepEqual(body, {
			Service_Instructions: { recordCall: false },
			encrypted: { recordCall: true, recordCallFormat: 'opus' },
			otherAnswer: withRecording('false'),
		});
	});

	test('is refused if it is none, or if its recording would not be encrypted any more', async () => {
		const theirs = '{"Service_Instructions":{"recordCallPassword":"theirs"}}';
		for (const [file, reason] of [
			['<html>', "The file in 'data' is not an answer to CallStart"],
			[theirs, 'The other system encrypts the recording'],
		] as const) {
			const { execution, responses } = await respondWith(file);
			assert.ok(failure(execution).includes(reason), failure(execution));
			assert.deepEqual(responses, []);
		}
	});
});
