import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { suite, test } from 'node:test';

import { baseNode, inARow, manualTrigger } from '../../../harness/flow.mts';
import { listen } from '../../../harness/listen.mts';
import { API_KEY, type Stack } from '../../../harness/stack.mts';
import { shared, succeeded } from '../suite.mts';

/** How n8n itself uses an API key: its editor tests it, and its HTTP Request node sends it. */
export function credentialsSuite(getStack: () => Stack): void {
	test('the test of a credential accepts a good key, and says that another one is wrong', async () => {
		const stack = getStack();
		const { id } = stack.credentials.voiceAgentApi;
		const fields = { baseUrl: stack.emulator.url, apiKey: API_KEY };
		const tested = async (data: object) =>
			await stack.n8n.testCredential({ id, type: 'voiceAgentApi', data: { ...fields, ...data } });
		const good = await tested({});
		assert.equal(good.status, 'OK');
		assert.match(
			good.message,
			/^The service accepts the API key\. Recordings there: \d+\. No recording password is set, .* No webhook secret is set, /,
		);
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
		const listening = shared(async () => await listen(other));
		const otherUrl = () => `http://127.0.0.1:${listening.port}/`;

		async function get(url: string, typeVersion: number) {
			const { n8n, credentials } = getStack();
			const request = baseNode('Request', 'httpRequest', typeVersion, {
				url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'voiceAgentApi',
			});
			const workflow = inARow('HTTP Request', [manualTrigger(), request]);
			const id = await n8n.importWorkflow(workflow, credentials);
			return await n8n.run(id, { trigger: 'Start' });
		}

		for (const typeVersion of [3, 4.5]) {
			test(`version ${typeVersion}`, async () => {
				const { control, url } = getStack().emulator;
				const list = `${url}/api/customer/recordings`;
				succeeded(await get(list, typeVersion));
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
