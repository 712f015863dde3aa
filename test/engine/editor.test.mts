/** What the editor shows while the VoiceAgent node is filled in. */
import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { voiceAgentTrigger } from '../../harness/flow.mts';
import { apiCredential, sharedEngine } from './engines.mts';
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

suite('Encrypt With of the trigger', () => {
	const choices = async (recordingPassword: string) => {
		const credentials = { voiceAgentApi: await apiCredential(engine, { recordingPassword }) };
		const parameters = { event: 'callStart', recordCall: true, encryptRecording: true };
		const editor = engine.editor('encryptWith', { parameters, credentials }, voiceAgentTrigger);
		return await editor.loadOptions('encryptionPasswords');
	};

	test('names the password of the account, and does not show it', async () =>
		assert.deepEqual(await choices('a password'), [
			{ name: 'Recording Password of the Credential', value: 'recordingPassword' },
		]));

	test('is marked with what to do if the account has no password', async () =>
		await assert.rejects(choices(''), /Enter a 'Recording Password' in the VoiceAgent API/));
});
