import type { ICredentialsDecrypted, ICredentialTestFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../nodes/errors';
import {
	credentialTest,
	testApi,
	testRecordingPassword,
} from '../../nodes/service/credentials/credentialTests';

const BASE = 'https://voiceagent.example.com/tenant';
const KEY = 'key-123';

type Reply = { statusCode?: number; body?: unknown } | Error;

/** Tests an API credential. The service answers the list with this. */
async function tested(reply: Reply, fields: Record<string, string> = {}) {
	const request = jest.fn<Promise<object>, [object]>(async () => {
		if (reply instanceof Error) throw reply;
		const { statusCode = 200, body } = reply;
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		async function* chunks() {
			yield Buffer.from(text ?? '');
		}
		const stream = Object.assign(chunks(), { destroy: () => undefined });
		return { statusCode, headers: {}, body: stream };
	});
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const data = { baseUrl: BASE, apiKey: KEY, ...fields };
	const result = await testApi.call(context, { data } as unknown as ICredentialsDecrypted);
	return { ...result, requests: request.mock.calls.map(([options]) => options) };
}

const LIST = { body: [] };

describe('an API credential', () => {
	test('is tested with the list, with nothing but the key', async () => {
		const { status, message, requests } = await tested(LIST, { queryParameters: 'tenant=7' });
		expect({ status, message }).toEqual({
			status: 'OK',
			message: 'The service accepts the API key.',
		});
		expect(requests).toEqual([
			expect.objectContaining({
				method: 'GET',
				url: `${BASE}/api/customer/recordings`,
				qs: { tenant: '7' },
				headers: { Token: KEY, Accept: 'application/json', 'Accept-Encoding': 'identity' },
				timeout: 20_000,
				// n8n would send the key to wherever a redirect points.
				followRedirect: false,
				disableFollowRedirect: true,
				simple: false,
				useStream: true,
				resolveWithFullResponse: true,
			}),
		]);
	});

	test.each<[string, Reply]>([
		['no content', { statusCode: 204, body: '' }],
		['a list as text', { body: '{"recordings":[]}' }],
	])('a list that is %s', async (_name, list) => {
		expect((await tested(list)).status).toBe('OK');
	});

	test('the fields that it names are looked for', async () => {
		const list = { body: { a: [{ x: 1 }], b: [{ x: 2 }] } };
		expect((await tested(list)).message).toMatch('several lists: a, b');
		expect((await tested(list, { listField: 'b' })).status).toBe('OK');
	});

	test.each<[string, Reply, RegExp]>([
		['no connection', Object.assign(new Error(), { code: 'ECONNREFUSED' }), /ECONNREFUSED/],
		[
			'a wrong key',
			{ statusCode: 401, body: { error: 'plan ended' } },
			/does not accept the API key.*GET https.*recordings with status 401\. .* plan ended$/,
		],
		['a sign-in page', { body: '<html>Sign in</html>' }, /web page/],
		['a list in an unknown shape', { body: { count: 0 } }, /in an unknown shape/],
		[
			'a list that failed',
			{ body: { success: false, message: `no database for ${KEY}` } },
			/the request failed\. .* The service says: .*no database for \[redacted\]$/,
		],
	])('%s is explained', async (_name, list, text) => {
		const { status, message } = await tested(list);
		expect(status).toBe('Error');
		expect(message).toMatch(text);
		expect(message).not.toContain(KEY);
		expect(message).not.toContain('undefined');
	});

	test('that is incomplete is explained, and nothing is sent', async () => {
		const { status, message, requests } = await tested(LIST, { apiKey: '' });
		expect({ status, requests }).toEqual({ status: 'Error', requests: [] });
		expect(message).toMatch(/^The 'API Key' .*: it is empty\. Copy the key/);
		const none = await testApi.call({} as ICredentialTestFunctions, {} as ICredentialsDecrypted);
		expect(none.message).toMatch(/^The 'Base URL'/);
	});
});

describe('a recording password', () => {
	const result = async (data?: object) =>
		await testRecordingPassword.call(
			{} as ICredentialTestFunctions,
			{ data } as unknown as ICredentialsDecrypted,
		);
	const previous = (password: string) => ({ entries: [{ password }] });

	test.each<[object, boolean]>([
		[{ password: 'a b' }, false],
		[{ password: ' a' }, true],
		[{ password: 'a\n' }, true],
		[{ password: 'a', previous: previous('b') }, false],
		[{ password: 'a', previous: previous('b ') }, true],
	])('%j: whether it says that spaces count', async (data, says) => {
		const { status, message } = await result(data);
		expect(status).toBe('OK');
		expect(message).toMatch(/^The password can be used\. \w/);
		expect(/space/.test(message)).toBe(says);
	});

	test.each([undefined, {}, { password: '' }])('%j is none', async (data) => {
		const { status, message } = await result(data);
		expect(status).toBe('Error');
		expect(message).toMatch(/^The 'Password' .* is empty: enter/);
	});
});

test('an error that nobody foresaw shows nothing of it', async () => {
	const failed = await credentialTest(async () => await Promise.reject(new Error('Token: secret')));
	expect(failed.status).toBe('Error');
	expect(failed.message).not.toContain('secret');
	const own = new VoiceAgentError('unauthorized');
	expect(await credentialTest(async () => await Promise.reject(own))).toEqual({
		status: 'Error',
		message: own.fullText,
	});
});
