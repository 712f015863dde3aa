import { createHmac } from 'node:crypto';

import type { Proof, WebhookRefusal } from '../../nodes/service/webhooks/request';
import { whyUnsigned } from '../../nodes/service/webhooks/signature/signature';
import { parseSignatureFormat } from '../../nodes/service/webhooks/signature/signatureSettings';
import { parseWebhookVerification } from '../../nodes/service/webhooks/verification';

const SECRET = 'correct-horse-battery';
const standard = (base64: string) => `whsec_${base64}`;
/** A production webhook of a trigger. */
const receiver = { address: 'https://n8n.example.com/webhook/1', isWatched: false };

/** Why a request that n8n gets at a time is refused, for the log; `undefined` if it passes. */
function problemOf(proof: Proof, rawHeaders: string[], body: string | undefined, atMs = 0) {
	const now = jest.spyOn(Date, 'now').mockReturnValue(atMs);
	const rawBody = body === undefined ? undefined : Buffer.from(body);
	const headers = { 'content-type': body === undefined ? 'multipart/form-data' : undefined };
	try {
		// The query is not signed.
		const request = { rawHeaders, headers, query: { a: '1' }, rawBody };
		expect(proof(request, receiver)).toEqual({});
		return undefined;
	} catch (error) {
		expect(error).toMatchObject({ status: 401, reason: 'The signature is missing or wrong' });
		return (error as WebhookRefusal).detail;
	} finally {
		now.mockRestore();
	}
}

const NOT_SIGNED = "is that of 'Signed Content'";
const OTHER_FORMAT = "is not as 'Header Format' says";

describe('published vectors', () => {
	// RFC 4231.
	test.each([
		[
			Buffer.alloc(20, 0x0b),
			'Hi There',
			'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
		],
		[
			Buffer.from('Jefe'),
			'what do ya want for nothing?',
			'5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
		],
	])('HMAC of RFC 4231: only the text that was signed passes', (key, text, hex) => {
		const format = parseSignatureFormat({ signatureHeader: 'X-Sign' });
		const check = (given: string, body: string) => {
			const parts = { body: Buffer.from(body), parameters: undefined, urls: [''] };
			return whyUnsigned(format, key, ['X-Sign', given], parts, 0);
		};
		for (const given of [hex, hex.toUpperCase(), Buffer.from(hex, 'hex').toString('base64')]) {
			expect(check(given, text)).toBeUndefined();
			expect(check(given, `${text} `)).toContain(NOT_SIGNED);
		}
	});

	// From the reference libraries of standardwebhooks.com.
	const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
	const published = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
	const timestamp = 1_614_265_330;
	const given = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
	const check = (changed: {
		id?: string[];
		time?: string[];
		signatures?: string;
		body?: string;
		laterSeconds?: number;
		secret?: string;
	}) =>
		problemOf(
			parseWebhookVerification({
				webhookVerification: 'standardWebhooks',
				webhookSecret: changed.secret ?? standard(published),
			}),
			[
				...(changed.id ?? ['Webhook-Id', ID]),
				...(changed.time ?? ['webhook-timestamp', String(timestamp)]),
				'WEBHOOK-SIGNATURE',
				changed.signatures ?? given,
			],
			changed.body ?? '{"test": 2432232314}',
			(timestamp + (changed.laterSeconds ?? 0)) * 1000,
		);

	test.each([
		['as published', {}],
		['the secret without whsec_', { secret: published }],
		['5 minutes later', { laterSeconds: 300 }],
		['5 minutes earlier', { laterSeconds: -300 }],
		[
			'among other signatures',
			{ signatures: `v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= ${given}` },
		],
		[
			'before a signature of another kind',
			{ signatures: `${given}  v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhq` },
		],
	])('Standard Webhooks, %s: accepted', (_name, changed) => expect(check(changed)).toBeUndefined());

	test.each([
		['another body', { body: '{"test": 2432232315}' }, NOT_SIGNED],
		['another id', { id: ['webhook-id', 'msg_other'] }, NOT_SIGNED],
		['the id twice', { id: ['webhook-id', ID, 'Webhook-ID', 'x'] }, 'missing or occurs twice'],
		['another time', { time: ['webhook-timestamp', String(timestamp + 1)] }, NOT_SIGNED],
		['too late', { laterSeconds: 301 }, 'too far from that of n8n'],
		['too early', { laterSeconds: -301 }, 'too far from that of n8n'],
		['no signature', { signatures: '' }, OTHER_FORMAT],
		['a signature of another kind', { signatures: given.replace('v1,', 'v1a,') }, OTHER_FORMAT],
		// Nobody signs with a thousand secrets.
		['a thousand others before it', { signatures: 'v1,AAAA '.repeat(1_000) + given }, NOT_SIGNED],
	])('Standard Webhooks, %s: refused', (_name, changed, problem) =>
		expect(check(changed)).toContain(problem),
	);
});

describe('an HMAC of time and body', () => {
	// Calculated with Python's hmac module.
	const hex = '0528b88d5baf9ee1f6fb913a5bfb5a800c9f54d26247d4264363bc903faec04a';
	const fields = {
		webhookVerification: 'hmac',
		webhookSecret: SECRET,
		headerFormat: 'sha256={signature}',
		signatureHeader: 'X-Sign',
		signedContent: '{timestamp}.{body}',
		timestampHeader: 'X-Time',
	};
	const proof = parseWebhookVerification(fields);
	const nowMs = 1_614_265_335_000;
	const check = (rawHeaders: string[], body: string | undefined = '{"test": 2432232314}') =>
		problemOf(proof, rawHeaders, body, nowMs);
	const time = ['x-time', '1614265330'];
	const isoTime = ['x-time', '2021-02-25T15:02:10Z'];
	const ofIsoTime = '797ad1a000b2d7bfa712ee7800d7c9a1d1712037d67333bbe7e08cd23daed2bd';

	test.each([
		['with no other signature', [...time, 'x-sign', `sha256=${hex}`]],
		[
			'among other signatures',
			[...time, 'x-sign', `sha256=${'0'.repeat(64)} sha1=00 sha256=${hex}`],
		],
		['in two headers', [...time, 'x-sign', `sha256=${hex}`, 'x-sign', 'sha256=00']],
		['with the time in another form', [...isoTime, 'x-sign', `sha256=${ofIsoTime}`]],
	])('%s: accepted', (_name, rawHeaders) => expect(check(rawHeaders)).toBeUndefined());

	test.each([
		['without the prefix', [...time, 'x-sign', hex], OTHER_FORMAT],
		['in another header', [...time, 'x-signature', `sha256=${hex}`], 'X-Sign is missing'],
		['twice, and neither as it must be', [...time, 'x-sign', hex, 'x-sign', hex], OTHER_FORMAT],
		['with the time twice', [...time, ...time, 'x-sign', `sha256=${hex}`], 'occurs twice'],
		['with a longer signature', [...time, 'x-sign', `sha256=${hex}00`], NOT_SIGNED],
		['without the time', ['x-sign', `sha256=${hex}`], 'X-Time is missing'],
		['at no time', ['x-time', '0', 'x-sign', 'sha256=00'], 'is unclear'],
		['at a long time', ['x-time', '9'.repeat(400), 'x-sign', 'sha256=00'], 'is unclear'],
		['with another time', ['x-time', '1614265331', 'x-sign', `sha256=${hex}`], NOT_SIGNED],
	])('%s: refused', (_name, rawHeaders, problem) => expect(check(rawHeaders)).toContain(problem));

	test('of a body that n8n does not keep: refused', () =>
		expect(problemOf(proof, [...time, 'x-sign', `sha256=${hex}`], undefined, nowMs)).toContain(
			'multipart',
		));

	test('with a prefix that has a space: accepted', () => {
		const ofBody = 'EvdFAw9pfx+xHRkkJyeTWYzeg1Z4jTLWY6jsZF0DAEo=';
		const rawHeaders = ['X-Webhook-Signature', `HMAC ${ofBody}`];
		const signed = parseWebhookVerification({
			webhookVerification: 'hmac',
			webhookSecret: SECRET,
			headerFormat: 'HMAC {signature}',
		});
		expect(problemOf(signed, rawHeaders, '{"test": 2432232314}')).toBeUndefined();
	});

	test('with the previous secret: accepted, while the service changes to the new one', () => {
		const webhookSecret = 'another-secret-of-today';
		const changed = { ...fields, webhookSecret, previousWebhookSecret: SECRET };
		const signed = [...time, 'x-sign', `sha256=${hex}`];
		const body = '{"test": 2432232314}';
		const both = parseWebhookVerification(changed);
		expect(problemOf(both, signed, body, nowMs)).toBeUndefined();
		const onlyNew = parseWebhookVerification({ ...changed, previousWebhookSecret: '' });
		expect(problemOf(onlyNew, signed, body, nowMs)).toContain(NOT_SIGNED);
	});
});

test.each([
	['{body}', {}],
	['{url}{body}', { a: '1' }],
])('of a webhook with the signed content %s, the query %j is believed', (signedContent, read) => {
	const webhookSecret = SECRET;
	const fields = { webhookVerification: 'hmac', webhookSecret, signedContent };
	const request = {
		headers: {},
		query: { a: '1' },
		originalUrl: '/webhook/1?a=1',
		rawBody: Buffer.from('{}'),
	};
	const content = signedContent.replace('{url}', `${receiver.address}?a=1`).replace('{body}', '{}');
	const signature = createHmac('sha256', SECRET).update(content).digest('hex');
	const rawHeaders = ['X-Webhook-Signature', signature];
	expect(parseWebhookVerification(fields)({ ...request, rawHeaders }, receiver)).toEqual(read);
});

describe('a webhook that is refused', () => {
	const proof = parseWebhookVerification({
		webhookVerification: 'hmac',
		webhookSecret: SECRET,
		signatureHeader: 'X-Other',
	});
	const signature = createHmac('sha256', SECRET).update('{}').digest('hex');
	const request = {
		rawHeaders: ['X-Sign', `sha256=${signature}`],
		headers: {},
		query: {},
		rawBody: Buffer.from('{}'),
	};
	const detailOf = (isWatched: boolean, headers = {}) => {
		try {
			proof({ ...request, headers }, { ...receiver, isWatched });
			return 'accepted';
		} catch (error) {
			return (error as WebhookRefusal).detail;
		}
	};

	test('says which settings fit it, if somebody watches', () => {
		const fitting =
			'Signature Header X-Sign; Header Format sha256={signature}; Signed Content {body}; Algorithm HMAC with SHA-256';
		expect(detailOf(true)).toBe(`the header X-Other is missing. these settings fit it: ${fitting}`);
		expect(detailOf(false)).toBe('the header X-Other is missing');
	});

	test('and came compressed, says so, because its bytes may have been signed', () => {
		const detail = detailOf(false, { 'content-encoding': 'gzip' });
		expect(detail).toContain('the body came compressed');
	});
});

describe('a credential that cannot be used', () => {
	const hmac = { webhookVerification: 'hmac', webhookSecret: SECRET };
	const standardSecrets = [
		standard('MfKQ9r8GKYqrTwjUPD8=ILPZIo2LaLaSw'),
		['MfKQ9r8GKYqrTwjUPD8', 'ILPZIo2LaLaSw'].join('whsec_'),
		standard('not*base64*at*all'),
		standard('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwA'),
		// 15 bytes.
		standard('AAECAwQFBgcICQoLDA0O'),
	];
	test.each<[string, Record<string, unknown>, string]>([
		['no header', { ...hmac, signatureHeader: '' }, "'Signature Header'"],
		['a header with a space', { ...hmac, timestampHeader: 'a b' }, "'Timestamp Header'"],
		['a format that is a number', { ...hmac, headerFormat: 256 }, "'Header Format' must have"],
		['a public key that is none', { webhookVerification: 'ed25519' }, "'Public Key'"],
		[
			'a public key of Standard Webhooks that is none',
			{ webhookVerification: 'standardWebhooks', webhookSecret: 'whpk_MCowBQYDK2VwAyEA' },
			"'Webhook Secret' is not a public key",
		],
		...standardSecrets.map((secret): [string, Record<string, unknown>, string] => [
			secret,
			{ webhookVerification: 'standardWebhooks', webhookSecret: secret },
			'whsec_ followed by Base64',
		]),
	])('is refused by name, without its secret: %s', (_name, fields, problem) => {
		expect(() => parseWebhookVerification(fields)).toThrow(problem);
		expect(() => parseWebhookVerification(fields)).not.toThrow(String(fields.webhookSecret));
	});

	test('the shortest key can be used', () => {
		const webhookSecret = standard('AAECAwQFBgcICQoLDA0ODw==');
		const fields = { webhookVerification: 'standardWebhooks', webhookSecret };
		expect(() => parseWebhookVerification(fields)).not.toThrow();
	});
});
