/**
 * What recording-policy enters in the ledger. Which calls it records is tested in
 * workflows/recordingPolicy.mts.
 */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { entered } from '../../../harness/ledger.mts';
import type { N8n } from '../../../harness/n8n/n8n.mts';
import { postWebhook } from '../../../harness/webhook.mts';
import { readWorkflow } from '../../../harness/workflows.mts';
import { ledgerOf, serviceOf, similarTable, succeeded } from '../suite.mts';

const TRIGGER = 'When a call starts';

export function policySuite(getN8n: () => N8n): void {
	suite('workflow: recording-policy', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);
		const ledger = ledgerOf(getN8n);
		let workflowId: string;
		let webhookUrl: string;
		before(async () => {
			const { n8n, credentials, emulator } = stack;
			workflowId = await n8n.importWorkflow(readWorkflow('recording-policy'), credentials);
			await n8n.activate(workflowId);
			webhookUrl = await n8n.webhookUrl(workflowId, TRIGGER);
			emulator.control.setWebhooks({ callStart: webhookUrl });
		});

		/** Places a call and waits until the workflow is over. */
		async function call(to: string, consent: boolean) {
			const { control } = stack.emulator;
			const before = new Date().toISOString();
			const { sessionGuid } = control.placeCall({ to, durationSeconds: 1, metadata: { consent } });
			await control.completedCall(sessionGuid);
			succeeded(await executionOf(sessionGuid));
			return { sessionGuid, before, after: new Date().toISOString() };
		}

		async function executionOf(sessionGuid: string) {
			const query = { workflowId, trigger: TRIGGER, sessionGuid, count: 1 };
			return (await executionsFor(stack.n8n, query))[0];
		}

		const rowsOf = async (sessionGuid: string) =>
			(await ledger.rows()).filter((row) => row.recordingKey === sessionGuid).map(entered);

		for (const [to, recordingRequested] of [
			['+15550100', true],
			['+33123456789', false],
		] as const) {
			test(`a call to ${to} is entered with its start, told to record: ${recordingRequested}`, async () => {
				const { sessionGuid, ...times } = await call(to, recordingRequested);
				const [row, ...more] = await rowsOf(sessionGuid.toLowerCase());
				assert.deepEqual(more, []);
				const { startedAt, ...rest } = row ?? {};
				assert.ok(times.before <= String(startedAt) && String(startedAt) <= times.after);
				const recordingKey = sessionGuid.toLowerCase();
				assert.deepEqual(rest, { recordingKey, sessionGuid, recordingRequested });
			});
		}

		test('a call that is known already keeps what the ledger knows of it', async () => {
			const sessionGuid = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
			const archivedAt = '2026-11-20T10:00:00.000Z';
			await ledger.insert({ recordingKey: sessionGuid, sessionGuid, archivedAt, bytes: 12 });
			const asDelivered = `{${sessionGuid.toUpperCase()}}`;
			await postWebhook(webhookUrl, JSON.stringify({ sessionGuid: asDelivered }));
			await executionOf(asDelivered);
			const [row, ...more] = await rowsOf(sessionGuid);
			assert.deepEqual(more, []);
			assert.equal(row?.archivedAt, archivedAt);
			assert.equal(row?.bytes, 12);
			assert.equal(row?.recordingRequested, false);
		});

		test('a consent in another table with a similar name is none', async (t) => {
			const once = await stack.n8n.run(workflowId, { trigger: 'When you execute it once' });
			succeeded(once);
			const consents = await stack.n8n.dataTable('VoiceAgent consent');
			assert.ok(consents);
			await consents.insert({ number: '+15550171' });
			const isRecorded = async (to: string) => {
				const { sessionGuid } = await call(to, false);
				return (await rowsOf(sessionGuid.toLowerCase()))[0]?.recordingRequested;
			};
			for (const name of ['VoiceAgent consent withdrawn', 'VOICEAGENT CONSENT']) {
				const other = await similarTable(t, stack.n8n, name, { number: 'string' });
				await other.insert({ number: '+15550172' });
			}
			assert.equal(await isRecorded('+15550171'), true);
			assert.equal(await isRecorded('+15550172'), false);
			// As long as there is no such table, only the payload counts.
			await consents.remove();
			assert.equal(await isRecorded('+15550172'), false);
			assert.equal(await isRecorded('+15550171'), false);
		});

		test('calls without a session GUID share one row, which has none', async () => {
			for (const to of ['+15550100', '+15550101']) {
				const answer = await postWebhook(webhookUrl, JSON.stringify({ to }));
				assert.equal(answer.status, 200);
			}
			await stack.n8n.waitForExecutions({ workflowId, count: 5 });
			assert.equal((await rowsOf('')).length, 1);
		});
	});
}
