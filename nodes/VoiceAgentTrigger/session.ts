import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { isJsonObject } from '../data/json';
import {
	canonicalSessionGuid,
	findSessionGuid,
	sessionGuidHits,
	TOO_MUCH,
} from '../service/sessionGuid';

/** One event of a webhook. */
export interface Session {
	sessionGuid: string;
	payload: unknown;
}

/** The events, or why they cannot be told, in words. */
export type FoundSessions = { sessions: Session[] } | { problem: string };

/** A webhook that may be read. */
export interface Received {
	/** `undefined` if there is none. */
	payload: unknown;
	query: IDataObject;
	/** The option 'Session GUID Field'; `undefined` if it cannot be read. */
	field: string | undefined;
	/** Why the payload must not reach a workflow. */
	problem?: string;
}

/** The same for each delivery of an event, for n8n's Remove Duplicates node. */
export function eventKey(event: 'callStart' | 'callEnd', sessionGuid: string): string {
	return `${event}:${canonicalSessionGuid(sessionGuid)}`;
}

/** The option 'Session GUID Field'. Never throws: an option that cannot be read counts as not set. */
export function sessionGuidField(context: IWebhookFunctions): string | undefined {
	try {
		return (context.getNodeParameter('options.sessionGuidField', '') as string).trim();
	} catch {
		return undefined;
	}
}

/**
 * The events of a webhook: one, or as many as its payload has if it is a list. If the session GUID is in the query, it
 * must not contradict the payload.
 */
export function sessionsOf({ payload, query, field: named }: Received): FoundSessions {
	const field = named ?? '';
	const isInQuery = (sessionGuidHits(query, field) ?? []).length > 0;
	const isBatch = Array.isArray(payload) && payload.length > 0 && payload.every(isJsonObject);
	const events: unknown[] = isBatch && !isInQuery ? payload : [payload];
	const sessions: Session[] = [];
	for (const [index, event] of events.entries()) {
		const found = findSessionGuid(isInQuery ? [event, query] : event, field);
		if ('problem' in found) {
			const place = events.length > 1 ? `event ${index + 1} of ${events.length}: ` : '';
			return { problem: `${place}${found.problem}${hintFor(found.problem, named)}` };
		}
		sessions.push({ sessionGuid: found.sessionGuid, payload: event });
	}
	return { sessions };
}

/** What to do about the option 'Session GUID Field', if that may be the problem. */
function hintFor(problem: string, field: string | undefined): string {
	if (field === undefined) return ", and the option 'Session GUID Field' yields no text";
	const isTooMuch = problem === TOO_MUCH && field === '';
	return isTooMuch ? ": name the field in the option 'Session GUID Field'" : '';
}
