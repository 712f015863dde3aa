import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, suite, test } from 'node:test';

import { inARow } from '../../../harness/flow.mts';
import { listen, type Listening } from '../../../harness/listen.mts';
import { API_KEY, type Stack } from '../../../harness/stack.mts';

/** What an API key is good for in n8n itself: its test in the editor, and n8n's own node for requests. */
export function credentialsSuite(getStack: () => Stack): void {
	test('a credential is tested as the editor does: a good key, and a wrong one', async () => {
		const stack = getStack();
		const { id } = stack.credentials.voiceAgentApi;
		const fields = { baseUrl: stack.emulator.url, apiKey: API_KEY };
		const tested = async (data: object) =>
			await stack.n8n.testCredential({ id, type: 'voiceAgentApi', data: { ...fields, ...data } });
		assert.deepEqual(await tested({}), {
			status: 'OK',
			message: 'The service accepts the API key.',
		});
		const wrong = await tested({ apiKey: 'wrong-key' });
		assert.equal(wrong.status, 'Error');
		assert.match(wrong.message, /does not accept the API key \(401\)/);
	});

	suite("in n8n's HTTP Request node, the API key goes to the service only", () => {
		/** The `Token` headers that reached another host. */
		const leaked: unknown[] = [];
		const other = createServer(({ headers }, response) => {
			leaked.push(headers.token);
			response.end('{}');
		});
		let listening: Listening;
		before(async () => void (listening = await listen(other)));
		after(async () => await listening.close());
		const otherUrl = () => `http://127.0.0.1:${listening.port}/`;

		async function get(url: string, typeVersion: number) {
			const stack = getStack();
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
				credentials: { voiceAgentApi: stack.credentials.voiceAgentApi },
			};
			const nodes = [
				{ ...start, name: 'Start' },
				{ ...request, name: 'Request' },
			];
			const id = await stack.n8n.importWorkflow(inARow('HTTP Request', nodes));
			return await stack.n8n.run(id, { trigger: 'Start' });
		}

		for (const typeVersion of [3, 4.5]) {
			test(`version ${typeVersion}`, async () => {
				const { control, url } = getStack().emulator;
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
}
