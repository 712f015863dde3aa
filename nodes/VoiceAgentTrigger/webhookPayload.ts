import { MAX_DEPTH } from '../data/fieldsNamed';
import { isJsonObject } from '../data/json';

/** A request as n8n hands it over. */
export interface ReceivedBody {
	/** As n8n has parsed it by its content type: JSON, or a form. */
	body?: unknown;
	/** Its bytes, if n8n has read them. */
	rawBody?: Buffer;
	/** Reads them. */
	readRawBody?: () => Promise<void>;
	headers: Readonly<Record<string, unknown>>;
}

/** Reads a body that n8n has left alone, as it does with unusual content types. Returns why that was not possible. */
export async function readRawBody(
	request: ReceivedBody,
): Promise<{ status: number; reason: string } | undefined> {
	if (request.body !== undefined) return undefined;
	try {
		await request.readRawBody?.();
		return undefined;
	} catch (error) {
		// 413 if it is too large.
		const { status = 400 } = error as { status?: number };
		return { status, reason: 'The body cannot be read' };
	}
}

/**
 * What a webhook delivered: JSON, also with another content type or with that of a form, or a form.
 *
 * @returns the parsed body; `undefined` for an empty one
 * @throws SyntaxError if it is neither
 */
export function readWebhookBody({ body, rawBody, headers }: ReceivedBody): unknown {
	const type = String(headers['content-type']).toLowerCase();
	if (type.startsWith('multipart/') && isJsonObject(body)) return body.data;
	const isForm = type.startsWith('application/x-www-form-urlencoded');
	const text = typeof body === 'string' ? body : (rawBody?.toString() ?? '');
	const isParsed = typeof body === 'object' && body !== null;
	if (isParsed && !(isForm && /^\s*[{[]/.test(text))) return body;
	return text.trim() === '' ? undefined : JSON.parse(text.replace(/^\uFEFF/, ''));
}

/**
 * Why a payload must not reach a workflow; `undefined` if it is harmless. A key `__proto__` would change the prototype of
 * objects that it is copied to.
 */
export function payloadProblem(payload: unknown): string | undefined {
	let level: unknown[] = [payload];
	for (let depth = 0; level.length > 0; depth++) {
		const objects = level.filter((value) => typeof value === 'object' && value !== null);
		if (objects.length > 0 && depth === MAX_DEPTH) {
			return `the payload is nested deeper than ${MAX_DEPTH} levels`;
		}
		if (objects.some((value) => Object.hasOwn(value as object, '__proto__'))) {
			return "the payload has a field '__proto__'";
		}
		level = objects.flatMap((value) => Object.values(value as object));
	}
	return undefined;
}
