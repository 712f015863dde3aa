/** An assistant that speaks MCP: what it sees, and that only a person can place the call that it prepares. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { createLedger, LEDGER } from '../../../harness/ledger.mts';
import { fromN8n } from '../../../harness/n8n/installation.mts';
import type { N8n } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { readWorkflow } from '../../../harness/workflows.mts';
import { until } from '../campaign/campaign.mts';

interface Client {
	connect(transport: object): Promise<void>;
	listTools(): Promise<{ tools: Array<{ name: string }> }>;
	callTool(call: {
		name: string;
		arguments: object;
	}): Promise<{ content: Array<{ text: string }> }>;
	close(): Promise<void>;
}

/** The client of the protocol's own SDK, as assistants have it. */
const sdk = {
	...(fromN8n('@modelcontextprotocol/sdk/client/index.js') as object),
	...(fromN8n('@modelcontextprotocol/sdk/client/streamableHttp.js') as object),
} as {
	Client: new (info: object) => Client;
	StreamableHTTPClientTransport: new (url: URL, options: object) => object;
};

const NUMBER = '+15550100';

export function mcpSuite(getN8n: () => N8n): void {
	suite('workflow: calls-over-mcp', { concurrency: 1 }, () => {
		const token = randomBytes(16).toString('hex');
		const person = { user: 'person', password: randomBytes(16).toString('hex') };
		const signedIn = `Basic ${Buffer.from(Object.values(person).join(':')).toString('base64')}`;
		let stack: Stack;
		let workflowId: string;
		let assistant: Client;

		async function connect(bearer: string): Promise<Client> {
			const client = new sdk.Client({ name: 'assistant', version: '1.0.0' });
			const headers = { ...(bearer && { authorization: `Bearer ${bearer}` }) };
			const url = new URL('/mcp/voiceagent-calls', getN8n().url);
			await client.connect(
				new sdk.StreamableHTTPClientTransport(url, { requestInit: { headers } }),
			);
			return client;
		}

		const answer = async (name: string, input: object) =>
			JSON.stringify(await assistant.callTool({ name, arguments: input }));

		/** The link that the assistant gets for the person. */
		const link = async (number: string) =>
			/https?:[^\s"]+/.exec(await answer('prepare_call', { number }))?.[0] ?? '';

		/** What the button of the form does. */
		async function press(form: string, number: string, authorization: string): Promise<Response> {
			const body = new FormData();
			body.set('field-0', number);
			return await fetch(form, { method: 'POST', body, headers: { authorization } });
		}

		const dialed = () => stack.emulator.control.calls().map(({ to }) => to);

		before(async () => {
			const n8n = getN8n();
			stack = await addService(n8n);
			await createLedger(n8n);
			const credential = async (type: string, data: object) => ({
				[type]: await n8n.createCredential({ name: type, type, data: { ...data } }),
			});
			workflowId = await n8n.importWorkflow(readWorkflow('calls-over-mcp'), {
				...stack.credentials,
				...(await credential('httpBearerAuth', { token })),
				...(await credential('httpBasicAuth', person)),
			});
			await n8n.activate(workflowId);
			assistant = await connect(token);
		});
		after(async () => {
			await assistant?.close();
			await getN8n().deactivate(workflowId);
			await stack?.stop();
		});

		test('with the token, there are tools to list, explain and prepare a call, and none that deletes', async () => {
			for (const bearer of ['', 'another']) {
				await assert.rejects(connect(bearer), /Authorization data is wrong/);
			}
			const { tools } = await assistant.listTools();
			assert.deepEqual(tools.map(({ name }) => name).sort(), [
				'explain_call',
				'list_recordings',
				'prepare_call',
			]);
		});

		test('it lists what the service keeps, and explains what the ledger knows', async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording({});
			assert.ok((await answer('list_recordings', {})).includes(sessionGuid));
			const ledger = await getN8n().dataTable(LEDGER);
			await ledger?.insert({ sessionGuid, lastError: 'The disk is full' });
			assert.match(await answer('explain_call', { sessionGuid }), /The disk is full/);
		});

		test('a call that it prepares is placed by a person only, once for each press', async () => {
			const form = await link(NUMBER);
			assert.deepEqual(dialed(), []);
			assert.equal((await fetch(form)).status, 401);
			assert.equal((await press(form, NUMBER, `Bearer ${token}`)).status, 401);
			assert.deepEqual(dialed(), []);
			const shown = await fetch(form, { headers: { authorization: signedIn } });
			assert.ok((await shown.text()).includes(`value="${NUMBER}"`));
			assert.equal((await press(form, NUMBER, signedIn)).status, 200);
			await until(() => Promise.resolve(dialed().length > 0));
			assert.deepEqual(dialed(), [NUMBER]);
		});

		test('a number outside Allowed Destinations is refused even if a person approves it', async () => {
			const before = dialed();
			await press(await link('+4930123456'), '+4930123456', signedIn);
			await until(async () => {
				const executions = await getN8n().waitForExecutions({ workflowId, count: 1 });
				return executions.some(({ error }) => error?.message.includes("'Allowed Destinations'"));
			});
			assert.deepEqual(dialed(), before);
		});
	});
}
