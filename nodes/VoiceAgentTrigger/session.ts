import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { MAX_DEPTH } from '../data/fields';
import { hidePasswords } from '../data/hidePasswords';
import { isJsonObject, parseJson } from '../data/json';
import { finderOf } from '../data/secretForms';
import { type Account, numberFieldsOf, passwordsOf } from '../service/account';
import type { NumberFields } from '../service/apiCredential';
import { callNumbersIn } from '../service/callNumbers';
import type { Retention } from '../service/retention';
import { canonicalSessionGuid, findSessionGuid, recordingKeyOf } from '../service/sessionGuid';
import { requestOf, WebhookRefusal, type WebhookRequest } from '../service/webhooks/request';
import type { WebhookEvent } from './namedEvent';

/** One event of a webhook. */
export interface Session {
	sessionGuid: string;
	payload: unknown;
}

/** What a webhook delivered. */
export interface Received {
	payload: unknown;
	/** One; if the payload is a list, as many as it has elements. None if there is a problem. */
	sessions: Session[];
	/** Why it is not clear which sessions they are. */
	problem?: string;
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
export function receive(
	context: IWebhookFunctions,
	query: IDataObject,
	{ fields }: Account,
): Received {
	const payload = payloadOf(requestOf(context), query, passwordsOf(fields));
	const named = context.getNodeParameter('options.sessionGuidField', '') as string;
	const sessionGuidField = named.trim();
	const numberFields = numberFieldsOf(fields);
	const sessions = sessionsOf(payload, query, sessionGuidField);
	return { payload, ...sessions, sessionGuidField, numberFields };
}

/**
 * The events of a webhook, each with its session GUID, which may also be in the query.
 *
 * @param field name of the field with the session GUID, or path with dots; may be empty
 */
export function sessionsOf(
	payload: unknown,
	query: IDataObject,
	field: string,
): Pick<Received, 'sessions' | 'problem'> {
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

/**
 * The payload of a webhook: its body, or its query if the body is empty.
 *
 * @param passwords to hide in it, whatever the names of their fields are
 *
 * @throws WebhookRefusal if it is neither JSON nor a form, or must not reach a workflow
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
		throw unusablePayload('the payload is neither JSON nor a form');
	}
	assertHarmless(payload);
	hidePasswords(payload, finderOf(passwords));
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
