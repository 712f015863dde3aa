import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { knownPasswords, numberFieldsOf } from '../service/account';
import type { NumberFields } from '../service/apiCredential';
import { callNumbersIn } from '../service/callNumbers';
import type { Retention } from '../service/retention';
import { canonicalSessionGuid } from '../service/sessionGuid';
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
 * Reads what a webhook delivered, without passwords.
 *
 * @param query what may be read of it, as `admit` has returned it
 *
 * @throws WebhookRefusal if nothing has come that may reach a workflow
 */
export async function receive(context: IWebhookFunctions, query: IDataObject): Promise<Received> {
	const payload = payloadOf(requestOf(context), query, await knownPasswords(context));
	const named = context.getNodeParameter('options.sessionGuidField', '') as string;
	const sessionGuidField = named.trim();
	const numberFields = await numberFieldsOf(context);
	const sessions = sessionsOf(payload, query, sessionGuidField);
	return { payload, ...sessions, sessionGuidField, numberFields };
}

interface Circumstances {
	receivedMs: number;
	numberFields?: NumberFields;
	retention?: Retention;
}

/** The JSON that the node outputs for an event. */
export function sessionJson(
	event: WebhookEvent,
	{ sessionGuid, payload }: Session | { sessionGuid: null; payload: unknown },
	{ receivedMs, numberFields, retention }: Circumstances,
): IDataObject {
	return {
		event,
		sessionGuid,
		...callNumbersIn(payload, numberFields),
		// The same for each delivery of an event, for n8n's Remove Duplicates node.
		eventKey: sessionGuid === null ? null : `${event}:${canonicalSessionGuid(sessionGuid)}`,
		receivedAt: new Date(receivedMs).toISOString(),
		...retention,
		payload: payload as IDataObject,
	};
}
