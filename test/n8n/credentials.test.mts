import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';

import { createEmulator, type Shapes } from '../../emulator/src/index.mts';
import { freePort } from '../../harness/n8n/ports.mts';
import {
	API_KEY,
	API_KEY_WITHOUT_PERMISSION,
	chain,
	startStack,
	type Stack,
} from '../../harness/stack.mts';

suite('credentials', () => {
	let stack: Stack;
	/** Takes as long as n8n waits for an answer, so it goes on beside the other tests. */
	let testOfSilentServer: ReturnType<typeof testApi>;
	before(async () => {
		stack = await startStack();
		const silent = createServer().listen(0, '127.0.0.1');
		await once(silent, 'listening');
		const { port } = silent.address() as AddressInfo;
		testOfSilentServer = testApi({ baseUrl: `http://127.0.0.1:${port}` });
		testOfSilentServer.finally(() => silent.close()).catch(() => undefined);
	});
	after(async () => await stack?.stop());

	async function testApi(data: { baseUrl?: string; apiKey?: string; apiDocumentPath?: string }) {
		const { id } = stack.credentials.voiceAgentApi;
		const fields = { baseUrl: stack.emulator.url, apiKey: API_KEY, ...data };
		return await stack.n8n.testCredential({ id, type: 'voiceAgentApi', data: fields });
	}

	test('a good key', async () => {
		stack.emulator.control.clearLogs();
		assert.deepEqual(await testApi({}), {
			status: 'OK',
			message: 'The service accepts the API key.',
		});
		const [request, ...others] = stack.emulator.control.requests();
		assert.equal(others.length, 0);
		assert.equal(`${request?.method} ${request?.path}`, 'GET /api/customer/recordings');
	});

	test('spaces and line breaks around a key are trimmed, and a slash at the end of the address', async () => {
		const result = await testApi({
			baseUrl: ` ${stack.emulator.url}/ `,
			apiKey: ` \r\n${API_KEY}\n`,
		});
		assert.equal(result.status, 'OK');
	});

	for (const { name, fault, message } of [
		{
			name: 'a sign-in page with status 200',
			fault: { kind: 'html' },
			message: /web page instead of data/,
		},
		{
			name: 'an answer without a list',
			fault: { kind: 'status', status: 200, body: { count: 0 } },
			message: /list of recordings in an unknown shape/,
		},
	] as const) {
		test(`${name} is explained`, async (t) => {
			const { control } = stack.emulator;
			control.addFault({ match: { endpoint: 'listRecordings' }, fault });
			t.after(() => control.clearFaults());
			const result = await testApi({});
			assert.equal(result.status, 'Error');
			assert.match(result.message, message);
		});
	}

	test('a wrong path of the API document is named, and no document need be there', async () => {
		const { status, message } = await testApi({ apiDocumentPath: '/nowhere.json' });
		assert.equal(status, 'Error');
		assert.match(message, /^The 'API Document Path' .* at http.*\/nowhere\.json\.$/);
		assert.equal((await testApi({ apiDocumentPath: '' })).status, 'OK');
	});

	const lists: Array<[string, Partial<Shapes>]> = [
		['null', { emptyList: 'null' }],
		['null, recordings', { emptyList: 'null', list: 'recordings' }],
		['emptyObject', { emptyList: 'emptyObject' }],
		['204', { emptyList: '204' }],
	];
	for (const [name, shapes] of lists) {
		test(`a good key of a service without recordings, ${name}`, async (t) => {
			const service = await createEmulator({ shapes });
			t.after(async () => await service.close());
			assert.deepEqual(await testApi({ baseUrl: service.url }), {
				status: 'OK',
				message: 'The service accepts the API key.',
			});
		});
	}

	test('a good key of a service whose list ends with a page that cannot be asked for', async (t) => {
		const { control } = stack.emulator;
		control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
		t.after(() => control.resetShapes());
		for (let index = 0; index < 3; index++) await control.addRecording({ durationSeconds: 1 });
		assert.equal((await testApi({})).status, 'OK');
	});

	type Test = () => Promise<{ status: string; message: string }>;
	const failures: Array<[name: string, run: Test, message: RegExp, requests: number]> = [
		[
			'a wrong key is explained',
			async () => await testApi({ apiKey: 'wrong-key' }),
			/does not accept the API key \(401\).*web portal.*API keys page/,
			1,
		],
		[
			'a key without permission is explained',
			async () => await testApi({ apiKey: API_KEY_WITHOUT_PERMISSION }),
			/lacks permission.*\(403\).*support/,
			1,
		],
		[
			'a refused connection is explained',
			async () => await testApi({ baseUrl: `http://127.0.0.1:${await freePort()}` }),
			/connection refused.*https:\/\/.*host.*outbound HTTPS traffic/,
			0,
		],
		[
			'a key with a line break inside is refused before sending',
			async () => await testApi({ apiKey: 'demo\n-key' }),
			/'API Key'.*space or line break inside/,
			0,
		],
		[
			'plain http to another machine is refused before sending',
			async () => await testApi({ baseUrl: 'http://voiceagent.example.com' }),
			/'Base URL'.*must start with https:\/\//,
			0,
		],
	];
	for (const [name, run, message, requests] of failures) {
		test(name, async () => {
			stack.emulator.control.clearLogs();
			const result = await run();
			assert.equal(result.status, 'Error');
			assert.match(result.message, message);
			assert.equal(stack.emulator.control.requests().length, requests);
		});
	}

	test('a silent server is explained', { timeout: 300_000 }, async () => {
		const result = await testOfSilentServer;
		assert.equal(result.status, 'Error');
		assert.match(result.message, /time-out.*https:\/\/.*host.*outbound HTTPS traffic/);
	});

	test('a recording password is tested as far as possible', async () => {
		const { id } = stack.credentials.voiceAgentRecordingPasswordApi;
		const type = 'voiceAgentRecordingPasswordApi';
		const good = await stack.n8n.testCredential({ id, type });
		assert.equal(good.status, 'OK');
		const empty = await stack.n8n.testCredential({ id, type, data: { password: '' } });
		assert.equal(empty.status, 'Error');
		assert.match(empty.message, /'Password' of the VoiceAgent Recording Password API credential/);
	});

	suite("in n8n's HTTP Request node, the API key goes to the service only", () => {
		/** The `Token` headers that reached another host. */
		const leaked: unknown[] = [];
		const other = createHttpServer(({ headers }, response) => {
			leaked.push(headers.token);
			response.end('{}');
		});
		before(async () => await once(other.listen(0, '127.0.0.1'), 'listening'));
		after(() => void other.close());
		const otherUrl = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;

		async function get(url: string, typeVersion: number) {
			const start = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
			const request = {
				type: 'n8n-nodes-base.httpRequest',
				typeVersion,
				parameters: {
					url,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: 'voiceAgentApi',
					options: {},
				},
			};
			const { voiceAgentApi } = stack.credentials;
			const credentials = { voiceAgentApi };
			const nodes = [
				{ ...start, name: 'Start', id: 'start', position: [0, 0] },
				{ ...request, name: 'Request', id: 'request', position: [220, 0], credentials },
			];
			const workflow = { name: 'HTTP Request', nodes, connections: chain(['Start', 'Request']) };
			const id = await stack.n8n.importWorkflow(workflow);
			return await stack.n8n.run(id, { trigger: 'Start' });
		}

		for (const typeVersion of [3, 4.5]) {
			test(`version ${typeVersion}`, async () => {
				const { control, url } = stack.emulator;
				const list = `${url}/api/customer/recordings`;
				const passed = await get(list, typeVersion);
				assert.equal(passed.status, 'success', passed.error?.message);

				const refused = await get(otherUrl(), typeVersion);
				assert.match(String(refused.nodeError('Request')?.message), /API key is not sent to 127/);

				control.addFault({ fault: { kind: 'redirect', to: otherUrl() } });
				const redirected = await get(list, typeVersion);
				assert.equal(redirected.status, 'error');
				assert.deepEqual(leaked, []);
			});
		}
	});
});
