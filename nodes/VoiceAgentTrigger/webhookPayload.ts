import { VoiceAgentError } from '../errors';
import { isBreakDue, takeBreak } from '../data/breaks';
import type { JsonObject } from '../data/payload';
import { isJsonObject, MAX_DEPTH, MAX_VALUES } from '../data/payload';
import { parseJson } from '../data/parseJson';

/** How many bytes are decoded at a time. */
const PIECE_BYTES = 1024 * 1024;

/** A request as n8n hands it over. */
export interface ReceivedBody {
	/** As n8n has parsed it. */
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
 * What a webhook delivered. n8n parses JSON, forms and XML by the content type. A body with another content type, or sent
 * as plain text or as a form, may still be JSON, or JSON lines. JSON with very many values is parsed again, because its
 * limits keep us from objects that take too long to look at.
 *
 * @returns the parsed body; `{ body: text }` for text that cannot be read; `undefined` for an empty body
 * @throws VoiceAgentError `tooLarge`
 */
export async function readWebhookBody({ body, rawBody, headers }: ReceivedBody): Promise<unknown> {
	const type = String(headers['content-type']).toLowerCase();
	if (type.startsWith('multipart/') && isJsonObject(body)) return body.data;
	const isForm = type.startsWith('application/x-www-form-urlencoded');
	const isParsed = body !== undefined && typeof body !== 'string' && !isForm;
	if (isParsed && !hasManyValues(rawBody)) return body;
	const pieces = typeof body === 'string' ? [body] : await decoded(rawBody ?? Buffer.alloc(0));
	if (pieces.every((piece) => piece.trim() === '')) return undefined;
	if (isForm && !/^\s*[{[]/.test(pieces[0] ?? '')) return body;
	const values = await parseJson(pieces);
	if (isParsed && !values) throw tooLarge(`it has more than ${MAX_VALUES} values and is not JSON`);
	const [only = null, ...others] = values ?? [];
	if (only !== null && others.length === 0) return only;
	if (values?.length && values.every(isJsonObject)) return values;
	return isForm ? body : { body: pieces.join('').replace(/^\uFEFF/, '') };
}

async function decoded(bytes: Buffer): Promise<string[]> {
	const decoder = new TextDecoder();
	const pieces: string[] = [];
	for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
		if (isBreakDue()) await takeBreak();
		pieces.push(decoder.decode(bytes.subarray(from, from + PIECE_BYTES), { stream: true }));
	}
	return [...pieces, decoder.decode()];
}

/**
 * Whether a body may have more values than can be searched. What stands between its values is counted, because that takes
 * less time than to visit the values.
 */
export function hasManyValues(rawBody: Buffer = Buffer.alloc(0)): boolean {
	const isXml = rawBody.toString('latin1', 0, 100).trimStart().startsWith('<');
	return (isXml ? ['<', '='] : [',']).some((separator) => {
		let at = -1;
		for (let count = 0; count <= MAX_VALUES; count++) {
			at = rawBody.indexOf(separator, at + 1);
			if (at === -1) return false;
		}
		return true;
	});
}

/**
 * Why a payload must not reach a workflow; `undefined` if it is harmless. A key `__proto__` would change the prototype of
 * objects that it is copied to.
 */
export async function payloadProblem(payload: unknown): Promise<string | undefined> {
	const open: Array<Iterator<unknown>> = [[payload].values()];
	while (open.length > 0) {
		if (isBreakDue()) await takeBreak();
		const next = open[open.length - 1]?.next();
		if (next?.done !== false) {
			open.pop();
			continue;
		}
		const { value } = next;
		if (typeof value !== 'object' || value === null) continue;
		if (open.length > MAX_DEPTH) return `the payload is nested deeper than ${MAX_DEPTH} levels`;
		if (Object.hasOwn(value, '__proto__')) return "the payload has a field '__proto__'";
		open.push(Array.isArray(value) ? value.values() : valuesOf(value as JsonObject));
	}
	return undefined;
}

/** Not `Object.values`, which takes several times as long as to list the names. */
function* valuesOf(object: JsonObject): Generator<unknown> {
	for (const name of Object.keys(object)) yield object[name];
}

function tooLarge(detail: string): VoiceAgentError {
	return new VoiceAgentError('tooLarge', { detail });
}
