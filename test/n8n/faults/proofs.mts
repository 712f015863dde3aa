/** Webhooks that prove in other ways than by a header where they come from. */
import assert from 'node:assert/strict';

import type { DeliveryOptions } from '../../../emulator/src/index.mts';
import type { N8n } from '../../../harness/n8n/n8n.mts';
import { accountData } from '../../../harness/serviceAccess.mts';
import { addService } from '../../../harness/stack.mts';
import { publish } from '../trigger/published.mts';

const STANDARD_KEY = 'canary-standard-key-0123456789ab';

/** With characters that each encoding writes differently, as far as each place can carry them. */
export const WEBHOOK_SECRETS = {
	querySecret: 'canary-query-"\\%2F+/&=?<7>',
	signingSecret: 'canary-hmac-"\\%2F+/&=?<7> ä€',
	// Base64 of it is what users copy.
	standardKey: STANDARD_KEY,
};
const { querySecret, signingSecret } = WEBHOOK_SECRETS;
const whsec = `whsec_${Buffer.from(STANDARD_KEY).toString('base64')}`;

const proofs: Array<[data: Record<string, unknown>, delivery: DeliveryOptions]> = [
	[
		{ sendIn: 'query', queryName: 'token', webhookSecret: querySecret },
		{ secret: { in: 'query', name: 'token', value: querySecret } },
	],
	[
		{ webhookVerification: 'hmac', webhookSecret: signingSecret },
		{ signing: { scheme: 'hmac', secret: signingSecret } },
	],
	[
		{ webhookVerification: 'standardWebhooks', webhookSecret: whsec },
		{ signing: { scheme: 'standardWebhooks', secret: whsec } },
	],
];

/** Each kind of proof lets a webhook in, and keeps out one with that of another kind. */
export async function proveInEachWay(n8n: N8n): Promise<void> {
	const service = await addService(n8n);
	try {
		const { control } = service.emulator;
		for (const [index, [data, delivery]] of proofs.entries()) {
			const name = `Proof ${index}`;
			const voiceAgentApi = await n8n.createCredential({
				name,
				type: 'voiceAgentApi',
				data: { ...accountData(service.emulator.url), ...data },
			});
			const event = { event: 'callEnd' };
			const { url, execution } = await publish(service, event, [], { voiceAgentApi });
			control.setWebhooks({ callEnd: url });
			const { sessionGuid } = await control.addRecording();
			for (const [, sent] of proofs) {
				control.setWebhookDelivery({ secret: null, signing: null, ...sent });
				const { status } = await control.sendCallEnd(sessionGuid);
				assert.equal(status, sent === delivery ? 200 : 401);
			}
			await execution();
		}
	} finally {
		await service.stop();
	}
}
