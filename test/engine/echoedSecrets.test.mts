/**
 * No secret of the account is in an item, an error, a file or the log, whoever repeats it in
 * whatever place: the service in an answer that succeeds, a webhook, or another node.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import type { Execution, Json } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { spellings } from '../../harness/secrets.mts';
import { WEBHOOK_HEADER } from '../../harness/serviceAccess.mts';
import { root } from '../../scripts/paths.mjs';
import { sharedEngine } from './engines.mts';
import { getMany, inRecording } from './oneRecording.mts';
import { ownService, type Reply } from './ownService.mts';
import { ownTrigger } from './ownTrigger.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const AUDIO = readFileSync(join(root, 'emulator/src/audio/samples/sample.mp3'));

const secrets = {
	'the API key': 'va-7Jw4Tx2Kd9Qb5Lm1Zs8',
	'the password': 'Zx9 "quoted" kéy/wörd+7',
	'a short password': 'k3y!Ab',
	'the webhook secret': 'whs/4Pq7+Rt2Vn8Yc6',
};
const account = {
	apiKey: secrets['the API key'],
	recordingPassword: secrets['the password'],
	previousPassword1: secrets['a short password'],
	webhookSecret: secrets['the webhook secret'],
	headerName: WEBHOOK_HEADER,
};

const base64 = (text: string) => Buffer.from(text).toString('base64');
const writings: Record<string, (secret: string) => string> = {
	'as it is': (secret) => secret,
	'in a sentence': (secret) => `Sent with ${secret}, as asked.`,
	'in Base64': base64,
	'in an address': (secret) => `https://h/?q=${encodeURIComponent(secret)}`,
	'as a text of JSON': (secret) => JSON.stringify({ q: secret }),
	'in hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
	'in longer Base64': (secret) => base64(`Token: ${secret}, as asked`),
	'in Base64 of JSON': (secret) => base64(JSON.stringify({ q: secret })),
	'in Base64 of an address': (secret) => base64(`https://h/?q=${encodeURIComponent(secret)}`),
};
/** Unit tests try more of them. One secret in all of them is enough here. */
const FEW = ['as it is', 'in Base64'];

const echoes = Object.entries(secrets).flatMap(([whose, secret]) =>
	Object.entries(writings)
		.filter(([how]) => whose === 'the password' || FEW.includes(how))
		.map(([how, write]) => ({ name: `${whose} ${how}`, echo: write(secret) })),
);

const engine = await sharedEngine();

/** What the node has put out: its items, its error, and the texts among its files. */
async function putOut(execution: Execution): Promise<string> {
	const items = execution.items(NODE);
	const files = items.flatMap(({ binary = {} }) => Object.values(binary));
	const contents = await Promise.all(files.map(async (file) => await engine.n8n.binary(file)));
	const texts = contents.filter((one) => !one.equals(AUDIO)).map(String);
	return [JSON.stringify([items, execution.nodeError(NODE)]), ...texts].join('\n');
}

/** As it is, and as n8n stores it in JSON, alone and in a text. */
function assertNotIn(text: string, echo: string): void {
	const forms = ['plain', 'JSON', 'JSON in JSON'].map((name) => String(spellings(echo).get(name)));
	for (const form of forms) assert.ok(!text.includes(form), form);
	assert.ok(engine.n8n.log.every((line) => !line.includes(echo)));
}

interface Place {
	parameters: Record<string, unknown>;
	reply?: (echo: string) => Reply;
	/** What the input item says. */
	item?: (echo: string) => Record<string, Json>;
}

const call = { specifyBody: 'json', jsonBody: '{"to":"+15550100100"}' };
const make = { resource: 'call', operation: 'make', ...call };
const record = { sessionGuid: GUID, endedAt: '2026-11-27T10:00:00Z', to: '+15550100100' };
const named = (options: object) => inRecording('download', { options });
const mp3: Reply = { body: AUDIO, headers: { 'content-type': 'audio/mpeg' } };

/** Where the service, or a node, repeats it. */
const places: Record<string, Place> = {
	'an answer': { parameters: make, reply: (echo) => ({ body: { id: 1, trace: echo } }) },
	'a name in an answer': { parameters: make, reply: (echo) => ({ body: { id: 1, [echo]: true } }) },
	'a list in an answer': { parameters: make, reply: (echo) => ({ body: { trace: ['x', echo] } }) },
	'an answer of text': { parameters: make, reply: (echo) => ({ body: echo }) },
	'the address of an answer': {
		parameters: make,
		reply: (echo) => ({
			headers: { location: `/calls/1?by=${encodeURIComponent(echo)}` },
			body: '',
		}),
	},
	'an error': { parameters: make, reply: (echo) => ({ status: 400, body: { message: echo } }) },
	'a failure with status 200': {
		parameters: make,
		reply: (echo) => ({ body: { success: false, [echo]: 'is not valid', code: echo } }),
	},
	'a record': {
		parameters: getMany({ simple: false }),
		reply: (echo) => ({ body: [{ ...record, trace: { by: echo }, [echo]: 1 }] }),
	},
	'a sign of further pages': {
		parameters: getMany(),
		reply: (echo) => ({ body: { recordings: [record], nextThing: echo } }),
	},
	'the names of lists': {
		parameters: getMany(),
		reply: (echo) => ({ body: { [echo]: [record], [`${echo} 2`]: [record] } }),
	},
	'the name of the list': {
		parameters: { resource: 'connection', operation: 'check' },
		reply: (echo) => ({ body: { [echo]: [record] } }),
	},
	'what names and describes a file': {
		parameters: named({ addMetadata: true, outputFileName: '{trace}_{sessionGuid}.{extension}' }),
		reply: () => mp3,
		item: (echo) => ({ ...record, trace: echo, payload: { trace: echo, [echo]: 1 } }),
	},
	'the name of a download': {
		parameters: named({ addMetadata: true }),
		reply: (echo) => {
			const name = `attachment; filename="${encodeURIComponent(echo)}.mp3"`;
			return { ...mp3, headers: { ...mp3.headers, 'content-disposition': name } };
		},
	},
};

suite('no secret is in what n8n stores [faults 41, 42] [security 2]', { concurrency: 4 }, () => {
	for (const [place, { parameters, reply, item }] of Object.entries(places)) {
		test(`the service repeats it in ${place}`, async (t) => {
			let echo = '';
			const answer = () => ({ body: [record], ...reply?.(echo) });
			const { run, requests } = await ownService(t, engine, answer, account);
			for (const { name, echo: current } of echoes) {
				echo = current;
				const items = [item?.(echo) ?? { sessionGuid: GUID }];
				const execution = await run({ parameters, items });
				assert.ok(execution.items(NODE).length > 0 || execution.nodeError(NODE), name);
				assertNotIn(await putOut(execution), echo);
				// The input item has it.
				if (!item) assertNotIn(execution.raw, echo);
			}
			assert.ok(requests.length >= echoes.length);
		});
	}

	for (const event of ['callEnd', 'callStart']) {
		test(`a webhook repeats it: ${event}`, async (t) => {
			const { webhook, send } = await ownTrigger(t, engine, { event }, account);
			const headers = { [WEBHOOK_HEADER]: account.webhookSecret };
			for (const { echo } of echoes) {
				const trace = { [echo]: true, by: echo, all: ['x', echo] };
				const { status } = await send({ headers, body: JSON.stringify({ ...record, trace }) });
				assert.equal(status, 200);
				assertNotIn(JSON.stringify(webhook.started.at(-1)), echo);
				// This one is refused, with a reason.
				const unclear = { [echo]: JSON.stringify({ sessionGuid: GUID }), trace: echo };
				const refused = await send({ headers, body: JSON.stringify(unclear) });
				assertNotIn(JSON.stringify(refused), echo);
			}
			assert.equal(webhook.started.length, event === 'callEnd' ? echoes.length : 2 * echoes.length);
		});
	}

	test('the API document repeats it: the form of a call', async (t) => {
		const property = (echo: string) => ({ type: 'string', description: echo, enum: ['a', echo] });
		const properties = Object.fromEntries(
			echoes.map(({ echo }, index) => [`field${index}`, property(echo)]),
		);
		const names = Object.fromEntries(echoes.map(({ echo }) => [echo, { type: 'string' }]));
		const schema = { properties: { ...properties, ...names, to: { type: 'string' } } };
		const requestBody = { content: { 'application/json': { schema } } };
		const body = {
			openapi: '3.0.0',
			paths: { '/api/customer/makecall': { post: { requestBody } } },
		};
		const { voiceAgentApi } = await ownService(t, engine, () => ({ body }), account);
		const parameters = { ...make, specifyBody: 'service' };
		const editor = engine.editor('serviceFields', { parameters, credentials: { voiceAgentApi } });
		const form = JSON.stringify(await editor.resourceMapping('getCallFields'));
		assert.ok(form.includes('"to"') && form.includes('field0'));
		for (const { echo } of echoes) assertNotIn(form, echo);
	});

	test('everything repeats it: Explore', async (t) => {
		const all = Object.fromEntries(echoes.map(({ echo }, index) => [`field${index}`, echo]));
		const names = Object.fromEntries(echoes.map(({ echo }) => [echo, 1]));
		const values = echoes.map(({ echo }) => encodeURIComponent(echo));
		const headers = Object.fromEntries(values.map((one, index) => [`x-ratelimit-${index}`, one]));
		const { run } = await ownService(
			t,
			engine,
			({ method, path }): Reply => {
				if (method === 'OPTIONS') return { headers: { ...headers, allow: values.join(' ') } };
				if (path.endsWith(GUID)) return { ...mp3, headers: { ...headers, ...mp3.headers } };
				const body = { ...all, ...names, recordings: [{ ...record, ...all, ...names }] };
				return { headers, body };
			},
			account,
		);
		const payload = JSON.stringify({ ...record, ...all, ...names });
		const options = { callEndPayload: payload, callEndHeaders: JSON.stringify(headers) };
		const execution = await run({
			parameters: { resource: 'connection', operation: 'explore', options },
		});
		assert.ok(execution.items(NODE).length > 5, execution.nodeError(NODE)?.message);
		const text = await putOut(execution);
		for (const { echo } of echoes) assertNotIn(text, echo);
		for (const value of values) assertNotIn(text, value);
	});
});
