import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { findCallEnd, retentionOf } from '../service/retention';
import type { Admitted } from './access';
import { WebhookRefusal } from './request';
import { receive, type Session, sessionJson } from './session';

/**
 * Answers a CallEnd webhook, and starts the workflow with one item for each call that has ended.
 *
 * @throws WebhookRefusal if it is not clear for each event which session it is about
 */
export async function onCallEnd(
	context: IWebhookFunctions,
	{ query }: Admitted,
): Promise<IWebhookResponseData> {
	const { sessions, problem } = await receive(context, query);
	if (problem !== undefined) throw new WebhookRefusal(400, `No session GUID: ${problem}`);
	const receivedMs = Date.now();
	const items = sessions.map((session) => itemOfCallEnd(session, receivedMs));
	const guids = sessions.map(({ sessionGuid }) => sessionGuid);
	const answer = guids.length === 1 ? { sessionGuid: guids[0] } : { sessionGuids: guids };
	return { webhookResponse: { received: true, ...answer }, workflowData: [items] };
}

/** With the time of the purge, if the payload says when the call ended. */
function itemOfCallEnd(session: Session, receivedMs: number): INodeExecutionData {
	const endMs = findCallEnd(session.payload, receivedMs);
	const retention = endMs === undefined ? undefined : retentionOf(endMs, receivedMs);
	return { json: sessionJson('callEnd', session, receivedMs, retention) };
}
