/** How the CallEnd webhook gets into the table of a campaign. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { baseNode, inARow, voiceAgentTrigger } from '../../../harness/flow.mts';
import type { Row } from '../../../harness/n8n/n8n.mts';
import { until } from '../../../harness/until.mts';
import { CALL_END, publishArchive, sendCallEndsTo } from '../archived.mts';
import type { Campaign } from './campaign.mts';

const ROWS = [{ number: '+1 (555) 010-0', zone: 'UTC' }];

export function outcomeSuite(getCampaign: () => Campaign): void {
	suite('outcome of a call', { concurrency: 1 }, () => {
		/** Waits for the outcome, and compares it with the call that the service has placed. */
		async function assertJoined(campaign: Campaign): Promise<void> {
			const rows = async () => (await campaign.rows()) as Array<Row & { outcome: string | null }>;
			await until(async () => (await rows()).every(({ outcome }) => outcome !== null));
			const [row, ...more] = await rows();
			const [call] = campaign.control.calls();
			assert.deepEqual(more, []);
			assert.equal(row?.sessionGuid, call?.sessionGuid.toLowerCase());
			assert.equal(row?.status, 'called');
			assert.ok(row.endedAt);
			const payload = JSON.parse(String(row.outcome)) as Record<string, unknown>;
			assert.equal(payload.sessionGuid, call?.sessionGuid);
			assert.equal(payload.durationSeconds, call?.durationSeconds);
		}

		test('is joined by the session GUID', async (t) => {
			const campaign = await getCampaign().setUp(t, ROWS);
			campaign.control.setShapes({ sessionGuid: 'upperCase' });
			await campaign.publish();
			await sendCallEndsTo(campaign.stack, campaign.id);
			await campaign.turn();
			await assertJoined(campaign);

			// A call that the campaign has not placed changes nothing.
			const before = await campaign.rows();
			const { sessionGuid } = campaign.control.placeCall({ to: '+15550100', durationSeconds: 1 });
			await campaign.control.completedCall(sessionGuid);
			await campaign.isOver();
			assert.deepEqual(await campaign.rows(), before);
		});

		test('is joined by the number if the answer was unclear', async (t) => {
			const campaign = await getCampaign().setUp(t, ROWS);
			await campaign.publish();
			await sendCallEndsTo(campaign.stack, campaign.id);
			campaign.control.addFault({
				match: { endpoint: 'makeCall' },
				carryOut: true,
				fault: { kind: 'status', status: 502 },
			});
			await campaign.turn();
			await assertJoined(campaign);
		});

		test('is joined if an archive workflow gets the webhook and passes it on', async (t) => {
			const campaign = await getCampaign().setUp(t, ROWS);
			await campaign.publish();
			const workflowId = { __rl: true, mode: 'id', value: campaign.id };
			const passOn = baseNode('Tell the campaign', 'executeWorkflow', 1.2, { workflowId });
			const trigger = voiceAgentTrigger({ event: 'callEnd', options: {} }, CALL_END);
			const archive = inARow('Archive', [trigger, passOn]);
			const id = await publishArchive(campaign.stack, archive);
			t.after(async () => await campaign.n8n.deactivate(id));
			await campaign.turn();
			await assertJoined(campaign);
		});
	});
}
