import type { IDataObject } from 'n8n-workflow';

import { MAX_DEPTH } from '../data/fieldsNamed';
import type { JsonObject } from '../data/json';
import { isJsonObject, plainName } from '../data/json';
import type { WebhookRequest } from './request';
import { Refusal } from './request';

const PASSWORD = plainName('recordCallPassword');

/**
 * What a webhook delivered: JSON, also with another content type or with that of a form, or a form, or the query.
 * @throws Refusal if it is none of them, or must not reach a workflow
 */
export function payloadOf(request: WebhookRequest, query: IDataObject): unknown {
	let payload: unknown;
	try {
		payload = bodyOf(request) ?? query;
	} catch {
		throw refuse('the payload is neither JSON nor a form');
	}
	makeHarmless(payload);
	return payload;
}

/** `undefined` if it is empty. */
function bodyOf({ body, rawBody, headers }: WebhookRequest): unknown {
	const type = String(headers['content-type']).toLowerCase();
	if (type.startsWith('multipart/') && isJsonObject(body)) return body.data;
	const text = rawBody?.toString().trim() ?? '';
	const isJsonInForm = type.startsWith('application/x-www-form-urlencoded') && /^[{[]/.test(text);
	if (typeof body === 'object' && body !== null && !isJsonInForm) return body;
	return text === '' ? undefined : JSON.parse(text);
}

/**
 * A key `__proto__` would change the prototype of objects that a payload is copied to. And a service may repeat its
 * instructions, with the password of the recording, which must not be stored beside it.
 */
function makeHarmless(payload: unknown): void {
	let level = [payload];
	for (let depth = 0; level.length > 0; depth++) {
		const objects = level.filter((value) => typeof value === 'object' && value !== null);
		if (objects.length > 0 && depth === MAX_DEPTH) {
			throw refuse(`the payload is nested deeper than ${MAX_DEPTH} levels`);
		}
		if (objects.some((value) => Object.hasOwn(value as object, '__proto__'))) {
			throw refuse("the payload has a field '__proto__'");
		}
		for (const object of objects as JsonObject[]) hidePassword(object);
		level = objects.flatMap((value) => Object.values(value as object) as unknown[]);
	}
}

/** As a field, as the value beside its name, and in a text such as JSON. */
function hidePassword(object: JsonObject): void {
	const plain = (value: unknown) => (typeof value === 'string' ? plainName(value) : '');
	const isNamed = Object.values(object).some((value) => plain(value) === PASSWORD);
	for (const [name, value] of Object.entries(object)) {
		const isHidden = [plain(name), plain(value)].some((text) => text.includes(PASSWORD));
		if (value !== null && (isHidden || (isNamed && typeof value === 'string'))) {
			object[name] = '[redacted]';
		}
	}
}

function refuse(problem: string): Refusal {
	return new Refusal(400, problem);
}
