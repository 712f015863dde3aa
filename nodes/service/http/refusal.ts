import { parseTime } from '../../data/times';
import { type Reason, VoiceAgentError } from '../../errors';
import type { Answer } from './answer';

/**
 * The error of an answer that refuses a request: in our words, and then in those of the service.
 * @param request method and address
 */
export function refusal(
	{ status, excerpt, header }: Pick<Answer, 'status' | 'excerpt' | 'header'>,
	reason: Reason,
	request: string,
	says: string | undefined,
): VoiceAgentError {
	const retryAfterMs = parseRetryAfter(header('retry-after'), Date.now());
	const again = retryAfterMs && new Date(Date.now() + retryAfterMs).toISOString();
	const hint = [
		`The service answered ${request} with status ${status}.`,
		again && `It asks to be left alone until ${again}.`,
		says && `The service says: ${says}`,
	];
	return new VoiceAgentError(reason, {
		httpStatus: status,
		detail: reason === 'redirected' ? excerpt(addressIn(header('location'), request)) : undefined,
		hint: hint.filter(Boolean).join(' '),
		retryAfterMs,
		retryable: reason === 'rateLimited' || (reason === 'serverError' && status !== 501),
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
 * `Retry-After` (RFC 9110) in milliseconds, from seconds or a date; `undefined` if it is neither.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
	if (/^\d+$/.test(String(value))) return Number(value) * 1000;
	const date = parseTime(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
