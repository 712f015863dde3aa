import type { IHttpRequestMethods } from 'n8n-workflow';

import { parseBody, readText } from './answer';
import { unreadableAnswer } from './httpErrors';
import type { RetryOptions } from './retries';
import { withRetries } from './retries';
import type { RequestContext, SendOptions } from './transport';
import { send } from './transport';

/** A JSON answer that is longer than this does not come from the service. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A JSON answer must be complete after this time. */
const MAX_MS = 5 * 60_000;

export type RequestOptions = Omit<SendOptions, 'accept'> & Pick<RetryOptions, 'onFailure'>;

export interface JsonAnswer {
	status: number;
	/** Parsed body; a string if it is plain text, `undefined` if it is empty. */
	json: unknown;
	/** When the service answered by its own clock, in milliseconds since 1970, so that ages do not depend on our clock. */
	serviceTimeMs: number;
	/** The `Link` header; empty if there is none. */
	link: string;
}

/**
 * Sends a request with an optional JSON body and reads the JSON answer.
 * GET and DELETE are repeated after failures that may pass, POST never.
 *
 * @throws VoiceAgentError for everything that can go wrong, each with its own text
 */
export async function request(
	context: RequestContext,
	method: IHttpRequestMethods,
	path: string,
	{ onFailure, ...options }: RequestOptions = {},
): Promise<JsonAnswer> {
	const attempt = async () => {
		const answer = await send(context, method, path, options);
		try {
			const limits = { maxBytes: MAX_BYTES, deadlineMs: Date.now() + MAX_MS };
			return {
				status: answer.status,
				json: parseBody(await readText(answer, limits), answer.status),
				link: answer.header('link') ?? '',
				serviceTimeMs: Date.parse(answer.header('date') ?? '') || Date.now(),
			};
		} catch (error) {
			throw options.ambiguous ? unreadableAnswer(error, options.ambiguous) : error;
		} finally {
			answer.body.destroy();
		}
	};
	return method === 'POST' ? await attempt() : await withRetries(attempt, { onFailure });
}
