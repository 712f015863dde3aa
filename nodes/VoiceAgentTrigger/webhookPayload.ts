import { isJsonObject } from '../service/payload';

/** Deeper nesting than any webhook needs would overflow the stack of whoever writes it down. */
const MAX_DEPTH = 64;

/**
 * What a webhook delivered. n8n parses JSON, forms and XML by the content type; a body under another type, or sent as
 * plain text, may still be JSON.
 *
 * @param body what n8n has made of the body
 * @param rawBody the bytes, where n8n has read them
 * @returns the parsed body; text that is not JSON comes as `{ body: text }`; `undefined` for no body
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
 * Why a payload is not taken over into a workflow; `undefined` if it is harmless. A key `__proto__` would give objects
 * other properties wherever they are copied.
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
