import { VoiceAgentError } from '../../nodes/errors';
import {
	connectionError,
	mayHaveBeenCarriedOut,
	parseRetryAfter,
	statusError,
	unreadableAnswer,
} from '../../nodes/service/http/httpErrors';

const failure = (code: string) => Object.assign(new Error('with Token: secret'), { code });

describe('connection errors', () => {
	test.each([
		['ECONNREFUSED', 'connectionRefused', true],
		['ENOTFOUND', 'hostNotFound', true],
		['ETIMEDOUT', 'timedOut', true],
		['ECONNABORTED', 'timedOut', true],
		['EHOSTUNREACH', 'timedOut', true],
		['EAI_AGAIN', 'hostNotFound', true],
		['ERR_CANCELED', 'canceled', false],
		['ECONNRESET', 'connectionLost', true],
	])('%s: %s', (code, reason, retryable) => {
		const error = connectionError(failure(code));
		expect(error).toMatchObject({ reason, retryable });
		expect(error.description).toContain(`(${code})`);
		expect(error.message).not.toContain('secret');
	});

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
		const storage = connectionError(failure(code), { storage: 'files.example.com' });
		expect(storage).toMatchObject({ reason: 'storageFailed', retryable: false });
		expect(storage.message).toContain(`files.example.com cannot be reached: ${problem}`);
	});

	test('the code is found in the cause of an error, and if several addresses were tried', () => {
		const wrapped = new Error('outer', { cause: new AggregateError([failure('ECONNREFUSED')]) });
		expect(connectionError(wrapped).reason).toBe('connectionRefused');
		expect(connectionError({ httpCode: 'ECONNREFUSED' }).reason).toBe('connectionRefused');
		expect(connectionError('text').reason).toBe('connectionLost');
		expect(connectionError(null).reason).toBe('connectionLost');
	});

	test.each(['with Token: SECRET', 'SECRET is the token', 'X'])('%s is no code', (code) => {
		expect(connectionError(failure(code)).description).not.toContain('(');
	});

	test('the code is found five causes down, and no further', () => {
		const caused = (depth: number): Error =>
			depth === 0 ? failure('ECONNREFUSED') : new Error('outer', { cause: caused(depth - 1) });
		expect(connectionError(caused(5)).reason).toBe('connectionRefused');
		expect(connectionError(caused(6)).reason).toBe('connectionLost');
	});

	test('an error that is its own cause', () => {
		const error = failure('lost with Token: secret');
		error.cause = error;
		const { reason, description } = connectionError(error);
		expect(reason).toBe('connectionLost');
		expect(description).not.toContain('(');
	});

	test('a storage that the service had redirected to', () => {
		const storage = 'files.example.com';
		const error = connectionError(failure('ECONNREFUSED'), { storage });
		expect(error).toMatchObject({ reason: 'storageFailed', retryable: true });
		expect(error.message).toMatch(/: files\.example\.com cannot be reached$/);
		expect(connectionError(failure('ERR_CANCELED'), { storage }).reason).toBe('canceled');
	});

	test('our own error stays what it is', () => {
		const own = new VoiceAgentError('invalidApiKey');
		expect(connectionError(new Error('outer', { cause: own }))).toBe(own);
	});

	test('a call is ambiguous only if the service may have received it', () => {
		const reason = (code: string) =>
			connectionError(failure(code), { ambiguous: 'callMayHaveBeenPlaced' }).reason;
		expect(reason('ETIMEDOUT')).toBe('callMayHaveBeenPlaced');
		expect(reason('ECONNRESET')).toBe('callMayHaveBeenPlaced');
		expect(reason('ECONNREFUSED')).toBe('connectionRefused');
		expect(reason('ENOTFOUND')).toBe('hostNotFound');
		expect(reason('CERT_HAS_EXPIRED')).toBe('insecure');
		const lost = connectionError(failure('ECONNRESET'), { ambiguous: 'callMayHaveBeenPlaced' });
		expect(lost.description).toMatch(/before the service answered\. \(ECONNRESET\)$/);
		const { description } = connectionError({}, { ambiguous: 'callMayHaveBeenPlaced' });
		expect(description).toMatch(/The connection failed before the service answered\.$/);
	});

	test.each([
		['ECONNREFUSED', failure('ECONNREFUSED'), 'connection refused'],
		['a truncated answer', new VoiceAgentError('truncated', { detail: '1 of 2' }), ': 1 of 2'],
	])('a call is ambiguous once it was answered with 2xx, also with %s', (_name, error, said) => {
		const { reason, description } = unreadableAnswer(error, 'callMayHaveBeenPlaced');
		expect(reason).toBe('callMayHaveBeenPlaced');
		expect(description).toContain('before you place it again');
		expect(description).toContain(`${said}.`);
	});
});

describe('statuses', () => {
	test.each([
		[301, 'redirected', false],
		[400, 'rejected', false],
		[401, 'unauthorized', false],
		[404, 'notFound', false],
		[429, 'rateLimited', true],
		[500, 'serverError', true],
		[501, 'serverError', false],
		[503, 'serverError', true],
	])('%d: %s', (status, reason, retryable) => {
		expect(statusError(status, { request: 'GET /x' })).toMatchObject({ reason, retryable });
	});

	test.each([
		[400, 'rejected'],
		[401, 'unauthorized'],
		[408, 'callMayHaveBeenPlaced'],
		[429, 'rateLimited'],
		[500, 'callMayHaveBeenPlaced'],
		[501, 'notYetAvailable'],
	])('%d, to a call: %s', (status, reason) => {
		const error = statusError(status, {
			request: 'POST /x',
			special: { 501: 'notYetAvailable' },
			ambiguous: 'callMayHaveBeenPlaced',
		});
		expect(error.reason).toBe(reason);
		expect(error.httpStatus).toBe(status);
	});

	test('a redirect says what to do, whatever it means for the request', () => {
		for (const ambiguous of [undefined, 'callMayHaveBeenPlaced'] as const) {
			const { description } = statusError(302, { request: 'POST /x', ambiguous });
			expect(description.split('Enter the final address')).toHaveLength(2);
		}
	});

	test('an endpoint may have its own reason for a status', () => {
		const special = { 410: 'recordingGone' } as const;
		const error = statusError(410, { request: 'GET /x', special, retryAfterMs: 5_000 });
		expect(error.retryAfterMs).toBe(5_000);
		expect(error.message).toBe(
			'The recording is gone: deleted, or purged 7 days after the call ended',
		);
		expect(error.description).toContain('The service answered GET /x with status 410.');
	});

	test('a web page does not prove that a recording is gone; other reasons stay', () => {
		const reason = (status: number) =>
			statusError(status, {
				request: 'GET /x',
				isWebPage: true,
				special: { 404: 'recordingGone', 501: 'notYetAvailable' },
			}).reason;
		expect(reason(404)).toBe('webPage');
		expect(reason(501)).toBe('notYetAvailable');
		expect(reason(400)).toBe('rejected');
	});

	test.each([
		[connectionError(failure('ECONNRESET')), true],
		[connectionError(failure('ETIMEDOUT')), true],
		[connectionError(failure('ECONNREFUSED')), false],
		[statusError(500, { request: 'DELETE /x' }), true],
		[statusError(429, { request: 'DELETE /x' }), false],
		[statusError(501, { request: 'DELETE /x' }), false],
		[statusError(404, { request: 'DELETE /x' }), false],
		[new VoiceAgentError('declaredFailure'), false],
		[new Error('of somebody else'), true],
		[undefined, true],
	])('%s: whether the request may have been carried out', (error, expected) => {
		expect(mayHaveBeenCarriedOut(error)).toBe(expected);
	});

	test.each([400, 500])('what the service says is shown: %i', (status) => {
		const error = statusError(status, { request: 'POST /x', excerpt: "'to' is missing" });
		expect(error.description).toContain(`with status ${status}. The service says: 'to' is missing`);
		expect(statusError(400, { request: 'POST /x' }).description).not.toContain('says');
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
