/** Whose webhooks the VoiceAgent Trigger accepts. How signatures and query parameters prove it is in faults.test.mts. */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';

import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';
import { AUTHENTIC, CallEndWebhooks, GUID, triggerWorkflow } from './callEndWebhooks.mts';
import { callStartWorkflow, withPassword } from './callStarts.mts';

/** @param log what n8n has printed so far */
export function authenticationSuite(getStack: () => Stack, log: () => string): void {
	suite('authentication', { concurrency: 1 }, () => {
		let stack: Stack;
		let webhooks: CallEndWebhooks;
		const body = JSON.stringify({ sessionGuid: GUID });
		before(async () => {
			stack = getStack();
			webhooks = new CallEndWebhooks(stack);
			await webhooks.activate('default', {});
			await webhooks.activate('addresses', { options: { allowedAddresses: '203.0.113.0/24' } });
			await webhooks.activate('open', {
				authentication: 'none',
				options: { allowedAddresses: '={{ $json.headers["x-allow"] }}' },
			});
		});

		const wrong: Array<[name: string, headers: [string, string][]]> = [
			['no secret', []],
			['a wrong secret', [[WEBHOOK_HEADER, `${WEBHOOK_SECRET}x`]]],
			['the secret in another header', [['Authorization', `Bearer ${WEBHOOK_SECRET}`]]],
			[
				'the secret twice',
				[
					[WEBHOOK_HEADER, WEBHOOK_SECRET],
					[WEBHOOK_HEADER, WEBHOOK_SECRET],
				],
			],
		];
		for (const [name, headers] of wrong) {
			test(`${name}: 401, with the reason in the log [fault 39]`, async () => {
				const reason = `The shared secret is missing or wrong (header ${WEBHOOK_HEADER})`;
				const answer = await webhooks.send(body, { headers });
				assert.deepEqual(answer, { status: 401, json: { received: false, reason } });
				assert.match(log(), /refused \(401, node '.+', workflow \w+\): The shared secret/);
			});
		}

		test('another address: 403, with the right secret too [fault 39]', async () => {
			// What the sender itself writes in front does not count.
			for (const from of ['203.0.112.255', '::1', 'nonsense', '203.0.113.7, 198.51.100.1']) {
				const headers = { ...AUTHENTIC, 'x-forwarded-for': from };
				const answer = await webhooks.send(body, { to: 'addresses', headers });
				const json = { received: false, reason: 'The address is not allowed' };
				assert.deepEqual(answer, { status: 403, json }, from);
			}
			// Without a proxy's header, the address is that of the connection.
			assert.equal((await webhooks.send(body, { to: 'addresses' })).status, 403);
		});

		test('an address that is allowed: 200, or 401 without the secret', async () => {
			for (const from of ['203.0.113.7', '::ffff:203.0.113.255']) {
				const headers = { 'x-forwarded-for': from };
				assert.equal((await webhooks.send(body, { to: 'addresses', headers })).status, 401, from);
				await webhooks.assertNoneBefore('addresses', { headers: { ...AUTHENTIC, ...headers } });
			}
		});

		test('an expression that yields no addresses refuses everybody', async () => {
			for (const allow of ['', '*', '999.0.0.1']) {
				const answer = await webhooks.send(body, { to: 'open', headers: { 'x-allow': allow } });
				assert.equal(answer.status, 403, allow);
				assert.match((answer.json as { reason: string }).reason, /cannot check requests/);
			}
			await webhooks.assertNoneBefore('open', { headers: { 'x-allow': '127.0.0.1' } });
		});

		// n8n tries again for 15 seconds, so these wait side by side.
		test('a workflow that cannot check or answer requests is not activated, and says why', async () => {
			const { n8n, credentials } = stack;
			const rejected = async (
				workflow: ReturnType<typeof triggerWorkflow>,
				message: RegExp,
				more: object = {},
			) => {
				const id = await n8n.importWorkflow(workflow, { ...credentials, ...more });
				await assert.rejects(n8n.activate(id), message);
			};
			const encrypts = { recordCall: true, encryptRecording: true };
			await Promise.all([
				rejected(
					triggerWorkflow({ options: { allowedAddresses: '10.0.0.0/33' } }),
					/'10\.0\.0\.0\/33' is not an IP address/,
				),
				rejected(
					callStartWorkflow(encrypts),
					/'Password'.*is empty/,
					await withPassword(stack, ''),
				),
				rejected(
					callStartWorkflow({ ...encrypts, authentication: 'none' }),
					/anybody could get the recording password/,
				),
			]);
		});

		test('the test of the credential', async () => {
			const { id } = stack.credentials.voiceAgentWebhookApi;
			const type = 'voiceAgentWebhookApi';
			assert.deepEqual(await stack.n8n.testCredential({ id, type }), {
				status: 'OK',
				message: `The secret can be used. Requests must carry it in the header ${WEBHOOK_HEADER}.`,
			});
			const weak = await stack.n8n.testCredential({ id, type, data: { secret: 'too short' } });
			assert.equal(weak.status, 'Error');
			assert.match(weak.message, /16 characters or more/);
		});

		test('none of the refused requests started an execution [fault 39]', async () => {
			await webhooks.assertNoneBefore();
		});
	});
}
