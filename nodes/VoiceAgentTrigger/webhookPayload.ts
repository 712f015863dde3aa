import { isJsonObject } from '../service/payload';

/** Far more than any webhook needs. Deeper nesting could overflow the stack of the code that serializes it. */
const MAX_DEPTH = 64;

/**
 * What a webhook delivered. n8n parses JSON, forms and XML by the content type. A body with another content type, or sent
 * as plain text, may still be JSON.
 *
 * @param body the body as n8n has parsed it
 * @param rawBody its bytes, if n8n has read them
 * @returns the parsed body; `{ body: text }` for text that is not JSON; `undefined` for an empty body
 */
export function readWebhookBody(body: unknown, rawBody?: Uint8Array): unknown {
	if (body !== undefined && typeof body !== 'string') return body;
	const text = body ?? Buffer.from(rawBody ?? []).toString('utf8');
	if (text.trim() === '') return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return { body: text };
	}
}

/**
 * Why a payload must not reach a workflow; `undefined` if it is harmless. A key `__proto__` would change the prototype of
 * objects that it is copied to.
 */
export function payloadProblem(payload: unknown): string | undefined {
	const open: Array<{ value: unknown; depth: number }> = [{ value: payload, depth: 1 }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { value, depth } = next;
		if (typeof value !== 'object' || value === null) continue;
		if (depth > MAX_DEPTH) return `the payload is nested deeper than ${MAX_DEPTH} levels`;
		if (isJsonObject(value) && Object.hasOwn(value, '__proto__')) {
			return "the payload has a field '__proto__'";
		}
		for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
	}
	return undefined;
}
