/**
 * Call End webhooks as n8n reads them: their bodies, sizes and addresses. How they prove where they
 * come from is tested in faults.test.mts.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import type { Stack } from '../../../harness/stack.mts';
import { succeeded } from '../suite.mts';
import { AUTHENTIC, GUID, publish, TRIGGER, type Published } from './published.mts';

const MEGABYTE = 1024 * 1024;

export function callEndSuite(getStack: () => Stack): void {
	suite('Call End', { concurrency: 1 }, () => {
		let stack: Stack;
		let webhook: Published;
		before(async () => {
			stack = getStack();
			// Nothing but the event: what n8n stores for a trigger that was left at its defaults.
			webhook = await publish(stack, { event: 'callEnd' });
		});

		const json = JSON.stringify({ sessionGuid: GUID });
		const part = 'Content-Disposition: form-data; name="sessionGuid"';
		for (const [type, body] of [
			['application/vnd.x', json],
			['multipart/form-data; boundary=x', `--x\r\n${part}\r\n\r\n${GUID}\r\n--x--\r\n`],
		] as const) {
			test(`a body of the type ${type} is answered with 200 and JSON, and starts an execution`, async () => {
				const { status, json: answer } = await webhook.call(body, { 'content-type': type });
				assert.deepEqual([status, answer], [200, { received: true, sessionGuid: GUID }]);
				const items = succeeded(await webhook.execution())
					.items(TRIGGER)
					.map((item) => item.json.payload);
				assert.deepEqual(items, [{ sessionGuid: GUID }]);
			});
		}

		test('another address is answered with 403, even with the right secret [fault 39] [security 5]', async () => {
			const options = { allowedAddresses: '203.0.113.0/24' };
			const narrow = await publish(stack, { event: 'callEnd', options });
			const send = async (headers = {}) => (await narrow.call(json, headers)).status;
			// Without a proxy's header, the address is that of the connection.
			assert.equal(await send(), 403);
			// What the sender itself writes in front does not count.
			for (const from of ['203.0.112.255', '::1', 'nonsense', '203.0.113.7, 198.51.100.1'])
				assert.equal(await send({ 'x-forwarded-for': from }), 403, from);
			assert.equal(await send({ 'x-forwarded-for': '203.0.113.7' }), 200);
			// It is the only one.
			await narrow.execution();
		});

		const zipped = () => gzipSync(Buffer.alloc(200 * MEGABYTE, ' '));
		const unusual = { 'content-encoding': 'gzip', 'content-type': 'application/octet-stream' };
		for (const [name, headers, body] of [
			['a body of 17 MB', {}, () => Buffer.alloc(17 * MEGABYTE, ' ')],
			['a gzip body of 200 MB', { 'content-encoding': 'gzip' }, zipped],
			['a gzip body of 200 MB with an unusual type', unusual, zipped],
			['a body that is not gzip', unusual, () => Buffer.from('{}')],
		] as const) {
			test(`${name} is rejected, and n8n lives on [fault 31]`, async () => {
				const status = await statusOf(webhook.url, body(), headers);
				assert.ok(status === undefined || status >= 400, String(status));
				assert.ok((await fetch(`${stack.n8n.url}/healthz`)).ok);
			});
		}
	});
}

/** Resolves with the status, or `undefined` if n8n cut the connection while the body was sent. */
async function statusOf(
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
