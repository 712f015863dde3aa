import { VoiceAgentError } from '../../nodes/errors';
import {
	connectionError,
	mayHaveBeenCarriedOut,
	parseRetryAfter,
	safeExcerpt,
	statusError,
	unreadableAnswer,
} from '../../nodes/service/httpErrors';

const failure = (code: string) => Object.assign(new Error('with Token: secret'), { code });

describe('connection errors', () => {
	test.each([
		['ECONNREFUSED', 'connectionRefused', true],
		['ENOTFOUND', 'hostNotFound', true],
		['ETIMEDOUT', 'timedOut', true],
		['ECONNABORTED', 'timedOut', true],
		['ERR_CANCELED', 'cancelled', false],
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
		['SELF_SIGNED_CERT_IN_CHAIN', 'n8n does not know who issued its certificate'],
		['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'n8n does not know who issued its certificate'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'n8n does not know who issued its certificate'],
		['CERT_SIGNATURE_FAILURE', 'n8n does not know who issued its certificate'],
		['CERT_REVOKED', 'its certificate is not accepted'],
		['INVALID_CA', 'its certificate is not accepted'],
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
		expect(connectionError('text').reason).toBe('connectionLost');
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
		[403, 'forbidden', false],
		[404, 'notFound', false],
		[410, 'notFound', false],
		[429, 'rateLimited', true],
		[500, 'serverError', true],
		[501, 'serverError', false],
		[503, 'serverError', true],
	])('%d: %s', (status, reason, retryable) => {
		expect(statusError(status, { detail: 'GET /x' })).toMatchObject({ reason, retryable });
	});

	test.each([
		[302, 'callMayHaveBeenPlaced'],
		[400, 'rejected'],
		[401, 'unauthorized'],
		[408, 'callMayHaveBeenPlaced'],
		[429, 'rateLimited'],
		[500, 'callMayHaveBeenPlaced'],
		[501, 'notYetAvailable'],
		[503, 'callMayHaveBeenPlaced'],
	])('%d, to a call: %s', (status, reason) => {
		const error = statusError(status, {
			detail: 'POST /x',
			special: { 501: 'notYetAvailable' },
			ambiguous: 'callMayHaveBeenPlaced',
		});
		expect(error.reason).toBe(reason);
	});

	test('an endpoint may have its own reason for a status', () => {
		const error = statusError(410, { detail: 'GET /x', special: { 410: 'recordingGone' } });
		expect(error.message).toBe(
			'The recording is gone: deleted, or purged 7 days after the call ended: GET /x',
		);
	});

	test('a web page does not prove that a recording is gone; other reasons stay', () => {
		const reason = (status: number) =>
			statusError(status, {
				detail: 'GET /x',
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
		[statusError(500, { detail: 'DELETE /x' }), true],
		[statusError(429, { detail: 'DELETE /x' }), false],
		[statusError(404, { detail: 'DELETE /x' }), false],
		[new Error('of somebody else'), true],
	])('%s: whether the request may have been carried out', (error, expected) => {
		expect(mayHaveBeenCarriedOut(error)).toBe(expected);
	});

	test('what the service says is shown only if it helps', () => {
		const shown = (status: number) =>
			statusError(status, { detail: 'POST /x', excerpt: "'to' is missing" }).description;
		expect(shown(400)).toContain("The service says: 'to' is missing");
		expect(shown(401)).not.toContain('is missing');
		expect(shown(500)).not.toContain('is missing');
	});
});

describe('Retry-After', () => {
	const now = Date.parse('2026-11-21T12:00:00Z');

	test.each([
		['5', 5_000],
		['0', 0],
		['Sat, 21 Nov 2026 12:00:07 GMT', 7_000],
		['Sat, 21 Nov 2026 11:00:00 GMT', 0],
		['-5', undefined],
		['soon', undefined],
		['', undefined],
		[undefined, undefined],
	])('%j: %s ms', (value, expected) => expect(parseRetryAfter(value, now)).toBe(expected));
});

describe('what the service says', () => {
	const secret = 'k3y+/=';

	test.each([
		['{"message":"to is missing"}', 'to is missing'],
		['{"error":{"code":"x","message":"to is missing"}}', 'to is missing'],
		['{"title":"Bad","detail":"to is missing"}', 'to is missing'],
		['to is\r\n missing\0', 'to is missing'],
		['<html><body>Bad</body></html>', undefined],
		['', undefined],
	])('%j: %s', (page, expected) => expect(safeExcerpt(page, [secret])).toBe(expected));

	test('a key that is echoed is removed in any encoding', () => {
		const bytes = Buffer.from(secret);
		const page = [
			secret,
			encodeURIComponent(secret),
			bytes.toString('base64'),
			bytes.toString('hex'),
		].join(' ');
		expect(safeExcerpt(page, [secret])).toBe('[redacted] [redacted] [redacted] [redacted]');
	});

	test('is cut short', () => {
		expect(safeExcerpt('x'.repeat(1_000), [secret])).toHaveLength(201);
	});
});
