import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { findCallEnd, retentionOf } from '../service/retention';
import { mayHaveSessionGuid } from '../service/sessionGuid';
import { jsonInText } from '../service/webhooks/jsonInText';
import { assertEvent } from '../service/webhooks/namedEvent';
import type { Session } from '../service/webhooks/payload';
import { requestOf, WebhookRefusal } from '../service/webhooks/request';
import type { Admitted } from './access';
import { receive, type Received, sessionJson } from './session';

/** For whoever has entered the Test URL at the service. */
const TEST_URL_NOTE =
	'This is the Test URL of the trigger: it answers one webhook while the editor listens. Enter the Production URL at the service.';

/**
 * Answers a CallEnd webhook, and starts the workflow with one item for each call that has ended.
 *
 * @throws WebhookRefusal if it is not clear for each event which session it is about
 */
export function onCallEnd(
	context: IWebhookFunctions,
	{ query, isProven, account }: Admitted,
): IWebhookResponseData {
	const received = receive(context, query, account);
	const { payload, sessions, problem } = received;
	assertEvent('callEnd', payload, requestOf(context));
	if (problem !== undefined) {
		const isTest = isProven && !mayBeAboutCall(received, query);
		if (isTest) return answerTest(context, problem);
		throw new WebhookRefusal(400, `No session GUID: ${jsonInText(payload) ?? problem}`);
	}
	const receivedMs = Date.now();
	const items = sessions.map((session) => itemOfCallEnd(session, receivedMs, received));
	const guids = sessions.map(({ sessionGuid }) => sessionGuid);
	const answer: IDataObject = { received: true };
	if (guids.length === 1) answer.sessionGuid = guids[0];
	else answer.sessionGuids = guids;
	if (context.getMode() === 'manual') answer.note = TEST_URL_NOTE;
	return { webhookResponse: answer, workflowData: [items] };
}

function mayBeAboutCall({ payload, sessionGuidField }: Received, query: IDataObject): boolean {
	return (
		mayHaveSessionGuid([payload, query], sessionGuidField) || jsonInText(payload) !== undefined
	);
}

/**
 * Answers what a web portal sends to try an address: a webhook of the service without any session
 * GUID. It is not refused, because senders switch off a webhook that fails several times.
 */
function answerTest(context: IWebhookFunctions, problem: string): IWebhookResponseData {
	const reason = `No workflow was started: ${problem}, so this is taken for a test of the address`;
	context.logger.info(`A webhook without a session GUID was answered: ${reason}`);
	context.getResponseObject().status(200).json({ received: true, reason });
	return { noWebhookResponse: true };
}

/** With the times of the end and of the purge, if the payload says when the call ended. */
function itemOfCallEnd(
	session: Session,
	receivedMs: number,
	{ numberFields }: Received,
): INodeExecutionData {
	const endMs = findCallEnd(session.payload, receivedMs);
	const ended =
		endMs === undefined
			? undefined
			: { endedAt: new Date(endMs).toISOString(), ...retentionOf(endMs, receivedMs) };
	return { json: sessionJson('callEnd', session, { receivedMs, numberFields, ended }) };
}
