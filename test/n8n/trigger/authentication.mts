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
			const send = async (from: Record<string, string>) =>
				(await webhooks.send(body, { to: 'addresses', headers: { ...AUTHENTIC, ...from } })).status;
			// Without a proxy's header, the address is that of the connection.
			assert.equal(await send({}), 403);
			// What the sender itself writes in front does not count.
			for (const from of ['203.0.112.255', '::1', 'nonsense', '203.0.113.7, 198.51.100.1'])
				assert.equal(await send({ 'x-forwarded-for': from }), 403, from);
			const allowed = { ...AUTHENTIC, 'x-forwarded-for': '203.0.113.7' };
			await webhooks.assertNoneBefore('addresses', { headers: allowed });
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

		test('none of the refused requests started an execution [fault 39]', async () => {
			await webhooks.assertNoneBefore();
		});
	});
}
