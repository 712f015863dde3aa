import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { isJsonObject } from '../data/json';
import type { Retention } from '../service/retention';
import { canonicalSessionGuid, findSessionGuid } from '../service/sessionGuid';
import { requestOf } from './request';
import { payloadOf } from './webhookPayload';

/** One event of a webhook. */
export interface Session {
	sessionGuid: string;
	payload: unknown;
}

/** What a webhook delivered. */
export interface Received {
	payload: unknown;
	/** One, or as many as the payload has elements if it is a list. None if there is a problem. */
	sessions: Session[];
	/** Why the session GUIDs cannot be told. */
	problem?: string;
}

/** @throws Refusal if nothing has come that may reach a workflow */
export function receive(context: IWebhookFunctions, query: IDataObject): Received {
	const payload = payloadOf(requestOf(context), query);
	const field = context.getNodeParameter('options.sessionGuidField', '') as string;
	return { payload, ...sessionsOf(payload, query, field.trim()) };
}

/** The events of a webhook. A session GUID in the query must not contradict the payload. */
export function sessionsOf(
	payload: unknown,
	query: IDataObject,
	field: string,
): Omit<Received, 'payload'> {
	const isBatch = Array.isArray(payload) && payload.length > 0 && payload.every(isJsonObject);
	const events: unknown[] = isBatch ? payload : [payload];
	const sessions: Session[] = [];
	for (const [index, event] of events.entries()) {
		const found = findSessionGuid([event, query], field);
		if ('problem' in found) {
			const place = events.length > 1 ? `event ${index + 1} of ${events.length}: ` : '';
			return { sessions: [], problem: `${place}${found.problem}` };
		}
		sessions.push({ sessionGuid: found.sessionGuid, payload: event });
	}
	return { sessions };
}

/** What the node puts out for an event. */
export function itemOf(
	event: 'callStart' | 'callEnd',
	{ sessionGuid, payload }: Session | { sessionGuid: null; payload: unknown },
	receivedMs: number,
	retention?: Retention,
): IDataObject {
	return {
		event,
		sessionGuid,
		// The same for each delivery, for n8n's Remove Duplicates node.
		eventKey: sessionGuid === null ? null : `${event}:${canonicalSessionGuid(sessionGuid)}`,
		receivedAt: new Date(receivedMs).toISOString(),
		...retention,
		payload: payload as IDataObject,
	};
}
