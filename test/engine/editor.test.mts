/** What the editor shows while the VoiceAgent node is filled in. */
import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { recordingTrigger, voiceAgent, voiceAgentTrigger } from '../../harness/flow.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { ownService, type Reply } from './ownService.mts';

const engine = await sharedEngine();

suite('the list of the Recording parameter', () => {
	async function searched(t: TestContext, records: unknown[], ...args: string[]) {
		const { voiceAgentApi } = await ownService(t, engine, () => ({ body: records }));
		const parameters = { resource: 'recording', operation: 'download' };
		const editor = engine.editor('recording', { parameters, credentials: { voiceAgentApi } });
		return await editor.listSearch('searchRecordings', ...args);
	}

	const numbered = (count: number) =>
		Array.from({ length: count }, (_, index) => ({
			sessionGuid: `call-${String(index).padStart(4, '0')}`,
			endedAt: new Date(Date.UTC(2026, 10, 14) + index * 60_000).toISOString(),
		}));

	test('shows the latest call first, with its end, and calls without a time last', async (t) => {
		const records = [
			{ sessionGuid: 'without-1' },
			{ sessionGuid: 'call-0001', endedAt: '2026-11-14T11:59:30Z' },
			{ sessionGuid: 'call-0002', endedAt: '2026-11-14T13:02:00Z' },
			{ sessionGuid: 'without-2' },
			{ sessionGuid: 'call-0003', endedAt: '2026-11-14T11:59:30Z' },
			{ sessionGuid: null, endedAt: '2026-11-14T14:00:00Z' },
		];
		assert.deepEqual(await searched(t, records), {
			results: [
				{ name: '2026-11-14 13:02 UTC · call-0002', value: 'call-0002' },
				{ name: '2026-11-14 11:59 UTC · call-0001', value: 'call-0001' },
				{ name: '2026-11-14 11:59 UTC · call-0003', value: 'call-0003' },
				{ name: 'without-1', value: 'without-1' },
				{ name: 'without-2', value: 'without-2' },
			],
		});
	});

	test('finds a filter in times and session GUIDs, in any letter case', async (t) => {
		const values = async (filter: string) =>
			(await searched(t, numbered(70), filter)).results.map(({ value }) => value);
		assert.deepEqual(
			await values('CALL-006'),
			[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((digit) => `call-006${digit}`),
		);
		assert.deepEqual(await values('utc · call-0000'), ['call-0000']);
		assert.deepEqual(await values('01:05'), ['call-0065']);
		assert.deepEqual(await values('nothing like this'), []);
	});

	test('shows the latest thousand recordings', async (t) => {
		const all = numbered(2_500)
			.map(({ sessionGuid }) => sessionGuid)
			.reverse();
		const { results } = await searched(t, numbered(2_500));
		assert.deepEqual(
			results.map(({ value }) => value),
			all.slice(0, 1_000),
		);
	});
});

suite('the form of the service for Make', () => {
	const document = (schema: object) => ({
		openapi: '3.0.1',
		paths: {
			'/api/customer/makecall': {
				post: { requestBody: { content: { 'application/json': { schema } } } },
			},
		},
	});

	async function form(t: TestContext, reply: Reply, apiDocumentPath = '/openapi.json') {
		const { voiceAgentApi, requests } = await ownService(
			t,
			engine,
			({ path }) => (path === '/openapi.json' ? reply : { status: 404, body: {} }),
			{ apiDocumentPath },
		);
		const parameters = { resource: 'call', operation: 'make', specifyBody: 'service' };
		const editor = engine.editor('serviceFields', { parameters, credentials: { voiceAgentApi } });
		return { ...(await editor.resourceMapping('getCallFields')), requests };
	}

	test('has a field for each property of the document, with its type', async (t) => {
		const properties = { to: { type: 'string' }, priority: { enum: [1, 'high'] } };
		const { fields } = await form(t, { body: document({ properties }) });
		assert.deepEqual(
			fields.map(({ id, type }) => [id, type]),
			[
				['to', 'string'],
				['priority', 'options'],
			],
		);
	});

	const otherWays = "Choose 'Using Fields Below' or 'Using JSON' instead.";
	const noForm = 'No form for a call can be made from the API document of the service';
	const noFields = 'it shows no fields for POST /api/customer/makecall';
	const setting = "'API Document Path' in the VoiceAgent API credential";
	const noDocument = `${setting} does not lead to it`;
	interface WithoutForm {
		name: string;
		reply: Reply;
		/** What the credential has for the path of the document. */
		path?: string;
		why: string;
	}
	const withoutForm: WithoutForm[] = [
		{
			name: 'a document of a call without fields',
			reply: { body: document({ properties: {} }) },
			why: noFields,
		},
		{
			name: 'a web page',
			reply: { body: '<html></html>', headers: { 'content-type': 'text/html' } },
			why: noDocument,
		},
		{
			name: 'a path that leads nowhere',
			reply: { body: {} },
			path: '/nowhere.json',
			why: noDocument,
		},
		{ name: 'no path', reply: { body: {} }, path: '', why: noDocument },
	];
	for (const { name, reply, path, why } of withoutForm) {
		test(`has no field with ${name}, and says why`, async (t) => {
			const { fields, emptyFieldsNotice, requests } = await form(t, reply, path);
			assert.deepEqual(fields, []);
			assert.equal(emptyFieldsNotice, `${noForm}: ${why}. ${otherWays}`);
			assert.ok(requests.every(({ method }) => method === 'GET'));
			assert.equal(requests.length, path === '' ? 0 : 1);
		});
	}
});

suite('the test of a VoiceAgent API credential', () => {
	const ACCEPTED = /^The service accepts the API key\.$/;
	const lists = { a: [{ x: 1 }], b: [{ x: 2 }] };
	const rows: Array<[name: string, Reply, says: RegExp, fields?: Record<string, string>]> = [
		['a list', { body: [] }, ACCEPTED, { queryParameters: 'tenant=7' }],
		['no content', { status: 204 }, ACCEPTED],
		['several lists', { body: lists }, /several lists: a, b/],
		['the list that it names', { body: lists }, ACCEPTED, { listField: 'b' }],
		[
			'a wrong key',
			{ status: 401, body: { error: 'plan ended' } },
			/does not accept the API key.*GET http.*recordings with status 401\. .* plan ended$/,
		],
		['a sign-in page', { body: '<html>Sign in</html>' }, /web page/],
		['a page that forbids it', { status: 403, body: '<html>No</html>' }, /lacks permission .*403/],
		// Another request would come after the time of the test.
		['a wish to wait', { status: 429, headers: { 'retry-after': '25' } }, /429/],
		['an unknown shape', { body: { count: 0 } }, /in an unknown shape/],
		[
			'a failure',
			{ body: { success: false, message: `no database for ${API_KEY}` } },
			/the request failed\. .* The service says: .*no database for \[redacted\]$/,
		],
		// n8n would send the key to wherever a redirect points.
		['a redirect', { status: 302, headers: { location: '/elsewhere' } }, /redirected/],
	];
	for (const [name, reply, says, fields = {}] of rows) {
		test(`says what it is answered with: ${name}`, async (t) => {
			const { url, requests } = await ownService(t, engine, () => reply);
			const data = { baseUrl: url, apiKey: ` ${API_KEY}\n`, ...fields };
			const editor = engine.editor('', { parameters: {} });
			const { status, message } = await editor.testCredential('voiceAgentApi', data);
			assert.equal(status, says === ACCEPTED ? 'OK' : 'Error', message);
			assert.match(message, says);
			assert.ok(!message.includes(API_KEY) && !message.includes('undefined'), message);
			assert.deepEqual(
				requests.map(({ method, path, query }) => `${method} ${path} ${query}`),
				[`GET /api/customer/recordings ${fields.queryParameters ?? ''}`],
			);
		});
	}
});

suite('the test of a credential', () => {
	const nodes = { voiceAgent, voiceAgentTrigger, recordingTrigger };
	const service = { baseUrl: engine.emulator.url, apiKey: API_KEY };
	const webhook = { sendIn: 'header', headerName: 'x-s', secret: 's'.repeat(20) };
	const password = { password: 'a b' };
	const usable = /^The password can be used\. (?!.*space)\w/;
	const cases = [
		['voiceAgent', 'voiceAgentApi', service, /^The service accepts the API key\.$/],
		['voiceAgent', 'voiceAgentRecordingPasswordApi', password, usable],
		['voiceAgentTrigger', 'voiceAgentWebhookApi', webhook, /^The secret can be used\. /],
		['voiceAgentTrigger', 'voiceAgentRecordingPasswordApi', password, usable],
		['recordingTrigger', 'voiceAgentApi', service, /^The service accepts the API key\.$/],
	] as const;
	for (const [node, type, data, expected] of cases) {
		test(`of ${type} accepts one that can be used, and names what is missing (${node})`, async () => {
			const editor = engine.editor('', { parameters: {} }, nodes[node]);
			const { status, message } = await editor.testCredential(type, data);
			assert.equal(status, 'OK', message);
			assert.match(message, expected);
			const empty = await editor.testCredential(type, {});
			assert.equal(empty.status, 'Error', empty.message);
			assert.match(empty.message, /'(?:Base URL|Password|Secret)' .*is empty/);
		});
	}

	test('of passwords says that spaces around them count', async () => {
		const editor = engine.editor('', { parameters: {} });
		for (const [current, previous] of [
			[' a', 'b'],
			['a\n', 'b'],
			['a', 'b '],
		]) {
			const data = { password: current, previous: { entries: [{ password: previous }] } };
			const type = 'voiceAgentRecordingPasswordApi';
			const { message } = await editor.testCredential(type, data as never);
			assert.match(message, /^The password can be used\. .*space/);
		}
	});
});
