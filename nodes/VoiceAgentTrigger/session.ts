import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { isBreakDue, takeBreak } from '../data/breaks';
import type { Field } from '../data/payload';
import { isJsonObject } from '../data/payload';
import type { FoundSessionGuid } from '../service/sessionGuid';
import {
	canonicalSessionGuid,
	readSessionGuid,
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

/**
 * The events of a webhook: one, or in a batch as many as its list has. If the session GUID is in the query, it must not
 * contradict the payload.
 */
export async function sessionsOf({ payload, query, field }: Received): Promise<FoundSessions> {
	const name = field ?? '';
	const inPayload = sessionGuidHits(payload, name);
	if (!inPayload) return { problem: name ? TOO_MUCH : `${TOO_MUCH}: ${NAME_THE_FIELD}` };
	const inQuery = sessionGuidHits(query, name) ?? [];
	const found =
		inQuery.length === 0
			? await sessionsAmong(inPayload, payload, name)
			: oneSession(readSessionGuid([...inPayload, ...inQuery], name), payload);
	if (field !== undefined || 'sessions' in found) return found;
	return { problem: `${found.problem}, and the option 'Session GUID Field' yields no text` };
}

/** What to do about a payload that is too large. */
export const NAME_THE_FIELD = "name the field in the option 'Session GUID Field'";

function oneSession(found: FoundSessionGuid, payload: unknown): FoundSessions {
	return 'problem' in found ? found : { sessions: [{ ...found, payload }] };
}

async function sessionsAmong(
	hits: readonly Field[],
	payload: unknown,
	field: string,
): Promise<FoundSessions> {
	if (isBreakDue()) await takeBreak();
	const found = readSessionGuid(hits, field);
	const list = batchOf(hits, payload, found);
	if (!list) return oneSession(found, payload);
	const hitsOf = new Map<unknown, Field[]>(list.map((event) => [event, []]));
	for (const hit of hits) {
		if (isBreakDue()) await takeBreak();
		let event: Field | undefined = hit;
		while (event && event.parent?.value !== list) event = event.parent;
		hitsOf.get(event?.value)?.push(hit);
	}
	const sessions: Session[] = [];
	for (const [index, event] of list.entries()) {
		const inside = await sessionsAmong(hitsOf.get(event) ?? [], event, field);
		if ('problem' in inside) {
			return { problem: `event ${index + 1} of ${list.length}: ${inside.problem}` };
		}
		for (const session of inside.sessions) sessions.push(session);
	}
	return { sessions };
}

/** The list of events: the payload itself, or the list that holds all of several different session GUIDs. */
function batchOf(
	hits: readonly Field[],
	payload: unknown,
	found: FoundSessionGuid,
): unknown[] | undefined {
	const list = Array.isArray(payload) || 'sessionGuid' in found ? payload : commonPlace(hits);
	return Array.isArray(list) && list.length > 0 && list.every(isJsonObject) ? list : undefined;
}

/** The innermost value that holds all of them. */
function commonPlace(hits: readonly Field[]): unknown {
	let common: Field | undefined = hits[0];
	for (let hit of hits as Array<Field | undefined>) {
		while (common !== hit) {
			if ((common?.depth ?? 0) > (hit?.depth ?? 0)) common = common?.parent;
			else hit = hit?.parent;
		}
	}
	return common?.value;
}
