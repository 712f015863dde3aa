import type { IHttpRequestMethods } from 'n8n-workflow';

import type { JsonObject } from '../../data/json';
import { isJsonObject } from '../../data/json';
import { parseTime } from '../../data/times';
import { VoiceAgentError } from '../../errors';
import type { Answer, Limits } from './answer';
import { parseBody, readText } from './answer';
import { unreadableAnswer } from './httpErrors';
import type { RetryOptions } from './retries';
import { withRetries } from './retries';
import type { RequestContext, SendOptions } from './transport';
import { send } from './transport';

/** What n8n takes for a webhook. To parse more would keep n8n from its other work for too long. */
const MAX_BYTES = 16 * 1024 * 1024;
/** A JSON answer must be complete after this time. */
const MAX_MS = 5 * 60_000;

export type RequestOptions = Omit<SendOptions, 'accept'> &
	Pick<RetryOptions, 'onFailure'> &
	Partial<Pick<Limits, 'deadlineMs'>>;

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
	{ onFailure, deadlineMs = Infinity, ...options }: RequestOptions = {},
): Promise<JsonAnswer> {
	const attempt = async () => {
		const answer = await send(context, method, path, options);
		const limits: Limits = {
			maxBytes: MAX_BYTES,
			deadlineMs: Math.min(Date.now() + MAX_MS, deadlineMs),
		};
		const json = await readJson(answer, limits, options.ambiguous);
		if (!declaresFailure(answer, json, method)) {
			const { status, headers } = answer;
			const serviceTimeMs = parseTime(answer.header('date')) || Date.now();
			return { status, headers, json, serviceTimeMs };
		}
		const says = answer.excerpt(json);
		const what = `The service answered ${method} ${path} with status ${answer.status}.`;
		throw new VoiceAgentError('declaredFailure', {
			httpStatus: answer.status,
			hint: says ? `${what} The service says: ${says}` : what,
		});
	};
	return method === 'POST'
		? await attempt()
		: await withRetries(attempt, { onFailure, deadlineMs });
}

async function readJson(
	answer: Answer,
	limits: Limits,
	ambiguous: SendOptions['ambiguous'],
): Promise<unknown> {
	try {
		const json = parseBody(await readText(answer, limits), answer.status);
		// What is missing may say that the request failed.
		const isCut = ambiguous && typeof json === 'string' && /^\s*[{[]/.test(json);
		if (isCut) throw new VoiceAgentError('connectionLost');
		return json;
	} catch (error) {
		throw ambiguous ? unreadableAnswer(error, ambiguous) : error;
	} finally {
		answer.body.destroy();
	}
}

/**
 * Whether an answer with a status of 2xx says that the request failed: 207 is for several things of which some may have
 * failed, RFC 9457 is for problems only, and the rest is what most services use. Everything else is for the user to read.
 */
export function declaresFailure(
	{ status, headers }: Pick<Answer, 'status' | 'headers'>,
	json: unknown,
	method: string,
): boolean {
	if (status === 207 || /^application\/problem\+/i.test(String(headers['content-type'])))
		return true;
	if (!isJsonObject(json)) return false;
	const flags = ['success', 'ok', 'isSuccess', 'succeeded'];
	// In another answer, it is about something that was deleted earlier, or not.
	if (method === 'DELETE') flags.push('deleted');
	return flags.some((name) => json[name] === false) || isError(json.error) || isError(json.errors);
}

/** Whether it has a text, or a code other than 0. */
function isError(value: unknown): boolean {
	if (Array.isArray(value)) return value.some(isError);
	if (!isJsonObject(value)) return value !== '0' && Boolean(value);
	const { code } = value as JsonObject;
	if (typeof code === 'number') return code !== 0;
	return Object.values(value).some(isError);
}
