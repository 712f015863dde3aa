import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { MAX_DEPTH } from '../data/fields';
import { hidePasswords } from '../data/hidePasswords';
import { isJsonObject } from '../data/json';
import { finderOf } from '../data/secretForms';
import { knownPasswords } from '../service/optionalCredentials';
import type { Retention } from '../service/retention';
import { canonicalSessionGuid, findSessionGuid } from '../service/sessionGuid';
import { Refusal, requestOf, type WebhookRequest } from './request';

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
export async function receive(context: IWebhookFunctions, query: IDataObject): Promise<Received> {
	const payload = payloadOf(requestOf(context), query, await knownPasswords(context));
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

/**
 * What a webhook delivered: JSON, also with another content type or with that of a form, or a form,
 * or the query.
 *
 * @param passwords to hide in it, whatever their names are
 * @throws Refusal if it is none of them, or must not reach a workflow
 */
export function payloadOf(
	request: WebhookRequest,
	query: IDataObject,
	passwords: readonly string[] = [],
): unknown {
	let payload: unknown;
	try {
		payload = bodyOf(request) ?? query;
	} catch {
		throw refuse('the payload is neither JSON nor a form');
	}
	assertHarmless(payload);
	hidePasswords(payload, finderOf(passwords));
	return payload;
}

/** `undefined` if it is empty. */
function bodyOf({ body, rawBody, headers }: WebhookRequest): unknown {
	const type = String(headers['content-type']).toLowerCase();
	if (type.startsWith('multipart/') && isJsonObject(body)) return body.data;
	const text = rawBody?.toString().trim() ?? '';
	const isJsonInForm = type.startsWith('application/x-www-form-urlencoded') && /^[{[]/.test(text);
	if (typeof body === 'object' && !isJsonInForm) return body;
	return text === '' ? undefined : JSON.parse(text);
}

/** A key `__proto__` would change the prototype of objects that a payload is copied to. */
function assertHarmless(payload: unknown): void {
	let level = [payload];
	for (let depth = 0; level.length > 0; depth++) {
		const objects = level.filter((value) => typeof value === 'object' && value !== null);
		if (objects.length > 0 && depth === MAX_DEPTH) {
			throw refuse(`the payload is nested deeper than ${MAX_DEPTH} levels`);
		}
		if (objects.some((value) => Object.hasOwn(value as object, '__proto__'))) {
			throw refuse("the payload has a field '__proto__'");
		}
		level = objects.flatMap((value) => Object.values(value as object) as unknown[]);
	}
}

function refuse(problem: string): Refusal {
	return new Refusal(400, problem);
}
