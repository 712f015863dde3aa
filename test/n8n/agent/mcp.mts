/**
 * An assistant that speaks MCP: what it sees, and that only a person can place the call that it
 * prepares.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { createLedger, LEDGER } from '../../../harness/ledger.mts';
import { fromN8n } from '../../../harness/n8n/installation.mts';
import type { N8n } from '../../../harness/n8n/n8n.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { until } from '../../../harness/until.mts';
import { serviceOf } from '../suite.mts';

type Client = Record<'connect' | 'listTools' | 'callTool', (input?: object) => Promise<object>>;

// The client of the protocol's own SDK, as assistants have it.
const SDK = '@modelcontextprotocol/sdk/client';
const { Client } = fromN8n(`${SDK}/index.js`) as { Client: new (info: object) => Client };
const { StreamableHTTPClientTransport } = fromN8n(`${SDK}/streamableHttp.js`) as {
	StreamableHTTPClientTransport: new (url: URL, options: object) => object;
};

const NUMBER = '+15550100';
const OTHER = '+15550199';
const TOKEN = 'Bearer token-of-the-assistant';
const PERSON = `Basic ${btoa('person:password')}`;

export function mcpSuite(getN8n: () => N8n): void {
	suite('workflow: calls-over-mcp', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);
		let workflowId: string;
		let assistant: Client;

		async function connect(authorization: string): Promise<Client> {
			const client = new Client({ name: 'assistant', version: '1.0.0' });
			const url = new URL('/mcp/voiceagent-calls', getN8n().url);
			const requestInit = { headers: { authorization } };
			await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
			return client;
		}

		const answer = async (name: string, input: object) =>
			JSON.stringify(await assistant.callTool({ name, arguments: input }));

		/** The link that the assistant gets for the person. */
		const link = async (number: string, more = {}) =>
			/https?:[^\s"\\]+/.exec(await answer('prepare_call', { number, ...more }))?.[0] ?? '';

		const post = async (page: string | URL, authorization: string, number = '') => {
			const body = new FormData();
			body.set('field-0', number);
			const headers = { authorization };
			return await fetch(page, { method: 'POST', body, headers, redirect: 'manual' });
		};

		/** The page that an execution shows next. While it runs, n8n answers for its status only. */
		async function next(page: string): Promise<string> {
			const text = async (url: string) => await (await fetch(url)).text();
			const status = page.replace('?', '/n8n-execution-status?');
			await until(async () => (await text(status)) !== 'running');
			return await text(page);
		}

		/** Enters the number, and returns the question that n8n then asks, and its address. */
		async function ask(number: string): Promise<{ page: string; shown: string }> {
			const answered = await post(await link(number), PERSON, number);
			const { formWaitingUrl: page } = (await answered.json()) as { formWaitingUrl: string };
			return { page, shown: await next(page) };
		}

		const refusal = async (why: RegExp) =>
			await until(async () => {
				const executions = await getN8n().waitForExecutions({ workflowId, count: 1 });
				return executions.some(({ error }) => why.test(String(error?.message)));
			});

		const dialed = () => stack.emulator.control.calls().map(({ to }) => to);

		before(async () => {
			const n8n = getN8n();
			await createLedger(n8n);
			const credential = async (type: string, data: Record<string, string>) => ({
				[type]: await n8n.createCredential({ name: type, type, data }),
			});
			workflowId = await n8n.importWorkflow(readWorkflow('calls-over-mcp'), {
				...stack.credentials,
				...(await credential('httpBearerAuth', { token: 'token-of-the-assistant' })),
				...(await credential('httpBasicAuth', { user: 'person', password: 'password' })),
			});
			await n8n.activate(workflowId);
			assistant = await connect(TOKEN);
		});
		after(async () => await getN8n().deactivate(workflowId));

		test('with the token, there are tools to list, explain and prepare a call, and none that deletes', async () => {
			for (const wrong of ['', 'Bearer another', PERSON]) {
				await assert.rejects(connect(wrong), /Authorization data is wrong/);
			}
			const { tools } = (await assistant.listTools()) as { tools: Array<{ name: string }> };
			const names = tools.map(({ name }) => name).sort();
			assert.deepEqual(names, ['explain_call', 'find_calls', 'list_recordings', 'prepare_call']);
		});

		test('the list has the fields that the workflow selects, and a call is explained from the ledger', async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording({});
			const listed = await answer('list_recordings', {});
			for (const shown of [sessionGuid, 'recordingKey', 'to', 'endedAt', 'hoursLeft'])
				assert.ok(listed.includes(shown));
			assert.doesNotMatch(listed, /keptUntil|"recording\\"|format/);
			const ledger = await getN8n().dataTable(LEDGER);
			const recordingKey = sessionGuid.toLowerCase();
			await ledger?.insert({ recordingKey, sessionGuid, lastError: 'The disk is full' });
			assert.match(await answer('explain_call', { recordingKey }), /The disk is full/);
		});

		test('a call is found by its number, called or calling, also once it is archived', async () => {
			const ledger = await getN8n().dataTable(LEDGER);
			const row = (recordingKey: string, numbers: object) => ({
				recordingKey,
				archivedAt: '2026-11-20T10:00:00.000Z',
				...numbers,
			});
			await ledger?.insert(
				row('archived-1', { to: '+442079460958' }),
				row('archived-2', { to: OTHER, from: '+442079460958' }),
				row('archived-3', { to: OTHER }),
			);
			const found = await answer('find_calls', { number: '+44 20 7946 0958' });
			assert.match(found, /archived-1/);
			assert.match(found, /archived-2/);
			assert.doesNotMatch(found, /archived-3/);
			assert.match(await answer('find_calls', { number: '' }), /archived-3/);
		});

		test('only a person places a call that it prepares, and only to Allowed Destinations', async () => {
			const form = await link(NUMBER);
			assert.equal((await fetch(form)).status, 401);
			assert.equal((await post(form, TOKEN, NUMBER)).status, 401);
			const shown = await fetch(form, { headers: { authorization: PERSON } });
			assert.ok((await shown.text()).includes(`value="${NUMBER}"`));
			const question = await ask(NUMBER);
			assert.ok(question.shown.includes(`Call ${NUMBER}?`));
			for (const press of ['once', 'twice']) {
				await post(question.page, '');
				assert.match(await next(question.page), /The call is placed/, press);
			}
			await post((await ask('+4930123456')).page, '');
			await refusal(/'Allowed Destinations'/);
			assert.deepEqual(dialed(), [NUMBER]);
		});

		test('a web page that sends the form while the browser has the password places no call', async () => {
			const before = dialed().length;
			// It cannot read the answer, which has the address of the question.
			const address = new URL((await ask(NUMBER)).page);
			assert.equal((await fetch(address)).headers.get('access-control-allow-credentials'), null);
			address.search = '';
			assert.equal((await post(address, PERSON)).status, 401);
			assert.equal(dialed().length, before);
		});

		test('what it sends along changes no number, deletes nothing and opens no other row', async () => {
			const { control } = stack.emulator;
			const before = dialed().length;
			const { sessionGuid } = await control.addRecording({});
			const smuggled = { Number: OTHER, query: { number: OTHER }, to: OTHER };
			const deletion = { resource: 'recording', operation: 'delete', recording: sessionGuid };
			for (const number of [NUMBER, `${NUMBER}&Number=${OTHER}`, `${NUMBER}"><b>`]) {
				const form = await link(number, smuggled);
				assert.deepEqual([...new URL(form).searchParams], [['Number', number]]);
				const shown = await fetch(form, { headers: { authorization: PERSON } });
				assert.doesNotMatch((await shown.text()) + (await ask(number)).shown, /"><b>/);
			}
			for (const tool of ['list_recordings', 'find_calls', 'explain_call', 'prepare_call']) {
				await answer(tool, { ...deletion, ...smuggled, number: NUMBER, recordingKey: sessionGuid });
			}
			for (const other of [{}, { recordingKey: '' }, { recordingKey: '%' }, { recordingKey: [] }]) {
				assert.doesNotMatch(await answer('explain_call', other), /The disk is full/);
			}
			await assert.rejects(answer('delete_recording', { sessionGuid }), /Tool not found/);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
			// The form shows the digits behind the hidden character in reverse.
			await post((await ask('+1555\u202e9910')).page, '');
			await refusal(/holds no phone number/);
			assert.equal(dialed().length, before);
		});
	});

	suite('Call: Make as a tool of the MCP Server Trigger', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);
		let workflowId: string;
		let assistant: Client;
		before(async () => {
			const n8n = getN8n();
			const workflow = readWorkflow('calls-over-mcp');
			const trigger = nodeOf(workflow, 'When an assistant connects');
			const make = structuredClone(nodeOf(workflow, 'list_recordings'));
			trigger.parameters = { path: 'make-a-call', authentication: 'none' };
			Object.assign(make, { name: 'make_a_call', retryOnFail: true, waitBetweenTries: 100 });
			const options = { allowedDestinations: '+1555*', maxCalls: 1 };
			make.parameters = { resource: 'call', operation: 'make', options };
			workflow.nodes = [trigger, make];
			workflow.connections = {
				[make.name]: { ai_tool: [[{ node: trigger.name, type: 'ai_tool', index: 0 }]] },
			};
			workflowId = await n8n.importWorkflow(workflow, stack.credentials);
			await n8n.activate(workflowId);
			assistant = new Client({ name: 'assistant', version: '1.0.0' });
			const url = new URL('/mcp/make-a-call', n8n.url);
			await assistant.connect(new StreamableHTTPClientTransport(url, {}));
		});
		after(async () => await getN8n().deactivate(workflowId));

		const calls = () => stack.emulator.control.calls();
		const make = async (To: string) =>
			JSON.stringify(await assistant.callTool({ name: 'make_a_call', arguments: { To } }));

		test('each of several calls in one process is placed once, and gets its own answer', async () => {
			const numbers = ['+15550100', '+15550101', '+15550100'];
			for (const number of numbers) {
				const answer = await make(number);
				assert.ok(answer.includes(String(calls().at(-1)?.sessionGuid)), answer);
			}
			const dialed = calls().map(({ to }) => to);
			assert.deepEqual(dialed, numbers);
		});

		test('a call with an unclear outcome is not placed again, by no try and no other tool call', async () => {
			const before = calls().length;
			const fault = { kind: 'status', status: 502 } as const;
			stack.emulator.control.addFault({
				match: { endpoint: 'makeCall' },
				carryOut: true,
				fault,
			});
			for (const _toolCall of [1, 2]) {
				assert.match(await make('+15550102'), /the call may have been placed/);
			}
			assert.equal(calls().length, before + 1);
			await make('+15550103');
			assert.equal(calls().at(-1)?.to, '+15550103');
		});

		test('without a number, or with one that is not allowed, nobody is called', async () => {
			const before = calls().length;
			assert.match(await make(''), /'To' is empty/);
			assert.match(await make('+4930123456'), /not among the 'Allowed Destinations'/);
			assert.equal(calls().length, before);
		});
	});
}
