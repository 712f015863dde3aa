/** recording-policy: which calls are recorded. */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { readWorkflow } from '../../../harness/workflows.mts';
import { serviceOf, succeeded } from '../suite.mts';
import { GUID, post } from '../trigger/published.mts';

export function recordingPolicySuite(getN8n: () => N8n): void {
	suite('workflow: recording-policy', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);
		let callStart: string;
		before(async () => {
			const { n8n, credentials, emulator } = stack;
			const id = await n8n.importWorkflow(readWorkflow('recording-policy'), credentials);
			succeeded(await n8n.run(id, { trigger: 'When you execute it once' }));
			const table = await n8n.dataTable('VoiceAgent consent');
			// A row without a number is nobody's consent.
			await table?.insert({ number: '+15550100' }, { number: null }, { number: '' });
			await n8n.activate(id);
			callStart = await n8n.webhookUrl(id, 'When a call starts');
			emulator.control.setWebhooks({ callStart });
		});

		async function call(to: string, metadata?: Record<string, string | boolean | null>) {
			const { control } = stack.emulator;
			control.clearLogs();
			const { sessionGuid } = control.placeCall({ to, durationSeconds: 1, metadata });
			await control.completedCall(sessionGuid);
			const delivery = control.deliveries().find(({ event }) => event === 'CallStart');
			const recording = control.recordings().find((one) => one.sessionGuid === sessionGuid);
			return { status: delivery?.status, recording };
		}

		for (const [to, metadata] of [
			['+15550100', undefined],
			['+4930123456', { consent: true }],
		] as const) {
			const where = metadata ? 'payload' : 'table';
			test(`a call with consent in the ${where} is recorded and encrypted`, async () => {
				const { status, recording } = await call(to, metadata);
				assert.equal(status, 200);
				assert.equal(recording?.encrypted, true);
				assert.equal(recording?.format, 'opus');
			});
		}

		test('a call without consent is not recorded', async () => {
			const notRecorded = { status: 200, recording: undefined };
			assert.deepEqual(await call('+33123456789'), notRecorded);
			for (const consent of [false, null, 'no', '']) {
				assert.deepEqual(await call('+33123456789', { consent }), notRecorded);
			}
		});

		test('consent counts wherever the webhook shows the number', async () => {
			const { control } = stack.emulator;
			control.setShapes({ webhookBody: 'nested' });
			try {
				const { status, recording } = await call('+15550100');
				assert.deepEqual([status, recording?.encrypted], [200, true]);
				assert.deepEqual(await call('+33123456789'), { status: 200, recording: undefined });
			} finally {
				control.resetShapes();
			}
		});

		test('a call whose number is not clear is not recorded', async () => {
			for (const numbers of [
				{},
				{ first: { to: '+15550100' }, second: { to: '+33123456789' } },
				{ participants: [{ to: '+15550100' }] },
			]) {
				const { status, json } = await post(
					callStart,
					JSON.stringify({ sessionGuid: GUID, numbers }),
				);
				assert.deepEqual([status, json], [200, { Service_Instructions: { recordCall: false } }]);
			}
		});
	});
}
