import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { Reason } from '../../errors';
import type { Answer } from './answer';
import { isWebPage, readErrorPage, SILENCE_MS } from './answer';
import { parseApiCredential } from '../apiCredential';
import type { StatusReasons } from './httpErrors';
import { safeExcerpt } from './excerpt';
import { connectionError, parseRetryAfter, statusError } from './httpErrors';
import { inTime } from './inTime';

const CREDENTIAL = 'voiceAgentApi';

export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | ITriggerFunctions;

export interface SendOptions {
	/** Item that expressions in the fields of the credential refer to; the first one by default. */
	itemIndex?: number;
	query?: IDataObject;
	/** Sent as JSON. */
	body?: unknown;
	/** Media types to ask for; JSON by default. */
	accept?: string;
	/** Reasons that a status has for this endpoint only. */
	statusReasons?: StatusReasons;
	/** What to report if the service may have carried out the request but its answer does not say so. */
	ambiguous?: Reason;
}

/** The credential of the service, read and checked. */
export type ServiceAccess = Awaited<ReturnType<typeof serviceAccess>>;

export async function serviceAccess(context: RequestContext, itemIndex?: number) {
	const data = await context.getCredentials(CREDENTIAL, itemIndex);
	return { data, ...parseApiCredential(data) };
}

/**
 * Sends one request, once.
 *
 * @returns an answer with a status of 2xx, its body not yet read
 * @throws VoiceAgentError for any other status, and if the connection fails
 */
export async function send(
	context: RequestContext,
	method: IHttpRequestMethods,
	path: string,
	options: SendOptions,
): Promise<Answer> {
	const access = await serviceAccess(context, options.itemIndex);
	try {
		const answer = await exchange(context, {
			method,
			url: `${access.baseUrl}${path}`,
			options: { ...options, query: { ...access.query, ...options.query } },
			access,
		});
		return await accepted(answer, `${method} ${access.baseUrl}${path}`, options);
	} catch (error) {
		throw connectionError(error, options);
	}
}

interface Exchange {
	method: IHttpRequestMethods;
	url: string;
	options: Pick<SendOptions, 'query' | 'body' | 'accept'>;
	/** Sends the API key. Without it, nothing secret is sent. */
	access?: ServiceAccess;
}

/**
 * Sends one request, once, and follows no redirect.
 *
 * @returns the answer with any status
 * @throws whatever n8n throws if the connection fails, with the API key in it: see {@link connectionError}
 */
export async function exchange(
	context: RequestContext,
	{ method, url, options: { query, body, accept = 'application/json' }, access }: Exchange,
): Promise<Answer> {
	const request: IHttpRequestOptions = {
		method,
		url,
		qs: query,
		// Serialized here, because n8n leaves out a body that is an empty object.
		...(body !== undefined && { body: JSON.stringify(body) }),
		headers: {
			Accept: accept,
			'Accept-Encoding': 'identity',
			...(body !== undefined && { 'Content-Type': 'application/json' }),
		},
		encoding: 'stream',
		returnFullResponse: true,
		// Otherwise n8n sends a request that was answered with 401 a second time.
		ignoreHttpStatusErrors: true,
		// n8n would send the Token header to wherever a redirect points.
		disableFollowRedirect: true,
		timeout: SILENCE_MS,
	};
	// n8n would read the credential again, with the first item in its expressions.
	const credentialsDecrypted = access && { id: '', name: '', type: CREDENTIAL, data: access.data };
	const { helpers } = context;
	const {
		statusCode,
		headers,
		body: content,
	} = await inTime<IN8nHttpFullResponse>(
		credentialsDecrypted
			? helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, request, {
					credentialsDecrypted,
				})
			: helpers.httpRequest(request),
		2 * SILENCE_MS,
		(late) => (late.body as unknown as Answer['body']).destroy(),
	);
	return {
		status: statusCode,
		body: content as unknown as Answer['body'],
		headers,
		excerpt: (text) => safeExcerpt(text, access ? [access.apiKey] : []),
		header: (name) => (typeof headers[name] === 'string' ? headers[name] : undefined),
	};
}

/**
 * The answer of the service, if its status is 2xx.
 *
 * @param request method and address, for the error
 */
export async function accepted(
	answer: Answer,
	request: string,
	{ statusReasons, ambiguous }: Pick<SendOptions, 'statusReasons' | 'ambiguous'>,
): Promise<Answer> {
	const { status } = answer;
	if (status >= 200 && status < 300) return answer;
	const page = await readErrorPage(answer);
	throw statusError(status, {
		request,
		excerpt: answer.excerpt(page),
		isWebPage: isWebPage(page),
		retryAfterMs: parseRetryAfter(answer.header('retry-after'), Date.now()),
		special: statusReasons,
		ambiguous,
	});
}
