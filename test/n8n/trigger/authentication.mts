/** Whose webhooks the VoiceAgent Trigger accepts. */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';
import { AUTHENTIC, CallEndWebhooks, GUID, triggerWorkflow } from './callEndWebhooks.mts';

export const QUERY_SECRET = 'another secret & more?';

/** @param log what n8n has printed so far */
export function authenticationSuite(getStack: () => Stack, log: () => string): void {
	suite('authentication', { concurrency: 1 }, () => {
		let stack: Stack;
		let webhooks: CallEndWebhooks;
		before(async () => {
			stack = getStack();
			webhooks = new CallEndWebhooks(stack);
			await webhooks.activate('default', {});
			await webhooks.activate('addresses', {
				options: { allowedAddresses: '203.0.113.0/24, 2001:db8::/32' },
			});
			await webhooks.activate('open', {
				authentication: 'none',
				options: { allowedAddresses: '={{ $json.headers["x-allow"] }}' },
			});
		});

		const wrong: Array<[name: string, headers: [string, string][]]> = [
			['no secret', []],
			['an empty secret', [[WEBHOOK_HEADER, '']]],
			['a wrong secret', [[WEBHOOK_HEADER, `${WEBHOOK_SECRET.slice(0, -1)}x`]]],
			['a shorter secret', [[WEBHOOK_HEADER, WEBHOOK_SECRET.slice(0, -1)]]],
			['a longer secret', [[WEBHOOK_HEADER, `${WEBHOOK_SECRET}x`]]],
			[
				'the secret twice',
				[
					[WEBHOOK_HEADER, WEBHOOK_SECRET],
					[WEBHOOK_HEADER, WEBHOOK_SECRET],
				],
			],
			['the secret in another header', [['Authorization', `Bearer ${WEBHOOK_SECRET}`]]],
		];
		for (const [name, headers] of wrong) {
			test(`${name}: 401 [fault 39]`, async () => {
				const answer = await webhooks.send(JSON.stringify({ sessionGuid: GUID }), { headers });
				assert.deepEqual(answer, {
					status: 401,
					json: {
						received: false,
						reason: `The shared secret is missing or wrong (header ${WEBHOOK_HEADER})`,
					},
				});
			});
		}

		test('the secret in the query instead of the header: 401', async () => {
			const query = `?${WEBHOOK_HEADER}=${WEBHOOK_SECRET}&secret=${WEBHOOK_SECRET}`;
			const { status } = await webhooks.send(JSON.stringify({ sessionGuid: GUID }), {
				headers: {},
				query,
			});
			assert.equal(status, 401);
		});

		test('the header in another letter case: 200', async () => {
			const headers = { [WEBHOOK_HEADER.toUpperCase()]: WEBHOOK_SECRET };
			await webhooks.assertNoneBefore('default', { headers });
		});

		test('a secret in the query', async () => {
			const query = await stack.n8n.createCredential({
				name: 'Query secret',
				type: 'voiceAgentWebhookApi',
				data: { sendIn: 'query', queryName: 'token', secret: QUERY_SECRET },
			});
			await webhooks.activate('query', {}, { credentials: { voiceAgentWebhookApi: query } });
			const given = `token=${encodeURIComponent(QUERY_SECRET)}`;
			for (const refusedQuery of ['', '?token=', `?Token=x&${given}&${given}`, '?token=wrong']) {
				const { status, json } = await webhooks.send('{}', { to: 'query', query: refusedQuery });
				assert.equal(status, 401, refusedQuery);
				assert.match((json as { reason: string }).reason, /\(query token\)$/);
			}
			await webhooks.assertNoneBefore('query', { query: `?${given}`, headers: {} });
		});

		test('an address that is not allowed: 403, with the right secret too [fault 39]', async () => {
			for (const from of ['203.0.112.255', '127.0.0.1', '::1', 'nonsense', '2001:db9::1']) {
				const headers = { ...AUTHENTIC, 'x-forwarded-for': from };
				const answer = await webhooks.send(JSON.stringify({ sessionGuid: GUID }), {
					to: 'addresses',
					headers,
				});
				assert.deepEqual(
					answer,
					{ status: 403, json: { received: false, reason: 'The address is not allowed' } },
					from,
				);
			}
			// What the sender itself writes in front does not count.
			const forged = { ...AUTHENTIC, 'x-forwarded-for': '203.0.113.7, 198.51.100.1' };
			assert.equal((await webhooks.send('{}', { to: 'addresses', headers: forged })).status, 403);
			// Without a proxy's header, the address is that of the connection.
			assert.equal((await webhooks.send('{}', { to: 'addresses' })).status, 403);
		});

		test('an address that is allowed: 200, or 401 without the secret', async () => {
			for (const from of ['203.0.113.7', '::ffff:203.0.113.255', '2001:db8:1::']) {
				const headers = { 'x-forwarded-for': from };
				assert.equal((await webhooks.send('{}', { to: 'addresses', headers })).status, 401, from);
				await webhooks.assertNoneBefore('addresses', { headers: { ...AUTHENTIC, ...headers } });
			}
		});

		test('a refused request is in the log, with the node and the reason', async () => {
			await webhooks.send('{}', { headers: { [WEBHOOK_HEADER]: 'wrong' } });
			assert.match(
				log(),
				/A webhook was refused \(401, node '.+', workflow \w+\): The shared secret/,
			);
		});

		test('an expression that yields no addresses refuses everybody', async () => {
			for (const allow of ['', '*', '999.0.0.1']) {
				const answer = await webhooks.send('{}', { to: 'open', headers: { 'x-allow': allow } });
				assert.equal(answer.status, 403, allow);
				assert.match((answer.json as { reason: string }).reason, /cannot check requests/);
			}
			await webhooks.assertNoneBefore('open', { headers: { 'x-allow': '127.0.0.1' } });
		});

		test('a credential that was emptied afterwards refuses everybody', async () => {
			const credential = await stack.n8n.createCredential({
				name: 'Emptied',
				type: 'voiceAgentWebhookApi',
				data: { secret: WEBHOOK_SECRET },
			});
			await webhooks.activate('emptied', {}, { credentials: { voiceAgentWebhookApi: credential } });
			await webhooks.assertNoneBefore('emptied');
			await stack.n8n.updateCredential(credential.id, {
				...credential,
				type: 'voiceAgentWebhookApi',
				data: { secret: '' },
			});
			const send = async (headers: Record<string, string>) =>
				(await webhooks.send(JSON.stringify({ sessionGuid: GUID }), { to: 'emptied', headers }))
					.status;
			// The fields of a credential are used for some seconds.
			for (let tries = 0; tries < 60 && (await send(AUTHENTIC)) === 200; tries++) await sleep(500);
			for (const headers of [{}, { [WEBHOOK_HEADER]: '' }, AUTHENTIC]) {
				assert.equal(await send(headers), 403);
			}
			assert.match(log(), /cannot be checked.*'Secret' is empty/);
		});

		// n8n tries again for 15 seconds, so these wait side by side.
		test('a workflow that cannot check requests is not activated, and says why', async () => {
			const rejected = async (
				parameters: Record<string, unknown>,
				message: RegExp,
				credentials = stack.credentials,
			) => {
				const id = await stack.n8n.importWorkflow(triggerWorkflow(parameters), credentials);
				await assert.rejects(stack.n8n.activate(id), message);
			};
			const weak = await stack.n8n.createCredential({
				name: 'Weak',
				type: 'voiceAgentWebhookApi',
				data: { secret: 'too short' },
			});
			await Promise.all([
				rejected(
					{ options: { allowedAddresses: '10.0.0.0/33' } },
					/'10\.0\.0\.0\/33' is not an IP address/,
				),
				rejected(
					{ options: { allowedAddresses: '' } },
					/'Allowed IP Addresses'.*the list is empty/,
				),
				rejected({}, /'Secret' must have 16 characters/, {
					...stack.credentials,
					voiceAgentWebhookApi: weak,
				}),
			]);
			const id = await stack.n8n.importWorkflow(triggerWorkflow({}));
			await assert.rejects(
				stack.n8n.activate(id),
				/Missing required credential: voiceAgentWebhookApi/,
			);
		});

		test('the test of the credential', async () => {
			const { id } = stack.credentials.voiceAgentWebhookApi;
			const type = 'voiceAgentWebhookApi';
			assert.deepEqual(await stack.n8n.testCredential({ id, type }), {
				status: 'OK',
				message: `The secret can be used. Requests must carry it in the header ${WEBHOOK_HEADER}.`,
			});
			for (const [secret, message] of [
				['', /'Secret' is empty/],
				['too short', /16 characters or more/],
				['with an umlaut: ä, and more', /non-ASCII/],
			] as const) {
				const result = await stack.n8n.testCredential({ id, type, data: { secret } });
				assert.equal(result.status, 'Error');
				assert.match(result.message, message);
			}
		});

		test('none of the refused requests started an execution [fault 39]', async () => {
			await webhooks.assertNoneBefore();
		});
	});
}
