/** The test of an account: what n8n shows when its credential is saved. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { suite, test, type TestContext } from 'node:test';

import type { AddRecordingOptions } from '../../emulator/src/index.mts';
import type { Engine } from '../../harness/engine/engine.mts';
import { recordingTrigger, voiceAgent, voiceAgentTrigger } from '../../harness/flow.mts';
import { listen } from '../../harness/listen.mts';
import { API_KEY, PASSWORD, WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { ownEngine, sharedEngine } from './engines.mts';
import { ownService, type Reply } from './ownService.mts';

type Fields = Record<string, string | boolean>;

const ACCOUNT = 'voiceAgentApi';
const engine = await sharedEngine();

/** Tests an account with these fields, in the form of a node. */
async function tested(
	{ editor }: Engine,
	fields: Fields,
	node: Parameters<Engine['editor']>[2] = voiceAgent,
) {
	const { status, message } = await editor('', { parameters: {} }, node).testCredential(
		ACCOUNT,
		fields,
	);
	for (const secret of [API_KEY, PASSWORD, WEBHOOK_SECRET, 'undefined']) {
		assert.ok(!message.includes(secret), message);
	}
	return { status, message };
}

const NO_PASSWORD = 'No recording password is set, so encrypted recordings cannot be opened\\.';
const NO_SECRET =
	'No webhook secret is set, so triggers accept no webhooks with this credential\\.';

suite('the API key', () => {
	const accepted = (count: string) =>
		new RegExp(
			`^The service accepts the API key\\. Recordings there: ${count}\\. ${NO_PASSWORD} ${NO_SECRET}$`,
		);
	const lists = { a: [{ x: 1 }], b: [{ x: 2 }, { x: 3 }] };
	interface Row {
		name: string;
		reply: Reply;
		says: RegExp;
		fields?: Record<string, string>;
		isError?: boolean;
	}
	const rows: Row[] = [
		{
			name: 'a list',
			reply: { body: [] },
			says: accepted('0'),
			fields: { queryParameters: 'tenant=7' },
		},
		{ name: 'no content', reply: { status: 204 }, says: accepted('0') },
		{
			name: 'the list that it names',
			reply: { body: lists },
			says: accepted('2'),
			fields: { listField: 'b' },
		},
		{
			name: 'the first of several pages',
			reply: { body: { items: [{ x: 1 }], total: 25 } },
			says: accepted('1 or more'),
		},
		{
			name: 'the first of several pages that are not clear',
			reply: { body: { items: [{ x: 1 }], hasMore: true } },
			says: accepted('1 or more'),
		},
		{
			name: 'several lists',
			reply: { body: lists },
			says: /several lists: a, b/,
			isError: true,
		},
		{
			name: 'a wrong key',
			reply: { status: 401, body: { error: 'plan ended' } },
			says: /does not accept the API key.*GET http.*recordings with status 401\. .* plan ended$/,
			isError: true,
		},
		{
			name: 'a sign-in page',
			reply: { body: '<html>Sign in</html>' },
			says: /web page/,
			isError: true,
		},
		{
			name: 'a page that forbids it',
			reply: { status: 403, body: '<html>No</html>' },
			says: /lacks permission .*403/,
			isError: true,
		},
		{
			// Another request would come after the time of the test.
			name: 'a wish to wait',
			reply: { status: 429, headers: { 'retry-after': '25' } },
			says: /429/,
			isError: true,
		},
		{
			name: 'an unknown shape',
			reply: { body: { count: 0 } },
			says: /in an unknown shape/,
			isError: true,
		},
		{
			name: 'a failure',
			reply: { body: { success: false, message: `no database for ${API_KEY}` } },
			says: /the request failed\. .* The service says: .*no database for \[redacted\]$/,
			isError: true,
		},
		{
			// n8n would send the key to wherever a redirect points.
			name: 'a redirect',
			reply: { status: 302, headers: { location: '/elsewhere' } },
			says: /redirected/,
			isError: true,
		},
	];
	for (const { name, reply, says, fields = {}, isError = false } of rows) {
		test(`says what it is answered with: ${name}`, async (t) => {
			const { url, requests } = await ownService(t, engine, () => reply);
			const data = { baseUrl: url, apiKey: ` ${API_KEY}\n`, adapt: true, ...fields };
			const { status, message } = await tested(engine, data);
			assert.equal(status, isError ? 'Error' : 'OK', message);
			assert.match(message, says);
			assert.deepEqual(
				requests.map(({ method, path, query }) => `${method} ${path} ${query}`),
				[`GET /api/customer/recordings ${fields.queryParameters ?? ''}`],
			);
		});
	}

	test('asks for the first page as the credential says', async (t) => {
		const { url, requests } = await ownService(t, engine, () => ({ body: [] }));
		const paging = { paging: 'parameter', pageParameter: 'page', firstValue: '0' };
		await tested(engine, { baseUrl: url, apiKey: API_KEY, adapt: true, ...paging });
		assert.deepEqual(
			requests.map(({ query }) => String(query)),
			['page=0'],
		);
	});

	for (const [name, node] of Object.entries({ voiceAgent, voiceAgentTrigger, recordingTrigger })) {
		test(`is tested in each node, which names what is missing: ${name}`, async () => {
			const data = { baseUrl: engine.emulator.url, apiKey: API_KEY };
			const { status, message } = await tested(engine, data, node);
			assert.equal(status, 'OK', message);
			assert.match(message, /^The service accepts the API key\. /);
			const empty = await tested(engine, {}, node);
			assert.equal(empty.status, 'Error');
			assert.match(empty.message, /'Base URL' .*is empty/);
			const keyless = await tested(engine, { baseUrl: engine.emulator.url }, node);
			assert.match(keyless.message, /'API Key' .*is empty/);
		});
	}
});

/** An engine whose service has these recordings, the newest last. */
async function withRecordings(t: TestContext, ...recordings: AddRecordingOptions[]) {
	const own = await ownEngine(t);
	const { control, url } = own.emulator;
	const guids: string[] = [];
	for (const [index, recording] of recordings.entries()) {
		const endedAt = new Date(control.now() - (recordings.length - index) * 60_000).toISOString();
		const added = await control.addRecording({ format: 'wav', endedAt, ...recording });
		guids.push(added.sessionGuid);
	}
	control.clearLogs();
	const check = async (fields: Fields) =>
		await tested(own, { baseUrl: url, apiKey: API_KEY, ...fields });
	return { own, control, guids, check };
}

suite('the recording password', { concurrency: 4 }, () => {
	const encrypted = { password: PASSWORD };
	interface Row {
		name: string;
		recordings: AddRecordingOptions[];
		fields?: Fields;
		says: RegExp;
	}
	const rows: Row[] = [
		{
			name: 'opens the newest recording, whatever the others are',
			recordings: [{ password: 'of somebody' }, {}, encrypted],
			says: /: 3\. The recording password opens the newest recording\. No webhook/,
		},
		{
			name: 'before this one opens the newest recording',
			recordings: [encrypted],
			fields: { recordingPassword: 'new', previousPassword1: 'x', previousPassword2: PASSWORD },
			says: /: 1\. A previous password opens the newest recording\. No webhook/,
		},
		{
			name: 'cannot be tried on a recording that is not encrypted',
			recordings: [encrypted, {}],
			says: /is set, and could not be tried: the newest recording is not encrypted\. No/,
		},
		{
			name: 'cannot be tried without a recording',
			recordings: [],
			says: /: 0\. The recording password is set, and there is no recording to try it on\. No/,
		},
		{
			name: 'is not set, and nothing is tried',
			recordings: [encrypted],
			fields: { recordingPassword: '' },
			says: new RegExp(`: 1\\. ${NO_PASSWORD} ${NO_SECRET}$`),
		},
	];
	for (const { name, recordings, fields = {}, says } of rows) {
		test(name, async (t) => {
			const { check, control } = await withRecordings(t, ...recordings);
			const { status, message } = await check({ recordingPassword: PASSWORD, ...fields });
			assert.equal(status, 'OK', message);
			assert.match(message, says);
			const isTried = recordings.length > 0 && fields.recordingPassword !== '';
			assert.equal(control.requests().length, isTried ? 2 : 1);
		});
	}

	test('that opens nothing is an error, which names the recording and what to do', async (t) => {
		const { check, guids } = await withRecordings(t, {}, { password: 'the one before' });
		const { status, message } = await check({ recordingPassword: PASSWORD });
		assert.equal(status, 'Error', message);
		assert.match(
			message,
			/^The recording cannot be decrypted: wrong password, .*'Previous Password'/,
		);
		assert.ok(message.includes(`opens the newest recording (${guids[1]})`), message);
	});

	test('that begins or ends with a space is tried like this, and noted', async (t) => {
		const { check } = await withRecordings(t, { password: ' a' });
		const note = / Note that one begins or ends with a space or line break\./;
		const padded: Fields[] = [
			{ recordingPassword: ' a' },
			{ recordingPassword: ' a', previousPassword1: 'b' },
			{ recordingPassword: 'a', previousPassword1: ' a' },
		];
		for (const fields of padded) {
			const { status, message } = await check(fields);
			assert.equal(status, 'OK', message);
			assert.match(message, note);
		}
		const trimmed = await check({ recordingPassword: 'a' });
		assert.equal(trimmed.status, 'Error');
		assert.doesNotMatch(trimmed.message, note);
	});

	test('is tried on a recording that the service keeps elsewhere, without the key', async (t) => {
		const { check, control, own } = await withRecordings(t, encrypted);
		control.setShapes({ download: 'otherOrigin' });
		const { message } = await check({ recordingPassword: PASSWORD });
		assert.match(message, /The recording password opens the newest recording\./);
		const { host } = new URL(own.emulator.url);
		const elsewhere = control.requests().map(({ rawHeaders }) => {
			const headers = new Map(rawHeaders.map(([name = '', value]) => [name.toLowerCase(), value]));
			return [headers.get('host') === host, headers.get('token') === API_KEY];
		});
		assert.deepEqual(elsewhere, [
			[true, true],
			[true, true],
			[false, false],
		]);
	});

	test('could not be tried if the recording does not arrive', async (t) => {
		const { check, control } = await withRecordings(t, encrypted);
		control.addFault({
			match: { endpoint: 'downloadRecording' },
			times: 'always',
			fault: { kind: 'status', status: 404 },
		});
		const { status, message } = await check({ recordingPassword: PASSWORD });
		assert.equal(status, 'OK', message);
		assert.match(message, /could not be tried: the newest recording did not arrive\./);
	});

	test('is tried on the call that ended last, however the credential names its end', async (t) => {
		const { check } = await withRecordings(t, { password: 'other' }, encrypted);
		const fields = { adapt: true, callEndField: 'endedAt', sessionGuidField: 'sessionGuid' };
		const { status, message } = await check({ recordingPassword: PASSWORD, ...fields });
		assert.equal(status, 'OK', message);
	});
});

suite('the webhooks', () => {
	const key = Buffer.alloc(32, 1).toString('base64');
	const rows: Array<[name: string, Fields, says: RegExp]> = [
		['a shared secret', { webhookSecret: WEBHOOK_SECRET }, /by a shared secret; whether/],
		[
			'an HMAC',
			{ webhookVerification: 'hmac', webhookSecret: WEBHOOK_SECRET },
			/by a signature \(HMAC\); whether the service uses the same one shows when a webhook comes\.$/,
		],
		['Ed25519', { webhookVerification: 'ed25519', publicKey: key }, /\(Ed25519\)/],
		[
			'Standard Webhooks',
			{ webhookVerification: 'standardWebhooks', webhookSecret: key },
			/\(Standard Webhooks\)/,
		],
		['nothing', {}, new RegExp(`${NO_SECRET}$`)],
	];
	const data = { baseUrl: engine.emulator.url, apiKey: API_KEY };
	for (const [name, fields, says] of rows) {
		test(`are verified by ${name}`, async () => {
			const { status, message } = await tested(engine, { ...data, ...fields });
			assert.equal(status, 'OK', message);
			assert.match(message, says);
		});
	}

	test('cannot be verified like this: an error before the service is asked', async (t) => {
		const { url, requests } = await ownService(t, engine, () => ({ body: [] }));
		for (const [fields, says] of [
			[{ webhookSecret: 'short' }, /'Webhook Secret' must have 16 characters or more/],
			[
				{ webhookSecret: WEBHOOK_SECRET, previousWebhookSecret: 'short' },
				/'Previous Webhook Secret' must have 16 characters or more/,
			],
			[
				{ webhookVerification: 'hmac', webhookSecret: WEBHOOK_SECRET, signedContent: '{id}{body}' },
				/'Signed Content' has \{id\}: enter 'ID Header'/,
			],
			[{ webhookVerification: 'ed25519', publicKey: 'none' }, /'Public Key' is not a public key/],
		] as const) {
			const { status, message } = await tested(engine, { ...data, baseUrl: url, ...fields });
			assert.equal(status, 'Error', message);
			assert.match(message, says);
		}
		assert.deepEqual(requests, []);
	});
});

test('a service that never answers is said to be slow, within the time of the editor', async (t) => {
	const { port, close } = await listen(createServer(() => {}));
	t.after(close);
	const started = Date.now();
	const data = { baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY };
	const { status, message } = await tested(engine, data);
	assert.equal(status, 'Error');
	assert.match(message, /timed out/);
	assert.ok(Date.now() - started < 30_000);
});
