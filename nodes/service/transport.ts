import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { Reason } from '../errors';
import type { Answer } from './answer';
import { isWebPage, readErrorPage } from './answer';
import { parseApiCredential } from './apiCredential';
import type { StatusReasons } from './httpErrors';
import { connectionError, parseRetryAfter, safeExcerpt, statusError } from './httpErrors';
import { readCredential } from './readCredential';

const CREDENTIAL = 'voiceAgentApi';

/** Gives up after so much silence, in milliseconds: before the answer, and between two chunks of it. */
const SILENCE_MS = 60_000;

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
	const { data, baseUrl, apiKey } = await readCredential(
		context,
		CREDENTIAL,
		(fields) => ({ data: fields, ...parseApiCredential(fields) }),
		options.itemIndex,
	);
	// n8n would read the credential again, with the first item in its expressions.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	let response: IN8nHttpFullResponse;
	try {
		response = await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL,
			{
				method,
				url: `${baseUrl}${path}`,
				qs: options.query,
				// Serialized here, because n8n leaves out a body that is an empty object.
				...(options.body !== undefined && { body: JSON.stringify(options.body) }),
				headers: {
					Accept: options.accept ?? 'application/json',
					'Accept-Encoding': 'identity',
					...(options.body !== undefined && { 'Content-Type': 'application/json' }),
				},
				encoding: 'stream',
				returnFullResponse: true,
				// Otherwise n8n sends a request that was answered with 401 a second time.
				ignoreHttpStatusErrors: true,
				// n8n would send the Token header to wherever a redirect points.
				disableFollowRedirect: true,
				timeout: SILENCE_MS,
			},
			{ credentialsDecrypted },
		);
	} catch (error) {
		throw connectionError(error, options.ambiguous);
	}

	const { statusCode: status, headers } = response;
	const answer: Answer = {
		status,
		body: response.body as unknown as Answer['body'],
		header: (name) => (typeof headers[name] === 'string' ? headers[name] : undefined),
	};
	if (status >= 200 && status < 300) return answer;
	const page = await readErrorPage(answer);
	throw statusError(status, {
		detail: `${method} ${path} was answered with status ${status}`,
		excerpt: safeExcerpt(page, [apiKey]),
		isWebPage: isWebPage(page),
		retryAfterMs: parseRetryAfter(answer.header('retry-after'), Date.now()),
		special: options.statusReasons,
		ambiguous: options.ambiguous,
	});
}
