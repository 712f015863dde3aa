/** A VoiceAgent Trigger of one test, and webhooks that it gets. */
import type { TestContext } from 'node:test';

import type { Engine } from '../../harness/engine/engine.mts';
import type { Webhook } from '../../harness/engine/webhook.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { apiCredential } from './engines.mts';

export interface Sent {
	/** By default, a POST with a body of JSON. */
	method?: string;
	body?: string | Uint8Array<ArrayBuffer>;
	/** With those of its content type and, unless there are others, of the secret. */
	headers?: Record<string, string>;
	/** Path and query. */
	path?: string;
}

export interface Answer {
	status: number;
	json: { received?: boolean; reason?: string; [name: string]: unknown };
}

/** @param fields of the account, beside those that give access */
export async function ownTrigger(
	t: TestContext,
	engine: Engine,
	parameters: Record<string, unknown> = {},
	fields: Record<string, string | boolean> = {},
): Promise<{ webhook: Webhook; send(sent: Sent): Promise<Answer> }> {
	const voiceAgentApi = await apiCredential(engine, fields);
	const webhook = await engine.listen({ parameters, credentials: { voiceAgentApi } });
	t.after(async () => await webhook.close());
	return {
		webhook,
		async send({ method = 'POST', body, headers, path = '' }) {
			const secret = headers ?? { [WEBHOOK_HEADER]: WEBHOOK_SECRET };
			const type = body === undefined ? undefined : { 'content-type': 'application/json' };
			const response = await fetch(new URL(path, webhook.url), {
				method,
				headers: { ...type, ...secret },
				body,
			});
			return { status: response.status, json: (await response.json()) as Answer['json'] };
		},
	};
}
