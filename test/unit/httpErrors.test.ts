import { VoiceAgentError } from '../../nodes/errors';
import { connectionError, mayHaveBeenCarriedOut } from '../../nodes/service/http/httpErrors';
import { parseRetryAfter, reasonOfStatus, answerError } from '../../nodes/service/http/answerError';

const failure = (code: string) => Object.assign(new Error('with Token: secret'), { code });

describe('connection errors', () => {
	test.each([
		['ECONNREFUSED', 'unreachable', true],
		['ENOTFOUND', 'unreachable', true],
		['ETIMEDOUT', 'timedOut', true],
		['ECONNABORTED', 'timedOut', true],
		['EHOSTUNREACH', 'timedOut', true],
		['EAI_AGAIN', 'unreachable', true],
		['ERR_CANCELED', 'canceled', false],
		['ECONNRESET', 'connectionLost', true],
	])('%s: %s', (code, reason, retryable) => {
		const error = connectionError(failure(code));
		expect(error).toMatchObject({ reason, retryable });
		expect(error.description).toContain(`(${code})`);
		expect(error.message).not.toContain('secret');
	});

	test.each(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'ERR_CANCELED', 'EPROTO'])(
		'a code that only contains %s: connectionLost',
		(code) => {
			for (const other of [`X${code}`, `${code}X`]) {
				const error = connectionError(failure(other));
				expect(error).toMatchObject({ reason: 'connectionLost', retryable: true });
				expect(error.description).toContain(`(${other})`);
				expect(error.message).not.toContain('secret');
			}
		},
	);

	test.each([
		['CERT_HAS_EXPIRED', 'its certificate has expired'],
		['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'n8n does not know who issued its certificate'],
		['CERT_REVOKED', 'its certificate is not accepted'],
		['EPROTO', 'the port does not speak https, or not as n8n does'],
	])('no secure connection, %s: %s', (code, problem) => {
		const error = connectionError(failure(code));
		expect(error).toMatchObject({ reason: 'insecure', retryable: false });
		expect(error.message).toBe(`No secure connection to the service can be made: ${problem}`);
		expect(error.description).toContain('NODE_EXTRA_CA_CERTS');
		expect(error.description).toContain(`(${code})`);
		const storage = connectionError(failure(code), 'files.example.com');
		expect(storage).toMatchObject({ reason: 'storageFailed', retryable: false });
		expect(storage.message).toContain(`files.example.com cannot be reached: ${problem}`);
	});

	test("what n8n's own protection blocks, it blocks again", () => {
		// As in @n8n/backend-network 2.41.1.
		const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
		const error = connectionError(new Error('outer', { cause: blocked }));
		expect(error).toMatchObject({ reason: 'blockedByN8n', retryable: false });
		expect(error.message).toBe('n8n does not allow requests to this host');
		expect(mayHaveBeenCarriedOut(error)).toBe(false);
		const storage = connectionError(blocked, 'files.example.com');
		expect(storage).toMatchObject({ reason: 'storageFailed', retryable: false });
		expect(storage.message).toContain('files.example.com cannot be reached: n8n does not allow it');
	});

	test('the code is found in the cause of an error, and if several addresses were tried', () => {
		const wrapped = new Error('outer', { cause: new AggregateError([failure('ECONNREFUSED')]) });
		expect(connectionError(wrapped).reason).toBe('unreachable');
		expect(connectionError({ httpCode: 'ECONNREFUSED' }).reason).toBe('unreachable');
		expect(connectionError('text').reason).toBe('connectionLost');
		expect(connectionError(null).reason).toBe('connectionLost');
	});

	test.each(['with Token: SECRET', 'SECRET is the token', 'X'])(
		'%j is not shown as a code',
		(code) => {
			expect(connectionError(failure(code)).description).not.toContain('(');
		},
	);

	test('the code is found five causes down, and no further', () => {
		const caused = (depth: number): Error =>
			depth === 0 ? failure('ECONNREFUSED') : new Error('outer', { cause: caused(depth - 1) });
		expect(connectionError(caused(5)).reason).toBe('unreachable');
		expect(connectionError(caused(6)).reason).toBe('connectionLost');
	});

	test('an error that is its own cause is a lost connection without a code', () => {
		const error = failure('lost with Token: secret');
		error.cause = error;
		const { reason, description } = connectionError(error);
		expect(reason).toBe('connectionLost');
		expect(description).not.toContain('(');
	});

	test('the error of a storage that the service had redirected to names the storage', () => {
		const storage = 'files.example.com';
		const error = connectionError(failure('ECONNREFUSED'), storage);
		expect(error).toMatchObject({ reason: 'storageFailed', retryable: true });
		expect(error.message).toMatch(/: files\.example\.com cannot be reached: connection refused$/);
		expect(connectionError(failure('ENOTFOUND'), storage).message).toMatch(/: host not found$/);
		expect(connectionError(failure('ETIMEDOUT'), storage).message).toMatch(/cannot be reached$/);
		expect(connectionError(failure('ERR_CANCELED'), storage).reason).toBe('canceled');
	});

	test('an error of ours stays what it is', () => {
		const own = new VoiceAgentError('invalidApiKey');
		expect(connectionError(new Error('outer', { cause: own }))).toBe(own);
	});
});

/** The error of an answer with this status. */
function answered(status: number, says?: string, headers: Record<string, string> = {}) {
	const answer = { status, excerpt: () => undefined, header: (name: string) => headers[name] };
	return answerError(answer, reasonOfStatus(status), 'DELETE /x', says);
}

describe('statuses', () => {
	test.each([
		[301, 'redirected', false],
		[400, 'rejected', false],
		[401, 'unauthorized', false],
		[403, 'forbidden', false],
		[404, 'notFound', false],
		[410, 'notFound', false],
		[429, 'rateLimited', true],
		[500, 'serverError', true],
		[501, 'serverError', false],
		[503, 'serverError', true],
	])('%d: %s', (httpStatus, reason, retryable) => {
		expect(answered(httpStatus)).toMatchObject({ httpStatus, reason, retryable });
	});

	test.each([400, 401, 403, 404, 500])(
		'with %i, the error shows what the service says',
		(status) => {
			const answer = `The service answered DELETE /x with status ${status}.`;
			expect(answered(status).description).toMatch(new RegExp(`${answer}$`));
			const { description } = answered(status, "'to' is missing");
			expect(description).toMatch(new RegExp(`${answer} The service says: 'to' is missing$`));
		},
	);

	test('the error says until when the service wants to be left alone', () => {
		const { retryAfterMs, description } = answered(503, '', { 'retry-after': '3600' });
		expect(retryAfterMs).toBe(3_600_000);
		const [, until] = /left alone until (.*)\.$/.exec(description) ?? [];
		expect(Math.abs(Date.parse(String(until)) - Date.now() - 3_600_000)).toBeLessThan(60_000);
	});

	test.each([
		['https://new.example/v2/api/customer/recordings?key=a', 'https://new.example/v2'],
		['/v2/api/customer/recordings/', 'https://old.example/v2'],
		['https://login.example/sign-in?next=a', 'https://login.example/sign-in'],
		['http://[', undefined],
		[undefined, undefined],
	])('a redirect to %s names the address to enter: %s', (location, address) => {
		const header = (name: string) => (name === 'location' ? location : undefined);
		const answer = { status: 302, excerpt: (text: string) => text, header };
		const request = 'GET https://old.example/api/customer/recordings';
		const { detail } = answerError(answer, 'redirected', request, undefined);
		expect(detail || undefined).toBe(address);
		expect(answerError(answer, 'rejected', request, undefined).detail).toBeUndefined();
	});

	test.each([
		[connectionError(failure('ECONNRESET')), true],
		[connectionError(failure('ETIMEDOUT')), true],
		[connectionError(failure('ECONNREFUSED')), false],
		[connectionError(failure('ENOTFOUND')), false],
		[connectionError(failure('CERT_HAS_EXPIRED')), false],
		[answered(302), true],
		[answered(307), false],
		[answered(308), false],
		[answered(408), true],
		[answered(500), true],
		[answered(400), false],
		[answered(401), false],
		[answered(429), false],
		[answered(501), false],
		[answered(404), false],
		[new VoiceAgentError('declaredFailure'), false],
		[new Error('of somebody else'), true],
		[undefined, true],
	])('after %s, the request may have been carried out: %s', (error, expected) => {
		expect(mayHaveBeenCarriedOut(error)).toBe(expected);
	});
});

describe('Retry-After', () => {
	const now = Date.parse('2026-11-21T12:00:00Z');

	test.each([
		['5', 5_000],
		['0', 0],
		['5x', undefined],
		['Sat, 21 Nov 2026 12:00:07 GMT', 7_000],
		['Sat, 21 Nov 2026 11:00:00 GMT', 0],
		['-5', undefined],
		['soon', undefined],
		['2026-11-21', undefined],
		['', undefined],
		[undefined, undefined],
	])('%j: %s ms', (value, expected) => expect(parseRetryAfter(value, now)).toBe(expected));
});
