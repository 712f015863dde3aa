/** recording-policy: which calls are recorded. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { readWorkflow, withSettings } from '../../../harness/workflows.mts';

export function recordingPolicySuite(getN8n: () => N8n): void {
	suite('workflow: recording-policy', { concurrency: 1 }, () => {
		let stack: Stack;
		before(async () => {
			stack = await addService(getN8n());
			const { n8n, credentials, emulator } = stack;
			const workflow = withSettings(
				readWorkflow('recording-policy'),
				{ recordedNumbers: '+49 , +1555' },
				'Policy',
			);
			const id = await n8n.importWorkflow(workflow, credentials);
			await n8n.activate(id);
			emulator.control.setWebhooks({
				callStart: await n8n.webhookUrl(id, 'When a call starts'),
			});
		});
		after(async () => await stack?.stop());

		async function call(to: string) {
			const { control } = stack.emulator;
			control.clearLogs();
			const { sessionGuid } = control.placeCall({ to, durationSeconds: 1 });
			await control.completedCall(sessionGuid);
			const delivery = control.deliveries().find(({ event }) => event === 'CallStart');
			const recording = control.recordings().find((one) => one.sessionGuid === sessionGuid);
			return { status: delivery?.status, recording };
		}

		for (const to of ['+15550100', '+4930123456']) {
			test(`a call to ${to} is recorded and encrypted`, async () => {
				const { status, recording } = await call(to);
				assert.equal(status, 200);
				assert.equal(recording?.encrypted, true);
				assert.equal(recording?.format, 'opus');
			});
		}

		test('a call to another number is not recorded', async () => {
			assert.deepEqual(await call('+33123456789'), { status: 200, recording: undefined });
		});

		test('nor is one whose number the webhook shows elsewhere', async () => {
			const { control } = stack.emulator;
			control.setShapes({ webhookBody: 'nested' });
			try {
				assert.deepEqual(await call('+15550100'), { status: 200, recording: undefined });
			} finally {
				control.resetShapes();
			}
		});
	});
}
