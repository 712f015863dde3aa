import { type Reason, VoiceAgentError } from '../../errors';

/** What the codes of Node, axios and OpenSSL mean. Any other code is a lost connection. */
const CODES: ReadonlyArray<[reason: Reason, problem: string | undefined, codes: RegExp]> = [
	['unreachable', 'connection refused', /^ECONNREFUSED$/],
	['unreachable', 'host not found', /^(?:ENOTFOUND|EAI_AGAIN)$/],
	['timedOut', undefined, /^(?:E(?:SOCKET)?TIMEDOUT|ECONNABORTED|E(?:HOST|NET)UNREACH)$/],
	['canceled', undefined, /^ERR_CANCELED$/],
	['insecure', 'its certificate has expired', /CERT_HAS_EXPIRED/],
	['insecure', 'its certificate is not valid yet', /CERT_NOT_YET_VALID/],
	['insecure', 'its certificate is for another host', /ALTNAME_INVALID|HOSTNAME_MISMATCH/],
	['insecure', 'n8n does not know who issued its certificate', /SELF_SIGNED|ISSUER_CERT|SIGNATURE/],
	['insecure', 'its certificate is not accepted', /CERT_|INVALID_CA|INVALID_PURPOSE/],
	['insecure', 'the port does not speak https, or not as n8n does', /^EPROTO$/],
];

/** Failures that prove that the request was not sent. */
const UNSENT: readonly Reason[] = ['unreachable', 'insecure'];
/** Failures that time does not heal. */
const LASTING: readonly Reason[] = ['canceled', 'insecure'];

/**
 * The error of a connection that failed, in our own words: the errors of axios and n8n carry the API key.
 * @param storage host that the service had redirected the request to
 */
export function connectionError(error: unknown, storage?: string): VoiceAgentError {
	const chain = causes(error);
	const own = chain.find((cause) => cause instanceof VoiceAgentError);
	if (own) return own;
	const codes = chain
		.flatMap(({ code, httpCode }) => [code, httpCode])
		.filter((code): code is string => /^[A-Z][A-Z0-9_]+$/.test(String(code)));
	const meaningOf = (code?: string) => CODES.find((row) => row[2].test(String(code)));
	const code = codes.find(meaningOf) ?? codes[0];
	const [reason, problem] = meaningOf(code) ?? (['connectionLost'] as const);
	// Not in the message: n8n replaces a message that has such a code in it with a text of its own.
	const hint = code && `(${code})`;
	const retryable = !LASTING.includes(reason);
	if (storage && reason !== 'canceled') {
		const detail = [`${storage} cannot be reached`, problem].filter(Boolean).join(': ');
		return new VoiceAgentError('storageFailed', { detail, hint, retryable });
	}
	return new VoiceAgentError(reason, { detail: problem, hint, retryable });
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
	// 501 Not Implemented. After 307 and 308, unlike the other redirects, the request would have to be sent again.
	return !provesRefusal(httpStatus) && ![307, 308, 501].includes(httpStatus);
}

/** 408 may come from a proxy that gave up waiting while the service goes on. */
function provesRefusal(status: number): boolean {
	return status >= 400 && status < 500 && status !== 408;
}
