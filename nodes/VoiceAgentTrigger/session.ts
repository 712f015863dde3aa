import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { type Account, numberFieldsOf } from '../service/account';
import { type NumberFields, secretsOf } from '../service/apiCredential';
import { callNumbersIn } from '../service/callNumbers';
import type { Retention } from '../service/retention';
import { canonicalSessionGuid, recordingKeyOf } from '../service/sessionGuid';
import type { WebhookEvent } from '../service/webhooks/namedEvent';
import {
	payloadOf,
	type Session,
	sessionsOf,
	type SessionsOfWebhook,
} from '../service/webhooks/payload';
import { requestOf } from '../service/webhooks/request';

/** What a webhook delivered. */
export interface Received extends SessionsOfWebhook {
	payload: unknown;
	/** As the user has named it in the trigger; may be empty. */
	sessionGuidField: string;
	/** As the user has named them in the credential. */
	numberFields: NumberFields;
}

/**
 * Reads what a webhook delivered, without the secrets of the account.
 *
 * @param query what may be read of it, as `admit` has returned it
 *
 * @throws WebhookRefusal if nothing has come that may reach a workflow
 */
export function receive(
	context: IWebhookFunctions,
	query: IDataObject,
	{ fields }: Account,
): Received {
	const payload = payloadOf(requestOf(context), query, secretsOf(fields));
	const named = context.getNodeParameter('options.sessionGuidField', '') as string;
	const sessionGuidField = named.trim();
	const numberFields = numberFieldsOf(fields);
	const sessions = sessionsOf(payload, query, sessionGuidField);
	return { payload, ...sessions, sessionGuidField, numberFields };
}

interface Circumstances {
	receivedMs: number;
	numberFields?: NumberFields;
	/** Only once the call has ended, and if the payload says when. */
	ended?: Retention & { endedAt: string };
}

/** The JSON that the node outputs for an event. */
export function sessionJson(
	event: WebhookEvent,
	{ sessionGuid, payload }: Session | { sessionGuid: null; payload: unknown },
	{ receivedMs, numberFields, ended }: Circumstances,
): IDataObject {
	return {
		event,
		sessionGuid,
		recordingKey: recordingKeyOf(sessionGuid),
		...callNumbersIn(payload, numberFields),
		// The same for each delivery of an event, for n8n's Remove Duplicates node.
		eventKey: sessionGuid === null ? null : `${event}:${canonicalSessionGuid(sessionGuid)}`,
		receivedAt: new Date(receivedMs).toISOString(),
		...ended,
		payload: payload as IDataObject,
	};
}
