import type { Reason } from '../../errors';
import { errorTexts, VoiceAgentError } from '../../errors';
import { parseHttpDate } from '../../data/times';

/** What a status means for one endpoint only, such as 404 for a recording that was purged. */
export type StatusReasons = Partial<Record<number, Reason>>;

/** What the codes of Node, axios and OpenSSL mean. Any other code is a lost connection. */
const CODES: ReadonlyArray<[codes: RegExp, reason: Reason, problem?: string]> = [
	[/^ECONNREFUSED$/, 'connectionRefused'],
	[/^(?:ENOTFOUND|EAI_AGAIN)$/, 'hostNotFound'],
	[/^(?:ETIMEDOUT|ESOCKETTIMEDOUT|ECONNABORTED|EHOSTUNREACH|ENETUNREACH)$/, 'timedOut'],
	[/^ERR_CANCELED$/, 'canceled'],
	[/CERT_HAS_EXPIRED/, 'insecure', 'its certificate has expired'],
	[/CERT_NOT_YET_VALID/, 'insecure', 'its certificate is not valid yet'],
	[/ALTNAME_INVALID|HOSTNAME_MISMATCH/, 'insecure', 'its certificate is for another host'],
	[/SELF_SIGNED|ISSUER_CERT|SIGNATURE/, 'insecure', 'n8n does not know who issued its certificate'],
	[/CERT_|INVALID_CA|INVALID_PURPOSE/, 'insecure', 'its certificate is not accepted'],
	[/^EPROTO$/, 'insecure', 'the port does not speak https, or not as n8n does'],
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
	const chain = causes(error);
	const own = chain.find((cause) => cause instanceof VoiceAgentError);
	if (own) return own;
	const codes = chain
		.flatMap(({ code, httpCode }) => [code, httpCode])
		.filter((code): code is string => /^[A-Z][A-Z0-9_]+$/.test(String(code)));
	const known = codes.flatMap((code) => {
		const meaning = CODES.find(([pattern]) => pattern.test(code));
		return meaning ? [{ code, reason: meaning[1], problem: meaning[2] }] : [];
	});
	const { code, reason, problem } = known[0] ?? { code: codes[0], reason: 'connectionLost' };
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

/**
 * The error of an answer with a status of 2xx that cannot be read, to a request that must not be repeated. Whatever the
 * problem is, the service may have carried out the request.
 */
export function unreadableAnswer(problem: unknown, ambiguous: Reason): VoiceAgentError {
	const { message } = connectionError(problem);
	return new VoiceAgentError(ambiguous, { hint: `The answer could not be read: ${message}.` });
}

type Cause = Record<string, unknown>;

/** An error, its cause, the cause of that, and the failure for each address if several were tried. */
function causes(error: unknown, depth = 0): Cause[] {
	if (typeof error !== 'object' || error === null || depth > 5) return [];
	const { cause, errors } = error as Cause;
	const inner = [cause, errors].flat().flatMap((one) => causes(one, depth + 1));
	return [error as Cause, ...inner];
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
