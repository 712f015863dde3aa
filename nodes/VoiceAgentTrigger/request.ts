import { createHash, timingSafeEqual } from 'node:crypto';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

/** Why a webhook is answered with an error and starts no workflow. */
export class WebhookRefusal extends Error {
	/**
	 * @param status of the HTTP answer
	 * @param reason what the sender learns
	 * @param detail what the log says, which may be more
	 */
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

/**
 * Checks where a request comes from.
 *
 * @returns what may be read of the query: a secret in it is left out, and so is what nobody signed
 *
 * @throws WebhookRefusal
 */
export type Proof = (request: WebhookRequest) => IDataObject;

/** Whether a name may be that of a header: RFC 9110, section 5.6.2 (token). */
export function isHeaderName(name: unknown): name is string {
	return typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/**
 * The value of a header that occurs exactly once; `undefined` for any other one. Node joins or
 * drops repeated headers, so only the raw ones show it.
 *
 * @param rawHeaders names and values in turn
 */
export function onlyHeader(rawHeaders: readonly string[], name: string): string | undefined {
	const values: string[] = [];
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const [header = '', value = ''] = rawHeaders.slice(index, index + 2);
		if (header.toLowerCase() === name.toLowerCase()) values.push(value);
	}
	return values.length === 1 ? values[0] : undefined;
}

/**
 * Compares a secret with what somebody has sent, in the same time for any two texts. Their digests
 * are compared, which are equally long, so the time does not reveal the length of the secret
 * either.
 */
export function isSameText(one: string, other: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(one), digest(other));
}
