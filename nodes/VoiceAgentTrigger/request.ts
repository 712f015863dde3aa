import { createHash, timingSafeEqual } from 'node:crypto';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

/** Why a request is answered with an error and starts nothing. */
export class Refusal extends Error {
	/** @param detail what the log says, which may be more than the sender learns */
	constructor(
		readonly status: number,
		readonly reason: string,
		readonly detail = reason,
	) {
		super(reason);
	}
}

/** A request as n8n hands it over. */
export interface WebhookRequest {
	/** Names and values in turn, as they arrived. */
	rawHeaders: readonly string[];
	headers: Readonly<Record<string, unknown>>;
	query: IDataObject;
	/** Path and query as they arrived, before n8n or Express has changed them. */
	originalUrl?: string;
	/** As n8n has parsed it by its content type: JSON, or a form. */
	body?: unknown;
	/** Its bytes, if n8n has read them. It does not keep those of a multipart form. */
	rawBody?: Buffer;
	/** Reads them, unless they are too many. */
	readRawBody?: () => Promise<void>;
	/** Where n8n trusts it to come from. */
	ip?: string;
}

export function requestOf(context: IWebhookFunctions): WebhookRequest {
	return context.getRequestObject() as object as WebhookRequest;
}

/** Checks where a request comes from. Like `admit`, it returns what may be read of the query, or throws a refusal. */
export type Proof = (request: WebhookRequest) => IDataObject;

/** RFC 9110, token. */
export function isHeaderName(name: unknown): name is string {
	return typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** The value of a header that occurs exactly once, which other forms than the raw one do not show. */
export function onlyHeader(rawHeaders: readonly string[], name: string): string | undefined {
	const wanted = name.toLowerCase();
	const values = rawHeaders.filter(
		(_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted,
	);
	return values.length === 1 ? values[0] : undefined;
}

/** Takes the same time for any two texts. Digests have the same length, so that the length is not revealed either. */
export function isSameText(one: string, other: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(one), digest(other));
}
