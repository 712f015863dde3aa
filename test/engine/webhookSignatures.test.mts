/**
 * Webhooks that are signed as the documentation of services describes it, on real sockets. The
 * signatures that others have published or made are in test/unit/webhookSignatures.test.ts.
 */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { BASE_URL } from '../../harness/engine/execution.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { ownTrigger, type Sent } from './ownTrigger.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const BODY = JSON.stringify({ event: 'CallEnd', sessionGuid: GUID, name: 'Zoë' });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PATH = '/webhook/7c5a/webhook?tenant=7&plan=a%20b';

/** What comes behind whsec_. */
const STANDARD = Buffer.alloc(24, 7).toString('base64');

const engine = await sharedEngine();

const hmac = (content: string | Uint8Array, algorithm = 'sha256', secret = WEBHOOK_SECRET) =>
	createHmac(algorithm, secret).update(content);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

interface Scheme {
	name: string;
	/** What its user enters. */
	fields: Record<string, string>;
	/** @param seconds the time, since 1970 */
	webhook(seconds: number): Sent;
	/** Whether it signs the time. */
	isTimed: boolean;
}

const hmacFields = (fields: Record<string, string>) => ({ webhookVerification: 'hmac', ...fields });

const schemes: Scheme[] = [
	{
		name: 'Retell',
		fields: hmacFields({
			signatureHeader: 'X-Retell-Signature',
			headerFormat: 'v={timestamp},d={signature}',
			signedContent: '{body}{timestamp}',
		}),
		webhook(seconds) {
			const ms = seconds * 1000;
			const headers = { 'x-retell-signature': `v=${ms},d=${hmac(BODY + ms).digest('hex')}` };
			return { body: BODY, headers };
		},
		isTimed: true,
	},
	{
		name: 'Telnyx',
		fields: {
			webhookVerification: 'ed25519',
			publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
			signatureHeader: 'telnyx-signature-ed25519',
			signedContent: '{timestamp}|{body}',
			timestampHeader: 'telnyx-timestamp',
		},
		webhook(seconds) {
			const signature = sign(null, Buffer.from(`${seconds}|${BODY}`), privateKey);
			const headers = {
				'telnyx-signature-ed25519': signature.toString('base64'),
				'telnyx-timestamp': String(seconds),
			};
			return { body: BODY, headers };
		},
		isTimed: true,
	},
	{
		name: 'Stripe',
		fields: hmacFields({
			signatureHeader: 'Stripe-Signature',
			headerFormat: 't={timestamp},v1={signature}',
			signedContent: '{timestamp}.{body}',
		}),
		webhook(seconds) {
			const signature = hmac(`${seconds}.${BODY}`).digest('hex');
			// While two secrets are valid, there is one signature of each.
			const other = hmac(`${seconds}.${BODY}`, 'sha256', 'the next secret').digest('hex');
			const all = `t=${seconds},v1=${other},v1=${signature},v0=${other}`;
			return { body: BODY, headers: { 'stripe-signature': all } };
		},
		isTimed: true,
	},
	{
		name: 'Zoom',
		fields: hmacFields({
			signatureHeader: 'x-zm-signature',
			headerFormat: 'v0={signature}',
			signedContent: 'v0:{timestamp}:{body}',
			timestampHeader: 'x-zm-request-timestamp',
		}),
		webhook(seconds) {
			const signature = hmac(`v0:${seconds}:${BODY}`).digest('hex');
			const headers = {
				'x-zm-signature': `v0=${signature}`,
				'x-zm-request-timestamp': String(seconds),
			};
			return { body: BODY, headers };
		},
		isTimed: true,
	},
	{
		name: 'Standard Webhooks',
		fields: { webhookVerification: 'standardWebhooks', webhookSecret: STANDARD },
		webhook(seconds) {
			const key = Buffer.from(STANDARD, 'base64');
			const content = `msg_1.${seconds}.${BODY}`;
			const signature = createHmac('sha256', key).update(content).digest('base64');
			const headers = {
				'webhook-id': 'msg_1',
				'webhook-timestamp': String(seconds),
				'webhook-signature': `v1,${signature}`,
			};
			return { body: BODY, headers };
		},
		isTimed: true,
	},
	{
		name: 'DIDWW',
		fields: hmacFields({
			signatureHeader: 'X-DIDWW-Signature',
			signedContent: '{url}{parameters}',
			algorithm: 'hmacSha1',
		}),
		webhook() {
			// The address with its port, and the fields by their names.
			const content = `${new URL(PATH, BASE_URL).href}eventCallEndsession_guid${GUID}to+15550100`;
			const headers = { ...FORM, 'x-didww-signature': hmac(content, 'sha1').digest('hex') };
			const body = `to=%2B15550100&session_guid=${GUID}&event=CallEnd`;
			return { path: PATH, body, headers };
		},
		isTimed: false,
	},
	{
		name: 'a query, without a body',
		fields: hmacFields({
			signatureHeader: 'X-DIDWW-Signature',
			signedContent: '{parameters}',
			algorithm: 'hmacSha512',
		}),
		webhook() {
			const signature = hmac(`sessionGuid${GUID}`, 'sha512').digest('base64url');
			const headers = { 'x-didww-signature': signature };
			return { method: 'GET', path: `/?sessionGuid=${GUID}`, headers };
		},
		isTimed: false,
	},
];

const now = () => Math.floor(Date.now() / 1000);
const refused = { received: false, reason: 'The signature is missing or wrong' };

suite('a signed webhook', { concurrency: 4 }, () => {
	for (const { name, fields, webhook: make, isTimed } of schemes) {
		test(`of ${name} starts the workflow, and an altered one does not [security 6]`, async (t) => {
			const { webhook, send } = await ownTrigger(t, engine, {}, fields);
			const { status, json } = await send(make(now()));
			assert.deepEqual([status, json], [200, { received: true, sessionGuid: GUID }]);
			assert.equal(webhook.started[0]?.[0]?.json.sessionGuid, GUID);

			const { headers = {}, ...sent } = make(now());
			const { [signatureHeaderOf(fields)]: _signature, ...unsigned } = headers;
			const altered: Sent[] = [
				{ ...sent, headers: unsigned },
				{ ...sent, headers: { ...headers, [signatureHeaderOf(fields)]: 'v1,AAAA' } },
				sent.body === undefined
					? { ...sent, headers, path: `${sent.path}&to=1` }
					: { ...sent, headers, body: `${sent.body} ` },
				...(isTimed ? [make(now() - 360), make(now() + 360)] : []),
			];
			if (sent.path !== undefined) altered.push({ ...sent, headers, path: `${sent.path}1` });
			for (const one of altered) {
				const answer = await send(one);
				assert.deepEqual([answer.status, answer.json], [401, refused], JSON.stringify(one));
			}
			assert.equal(webhook.started.length, 1);
		});
	}
});

const signatureHeaderOf = ({ signatureHeader = 'webhook-signature' }: Record<string, string>) =>
	signatureHeader.toLowerCase();

suite('while the service changes to a new secret', () => {
	const both = { webhookSecret: 'the-secret-of-tomorrow', previousWebhookSecret: WEBHOOK_SECRET };
	const shared = { headers: { [WEBHOOK_HEADER]: WEBHOOK_SECRET } };
	const signed = { headers: { 'x-webhook-signature': hmac(BODY).digest('hex') } };
	for (const [method, { headers }] of [
		['sharedSecret', shared],
		['hmac', signed],
	] as const) {
		test(`the previous one is accepted until it is cleared: ${method}`, async (t) => {
			const fields = { webhookVerification: method, ...both };
			const { send } = await ownTrigger(t, engine, {}, fields);
			assert.equal((await send({ body: BODY, headers })).status, 200);
			const cleared = await ownTrigger(t, engine, {}, { ...fields, previousWebhookSecret: '' });
			assert.equal((await cleared.send({ body: BODY, headers })).status, 401);
		});
	}
});

suite('a webhook that comes compressed', () => {
	const body = gzipSync(BODY);
	const gzip = { 'content-encoding': 'gzip' };
	const signed = (content: string | Uint8Array) => ({
		...gzip,
		'x-webhook-signature': hmac(content).digest('hex'),
	});

	test('is read, and its secret and the signature of what it says are accepted', async (t) => {
		const { webhook, send } = await ownTrigger(t, engine);
		const secret = { ...gzip, [WEBHOOK_HEADER]: WEBHOOK_SECRET };
		assert.equal((await send({ body, headers: secret })).status, 200);
		const { payload } = webhook.started[0]?.[0]?.json ?? {};
		assert.deepEqual(payload, JSON.parse(BODY));
		const own = await ownTrigger(t, engine, {}, { webhookVerification: 'hmac' });
		assert.equal((await own.send({ body, headers: signed(BODY) })).status, 200);
	});

	test('is refused with a signature of its bytes, and the log says why', async (t) => {
		const { send } = await ownTrigger(t, engine, {}, { webhookVerification: 'hmac' });
		const before = engine.n8n.log.length;
		const { status, json } = await send({ body, headers: signed(body) });
		assert.deepEqual([status, json], [401, refused]);
		const line = engine.n8n.log.slice(before).find((one) => one.includes('compressed'));
		assert.match(String(line), /the body came compressed, and n8n keeps it only uncompressed/);
	});
});

suite('which settings fit a webhook that is refused', { concurrency: 4 }, () => {
	for (const { name, fields, webhook: make } of schemes) {
		const { webhookVerification = '', signedContent = '{id}.{timestamp}.{body}' } = fields;
		// What is needed to verify it at all, and a header of nobody.
		const { publicKey: key = '', webhookSecret = WEBHOOK_SECRET } = fields;
		const isStandard = webhookVerification === 'standardWebhooks';
		const kept = {
			webhookVerification: isStandard ? 'hmac' : webhookVerification,
			publicKey: key,
			webhookSecret: isStandard ? `whsec_${webhookSecret}` : webhookSecret,
			signatureHeader: 'X-Of-Nobody',
		};

		test(`the editor that listens says it: ${name}`, async (t) => {
			const { webhook, send } = await ownTrigger(t, engine, {}, kept);
			webhook.isManual = true;
			const { status, json } = await send(make(now()));
			// The sender learns nothing of it.
			assert.deepEqual([status, json], [401, refused]);
			const shown = String(webhook.shown);
			assert.match(shown, /A webhook was refused \(401\): the header X-Of-Nobody is missing\. /);
			assert.match(shown, /these settings fit it: Signature Header /i);
			assert.ok(shown.includes(`Signed Content ${signedContent};`), shown);
			assert.ok(shown.toLowerCase().includes(signatureHeaderOf(fields)), shown);
			assert.ok(!shown.includes(webhookSecret), shown);
		});
	}
});

test('which settings fit is not said with another secret, nor of a published workflow', async (t) => {
	const fields = { webhookVerification: 'hmac', signatureHeader: 'X-Of-Nobody' };
	const headers = { 'x-signature': hmac(BODY).digest('hex') };
	const published = await ownTrigger(t, engine, {}, fields);
	const before = engine.n8n.log.length;
	assert.equal((await published.send({ body: BODY, headers })).status, 401);
	assert.ok(engine.n8n.log.slice(before).every((line) => !line.includes('settings fit')));
	const webhookSecret = 'the-secret-of-another';
	const other = await ownTrigger(t, engine, {}, { ...fields, webhookSecret });
	other.webhook.isManual = true;
	await other.send({ body: BODY, headers });
	assert.match(String(other.webhook.shown), /the header X-Of-Nobody is missing$/);
});
