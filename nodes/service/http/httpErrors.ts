import type { Reason } from '../../errors';
import { errorTexts, VoiceAgentError } from '../../errors';
import { isJsonObject, plainName } from '../../data/json';
import { parseHttpDate } from '../../data/times';

/** What a status means for one endpoint only, such as 404 for a recording that was purged. */
export type StatusReasons = Partial<Record<number, Reason>>;

const EXCERPT_CHARS = 200;
/** What is read to make an excerpt. */
const MAX_CHARS = 16 * 1024;

const CONNECTION_REASONS: Record<string, Reason> = {
	ECONNREFUSED: 'connectionRefused',
	ENOTFOUND: 'hostNotFound',
	EAI_AGAIN: 'hostNotFound',
	ETIMEDOUT: 'timedOut',
	ESOCKETTIMEDOUT: 'timedOut',
	ECONNABORTED: 'timedOut',
	EHOSTUNREACH: 'timedOut',
	ENETUNREACH: 'timedOut',
	ERR_CANCELED: 'canceled',
};

/** Why no secure connection was made, by the codes of Node and OpenSSL. */
const INSECURE: ReadonlyArray<[codes: RegExp, problem: string]> = [
	[/CERT_HAS_EXPIRED/, 'its certificate has expired'],
	[/CERT_NOT_YET_VALID/, 'its certificate is not valid yet'],
	[/ALTNAME_INVALID|HOSTNAME_MISMATCH/, 'its certificate is for another host'],
	[/SELF_SIGNED|ISSUER_CERT|SIGNATURE/, 'n8n does not know who issued its certificate'],
	[/CERT_|INVALID_CA|INVALID_PURPOSE/, 'its certificate is not accepted'],
	[/^EPROTO$/, 'the port does not speak https, or not as n8n does'],
];

/** Failures that prove that the request was not sent. */
const UNSENT: readonly Reason[] = ['connectionRefused', 'hostNotFound', 'insecure'];
/** Failures that time does not heal. */
const LASTING: readonly Reason[] = ['canceled', 'insecure'];

/**
 * The error of a connection that failed, in our own words. Nothing is kept of the errors of axios and n8n, because they
 * carry the request headers and with them the API key.
 *
 * @param ambiguous what to report if the service may have carried out the request anyway
 * @param storage host that the service had redirected the request to
 */
export function connectionError(
	error: unknown,
	{ ambiguous, storage }: { ambiguous?: Reason; storage?: string } = {},
): VoiceAgentError {
	const codes: string[] = [];
	for (const cause of causes(error)) {
		if (cause instanceof VoiceAgentError) return cause;
		for (const code of [cause.code, cause.httpCode]) {
			if (typeof code === 'string') codes.push(code);
		}
	}
	const [known] = codes.flatMap((code) => meaningOf(code) ?? []);
	const { reason, problem } = known ?? { reason: 'connectionLost' as const };
	const code = known?.code ?? codes.find((one) => /^[A-Z][A-Z0-9_]+$/.test(one));
	// Not in the message: n8n replaces a message that has such a code in it with a text of its own.
	const hint = code && `(${code})`;
	if (ambiguous && !UNSENT.includes(reason)) {
		return new VoiceAgentError(ambiguous, {
			hint: ['The connection failed before the service answered.', hint].join(' ').trim(),
		});
	}
	const retryable = !LASTING.includes(reason);
	if (storage && reason !== 'canceled') {
		const detail = [`${storage} cannot be reached`, problem].filter(Boolean).join(': ');
		return new VoiceAgentError('storageFailed', { detail, hint, retryable });
	}
	return new VoiceAgentError(reason, { detail: problem, hint, retryable });
}

function meaningOf(code: string): { code: string; reason: Reason; problem?: string } | undefined {
	const reason = Object.hasOwn(CONNECTION_REASONS, code) ? CONNECTION_REASONS[code] : undefined;
	if (reason !== undefined) return { code, reason };
	const [, problem] = INSECURE.find(([codes]) => codes.test(code)) ?? [];
	return problem === undefined ? undefined : { code, reason: 'insecure', problem };
}

/**
 * The error of an answer with a status of 2xx that cannot be read, to a request that must not be repeated. Whatever the
 * problem is, the service may have carried out the request.
 */
export function unreadableAnswer(problem: unknown, ambiguous: Reason): VoiceAgentError {
	const { message } = connectionError(problem);
	return new VoiceAgentError(ambiguous, { hint: `The answer could not be read: ${message}.` });
}

/** An error, its cause, the cause of that, and the failure for each address if several were tried. */
function* causes(error: unknown, depth = 0): Generator<Record<string, unknown>> {
	if (typeof error !== 'object' || error === null || depth > 5) return;
	const record = error as Record<string, unknown>;
	yield record;
	yield* causes(record.cause, depth + 1);
	if (Array.isArray(record.errors)) {
		for (const one of record.errors) yield* causes(one, depth + 1);
	}
}

/** Whether the service may have carried out a request that failed. */
export function mayHaveBeenCarriedOut(error: unknown): boolean {
	if (!(error instanceof VoiceAgentError)) return true;
	const { reason, httpStatus } = error;
	if (reason === 'declaredFailure') return false;
	if (httpStatus === undefined) return !UNSENT.includes(reason);
	// 501 Not Implemented.
	return !provesRefusal(httpStatus) && httpStatus !== 501;
}

/**
 * The error of an answer whose status is not 2xx.
 * @param details `ambiguous`: what to report if the status does not prove that the service refused the request
 */
export function statusError(
	httpStatus: number,
	details: {
		/** Method and address. */
		request: string;
		excerpt?: string;
		isWebPage?: boolean;
		retryAfterMs?: number;
		special?: StatusReasons;
		ambiguous?: Reason;
	},
): VoiceAgentError {
	const meaning =
		details.special?.[httpStatus] ??
		(provesRefusal(httpStatus) ? undefined : details.ambiguous) ??
		reasonOfStatus(httpStatus);
	// A web page may come from any proxy in between, so it does not prove that a recording is gone.
	const reason = details.isWebPage && meaning === 'recordingGone' ? 'webPage' : meaning;
	return new VoiceAgentError(reason, {
		httpStatus,
		hint: [
			`The service answered ${details.request} with status ${httpStatus}.`,
			details.excerpt && `The service says: ${details.excerpt}`,
			httpStatus < 400 && reason !== 'redirected' && redirectedText,
		]
			.filter(Boolean)
			.join(' '),
		retryAfterMs: details.retryAfterMs,
		retryable: reason === 'rateLimited' || (reason === 'serverError' && httpStatus !== 501),
	});
}

const redirectedText = `${errorTexts.redirected.message}. ${errorTexts.redirected.description}`;

/** 408 may come from a proxy that gave up waiting while the service goes on. */
function provesRefusal(status: number): boolean {
	return status >= 400 && status < 500 && status !== 408;
}

function reasonOfStatus(status: number): Reason {
	if (status === 401) return 'unauthorized';
	if (status === 403) return 'forbidden';
	if (status === 404 || status === 410) return 'notFound';
	if (status === 429) return 'rateLimited';
	if (status >= 500) return 'serverError';
	if (status >= 400) return 'rejected';
	return 'redirected';
}

/** `Retry-After` (RFC 9110) in milliseconds, from seconds or a date; `undefined` if it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
	const text = (value ?? '').trim();
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = parseHttpDate(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/**
 * What the service says about a request that it refused: one short line of its text, without the secrets.
 * @param content a page, or parsed JSON
 */
export function safeExcerpt(content: unknown, secrets: readonly string[]): string | undefined {
	const message = messageIn(content).slice(0, MAX_CHARS);
	let text = message.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	if (text === '' || text.startsWith('<')) return undefined;
	for (const secret of secrets.flatMap(encodingsOf)) text = text.replaceAll(secret, '[redacted]');
	// What is left of a message that was cut may be a part of a secret.
	if (message.length === MAX_CHARS && text.length <= EXCERPT_CHARS) return undefined;
	return text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
}

/** Names of fields with a message, the most telling ones first. Most public APIs use one of them. */
const MESSAGES = [
	'message detail details description errordescription errormessage msg reason error title',
].flatMap((names) => names.split(' '));
/** Names of what may be around it. */
const AROUND = ['error', 'errors', 'detail', 'details', 'fault'];

/** The message in JSON, else the JSON or the text as it is. */
function messageIn(content: unknown): string {
	const json = typeof content === 'string' ? parsed(content) : content;
	const found = textIn(json) ?? AROUND.map((name) => textIn(fieldOf(json, name))).find(Boolean);
	return found ?? (typeof content === 'string' ? content : (JSON.stringify(json, shortened) ?? ''));
}

/** Only the beginning of what is listed, because an answer may be long. */
function shortened(_name: string, value: unknown): unknown {
	return Array.isArray(value) ? value.slice(0, 10) : value;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** A message in an object, or in the first element of a list that has one. */
function textIn(json: unknown): string | undefined {
	if (typeof json === 'string') return json.trim() === '' ? undefined : json;
	if (Array.isArray(json)) return json.slice(0, 10).map(textIn).find(Boolean);
	return MESSAGES.map((name) => fieldOf(json, name)).find(
		(value): value is string => typeof value === 'string' && value.trim() !== '',
	);
}

/** A field with this plain name. */
function fieldOf(json: unknown, plain: string): unknown {
	if (!isJsonObject(json)) return undefined;
	const name = Object.keys(json).find((one) => plainName(one) === plain);
	return name === undefined ? undefined : json[name];
}

/** The forms in which a service may echo a secret. */
function encodingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [
		secret,
		encodeURIComponent(secret),
		JSON.stringify(secret).slice(1, -1),
		bytes.toString('base64'),
		bytes.toString('hex'),
	];
}
