import type { WebhookRefusal } from '../../nodes/VoiceAgentTrigger/request';
import {
	parseWebhookCredential,
	signatureProof,
} from '../../nodes/VoiceAgentTrigger/webhookAuthentication';

const SECRET = 'correct-horse-battery';
const standard = (base64: string) => `whsec_${base64}`;

type Proof = ReturnType<typeof parseWebhookCredential>;

/** Why a request that n8n gets at a time is refused, for the log; `undefined` if it passes. */
function problemOf(proof: Proof, rawHeaders: string[], body: string | undefined, atMs = 0) {
	const now = jest.spyOn(Date, 'now').mockReturnValue(atMs);
	const rawBody = body === undefined ? undefined : Buffer.from(body);
	try {
		// The query is not signed.
		expect(proof({ rawHeaders, headers: {}, query: { a: '1' }, rawBody })).toEqual({});
		return undefined;
	} catch (error) {
		expect(error).toMatchObject({ status: 401, reason: 'The signature is missing or wrong' });
		return (error as WebhookRefusal).detail;
	} finally {
		now.mockRestore();
	}
}

const NOT_SIGNED = 'does not have the signature of the body';

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
		const proof = signatureProof({ key, header: 'X-Sign', prefix: '', signedHeaders: [] });
		for (const given of [hex, hex.toUpperCase(), Buffer.from(hex, 'hex').toString('base64')]) {
			expect(problemOf(proof, ['X-Sign', given], text)).toBeUndefined();
			expect(problemOf(proof, ['X-Sign', given], `${text} `)).toContain(NOT_SIGNED);
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
			parseWebhookCredential({
				scheme: 'standardWebhooks',
				secret: changed.secret ?? standard(published),
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
		['no signature', { signatures: '' }, NOT_SIGNED],
		['a signature of another kind', { signatures: given.replace('v1,', 'v1a,') }, NOT_SIGNED],
		// Nobody signs with a thousand secrets.
		['a thousand others before it', { signatures: 'v1,AAAA '.repeat(1_000) + given }, NOT_SIGNED],
	])('Standard Webhooks, %s: refused', (_name, changed, problem) =>
		expect(check(changed)).toContain(problem),
	);
});

describe('an HMAC of time and body', () => {
	// Calculated with Python's hmac module.
	const hex = '0528b88d5baf9ee1f6fb913a5bfb5a800c9f54d26247d4264363bc903faec04a';
	const proof = parseWebhookCredential({
		scheme: 'hmac',
		secret: SECRET,
		prefix: 'sha256=',
		signatureHeader: 'X-Sign',
		timestampHeader: 'X-Time',
	});
	const check = (rawHeaders: string[], body: string | undefined = '{"test": 2432232314}') =>
		problemOf(proof, rawHeaders, body, 1_614_265_335_000);
	const time = ['x-time', '1614265330'];
	const isoTime = ['x-time', '2021-02-25T15:02:10Z'];
	const ofIsoTime = '797ad1a000b2d7bfa712ee7800d7c9a1d1712037d67333bbe7e08cd23daed2bd';

	test.each([
		['with no other signature', [...time, 'x-sign', `sha256=${hex}`]],
		[
			'among other signatures',
			[...time, 'x-sign', `sha256=${'0'.repeat(64)} sha1=00 sha256=${hex}`],
		],
		['with the time in another form', [...isoTime, 'x-sign', `sha256=${ofIsoTime}`]],
	])('%s: accepted', (_name, rawHeaders) => expect(check(rawHeaders)).toBeUndefined());

	test.each([
		['without the prefix', [...time, 'x-sign', hex], NOT_SIGNED],
		['in another header', [...time, 'x-signature', `sha256=${hex}`], NOT_SIGNED],
		['in two headers', [...time, 'x-sign', `sha256=${hex}`, 'x-sign', 'sha256=00'], NOT_SIGNED],
		['with a longer signature', [...time, 'x-sign', `sha256=${hex}00`], NOT_SIGNED],
		['without the time', ['x-sign', `sha256=${hex}`], 'X-Time is missing'],
		['at no time', ['x-time', '0', 'x-sign', 'sha256=00'], 'is unclear'],
		['at a long time', ['x-time', '9'.repeat(400), 'x-sign', 'sha256=00'], 'is unclear'],
		['with another time', ['x-time', '1614265331', 'x-sign', `sha256=${hex}`], NOT_SIGNED],
	])('%s: refused', (_name, rawHeaders, problem) => expect(check(rawHeaders)).toContain(problem));

	test('of a body that n8n does not keep: refused', () =>
		expect(problemOf(proof, [...time, 'x-sign', `sha256=${hex}`], undefined)).toContain(
			'multipart',
		));

	test('with a prefix that has a space: accepted', () => {
		const fields = { scheme: 'hmac', secret: SECRET, prefix: 'HMAC ' };
		const ofBody = 'EvdFAw9pfx+xHRkkJyeTWYzeg1Z4jTLWY6jsZF0DAEo=';
		const rawHeaders = ['X-Webhook-Signature', `HMAC ${ofBody}`];
		const signed = parseWebhookCredential(fields);
		expect(problemOf(signed, rawHeaders, '{"test": 2432232314}')).toBeUndefined();
	});
});

describe('a credential that cannot be used', () => {
	const hmac = { scheme: 'hmac', secret: SECRET };
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
		['a prefix that is a number', { ...hmac, prefix: 256 }, "'Prefix' is not text"],
		...standardSecrets.map((secret): [string, Record<string, unknown>, string] => [
			secret,
			{ scheme: 'standardWebhooks', secret },
			'whsec_ followed by Base64',
		]),
	])('is refused by name, without its secret: %s', (_name, fields, problem) => {
		expect(() => parseWebhookCredential(fields)).toThrow(problem);
		expect(() => parseWebhookCredential(fields)).not.toThrow(String(fields.secret));
	});

	test('the shortest key can be used', () => {
		const secret = standard('AAECAwQFBgcICQoLDA0ODw==');
		expect(() => parseWebhookCredential({ scheme: 'standardWebhooks', secret })).not.toThrow();
	});
});
