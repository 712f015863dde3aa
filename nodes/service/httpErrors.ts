import type { Reason } from '../errors';
import { errorTexts, VoiceAgentError } from '../errors';

/** What a status means for one endpoint only, such as 404 for a recording that was purged. */
export type StatusReasons = Partial<Record<number, Reason>>;

const EXCERPT_CHARS = 200;

const CONNECTION_REASONS: Record<string, Reason> = {
	ECONNREFUSED: 'connectionRefused',
	ENOTFOUND: 'hostNotFound',
	EAI_AGAIN: 'hostNotFound',
	ETIMEDOUT: 'timedOut',
	ESOCKETTIMEDOUT: 'timedOut',
	ECONNABORTED: 'timedOut',
	EHOSTUNREACH: 'timedOut',
	ENETUNREACH: 'timedOut',
	ERR_CANCELED: 'cancelled',
	EPROTO: 'insecure',
	CERT_HAS_EXPIRED: 'insecure',
	CERT_NOT_YET_VALID: 'insecure',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'insecure',
	SELF_SIGNED_CERT_IN_CHAIN: 'insecure',
	UNABLE_TO_GET_ISSUER_CERT: 'insecure',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'insecure',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'insecure',
	ERR_TLS_CERT_ALTNAME_INVALID: 'insecure',
};

/** Failures that prove that the request was not sent. */
const UNSENT: readonly Reason[] = ['connectionRefused', 'hostNotFound', 'insecure'];
/** Failures that time does not heal. */
const LASTING: readonly Reason[] = ['cancelled', 'insecure'];

/**
 * The error of a connection that failed, in our own words. Nothing is kept of the errors of axios and n8n, because they
 * carry the request headers and with them the API key.
 *
 * @param ambiguous what to report if the service may have carried out the request anyway
 */
export function connectionError(error: unknown, ambiguous?: Reason): VoiceAgentError {
	const codes: string[] = [];
	for (const cause of causes(error)) {
		if (cause instanceof VoiceAgentError) return cause;
		for (const code of [cause.code, cause.httpCode]) {
			if (typeof code === 'string') codes.push(code);
		}
	}
	const known = codes.find((code) => Object.hasOwn(CONNECTION_REASONS, code));
	const reason = (known && CONNECTION_REASONS[known]) || 'connectionLost';
	const code = known ?? codes.find((one) => /^[A-Z][A-Z0-9_]+$/.test(one));
	// Not in the message: n8n replaces a message that has such a code in it with a text of its own.
	const hint = code && `(${code})`;
	if (ambiguous && !UNSENT.includes(reason)) {
		return new VoiceAgentError(ambiguous, {
			hint: ['The connection failed before the service answered.', hint].join(' ').trim(),
		});
	}
	return new VoiceAgentError(reason, { hint, retryable: !LASTING.includes(reason) });
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
	return httpStatus === undefined ? !UNSENT.includes(reason) : !provesRefusal(httpStatus);
}

/**
 * The error of an answer whose status is not 2xx.
 * @param details `ambiguous`: what to report if the status does not prove that the service refused the request
 */
export function statusError(
	httpStatus: number,
	details: {
		detail: string;
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
		detail: details.detail,
		hint: hintFor(reason, httpStatus, details.excerpt),
		retryAfterMs: details.retryAfterMs,
		retryable: reason === 'rateLimited' || (reason === 'serverError' && httpStatus !== 501),
	});
}

function hintFor(reason: Reason, status: number, excerpt?: string): string | undefined {
	if (reason === 'rejected') return excerpt && `The service says: ${excerpt}`;
	const { message, description } = errorTexts.redirected;
	return status < 400 && reason !== 'redirected' ? `${message}. ${description}` : undefined;
}

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
	if (value === undefined) return undefined;
	if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
	const date = /[A-Za-z]/.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** What the service says about a request it refused: one short line of its text, without the secrets. */
export function safeExcerpt(page: string, secrets: readonly string[]): string | undefined {
	let text = messageIn(page)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '' || text.startsWith('<')) return undefined;
	for (const secret of secrets.flatMap(encodingsOf)) text = text.replaceAll(secret, '[redacted]');
	return text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
}

/** The usual fields for a message in a JSON error body, else the text itself. */
function messageIn(page: string): string {
	let body: unknown;
	try {
		body = JSON.parse(page);
	} catch {
		return page;
	}
	while (typeof body === 'object' && body !== null) {
		const record = body as Record<string, unknown>;
		body = record.message ?? record.detail ?? record.error ?? record.title;
	}
	return typeof body === 'string' ? body : page;
}

/** The forms in which a service may echo a secret. */
function encodingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret, 'utf8');
	return [
		secret,
		encodeURIComponent(secret),
		JSON.stringify(secret).slice(1, -1),
		bytes.toString('base64'),
		bytes.toString('hex'),
	];
}
