import type { IHttpRequestOptions } from 'n8n-workflow';

import { VoiceAgentApi } from '../../credentials/VoiceAgentApi.credentials';
import { parseApiCredential } from '../../nodes/service/apiCredential';

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

const parse = (fields: object) => parseApiCredential({ baseUrl: URL_OK, apiKey: KEY, ...fields });

describe('other fields', () => {
	test.each<['query' | 'paging' | 'documentPath', object, unknown]>([
		['query', {}, {}],
		['query', { queryParameters: null }, {}],
		['query', { queryParameters: '' }, {}],
		['query', { queryParameters: '?tenant=a%20b&view=' }, { tenant: 'a b', view: '' }],
		['query', { queryParameters: 'a=1&a=2' }, { a: '2' }],
		['query', { queryParameters: 'next=x=y' }, { next: 'x=y' }],
		['paging', {}, { mode: 'automatic' }],
		['paging', { paging: 'complete' }, { mode: 'complete' }],
		[
			'paging',
			{ paging: 'nextField', nextField: ' a.b ', cursorParameter: ' from ' },
			{ mode: 'nextField', field: 'a.b', parameter: 'from' },
		],
		[
			'paging',
			{ paging: 'parameter', pageParameter: 'p' },
			{ mode: 'parameter', parameter: 'p', first: 1, counts: 'pages' },
		],
		[
			'paging',
			{ paging: 'parameter', pageParameter: 'p', firstValue: '0', counts: 'records' },
			{ mode: 'parameter', parameter: 'p', first: 0, counts: 'records' },
		],
		// Service specification, Swagger.
		['documentPath', {}, '/swagger/v1/swagger.json'],
		['documentPath', { apiDocumentPath: '' }, undefined],
		['documentPath', { apiDocumentPath: '  ' }, undefined],
		['documentPath', { apiDocumentPath: '/openapi.json' }, '/openapi.json'],
		['documentPath', { apiDocumentPath: ' openapi.json\n' }, '/openapi.json'],
	])('%s of %j: %j', (name, fields, expected) => {
		expect(parse(fields)[name]).toEqual(expected);
	});

	test.each([
		[{ queryParameters: '=b' }, "in 'More Query Parameters'", 'has no name'],
		[{ queryParameters: 'a=1& =2' }, "in 'More Query Parameters'", 'has no name'],
		[{ paging: 'nextField', nextField: ' ' }, "'Next Field'", 'is empty'],
		[{ paging: 'parameter' }, "'Page Parameter'", 'is empty'],
		[{ paging: 'parameter', firstValue: 1.5 }, "'First Value'", 'must'],
		[{ paging: 'pages' }, "'Paging'", 'must be chosen from the list'],
	])('%j is refused: %s %s', (fields, name, problem) => {
		expect(() => parse(fields)).toThrow(`${name} of the VoiceAgent API credential ${problem}`);
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
