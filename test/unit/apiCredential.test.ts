import type { IHttpRequestOptions } from 'n8n-workflow';

import { VoiceAgentApi } from '../../credentials/VoiceAgentApi.credentials';
import { parseApiCredential } from '../../nodes/service/credentials/apiCredential';

const KEY = 'key-123';
const URL_OK = 'https://voiceagent.example.com';

describe('Base URL', () => {
	test.each([
		[URL_OK, URL_OK],
		[`${URL_OK}/`, URL_OK],
		[`  ${URL_OK}//\n`, URL_OK],
		['https://VoiceAgent.Example.com:8443/tenant/', 'https://voiceagent.example.com:8443/tenant'],
		['http://localhost:8480', 'http://localhost:8480'],
		['http://127.0.0.1:8480/', 'http://127.0.0.1:8480'],
		['http://[::1]:8480', 'http://[::1]:8480'],
		['http://127.0.0.10', 'http://127.0.0.10'],
		[`${URL_OK}/api/customer`, URL_OK],
		[`${URL_OK}/tenant/API/Customer/recordings?a=b`, `${URL_OK}/tenant`],
		[`${URL_OK}/swagger/index.html#/Recordings`, URL_OK],
		[`${URL_OK}/swaggers`, `${URL_OK}/swaggers`],
	])('%j becomes %s [fault 18]', (baseUrl, expected) => {
		expect(parseApiCredential({ baseUrl, apiKey: KEY }).baseUrl).toBe(expected);
	});

	test.each([
		['', 'it is empty'],
		[undefined, 'it is empty'],
		['voiceagent.example.com', 'it is not a complete address'],
		['ftp://voiceagent.example.com', 'it must start with https://, not ftp:'],
		['https://user:secret@voiceagent.example.com', 'user name or password'],
		[`${URL_OK}?a=b`, 'query'],
		[`${URL_OK}/#x`, 'fragment'],
		['https://voice agent.example.com', 'space'],
		['https://voiceagent\n.example.com', 'line break'],
		['https:\\\\voiceagent.example.com', 'backslash'],
		['http://voiceagent.example.com', 'it must start with https://'],
		['http://localhost.example.com', 'it must start with https://'],
		['http://127.0.0.1.example.com', 'it must start with https://'],
		['http://10.0.0.1', 'it must start with https://'],
		['http://128.0.0.1', 'it must start with https://'],
	])('%j is refused: %s [faults 16, 18]', (baseUrl, detail) => {
		const parse = () => parseApiCredential({ baseUrl, apiKey: KEY });
		expect(parse).toThrow("'Base URL' of the VoiceAgent API credential");
		expect(parse).toThrow(detail);
		expect(parse).not.toThrow('secret');
	});
});

describe('API Key', () => {
	test.each([[` ${KEY} `], [`\r\n${KEY}\n`], [KEY]])('%j is trimmed', (apiKey) => {
		expect(parseApiCredential({ baseUrl: URL_OK, apiKey }).apiKey).toBe(KEY);
	});

	test.each([
		['', 'it is empty'],
		[null, 'it is empty'],
		['sec ret', 'space or line break'],
		['sec\r\nret', 'space or line break'],
		['sec\0ret', 'control or non-ASCII'],
		['secr\u00e9t', 'control or non-ASCII'],
	])('%j is refused: %s [fault 37]', (apiKey, detail) => {
		const parse = () => parseApiCredential({ baseUrl: URL_OK, apiKey });
		expect(parse).toThrow("'API Key' of the VoiceAgent API credential");
		expect(parse).toThrow(detail);
		if (apiKey?.trim()) expect(parse).not.toThrow(apiKey);
	});
});

describe('More Query Parameters', () => {
	test.each([
		[undefined, {}],
		[null, {}],
		['', {}],
		['?tenant=a%20b&view=', { tenant: 'a b', view: '' }],
		['a=1&a=2', { a: '2' }],
		['next=x=y', { next: 'x=y' }],
	])('%j: %j', (queryParameters, expected) => {
		expect(parseApiCredential({ baseUrl: URL_OK, apiKey: KEY, queryParameters }).query).toEqual(
			expected,
		);
	});

	test.each(['=b', 'a=1& =2'])('%j is refused: a parameter without a name', (queryParameters) => {
		const parse = () => parseApiCredential({ baseUrl: URL_OK, apiKey: KEY, queryParameters });
		expect(parse).toThrow(
			"in 'More Query Parameters' of the VoiceAgent API credential has no name",
		);
	});
});

describe('Paging', () => {
	const parse = (fields: object) => parseApiCredential({ baseUrl: URL_OK, apiKey: KEY, ...fields });

	test.each([
		[{}, { mode: 'automatic' }],
		[{ paging: 'complete' }, { mode: 'complete' }],
		[
			{ paging: 'nextField', nextField: ' a.b ', cursorParameter: ' from ' },
			{ mode: 'nextField', field: 'a.b', parameter: 'from' },
		],
		[
			{ paging: 'parameter', pageParameter: 'p' },
			{ mode: 'parameter', parameter: 'p', first: 1, counts: 'pages' },
		],
		[
			{ paging: 'parameter', pageParameter: 'p', firstValue: '0', counts: 'records' },
			{ mode: 'parameter', parameter: 'p', first: 0, counts: 'records' },
		],
	])('%j', (fields, expected) => expect(parse(fields).paging).toEqual(expected));

	test.each([
		[
			{ paging: 'nextField', nextField: ' ' },
			"'Next Field' of the VoiceAgent API credential is empty",
		],
		[{ paging: 'parameter' }, "'Page Parameter' of the VoiceAgent API credential is empty"],
		[
			{ paging: 'parameter', firstValue: 1.5 },
			"'First Value' of the VoiceAgent API credential must",
		],
		[{ paging: 'pages' }, "'Paging' of the VoiceAgent API credential must be chosen from the list"],
	])('%j is refused', (fields, message) => expect(() => parse(fields)).toThrow(message));
});

describe('API Document Path', () => {
	test.each([
		// Service specification, Swagger.
		[undefined, '/swagger/v1/swagger.json'],
		['', undefined],
		['  ', undefined],
		['/openapi.json', '/openapi.json'],
		[' openapi.json\n', '/openapi.json'],
	])('%j becomes %j', (apiDocumentPath, expected) => {
		const fields = { baseUrl: URL_OK, apiKey: KEY, apiDocumentPath };
		expect(parseApiCredential(fields).documentPath).toBe(expected);
	});
});

describe('the header', () => {
	const { authenticate } = new VoiceAgentApi();
	const credential = { baseUrl: `${URL_OK}/`, apiKey: ` ${KEY}\n` };

	test('is sent to an address in the options of the older request helper', async () => {
		const options = { uri: `${URL_OK}/api/customer/recordings` } as unknown as IHttpRequestOptions;
		await expect(authenticate(credential, options)).resolves.toMatchObject({
			headers: { Token: KEY },
		});
	});

	test.each([
		'https://elsewhere.example.com/api',
		'https://voiceagent.example.com.evil.example/',
		'http://voiceagent.example.com/api',
		'https://voiceagent.example.com:444/api',
	])('is not sent to %s', async (url) => {
		const refusal = 'the API key is not sent to';
		await expect(authenticate(credential, { url })).rejects.toThrow(refusal);
		const legacy = { uri: url } as unknown as IHttpRequestOptions;
		await expect(authenticate(credential, legacy)).rejects.toThrow(refusal);
		const both = { ...legacy, url: `${URL_OK}/api` };
		await expect(authenticate(credential, both)).rejects.toThrow(refusal);
	});

	test('is not sent to an unknown address', async () => {
		const nowhere = {} as IHttpRequestOptions;
		await expect(authenticate(credential, nowhere)).rejects.toThrow('an unknown address');
	});
});
