import { sleep } from 'n8n-workflow';

import { isJsonObject, MAX_DEPTH, MAX_VALUES } from '../service/payload';

/** More lines than that are a text, not one event per line. */
const MAX_LINES = 1_000;
/** How many values are looked at before n8n gets on with its other work. */
const SLICE = 20_000;

/** A request as n8n hands it over. */
export interface ReceivedBody {
	/** As n8n has parsed it. */
	body?: unknown;
	/** Its bytes, if n8n has read them. */
	rawBody?: Buffer;
	headers: Readonly<Record<string, unknown>>;
}

/**
 * What a webhook delivered. n8n parses JSON, forms and XML by the content type. A body with another content type, or sent
 * as plain text or as a form, may still be JSON, or JSON lines.
 *
 * @returns the parsed body; `{ body: text }` for text that cannot be read; `undefined` for an empty body
 */
export function readWebhookBody({ body, rawBody, headers }: ReceivedBody): unknown {
	const type = String(headers['content-type']).toLowerCase();
	if (type.startsWith('multipart/') && isJsonObject(body)) return body.data;
	const isForm = type.startsWith('application/x-www-form-urlencoded');
	if (body !== undefined && typeof body !== 'string' && !isForm) return body;
	const text = (typeof body === 'string' ? body : (rawBody?.toString('utf8') ?? '')).replace(
		/^\uFEFF/,
		'',
	);
	if (text.trim() === '') return undefined;
	if (isForm && !/^\s*[{[]/.test(text)) return body;
	return parsedJson(text) ?? parsedLines(text) ?? (isForm ? body : { body: text });
}

function parsedLines(text: string): unknown {
	const lines = text.split('\n', MAX_LINES + 1).filter((line) => line.trim() !== '');
	if (lines.length > MAX_LINES || !lines.every((line) => /^\s*\{/.test(line))) return undefined;
	return parsedJson(`[${lines.join(',')}]`);
}

function parsedJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/**
 * Whether a body may have more values than can be searched. Its commas are counted, because that takes less time than to
 * visit the values.
 */
export function hasManyValues(rawBody: Buffer | undefined): boolean {
	let at = -1;
	for (let commas = 0; commas <= MAX_VALUES; commas++) {
		at = rawBody?.indexOf(',', at + 1) ?? -1;
		if (at === -1) return false;
	}
	return true;
}

/**
 * Why a payload must not reach a workflow; `undefined` if it is harmless. A key `__proto__` would change the prototype of
 * objects that it is copied to.
 */
export async function payloadProblem(payload: unknown): Promise<string | undefined> {
	const open: Array<Iterator<unknown>> = [[payload].values()];
	for (let visited = 1; open.length > 0; visited++) {
		if (visited % SLICE === 0) await sleep(0);
		const next = open[open.length - 1]?.next();
		if (next?.done !== false) {
			open.pop();
			continue;
		}
		const { value } = next;
		if (typeof value !== 'object' || value === null) continue;
		if (open.length > MAX_DEPTH) return `the payload is nested deeper than ${MAX_DEPTH} levels`;
		if (Object.hasOwn(value, '__proto__')) return "the payload has a field '__proto__'";
		open.push(Object.values(value).values());
	}
	return undefined;
}
