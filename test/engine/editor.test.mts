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

	test('the latest call first, with its end; without a time last, as the service lists them', async (t) => {
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

	test('a filter is looked for in time and session GUID, in any letter case', async (t) => {
		const values = async (filter: string) =>
			(await searched(t, numbered(70), filter)).results.map(({ value }) => value);
		assert.deepEqual(
			await values('CALL-006'),
			[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `call-006${n}`),
		);
		assert.deepEqual(await values('utc · call-0000'), ['call-0000']);
		assert.deepEqual(await values('01:05'), ['call-0065']);
		assert.deepEqual(await values('nothing like this'), []);
	});

	test('the latest thousand', async (t) => {
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

	test('a field for each property, with its type, text and choices', async (t) => {
		const schema = {
			required: ['to'],
			properties: {
				to: { type: 'string', description: 'The number to call' },
				lines: { type: 'integer' },
				priority: { enum: [1, 'high', true] },
			},
		};
		const { fields } = await form(t, { body: document(schema) });
		const common = { required: false, display: true, defaultMatch: false };
		assert.deepEqual(fields, [
			{
				...common,
				id: 'to',
				displayName: 'to: The number to call',
				type: 'string',
				required: true,
			},
			{ ...common, id: 'lines', displayName: 'lines', type: 'number' },
			{
				...common,
				id: 'priority',
				displayName: 'priority',
				type: 'options',
				options: [
					{ name: '1', value: 1 },
					{ name: 'high', value: 'high' },
					{ name: 'true', value: true },
				],
			},
		]);
	});

	const otherWays = "Choose 'Using Fields Below' or 'Using JSON' instead.";
	const noFields = `No form for a call can be made from the API document of the service: it shows no fields for POST /api/customer/makecall. ${otherWays}`;
	const noDocument = `No form for a call can be made from the API document of the service: 'API Document Path' in the VoiceAgent API credential does not lead to it. ${otherWays}`;
	const empty: Array<[string, Reply, string, string?]> = [
		['a call without fields', { body: document({ properties: {} }) }, noFields],
		['a web page', { body: '<html></html>', headers: { 'content-type': 'text/html' } }, noDocument],
		['nothing', { body: {} }, noDocument, '/nowhere.json'],
		['no path', { body: {} }, noDocument, ''],
	];
	for (const [name, reply, notice, path] of empty) {
		test(`${name} at the path: no field, and why`, async (t) => {
			const { fields, emptyFieldsNotice, requests } = await form(t, reply, path);
			assert.deepEqual(fields, []);
			assert.equal(emptyFieldsNotice, notice);
			assert.ok(requests.every(({ method }) => method === 'GET'));
			assert.equal(requests.length, path === '' ? 0 : 1);
		});
	}
});

suite('the tests of credentials', () => {
	const nodes = { voiceAgent, voiceAgentTrigger, recordingTrigger };
	const good = {
		voiceAgentApi: () => ({ baseUrl: engine.emulator.url, apiKey: API_KEY }),
		voiceAgentWebhookApi: () => ({ sendIn: 'header', headerName: 'x-s', secret: 's'.repeat(20) }),
		voiceAgentRecordingPasswordApi: () => ({ password: 'correct horse' }),
	};
	const cases = [
		['voiceAgent', 'voiceAgentApi', /^The service accepts the API key\.$/],
		['voiceAgent', 'voiceAgentRecordingPasswordApi', /^The password can be used\. /],
		['voiceAgentTrigger', 'voiceAgentWebhookApi', /^The secret can be used\. /],
		['voiceAgentTrigger', 'voiceAgentRecordingPasswordApi', /^The password can be used\. /],
		['recordingTrigger', 'voiceAgentApi', /^The service accepts the API key\.$/],
	] as const;
	for (const [node, type, expected] of cases) {
		test(`${node}: ${type}`, async () => {
			const editor = engine.editor('', { parameters: {} }, nodes[node]);
			const { status, message } = await editor.testCredential(type, good[type]());
			assert.equal(status, 'OK', message);
			assert.match(message, expected);
			const empty = await editor.testCredential(type, {});
			assert.equal(empty.status, 'Error', empty.message);
		});
	}
});
