import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { Reason } from '../../errors';
import { ACCOUNT, type ApiCredential, parseApiCredential, secretsOf } from '../apiCredential';
import { type Answer, isWebPage, readErrorPage, SILENCE_MS } from './answer';
import { answerError, reasonOfStatus } from './answerError';
import { safeExcerpt } from './excerpt';
import { connectionError } from './httpErrors';

export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | ITriggerFunctions;

export interface SendOptions {
	/** Item that expressions in the fields of the credential refer to; the first one by default. */
	itemIndex?: number;
	query?: IDataObject;
	/** Sent as JSON. */
	body?: unknown;
	/** Media types to ask for; JSON by default. */
	accept?: string;
	/** What a status means for this endpoint only, such as 404 for a recording that was purged. */
	statusReasons?: Partial<Record<number, Reason>>;
	/** Follows a redirect: gets the first answer, and returns the one at the end. */
	follow?: (answer: Answer) => Promise<Answer>;
}

/** The credential of the service, read and checked. */
export interface ServiceAccess extends ApiCredential {
	/** As n8n has it, for n8n to sign a request with. */
	data: ICredentialDataDecryptedObject;
	/** All of it that must not be in what n8n stores, whatever the service answers. */
	secrets: readonly string[];
}

/** @param itemIndex item that expressions in the credential refer to; the first one by default */
export async function serviceAccess(
	context: RequestContext,
	itemIndex?: number,
): Promise<ServiceAccess> {
	return accessOf(await context.getCredentials(ACCOUNT, itemIndex));
}

/** The same of a credential that was read before. */
export function accessOf(data: ICredentialDataDecryptedObject): ServiceAccess {
	return { data, secrets: secretsOf(data), ...parseApiCredential(data) };
}

/**
 * Sends one request, once.
 *
 * @returns an answer with a status of 2xx, its body not yet read
 * @throws VoiceAgentError for any other status, and if the connection fails
 */
export async function send(
	context: RequestContext,
	access: ServiceAccess,
	method: IHttpRequestMethods,
	path: string,
	{ follow, statusReasons, ...options }: SendOptions,
): Promise<Answer> {
	const url = `${access.baseUrl}${path}`;
	const query = { ...access.query, ...options.query };
	try {
		const first = await exchange(context, { ...options, method, url, query, access });
		const answer = follow ? await follow(first) : first;
		if (isSuccess(answer)) return answer;
		const page = await readErrorPage(answer);
		const meaning = statusReasons?.[answer.status] ?? reasonOfStatus(answer.status);
		// A web page may come from any proxy in between, so it does not prove that a recording is gone.
		const reason = isWebPage(page) && meaning === 'recordingGone' ? 'webPage' : meaning;
		throw answerError(answer, reason, `${method} ${url}`, answer.excerpt(page));
	} catch (error) {
		throw connectionError(error);
	}
}

/** What n8n returns. */
type Response = Pick<Answer, 'headers' | 'body'> & { statusCode: number };

interface Exchange extends Pick<SendOptions, 'query' | 'body' | 'accept'> {
	method: IHttpRequestMethods;
	url: string;
	/** Sends the API key. Without it, nothing secret is sent. */
	access?: ServiceAccess;
}

/**
 * Sends one request, once, and follows no redirect.
 *
 * @returns the answer with any status
 * @throws whatever n8n throws if the connection fails. That has the API key in it, so it must go
 * through {@link connectionError}
 */
export async function exchange(
	context: RequestContext,
	{ method, url, query, body: content, accept = 'application/json', access }: Exchange,
): Promise<Answer> {
	const request: IHttpRequestOptions = {
		method,
		url,
		qs: query,
		// Serialized here, because n8n leaves out a body that is an empty object.
		body: JSON.stringify(content),
		headers: {
			Accept: accept,
			'Accept-Encoding': 'identity',
			...(content !== undefined && { 'Content-Type': 'application/json' }),
		},
		encoding: 'stream',
		returnFullResponse: true,
		// Otherwise n8n sends a request that was answered with 401 a second time.
		ignoreHttpStatusErrors: true,
		// n8n would send the Token header to wherever a redirect points.
		disableFollowRedirect: true,
		timeout: SILENCE_MS,
	};
	const { helpers } = context;
	const response: Promise<Response> = access
		? helpers.httpRequestWithAuthentication.call(context, ACCOUNT, request, {
				// n8n would read the credential again, with the first item in its expressions.
				credentialsDecrypted: { id: '', name: '', type: ACCOUNT, data: access.data },
			})
		: helpers.httpRequest(request);
	const { statusCode: status, headers, body } = await beginningInTime(response);
	return {
		url: new URL(url),
		status,
		body,
		headers,
		excerpt: (page, json) => safeExcerpt(page, access, json),
		header: (name) => (typeof headers[name] === 'string' ? headers[name] : undefined),
	};
}

/**
 * Waits until an answer has begun. n8n's own time limit does not count while something arrives, and
 * it ends with status 101, which switches protocols. So there is a second limit here.
 *
 * @throws an error with the code `ETIMEDOUT`, or whatever n8n throws
 */
async function beginningInTime(response: Promise<Response>): Promise<Response> {
	const tooLate = new Promise<undefined>((resolve) => {
		const giveUp = () => resolve(undefined);
		AbortSignal.timeout(2 * SILENCE_MS).addEventListener('abort', giveUp);
	});
	const begun = await Promise.race([response, tooLate]);
	if (begun) return begun;
	// If the answer begins after all, nobody reads it.
	const close = ({ body }: Response) => void body.destroy();
	void response.then(close, () => undefined);
	throw Object.assign(new Error(), { code: 'ETIMEDOUT' });
}

export function isSuccess({ status }: Answer): boolean {
	return status < 300;
}
