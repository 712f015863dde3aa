import { parseTime } from '../../data/times';
import { type Reason, VoiceAgentError } from '../../errors';
import type { Answer } from './answer';

/**
 * The error of an answer that says that a request failed: in our words, and then in those of the
 * service.
 *
 * @param reason what the answer means
 * @param request method and address
 * @param says what the service says, without secrets
 */
export function answerError(
	{ status, excerpt, header }: Pick<Answer, 'status' | 'excerpt' | 'header'>,
	reason: Reason,
	request: string,
	says: string | undefined,
): VoiceAgentError {
	const nowMs = Date.now();
	const retryAfterMs = parseRetryAfter(header('retry-after'), nowMs);
	const hints = [`The service answered ${request} with status ${status}.`];
	if (retryAfterMs) {
		const until = new Date(nowMs + retryAfterMs).toISOString();
		hints.push(`It asks to be left alone until ${until}.`);
	}
	if (says) hints.push(`The service says: ${says}`);
	const isRedirect = reason === 'redirected';
	// A service that does not implement the method (501) never will by being asked again.
	const mayPass = reason === 'rateLimited' || (reason === 'serverError' && status !== 501);
	return new VoiceAgentError(reason, {
		httpStatus: status,
		detail: isRedirect ? excerpt(addressIn(header('location'), request)) : undefined,
		hint: hints.join(' '),
		retryAfterMs,
		retryable: mayPass,
	});
}

/**
 * The 'Base URL' that a redirect leads to; empty if it cannot be read. Its query may hold a secret.
 */
function addressIn(location: string | undefined, request: string): string {
	const url = request.slice(request.indexOf(' ') + 1);
	if (!location || !URL.canParse(location, url)) return '';
	const { origin, pathname } = new URL(location, url);
	return `${origin}${pathname.replace(/\/api\/customer\/.*/, '')}`;
}

/** What a status means that is not 2xx. */
export function reasonOfStatus(status: number): Reason {
	if (status === 401) return 'unauthorized';
	if (status === 403) return 'forbidden';
	if (status === 404 || status === 410) return 'notFound';
	if (status === 429) return 'rateLimited';
	if (status >= 500) return 'serverError';
	if (status >= 400) return 'rejected';
	return 'redirected';
}

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds. It has seconds or a date. If it has neither,
 * the result is `undefined`.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
	if (/^\d+$/.test(String(value))) return Number(value) * 1000;
	const date = parseTime(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
