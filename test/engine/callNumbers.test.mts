/** The numbers of a call, wherever the package puts them out. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IRun } from 'n8n-workflow';
import type { Json } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { apiCredential, ownEngine, sharedEngine } from './engines.mts';
import { getMany, inRecording } from './oneRecording.mts';
import { ownService } from './ownService.mts';
import { ownTrigger } from './ownTrigger.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const TO = '+15550100';
const FROM = '+15550199';
const named = { adapt: true, calledNumberField: 'call.x', callerNumberField: 'call.y' };
const none = { to: null, from: null, direction: null };

const engine = await sharedEngine();

const numbersOf = ({ to, from, direction }: Record<string, unknown> = {}) => ({
	to,
	from,
	direction,
});

interface Row {
	name: string;
	record: object;
	fields?: Record<string, string | boolean>;
	expected: object;
}

const rows: Row[] = [
	{
		name: 'with usual names',
		record: { call: { To: TO, caller: { number: FROM }, call_direction: 'Outgoing' } },
		expected: { to: TO, from: FROM, direction: 'outbound' },
	},
	{
		name: 'in fields that the credential names',
		record: { to: '+15550111', call: { x: TO, y: ` ${FROM} ` }, direction: 'inbound' },
		fields: named,
		expected: { to: TO, from: FROM, direction: 'inbound' },
	},
	{
		name: 'that contradict each other',
		record: { to: TO, called: FROM, participants: [{ from: FROM }] },
		expected: none,
	},
];

suite('of a webhook', { concurrency: 4 }, () => {
	for (const event of ['callEnd', 'callStart']) {
		for (const { name, record, fields, expected } of rows) {
			test(`are put out by the trigger: ${event}, ${name}`, async (t) => {
				const { send, webhook } = await ownTrigger(t, engine, { event }, fields);
				const payload = { sessionGuid: GUID, ...record };
				assert.equal((await send({ body: JSON.stringify(payload) })).status, 200);
				assert.deepEqual(numbersOf(webhook.started[0]?.[0]?.json), expected);
			});
		}
	}

	test('are put out for each call of a batch', async (t) => {
		const { send, webhook } = await ownTrigger(t, engine);
		const calls = [TO, FROM].map((to) => ({ sessionGuid: GUID, to }));
		await send({ body: JSON.stringify(calls) });
		assert.deepEqual(
			webhook.started[0]?.map(({ json }) => json.to),
			[TO, FROM],
		);
	});

	test('are put out by Download, from the item of the trigger', async () => {
		const { sessionGuid } = await engine.emulator.control.addRecording();
		const items: Array<Record<string, Json>> = [
			{ sessionGuid, to: TO, from: FROM },
			// As the Webhook node of n8n has it.
			{ sessionGuid, body: { destination_number: TO, caller_id_number: FROM } },
			{ sessionGuid },
		];
		const execution = await engine.runNode({ parameters: inRecording('download'), items });
		const numbers = execution.items(NODE).map(({ json }) => [json.to, json.from]);
		assert.deepEqual(numbers, [
			[TO, FROM],
			[TO, FROM],
			[null, null],
		]);
		assert.ok(execution.items(NODE).every(({ json }) => !('direction' in json)));
	});
});

suite('in fields that the credential names', () => {
	/** What the list says about the call ends its time: Download asks for that only. */
	const templates = {
		'from the item': '{to}_{sessionGuid}',
		'and the list': '{to}_{date}_{sessionGuid}',
	};
	for (const [name, outputFileName] of Object.entries(templates)) {
		test(`are put out by Download behind a node of n8n: ${name}`, async () => {
			const { sessionGuid } = await engine.emulator.control.addRecording({ to: '+15550111' });
			const credential = await apiCredential(engine, named);
			const execution = await engine.runNode({
				parameters: inRecording('download', { options: { outputFileName } }),
				items: [{ sessionGuid, to: '+15550122', body: { call: { x: TO, y: FROM } } }],
				credentials: { voiceAgentApi: credential },
			});
			const { to, from, fileName } = execution.items(NODE)[0]?.json ?? {};
			assert.deepEqual([to, from], [TO, FROM]);
			assert.match(String(fileName), /^\+15550100_/);
		});
	}
});

suite('of the list', () => {
	for (const { name, record, fields, expected } of rows) {
		test(`are put out by Get Many, simplified or not: ${name}`, async (t) => {
			const body = [{ sessionGuid: GUID, ...record }];
			const { run } = await ownService(t, engine, () => ({ body }), fields as never);
			for (const simple of [true, false]) {
				const execution = await run({ parameters: getMany({ simple }) });
				const { json } = execution.items(NODE)[0] ?? { json: {} };
				// Simplify leaves out a direction that is not known.
				assert.deepEqual(numbersOf(simple ? { direction: null, ...json } : json), expected);
			}
		});
	}

	test('are put out by Get Many as the emulator has them', async () => {
		const { sessionGuid } = await engine.emulator.control.addRecording({ to: TO, from: FROM });
		const execution = await engine.runNode({ parameters: getMany() });
		const item = execution.items(NODE).find(({ json }) => json.sessionGuid === sessionGuid);
		assert.deepEqual([item?.json.to, item?.json.from], [TO, FROM]);
	});

	test('are put out by the Recording Trigger, published and by hand', async (t) => {
		const { emulator, recordingTrigger, ...own } = await ownEngine(t);
		const endedAt = new Date(emulator.control.now() - 3_600_000).toISOString();
		await emulator.control.addRecording({ to: TO, from: FROM, endedAt });
		const named = { adapt: true, calledNumberField: 'from', callerNumberField: 'to' };
		const swapped = await apiCredential({ emulator, recordingTrigger, ...own }, named);
		for (const [credentials, expected] of [
			[undefined, [TO, FROM]],
			[{ voiceAgentApi: swapped }, [FROM, TO]],
		] as const) {
			const parameters = { minutesBetweenChecks: 1, options: { minimumAge: 0 } };
			const trigger = recordingTrigger({ parameters, credentials });
			const { close } = await trigger.publish(async () => ({ status: 'success' }) as IRun);
			t.after(close);
			const deadline = Date.now() + 60_000;
			while (trigger.started.length === 0) {
				assert.ok(Date.now() < deadline, 'waited for a minute');
				await sleep(20);
			}
			for (const [item] of [trigger.started[0]?.items ?? [], await trigger.run()]) {
				assert.deepEqual([item?.json.to, item?.json.from], expected);
			}
		}
	});
});
