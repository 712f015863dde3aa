/** Wherever a service repeats the API key, it is not in what n8n stores, shows or logs. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { assertNoSecret } from '../../harness/secrets.mts';
import { sharedEngine } from './engines.mts';
import { getMany, inRecording } from './oneRecording.mts';
import { ownService, type Reply } from './ownService.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const apiKey = 'va-7Jw4Tx2Kd9Qb5Lm1Zs8';
const bytes = Buffer.from(apiKey);
const inHex = bytes
	.toString('hex')
	.toUpperCase()
	.replace(/..(?=.)/g, '$&-');
const host = apiKey.toLowerCase();

const call = { specifyBody: 'json', jsonBody: '{"to":"+15550100100"}' };
const make = { resource: 'call', operation: 'make', ...call };
const download = inRecording('download');
const records = [{ sessionGuid: GUID }];

const echoes: Array<[place: string, parameters: Record<string, unknown>, reply: Reply]> = [
	['an error in BitConverter', make, { status: 400, body: { message: `bad key ${inHex}` } }],
	['an error in two fields', make, { status: 400, body: [apiKey.slice(0, 9), apiKey.slice(9)] }],
	['an error without its end', make, { status: 400, body: `bad key ${apiKey.slice(0, -1)}` }],
	['an answer', make, { body: { id: 1, sentWith: `Token: ${apiKey}` } }],
	['an answer of text', make, { body: `queued for ${apiKey}` }],
	['an answer in Base64', make, { body: { sentWith: bytes.toString('base64') } }],
	['a record', getMany({ simple: false }), { body: [{ ...records[0], key: apiKey }] }],
	['a sign of further pages', getMany(), { body: { recordings: records, nextThing: apiKey } }],
	[
		'a header that names a compression',
		download,
		{ headers: { 'content-encoding': `br ${apiKey}` } },
	],
	[
		'the host of a redirect',
		download,
		{ status: 302, headers: { location: `https://${host}.invalid/` } },
	],
	['the protocol of a redirect', download, { status: 302, headers: { location: `${host}://h/` } }],
	[
		'a redirect of a list',
		getMany(),
		{ status: 302, headers: { location: `https://h/${apiKey}` } },
	],
];

const engine = await sharedEngine();

suite(
	'the API key is nowhere in n8n [fault 42], although the service repeats it in',
	{ concurrency: 4 },
	() => {
		for (const [place, parameters, reply] of echoes) {
			test(place, async (t) => {
				const { run, requests } = await ownService(t, engine, () => ({ body: 'x', ...reply }), {
					apiKey,
				});
				const execution = await run({ parameters, items: [{ sessionGuid: GUID }] });
				assert.ok(requests.length > 0);
				assert.ok(execution.items(NODE).length > 0 || execution.nodeError(NODE), place);
				await assertNoSecret(execution.raw, apiKey);
				for (const echo of [host, inHex, apiKey.slice(0, 9), apiKey.slice(9)]) {
					assert.ok(!execution.raw.includes(echo), echo);
				}
				assert.ok(engine.n8n.log.every((line) => !line.includes(apiKey)));
			});
		}
	},
);
