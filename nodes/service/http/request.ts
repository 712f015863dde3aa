import type { IHttpRequestMethods } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import type { Answer, Limits } from './answer';
import { parseBody, readText } from './answer';
import { declaredFailure } from './declaredFailure';
import { unreadableAnswer } from './httpErrors';
import type { RetryOptions } from './retries';
import { withRetries } from './retries';
import { parseTime } from '../../data/times';
import type { RequestContext, SendOptions } from './transport';
import { send } from './transport';

/** A JSON answer that is longer than this does not come from the service. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A JSON answer must be complete after this time. */
const MAX_MS = 5 * 60_000;

export type RequestOptions = Omit<SendOptions, 'accept'> &
	Pick<RetryOptions, 'onFailure'> &
	Partial<Pick<Limits, 'maxBytes' | 'deadlineMs'>>;

export interface JsonAnswer {
	status: number;
	/** Parsed body; a string if it is plain text, `undefined` if it is empty. */
	json: unknown;
	/** When the service answered by its own clock, in milliseconds since 1970, so that ages do not depend on our clock. */
	serviceTimeMs: number;
	headers: Answer['headers'];
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
	{ onFailure, maxBytes = MAX_BYTES, deadlineMs = Infinity, ...options }: RequestOptions = {},
): Promise<JsonAnswer> {
	const exchange = async () => {
		const answer = await send(context, method, path, options);
		try {
			return await readAnswer(answer, {
				maxBytes,
				deadlineMs: Math.min(Date.now() + MAX_MS, deadlineMs),
				late: 'answerTooSlow',
			});
		} catch (error) {
			throw options.ambiguous ? unreadableAnswer(error, options.ambiguous) : error;
		} finally {
			answer.body.destroy();
		}
	};
	const attempt = async () => {
		const { excerpt, ...answer } = await exchange();
		// What is missing may say that the request failed.
		if (options.ambiguous && typeof answer.json === 'string' && /^\s*[{[]/.test(answer.json)) {
			throw new VoiceAgentError(options.ambiguous, {
				hint: 'The answer could not be read: it begins like JSON, but is not.',
			});
		}
		// Of several deletions, some may have failed. And RFC 9457 is for problems only.
		const isProblem = /^application\/problem\+/i.test(String(answer.headers['content-type']));
		const failure =
			answer.status === 207 || isProblem
				? (answer.json ?? '')
				: declaredFailure(answer.json, method);
		if (failure === undefined) return answer;
		const says = excerpt(failure);
		throw new VoiceAgentError('declaredFailure', {
			httpStatus: answer.status,
			hint: [
				`The service answered ${method} ${path} with status ${answer.status}.`,
				says && `The service says: ${says}`,
			]
				.filter(Boolean)
				.join(' '),
		});
	};
	return method === 'POST'
		? await attempt()
		: await withRetries(attempt, { onFailure, deadlineMs });
}

async function readAnswer(
	answer: Answer,
	limits: Limits,
): Promise<JsonAnswer & Pick<Answer, 'excerpt'>> {
	const { status, headers, excerpt } = answer;
	const contentType = answer.header('content-type');
	return {
		status,
		json: await parseBody(await readText(answer, limits), { status, contentType }),
		headers,
		serviceTimeMs: parseTime(answer.header('date')) || Date.now(),
		excerpt,
	};
}
