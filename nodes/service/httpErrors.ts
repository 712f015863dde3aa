import type { Reason } from '../errors';
import { errorTexts, VoiceAgentError } from '../errors';

/** Reasons that a status has for one endpoint only, such as 404 for a recording that was purged. */
export type StatusReasons = Partial<Record<number, Reason>>;

const MAX_RETRY_AFTER_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
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

/** Failures that prove that no request was sent. */
const UNSENT: readonly Reason[] = ['connectionRefused', 'hostNotFound', 'insecure'];
/** Failures that time does not heal. */
const LASTING: readonly Reason[] = ['cancelled', 'insecure'];

/**
 * The error of a connection that failed, in our own words: the errors of axios and n8n carry the request headers, so
 * the API key, and nothing of them is kept.
 *
 * @param ambiguous what to say where the request may have been carried out all the same
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
	// Not in the message: n8n replaces messages in which it finds such a code by texts of its own.
	const hint = code && `(${code})`;
	if (ambiguous && !UNSENT.includes(reason)) {
		return new VoiceAgentError(ambiguous, {
			hint: ['The connection failed before the service answered.', hint].join(' ').trim(),
		});
	}
	return new VoiceAgentError(reason, { hint, retryable: !LASTING.includes(reason) });
}

/**
 * The error of an answer with a status of 2xx that cannot be read, to a request that must not be repeated: whatever the
 * problem is, the service may have done what it was asked for.
 */
export function unreadAnswer(problem: unknown, ambiguous: Reason): VoiceAgentError {
	const { message } = connectionError(problem);
	return new VoiceAgentError(ambiguous, { hint: `The answer could not be read: ${message}.` });
}

/** An error, what caused it, what caused that; and the single failures where several addresses were tried. */
function* causes(error: unknown, depth = 0): Generator<Record<string, unknown>> {
	if (typeof error !== 'object' || error === null || depth > 5) return;
	const record = error as Record<string, unknown>;
	yield record;
	yield* causes(record.cause, depth + 1);
	if (Array.isArray(record.errors)) {
		for (const one of record.errors) yield* causes(one, depth + 1);
	}
}

/** Whether the service may have done what it was asked for although the request failed. */
export function mayHaveBeenCarriedOut(error: unknown): boolean {
	if (!(error instanceof VoiceAgentError)) return true;
	const { reason, httpStatus } = error;
	return httpStatus === undefined ? !UNSENT.includes(reason) : !provesRefusal(httpStatus);
}

/**
 * The error of an answer whose status is not 2xx.
 * @param details `ambiguous`: what to say where the status does not prove that the request was refused
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
	const told =
		details.special?.[httpStatus] ??
		(provesRefusal(httpStatus) ? undefined : details.ambiguous) ??
		reasonOfStatus(httpStatus);
	// A web page may come from anybody on the way, so it does not prove that a recording is gone.
	const reason = details.isWebPage && told === 'recordingGone' ? 'webPage' : told;
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

/** 408 may come from a proxy that has waited in vain while the service goes on. */
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

/** `Retry-After` (RFC 9110) in milliseconds, from seconds or a date; `undefined` where it says nothing usable. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
	if (value === undefined) return undefined;
	if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
	const date = /[A-Za-z]/.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/**
 * How long to wait before trying again, in milliseconds; `undefined` if trying again is of no use. The pause that the
 * service asks for is honoured up to half a minute; without one it grows, and is random so that many runs do not return
 * at the same moment.
 */
export function retryDelayMs(
	error: unknown,
	tried: number,
	random: () => number = Math.random,
): number | undefined {
	if (!(error instanceof VoiceAgentError) || !error.retryable) return undefined;
	if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, MAX_RETRY_AFTER_MS);
	const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), MAX_PAUSE_MS);
	return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/** What a service says about a refused request: one short line of its text, without any of the secrets. */
export function safeExcerpt(page: string, secrets: readonly string[]): string | undefined {
	let text = messageIn(page)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '' || text.startsWith('<')) return undefined;
	for (const secret of secrets.flatMap(writings)) text = text.replaceAll(secret, '[redacted]');
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

function writings(secret: string): string[] {
	const bytes = Buffer.from(secret, 'utf8');
	return [
		secret,
		encodeURIComponent(secret),
		JSON.stringify(secret).slice(1, -1),
		bytes.toString('base64'),
		bytes.toString('hex'),
	];
}
