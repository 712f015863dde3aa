import type { IDataObject } from 'n8n-workflow';

import { MAX_DEPTH } from '../../data/fields';
import { hidePasswords } from '../../data/hidePasswords';
import { isJsonObject, parseJson } from '../../data/json';
import { finderOf } from '../../data/secretForms';
import { findSessionGuid } from '../sessionGuid';
import { WebhookRefusal, type WebhookRequest } from './request';

/** One event of a webhook. */
export interface Session {
	sessionGuid: string;
	payload: unknown;
}

/** The events of a webhook. */
export interface SessionsOfWebhook {
	/** One; if the payload is a list, as many as it has elements. None if there is a problem. */
	sessions: Session[];
	/** Why it is not clear which sessions they are. */
	problem?: string;
}

/**
 * The events of a webhook, each with its session GUID, which may also be in the query.
 *
 * @param field name of the field with the session GUID, or path with dots; may be empty
 */
export function sessionsOf(payload: unknown, query: IDataObject, field: string): SessionsOfWebhook {
	const isBatch = Array.isArray(payload) && payload.length > 0 && payload.every(isJsonObject);
	const events: unknown[] = isBatch ? payload : [payload];
	const sessions: Session[] = [];
	for (const [index, event] of events.entries()) {
		// With the query, so that a session GUID there must not contradict that of the payload.
		const found = findSessionGuid([event, query], field);
		if ('problem' in found) {
			const place = events.length > 1 ? `event ${index + 1} of ${events.length}: ` : '';
			return { sessions: [], problem: `${place}${found.problem}` };
		}
		sessions.push({ sessionGuid: found.sessionGuid, payload: event });
	}
	return { sessions };
}

/**
 * The payload of a webhook: its body, or its query if the body is empty.
 *
 * @param secrets to hide in it, whatever the names of their fields are
 *
 * @throws WebhookRefusal if it is neither JSON nor a form, or must not reach a workflow
 */
export function payloadOf(
	request: WebhookRequest,
	query: IDataObject,
	secrets: readonly string[] = [],
): unknown {
	let payload: unknown;
	try {
		payload = bodyOf(request) ?? query;
	} catch {
		throw unusablePayload('the payload is neither JSON nor a form');
	}
	assertHarmless(payload);
	hidePasswords(payload, finderOf(secrets));
	return payload;
}

/**
 * The body, by what it is rather than by its content type, which a service may set wrong.
 *
 * @returns `undefined` if it is empty
 *
 * @throws SyntaxError if it is not JSON and n8n has not read it either
 */
function bodyOf({ body, rawBody, headers }: WebhookRequest): unknown {
	const type = String(headers['content-type']).toLowerCase();
	// n8n puts the fields of a multipart form beside its files.
	if (type.startsWith('multipart/') && isJsonObject(body)) return body.data;
	const text = rawBody?.toString().trim() ?? '';
	// JSON with the content type of a form, which n8n has read as the name of a field.
	const isJsonInForm = type.startsWith('application/x-www-form-urlencoded') && /^[{[]/.test(text);
	// JSON or a form, as n8n has parsed it.
	if (typeof body === 'object' && !isJsonInForm) return body;
	return text === '' ? undefined : parseJson(text);
}

/**
 * Refuses a payload that would do harm: a key `__proto__` would change the prototype of objects
 * that the payload is copied to, and code of n8n that goes through many levels would run out of
 * stack.
 */
function assertHarmless(payload: unknown): void {
	let level: unknown[] = [payload];
	for (let depth = 0; level.length > 0; depth += 1) {
		const objects = level.filter(isObjectOrList);
		if (objects.length > 0 && depth === MAX_DEPTH) {
			throw unusablePayload(`the payload is nested deeper than ${MAX_DEPTH} levels`);
		}
		if (objects.some((value) => Object.hasOwn(value, '__proto__'))) {
			throw unusablePayload("the payload has a field '__proto__'");
		}
		level = objects.flatMap((value) => Object.values(value) as unknown[]);
	}
}

function isObjectOrList(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

function unusablePayload(problem: string): WebhookRefusal {
	return new WebhookRefusal(400, problem);
}
