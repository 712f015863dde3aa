import { enteredObject, isJsonObject, type JsonObject } from '../../../data/json';
import type { WebhookEvent } from '../../../service/webhooks/namedEvent';
import type { WebhookRequest } from '../../../service/webhooks/request';

/** A webhook as a person has copied it. */
export interface PastedWebhook {
	event: WebhookEvent;
	payload: unknown;
	headers: Record<string, string>;
	/** The payload as it was pasted, if it was text. */
	text: string;
	/** Where it arrived, if the output of n8n's Webhook node says so. */
	address?: string;
	/** Whether n8n's Webhook node shows that only the query had values. */
	isQuery?: boolean;
}

export const WEBHOOK_NAMES = { callStart: 'CallStart', callEnd: 'CallEnd' } as const;

/**
 * A webhook from the fields of the operation; `undefined` if nothing is entered.
 *
 * @throws VoiceAgentError `invalidParameter` for what is not JSON
 */
export function pastedWebhook(
	event: WebhookEvent,
	payload: unknown,
	headers: unknown,
): PastedWebhook | undefined {
	const isEmpty = (value: unknown) =>
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
	if (isEmpty(payload)) return undefined;
	const name = WEBHOOK_NAMES[event];
	const parsed = typeof payload === 'string' ? parsedPayload(payload, name) : payload;
	const entered = isEmpty(headers) ? {} : enteredObject(headers, `${name} Headers`);
	const node = webhookNodeOutput(parsed);
	const texts = Object.entries({ ...node?.headers, ...entered }).map(([header, value]) => [
		header,
		String(value),
	]);
	const all = { event, headers: Object.fromEntries(texts) as Record<string, string> };
	const pasted = typeof payload === 'string' ? payload : JSON.stringify(payload);
	if (!node) return { ...all, payload: parsed, text: pasted };
	const isQuery = !isFilled(node.body);
	const sent = isQuery ? node.query : node.body;
	return { ...all, payload: sent, text: JSON.stringify(sent), address: node.webhookUrl, isQuery };
}

interface WebhookNodeOutput {
	headers: JsonObject;
	body: unknown;
	query: unknown;
	webhookUrl: string;
}

/** What n8n's Webhook node makes of a request: the body, the headers and the address. */
function webhookNodeOutput(pasted: unknown): WebhookNodeOutput | undefined {
	const [one] = [pasted].flat();
	if (!isJsonObject(one)) return undefined;
	const { headers, body, query, webhookUrl } = one;
	if (!isJsonObject(headers) || typeof webhookUrl !== 'string') return undefined;
	return URL.canParse(webhookUrl) ? { headers, body, query, webhookUrl } : undefined;
}

function isFilled(body: unknown): boolean {
	return typeof body === 'object' && body !== null ? Object.keys(body).length > 0 : Boolean(body);
}

function parsedPayload(text: string, name: string): unknown {
	// A list of events is JSON too.
	const { payload } = enteredObject(`{"payload":${text}}`, `${name} Payload`);
	return payload;
}

/** Headers of a request that has a body. */
export const OF_A_BODY = ['content-type', 'content-length', 'transfer-encoding'];

/** The request that was copied, as n8n hands one over. */
export function requestOf(webhook: PastedWebhook): WebhookRequest {
	const { payload, headers, text, address, isQuery } = webhook;
	const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
	const byName = Object.fromEntries(lower) as Record<string, string>;
	const path = address === undefined ? '' : new URL(address).pathname;
	const request = {
		rawHeaders: Object.entries(headers).flat(),
		headers: byName,
		query: {},
		body: payload,
	};
	// n8n shows a form and a query as JSON.
	const isForm = byName['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
	const pairs = isForm || isQuery || hasNoBody(byName) ? pairsOf(payload) : undefined;
	if (pairs === undefined) {
		return { ...request, originalUrl: path, rawBody: Buffer.from(text) };
	}
	return isForm && !isQuery
		? { ...request, originalUrl: path, rawBody: Buffer.from(pairs) }
		: { ...request, originalUrl: `${path}?${pairs}`, rawBody: Buffer.alloc(0) };
}

/** A form or a query with these values; `undefined` for what neither can have. */
function pairsOf(payload: unknown): string | undefined {
	if (!isJsonObject(payload)) return undefined;
	const entries = Object.entries(payload);
	if (!entries.every(([, value]) => typeof value === 'string')) return undefined;
	return new URLSearchParams(entries as Array<[string, string]>).toString();
}

/** Whether headers are all of a request that has no body. Every request has a host. */
export function hasNoBody(headers: Readonly<Record<string, unknown>>): boolean {
	return headers.host !== undefined && !OF_A_BODY.some((name) => headers[name] !== undefined);
}
