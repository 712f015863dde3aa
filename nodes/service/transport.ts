import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	ITriggerFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { parseApiCredential } from './apiCredential';
import type { Chunks } from '../recordingFile/chunks';
import type { Reason } from '../errors';
import { VoiceAgentError } from '../errors';
import type { StatusReasons } from './httpErrors';
import {
	connectionError,
	parseRetryAfter,
	retryDelayMs,
	safeExcerpt,
	statusError,
	unreadAnswer,
} from './httpErrors';

const CREDENTIAL = 'voiceAgentApi';
/** Silence after which a request is given up, in milliseconds: before the answer, and between two pieces of it. */
const SILENCE_MS = 60_000;
/** A JSON answer that is longer than this is none of the service's. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
/** As much of an error page as is worth reading. */
const MAX_ERROR_BYTES = 64 * 1024;
/** A JSON answer must be complete after this time, and an error page after that. */
const MAX_JSON_MS = 5 * 60_000;
const MAX_ERROR_MS = 10_000;
const ATTEMPTS = 4;

type Context = IExecuteFunctions | ILoadOptionsFunctions | ITriggerFunctions;

/** The body of a streamed answer: a Node stream, described without importing one. */
type Body = Chunks & { destroy(error?: Error): unknown };

interface Answer {
	status: number;
	headers: Record<string, unknown>;
	body: Body;
	/** Header of that name, where there is exactly one. */
	header(name: string): string | undefined;
}

/** Whose credential is used: its fields may hold expressions on an item. Those of the first one if it is left out. */
interface ItemOptions {
	itemIndex?: number;
}

export interface RequestOptions extends ItemOptions {
	query?: IDataObject;
	/** Sent as JSON. */
	body?: unknown;
	/** Reasons that a status has for this endpoint only. */
	statusReasons?: StatusReasons;
	/** What to say where the request may have been carried out although its answer does not tell so. */
	ambiguous?: Reason;
	/** Called with the error of each attempt, also where it is repeated. */
	onFailure?: (error: unknown) => void;
}

export interface JsonAnswer {
	status: number;
	/** Parsed body; a string if it is plain text, `undefined` if it is empty. */
	json: unknown;
	/** When the service answered by its own clock, in milliseconds since 1970, so that ages do not depend on ours. */
	serviceTimeMs: number;
	/** The `Link` header, empty where there is none. */
	link: string;
}

/**
 * Sends a request with an optional JSON body and reads the JSON answer.
 * GET and DELETE are repeated after passing failures, POST never.
 *
 * @throws VoiceAgentError for everything that can go wrong, with a text of its own for each
 */
export async function request(
	context: Context,
	method: IHttpRequestMethods,
	path: string,
	options: RequestOptions = {},
): Promise<JsonAnswer> {
	const attempt = async () => {
		const answer = await send(context, method, path, options);
		try {
			const chunks = limited(answer, {
				maxBytes: MAX_JSON_BYTES,
				deadlineMs: Date.now() + MAX_JSON_MS,
			});
			const text = (await collect(chunks)).toString('utf8');
			return {
				status: answer.status,
				json: readBody(text, answer.status),
				link: answer.header('link') ?? '',
				serviceTimeMs: Date.parse(answer.header('date') ?? '') || Date.now(),
			};
		} catch (error) {
			throw options.ambiguous ? unreadAnswer(error, options.ambiguous) : error;
		} finally {
			answer.body.destroy();
		}
	};
	if (method === 'POST') return await attempt();
	return await withRetries(async () => {
		const [outcome] = await Promise.allSettled([attempt()]);
		if (outcome.status === 'fulfilled') return outcome.value;
		options.onFailure?.(outcome.reason);
		throw outcome.reason;
	});
}

export interface DownloadOptions extends ItemOptions {
	statusReasons?: StatusReasons;
	/** Longer files are refused. */
	maxBytes: number;
	/** Moment at which all attempts together must be over, in milliseconds since 1970. */
	deadlineMs: number;
}

export interface DownloadedFile {
	/** Status of the answer, 2xx. */
	status: number;
	chunks: Chunks;
	/** As the service says; empty where it says nothing. */
	contentType: string;
	/** Whether the service announced the length, so that a file that ends early is noticed by it. */
	lengthIsKnown: boolean;
}

/**
 * Downloads a file and hands its pieces to `use`, which stores them. Where either fails for a passing reason, both begin
 * again from the start, so `use` must leave nothing behind when the pieces end in an error.
 *
 * The pieces end in an error if fewer bytes arrive than were announced.
 */
export async function download<T>(
	context: Context,
	path: string,
	{ statusReasons, itemIndex, maxBytes, deadlineMs }: DownloadOptions,
	use: (file: DownloadedFile) => Promise<T>,
): Promise<T> {
	return await withRetries(async () => {
		const answer = await send(context, 'GET', path, { accept: '*/*', statusReasons, itemIndex });
		try {
			return await use({
				status: answer.status,
				chunks: limited(answer, { maxBytes, deadlineMs }),
				contentType: answer.header('content-type') ?? '',
				lengthIsKnown: answer.header('content-length') !== undefined,
			});
		} finally {
			answer.body.destroy();
		}
	}, deadlineMs);
}

/** One request, one answer with a status of 2xx; its body is not yet read. */
async function send(
	context: Context,
	method: IHttpRequestMethods,
	path: string,
	options: RequestOptions & { accept?: string },
): Promise<Answer> {
	const data = await context.getCredentials(CREDENTIAL, options.itemIndex);
	const { baseUrl, apiKey } = parseApiCredential(data);
	// n8n would read the credential again, and with the first item in its expressions.
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
				// Serialised here, because n8n leaves out the body if it is an empty object.
				...(options.body !== undefined && { body: JSON.stringify(options.body) }),
				headers: {
					Accept: options.accept ?? 'application/json',
					'Accept-Encoding': 'identity',
					...(options.body !== undefined && { 'Content-Type': 'application/json' }),
				},
				encoding: 'stream',
				returnFullResponse: true,
				// Without this, n8n sends a request that was answered with 401 a second time.
				ignoreHttpStatusErrors: true,
				// n8n would send the Token header along to wherever a redirect points.
				disableFollowRedirect: true,
				timeout: SILENCE_MS,
			},
			{ credentialsDecrypted },
		);
	} catch (error) {
		throw connectionError(error, options.ambiguous);
	}

	const headers = response.headers;
	const answer: Answer = {
		status: response.statusCode,
		headers,
		body: response.body as unknown as Body,
		header: (name) => (typeof headers[name] === 'string' ? headers[name] : undefined),
	};
	if (answer.status >= 200 && answer.status < 300) return answer;
	const page = await readErrorPage(answer);
	throw statusError(answer.status, {
		detail: `${method} ${path} was answered with status ${answer.status}`,
		excerpt: safeExcerpt(page, [apiKey]),
		isWebPage: isWebPage(page),
		retryAfterMs: parseRetryAfter(answer.header('retry-after'), Date.now()),
		special: options.statusReasons,
		ambiguous: options.ambiguous,
	});
}

interface Limits {
	maxBytes: number;
	/** In milliseconds since 1970. A timer is not needed: silence is limited too, so this is looked at in time. */
	deadlineMs: number;
}

/**
 * The pieces of an answer; ends in an error when it is too long, too slow or broken off.
 *
 * That fewer bytes arrived than were announced, Node itself reports. They cannot be counted here: where a proxy has
 * compressed the answer in spite of our asking, these are the decompressed ones, and the length is still the other.
 */
async function* limited(
	answer: Answer,
	{ maxBytes, deadlineMs }: Limits,
): AsyncGenerator<Uint8Array, void, undefined> {
	if (Number(answer.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
	let bytes = 0;
	try {
		for await (const chunk of answer.body) {
			bytes += chunk.length;
			if (bytes > maxBytes) throw tooLarge(maxBytes);
			if (Date.now() > deadlineMs) throw new VoiceAgentError('deadlineExceeded');
			yield chunk;
		}
	} catch (error) {
		throw connectionError(error);
	}
}

function tooLarge(maxBytes: number): VoiceAgentError {
	return new VoiceAgentError('tooLarge', { detail: `more than ${maxBytes} bytes` });
}

/** The beginning of an error page, as much as arrives in time: the status has already told what matters most. */
async function readErrorPage({ body }: Answer): Promise<string> {
	const deadlineMs = Date.now() + MAX_ERROR_MS;
	let page = Buffer.alloc(0);
	try {
		for await (const chunk of body) {
			page = Buffer.concat([page, chunk]);
			if (page.length >= MAX_ERROR_BYTES || Date.now() > deadlineMs) break;
		}
	} catch {
		// What was read before the connection ended is enough.
	} finally {
		body.destroy();
	}
	return page.toString('utf8');
}

async function collect(chunks: Chunks): Promise<Buffer> {
	const read: Uint8Array[] = [];
	for await (const chunk of chunks) read.push(chunk);
	return Buffer.concat(read);
}

/** The specification shows no bodies: JSON and plain text are read, a web page comes from somebody else. */
export function readBody(text: string, httpStatus: number): unknown {
	if (text.trim() === '') return undefined;
	if (isWebPage(text)) throw new VoiceAgentError('webPage', { httpStatus });
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

function isWebPage(text: string): boolean {
	return text.trimStart().startsWith('<');
}

/** Repeats after passing failures, with growing random pauses or the pause that the service asks for. */
async function withRetries<T>(attempt: () => Promise<T>, deadlineMs = Infinity): Promise<T> {
	for (let tried = 1; tried < ATTEMPTS; tried++) {
		const [outcome] = await Promise.allSettled([attempt()]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const pauseMs = retryDelayMs(outcome.reason, tried);
		if (pauseMs === undefined || Date.now() + pauseMs > deadlineMs) throw outcome.reason;
		await sleep(pauseMs);
	}
	return await attempt();
}
