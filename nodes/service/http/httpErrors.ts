import { type Reason, VoiceAgentError } from '../../errors';

/** What codes of Node, axios and OpenSSL mean. */
interface Meaning {
	codes: RegExp;
	reason: Reason;
	/** What the text of the reason does not say. */
	problem?: string;
}

/** The first row that has a code counts. Any other code is a lost connection. */
const MEANINGS: readonly Meaning[] = [
	{ codes: /^ECONNREFUSED$/, reason: 'unreachable', problem: 'connection refused' },
	{ codes: /^(?:ENOTFOUND|EAI_AGAIN)$/, reason: 'unreachable', problem: 'host not found' },
	{
		codes: /^(?:E(?:SOCKET)?TIMEDOUT|ECONNABORTED|E(?:HOST|NET)UNREACH)$/,
		reason: 'timedOut',
	},
	{ codes: /^ERR_CANCELED$/, reason: 'canceled' },
	{
		codes: /CERT_HAS_EXPIRED/,
		reason: 'insecure',
		problem: 'its certificate has expired',
	},
	{
		codes: /CERT_NOT_YET_VALID/,
		reason: 'insecure',
		problem: 'its certificate is not valid yet',
	},
	{
		codes: /ALTNAME_INVALID|HOSTNAME_MISMATCH/,
		reason: 'insecure',
		problem: 'its certificate is for another host',
	},
	{
		codes: /SELF_SIGNED|ISSUER_CERT|SIGNATURE/,
		reason: 'insecure',
		problem: 'n8n does not know who issued its certificate',
	},
	{
		codes: /CERT_|INVALID_CA|INVALID_PURPOSE/,
		reason: 'insecure',
		problem: 'its certificate is not accepted',
	},
	{
		codes: /^EPROTO$/,
		reason: 'insecure',
		problem: 'the port does not speak https, or not as n8n does',
	},
];

const LOST_CONNECTION = { reason: 'connectionLost', problem: undefined } as const;

/** What N8N_SSRF_PROTECTION_ENABLED refuses has no code: n8n's errors have these names. */
const BLOCKED_BY_N8N = /^SsrfBlocked/;
const BLOCKED = { reason: 'blockedByN8n', problem: 'n8n does not allow it' } as const;

/** Failures that prove that the request was not sent. */
const UNSENT: readonly Reason[] = ['unreachable', 'insecure', 'blockedByN8n'];
/**
 * The statuses beside 4xx that prove that nothing was done: 501 Not Implemented, and the redirects
 * that ask for the same request at another address. The other redirects may follow on a success.
 */
const NOT_CARRIED_OUT = [307, 308, 501];
/** Failures that time does not heal. */
const LASTING: readonly Reason[] = ['canceled', 'insecure', 'blockedByN8n'];

/**
 * The error of a connection that failed, in our own words. Nothing is kept of the errors of axios
 * and n8n, because they carry the headers of the request, and with them the API key.
 *
 * @param storage host that the service had redirected the request to
 */
export function connectionError(error: unknown, storage?: string): VoiceAgentError {
	const chain = causes(error);
	const own = chain.find((cause) => cause instanceof VoiceAgentError);
	if (own) return own;
	const codes = chain.flatMap(({ code, httpCode }) => [code, httpCode]).filter(isCode);
	const code = codes.find(meaningOf) ?? codes[0];
	const isBlocked = chain.some(({ name }) => BLOCKED_BY_N8N.test(String(name)));
	const { reason, problem } = isBlocked ? BLOCKED : (meaningOf(code) ?? LOST_CONNECTION);
	// Not in the message: n8n replaces a message that has such a code in it with a text of its own.
	const hint = code === undefined ? undefined : `(${code})`;
	const retryable = !LASTING.includes(reason);
	if (storage && reason !== 'canceled') {
		const detail = [`${storage} cannot be reached`, problem].filter(Boolean).join(': ');
		return new VoiceAgentError('storageFailed', { detail, hint, retryable });
	}
	// The text of this reason says it already.
	const detail = isBlocked ? undefined : problem;
	return new VoiceAgentError(reason, { detail, hint, retryable });
}

function isCode(code: unknown): code is string {
	return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code);
}

function meaningOf(code: string | undefined): Meaning | undefined {
	if (code === undefined) return undefined;
	return MEANINGS.find(({ codes }) => codes.test(code));
}

type Cause = Record<string, unknown>;

/** An error and its causes. If several addresses were tried, each of them has a failure. */
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
	return !NOT_CARRIED_OUT.includes(httpStatus) && !isClientError(httpStatus);
}

/** A 4xx that proves that nothing was done. */
function isClientError(status: number): boolean {
	// 408 may come from a proxy that gave up waiting while the service goes on.
	return status >= 400 && status < 500 && status !== 408;
}
