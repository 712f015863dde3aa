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
	/** Path and query as they arrived. */
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

/**
 * Checks where a request comes from.
 *
 * @returns what may be read of the query: a secret in it is left out, and so is what nobody signed
 *
 * @throws WebhookRefusal
 */
export type Proof = (request: WebhookRequest, receiver: Receiver) => IDataObject;

/** Where a request has arrived. */
export interface Receiver {
	/** The address of the trigger; `undefined` if n8n does not know it. */
	address: string | undefined;
	/**
	 * Whether somebody builds the workflow and sees why a request is refused. To find settings that
	 * would fit takes a while.
	 */
	isWatched: boolean;
}

/** Whether a name may be that of a header: RFC 9110, section 5.6.2 (token). */
export function isHeaderName(name: unknown): name is string {
	return typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/**
 * The values of a header, as often as it occurs. Node joins or drops repeated headers, so only the
 * raw ones show them.
 *
 * @param rawHeaders names and values in turn
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
	const values: string[] = [];
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const [header = '', value = ''] = rawHeaders.slice(index, index + 2);
		if (header.toLowerCase() === name.toLowerCase()) values.push(value);
	}
	return values;
}

/** The value of a header that occurs exactly once; `undefined` for any other one. */
export function onlyHeader(rawHeaders: readonly string[], name: string): string | undefined {
	const values = headerValues(rawHeaders, name);
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
