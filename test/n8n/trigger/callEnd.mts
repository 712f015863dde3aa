/** Call End webhooks: which payloads start an execution, and what comes out. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import type { Stack } from '../../../harness/stack.mts';
import { AUTHENTIC, CallEndWebhooks, GUID, TRIGGER } from './callEndWebhooks.mts';

const MEGABYTE = 1024 * 1024;

export function callEndSuite(getStack: () => Stack): void {
	suite('Call End', { concurrency: 1 }, () => {
		let stack: Stack;
		let webhooks: CallEndWebhooks;
		before(async () => {
			stack = getStack();
			webhooks = new CallEndWebhooks(stack);
			// Nothing but the event: what n8n stores for a trigger that was left at its defaults.
			await webhooks.activate('default', {});
			await webhooks.activate('field', { options: { sessionGuidField: 'call.reference' } });
		});

		const json = JSON.stringify({ sessionGuid: GUID });
		const accepted: Array<{
			name: string;
			body: string;
			type?: string;
			to?: string;
			payload?: unknown;
		}> = [
			{
				name: 'a URL in the body stays text [fault 19]',
				body: JSON.stringify({ sessionGuid: GUID, url: 'http://127.0.0.1:1/api', baseUrl: 'x' }),
			},
			{ name: 'JSON of a type that n8n does not know', body: json, type: 'application/vnd.x' },
			{
				name: 'JSON with a byte order mark',
				body: `\uFEFF${json}`,
				payload: { sessionGuid: GUID },
			},
			{
				name: 'a multipart form',
				body: `--x\r\nContent-Disposition: form-data; name="SessionGuid"\r\n\r\n${GUID}\r\n--x--\r\n`,
				type: 'multipart/form-data; boundary=x',
				payload: { SessionGuid: GUID },
			},
			{
				name: 'a field that the user names',
				body: JSON.stringify({ call: { reference: GUID }, sessionGuid: 'another-0001' }),
				to: 'field',
			},
		];
		for (const { name, payload, ...sent } of accepted) {
			test(`${name}: 200 with a small JSON, and an execution`, async () => {
				const answer = await webhooks.send(sent.body, sent);
				assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid: GUID } });
				const execution = await webhooks.nextExecution(sent.to);
				assert.equal(execution.status, 'success');
				const items = execution.items(TRIGGER).map((item) => item.json);
				assert.equal(items.length, 1);
				assert.equal(items[0]?.eventKey, `callEnd:${GUID}`);
				assert.deepEqual(items[0]?.payload, payload ?? JSON.parse(sent.body));
			});
		}

		const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
		const refused: Array<[name: string, body: string, reason: RegExp]> = [
			['no GUID [fault 33]', '{"event":"CallEnd"}', /has no field 'sessionGuid'/],
			['null [fault 33]', '{"sessionGuid":null}', /^No session GUID: /],
			['a number [fault 33]', '{"sessionGuid":12345678}', /does not hold a session GUID/],
			['traversal [fault 34]', '{"sessionGuid":"../../x1"}', /does not hold a session GUID/],
			['1 MB [fault 35]', JSON.stringify({ sessionGuid: '1'.repeat(MEGABYTE) }), /does not hold/],
			['an array of texts [fault 32]', `["${GUID}"]`, /no field 'sessionGuid'/],
			['an empty body [fault 32]', '', /no field 'sessionGuid'/],
			['__proto__ [fault 32]', `{"__proto__":${json}}`, /^the payload has a field '__proto__'$/],
			['100,000 levels [fault 32]', `{"a":${deep}}`, /^the payload is nested deeper than 64/],
		];
		for (const [name, body, expected] of refused) {
			test(`${name}: 400 with a JSON reason`, async () => {
				const { status, json: said } = await webhooks.send(body);
				const { received, reason } = said as { received: boolean; reason: string };
				assert.deepEqual([status, received], [400, false]);
				assert.match(reason, expected);
			});
		}

		test('broken JSON [fault 32]: n8n answers 422', async () =>
			assert.equal((await webhooks.send('{"sessionGuid":')).status, 422));

		const zipped = () => gzipSync(Buffer.alloc(200 * MEGABYTE, ' '));
		const unusual = { 'content-encoding': 'gzip', 'content-type': 'application/octet-stream' };
		for (const [name, headers, body] of [
			['a body of 17 MB', {}, () => Buffer.alloc(17 * MEGABYTE, ' ')],
			['a gzip body of 200 MB', { 'content-encoding': 'gzip' }, zipped],
			['a gzip body of 200 MB with an unusual type', unusual, zipped],
			['a body that is not gzip', unusual, () => Buffer.from('{}')],
		] as const) {
			test(`${name} is rejected, and n8n lives on [fault 31]`, async () => {
				const status = await post(webhooks.workflow().url, body(), headers);
				assert.ok(status === undefined || status >= 400, String(status));
				assert.ok((await fetch(`${stack.n8n.url}/healthz`)).ok);
			});
		}

		test('none of the refused requests started an execution [faults 32, 33, 34, 35]', async () =>
			await webhooks.assertNoneBefore());
	});
}

/** Resolves with the status, or `undefined` if n8n cut the connection while the body was sent. */
async function post(
	url: string,
	body: Buffer,
	headers: Record<string, string>,
): Promise<number | undefined> {
	const sent = request(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...AUTHENTIC, ...headers },
	});
	return await new Promise((resolve) => {
		sent.once('response', (response) => {
			resolve(response.statusCode);
			sent.destroy();
		});
		sent.on('error', () => resolve(undefined));
		sent.end(body);
	});
}
