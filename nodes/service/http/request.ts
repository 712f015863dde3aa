import { sleep } from 'n8n-workflow';

import { isJsonObject, parseJson } from '../../data/json';
import { parseTime } from '../../data/times';
import { type Reason, VoiceAgentError } from '../../errors';
import { type Answer, isWebPage, limitedBody } from './answer';
import { answerError } from './answerError';
import { connectionError, mayHaveBeenCarriedOut } from './httpErrors';
import { type RetryOptions, withRetries } from './retries';
import { type RequestContext, type SendOptions, send, serviceAccess } from './transport';

/** What n8n takes for a webhook. To parse more would keep n8n from its other work for too long. */
const MAX_BYTES = 16 * 1024 * 1024;
/** A JSON answer must be complete after this time. */
const MAX_MS = 5 * 60_000;
/**
 * Parsing so many characters takes a while. There is a pause before and after it, in which n8n gets
 * on with its other work.
 */
const LONG_CHARS = 1_000_000;
/** Fields that say whether a request succeeded. */
const SUCCESS_FLAGS = ['success', 'ok', 'isSuccess', 'succeeded'];

interface RequestOptions extends Omit<SendOptions, 'follow'>, Pick<RetryOptions, 'onFailure'> {
	deadlineMs?: number;
	/**
	 * For POST only: what to report if the service may have carried out the request, but its answer
	 * does not say so.
	 */
	ambiguous?: Reason;
}

export interface JsonAnswer extends Pick<Answer, 'status' | 'headers'> {
	/** Parsed body; a string if it is plain text, `undefined` if it is empty. */
	json: unknown;
	/**
	 * When the service answered, in milliseconds since 1970: by its own clock, so that ages do not
	 * depend on ours. By our clock if it sends no date.
	 */
	serviceTimeMs: number;
	/** What must not be in an item, whatever the service answers. */
	secrets: readonly string[];
}

/**
 * Sends a request with an optional JSON body and reads the JSON answer. GET and DELETE are repeated
 * after failures that may pass, POST never.
 *
 * @throws VoiceAgentError for everything that can go wrong, each with its own text
 */
export async function request(
	context: RequestContext,
	method: 'GET' | 'DELETE' | 'POST',
	path: string,
	{ ambiguous, onFailure, deadlineMs = Infinity, ...options }: RequestOptions = {},
): Promise<JsonAnswer> {
	const access = await serviceAccess(context, options.itemIndex);
	const attempt = async (): Promise<JsonAnswer> => {
		const answer = await send(context, access, method, path, options);
		const text = await readText(answer, Math.min(Date.now() + MAX_MS, deadlineMs));
		const { status, headers } = answer;
		const isLong = text.length > LONG_CHARS;
		if (isLong) await sleep(0);
		const json = parseBody(text, status);
		if (isLong) await sleep(0);
		// JSON that does not end. What is missing may say that the request failed.
		const isCut = typeof json === 'string' && /^\s*[{[]/.test(json);
		if (ambiguous && isCut) throw new VoiceAgentError('connectionLost');
		if (declaresFailure(answer, json, method)) {
			const says = answer.excerpt(text, json);
			throw answerError(answer, 'declaredFailure', `${method} ${path}`, says);
		}
		const dateMs = parseTime(answer.header('date'));
		// NaN without a date, and 0 if its clock was never set.
		const serviceTimeMs = dateMs > 0 ? dateMs : Date.now();
		return { status, headers, json, serviceTimeMs, secrets: access.secrets };
	};
	if (method !== 'POST') return await withRetries(attempt, { onFailure, deadlineMs });
	try {
		return await attempt();
	} catch (error) {
		const isAmbiguous = ambiguous !== undefined && mayHaveBeenCarriedOut(error);
		throw isAmbiguous ? ambiguousError(ambiguous, connectionError(error)) : error;
	}
}

/** The error of a request that may have been carried out although it failed. */
function ambiguousError(ambiguous: Reason, failure: VoiceAgentError): VoiceAgentError {
	const { reason, httpStatus, message, hint = '', fullText } = failure;
	// The description of a redirect says which setting is wrong, so all of its text is shown.
	if (reason === 'redirected')
		return new VoiceAgentError(ambiguous, { httpStatus, hint: fullText });
	// The description of other failures may say to try again, and that must not be said here. So only
	// the message is shown, and the hint, which says what else is known of this failure.
	return new VoiceAgentError(ambiguous, { httpStatus, hint: `${message}. ${hint}`.trim() });
}

export async function readText(answer: Answer, deadlineMs: number): Promise<string> {
	const chunks: Uint8Array[] = [];
	const limits = { maxBytes: MAX_BYTES, deadlineMs };
	for await (const chunk of limitedBody(answer, limits)) chunks.push(chunk);
	return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * The specification shows no bodies, so JSON and plain text are accepted.
 *
 * @throws VoiceAgentError `webPage`: it does not come from the service
 */
export function parseBody(text: string, status: number): unknown {
	if (text.trim() === '') return undefined;
	if (isWebPage(text)) throw new VoiceAgentError('webPage', { httpStatus: status });
	try {
		return parseJson(text);
	} catch {
		return text;
	}
}

/**
 * Whether an answer with a status of 2xx says that the request failed: 207 is for several things of
 * which some may have failed, RFC 9457 is for problems only, and the rest is what most services
 * use. Everything else is for the user to read.
 */
export function declaresFailure(
	{ status, headers }: Pick<Answer, 'status' | 'headers'>,
	json: unknown,
	method: string,
): boolean {
	const isProblem = /^application\/problem\+/i.test(String(headers['content-type']));
	if (status === 207 || isProblem) return true;
	if (!isJsonObject(json)) return false;
	if (SUCCESS_FLAGS.some((name) => json[name] === false)) return true;
	// In another answer, `deleted` is about something that was deleted earlier, or not.
	if (method === 'DELETE' && json.deleted === false) return true;
	return isError(json.error) || isError(json.errors);
}

/** Whether it has a text, or a code other than 0. */
function isError(value: unknown): boolean {
	if (Array.isArray(value)) return value.some(isError);
	if (!isJsonObject(value)) return value !== '0' && Boolean(value);
	const { code } = value;
	if (code === 0 || code === '0') return false;
	return Object.values(value).some(isError);
}
