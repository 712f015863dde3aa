import type { IDataObject } from 'n8n-workflow';

import { MAX_DEPTH } from '../data/fields';
import { hidePasswords } from '../data/hidePasswords';
import { isJsonObject } from '../data/json';
import type { WebhookRequest } from './request';
import { Refusal } from './request';

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
	assertHarmless(payload);
	hidePasswords(payload);
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
