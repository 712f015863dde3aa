import type { ICredentialsDecrypted, ICredentialTestFunctions } from 'n8n-workflow';

import { testWebhookSecret } from '../../nodes/VoiceAgentTrigger/access';
import { signatureProblem } from '../../nodes/VoiceAgentTrigger/signature';
import type { WebhookSignature } from '../../nodes/VoiceAgentTrigger/signature';
import { parseWebhookCredential } from '../../nodes/VoiceAgentTrigger/webhookAuthentication';

const SECRET = 'correct-horse-battery';
const standard = (base64: string) => `whsec_${base64}`;
const signature = (fields: Record<string, unknown>) =>
	parseWebhookCredential(fields) as WebhookSignature;

describe('published vectors', () => {
	const jefe = { key: Buffer.from('Jefe'), text: 'what do ya want for nothing?' };
	const hiThere = { key: Buffer.alloc(20, 0x0b), text: 'Hi There' };
	test.each([
		// RFC 4231.
		[hiThere, 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
		[jefe, '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
	])('HMAC', ({ key, text }, hex) => {
		const base64 = Buffer.from(hex, 'hex').toString('base64');
		const base64url = Buffer.from(hex, 'hex').toString('base64url');
		for (const given of [hex, hex.toUpperCase(), base64, base64url]) {
			const settings = { ...signature({ scheme: 'hmac', secret: SECRET }), key };
			const request = { rawHeaders: ['X-Webhook-Signature', given], rawBody: Buffer.from(text) };
			expect(signatureProblem(request, settings, 0)).toBeUndefined();
			const other = { ...request, rawBody: Buffer.from(`${text} `) };
			expect(signatureProblem(other, settings, 0)).toContain('not that of the body');
		}
	});

	// From the reference libraries of standardwebhooks.com.
	const secret = standard('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
	const timestamp = 1_614_265_330;
	const given = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
	const check = (changed: {
		id?: string[];
		time?: string[];
		signatures?: string;
		body?: string;
		laterSeconds?: number;
	}) =>
		signatureProblem(
			{
				rawHeaders: [
					...(changed.id ?? ['Webhook-Id', 'msg_p5jXN8AQM9LWM0D4loKWxJek']),
					...(changed.time ?? ['webhook-timestamp', String(timestamp)]),
					'WEBHOOK-SIGNATURE',
					changed.signatures ?? given,
				],
				rawBody: Buffer.from(changed.body ?? '{"test": 2432232314}'),
			},
			signature({ scheme: 'standardWebhooks', secret }),
			(timestamp + (changed.laterSeconds ?? 0)) * 1000,
		);

	test.each([
		['as published', {}],
		['5 minutes later', { laterSeconds: 300 }],
		['5 minutes earlier', { laterSeconds: -300 }],
		['among others', { signatures: `v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= ${given}` }],
		[
			'before one of another kind',
			{ signatures: `${given}  v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhq` },
		],
	])('Standard Webhooks, %s', (_name, changed) => expect(check(changed)).toBeUndefined());

	test.each([
		['another body', { body: '{"test": 2432232315}' }, 'not that of the body'],
		['another id', { id: ['webhook-id', 'msg_other'] }, 'not that of the body'],
		[
			'the id twice',
			{ id: ['webhook-id', 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'Webhook-ID', 'x'] },
			'webhook-id is missing or occurs twice',
		],
		[
			'another time',
			{ time: ['webhook-timestamp', String(timestamp + 1)] },
			'not that of the body',
		],
		['too late', { laterSeconds: 301 }, 'more than 300 seconds'],
		['too early', { laterSeconds: -301 }, 'more than 300 seconds'],
		['no signature', { signatures: '' }, 'has no signature'],
		[
			'a signature of another kind',
			{ signatures: given.replace('v1,', 'v1a,') },
			'has no signature',
		],
	])('Standard Webhooks, %s: refused', (_name, changed, problem) =>
		expect(check(changed)).toContain(problem),
	);

	test('Standard Webhooks, the secret without whsec_', () => {
		const { key } = signature({ scheme: 'standardWebhooks', secret: secret.slice(6) });
		expect(key.toString('base64')).toBe('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
	});
});

describe('an HMAC', () => {
	// Calculated with Python's hmac module.
	const ofTimeAndBody = '0528b88d5baf9ee1f6fb913a5bfb5a800c9f54d26247d4264363bc903faec04a';
	const ofBody = 'EvdFAw9pfx+xHRkkJyeTWYzeg1Z4jTLWY6jsZF0DAEo=';
	const body = '{"test": 2432232314}';
	const withTime = signature({
		scheme: 'hmac',
		secret: SECRET,
		prefix: 'sha256=',
		signatureHeader: 'X-Sign',
		timestampHeader: 'X-Time',
	});
	const check = (rawHeaders: string[], rawBody: Buffer | undefined = Buffer.from(body)) =>
		signatureProblem({ rawHeaders, rawBody }, withTime, 1_614_265_335_000);
	const time = ['x-time', '1614265330'];

	test.each([
		['alone', [`sha256=${ofTimeAndBody}`]],
		['in capitals', [`sha256=${ofTimeAndBody.toUpperCase()}`]],
		['after another one', [`sha256=${'0'.repeat(64)}, sha256=${ofTimeAndBody}`]],
		['before another one', [`sha256=${ofTimeAndBody},sha1=${'0'.repeat(40)}`]],
		['before one of another kind', [`t=1;sha256=${ofTimeAndBody};sha1=00`]],
		['in a second header', [`sha256=${'0'.repeat(64)}`, `sha256=${ofTimeAndBody}`]],
	])('of time and body, %s', (_name, values) =>
		expect(check([...time, ...values.flatMap((value) => ['x-sign', value])])).toBeUndefined(),
	);

	test('of a time in another form and the body', () => {
		const hex = '797ad1a000b2d7bfa712ee7800d7c9a1d1712037d67333bbe7e08cd23daed2bd';
		expect(check(['x-time', '2021-02-25T15:02:10Z', 'x-sign', `sha256=${hex}`])).toBeUndefined();
	});

	test.each([
		['without the prefix', [...time, 'x-sign', ofTimeAndBody], 'has no signature'],
		['in another header', [...time, 'x-signature', `sha256=${ofTimeAndBody}`], 'has no signature'],
		['with a longer signature', [...time, 'x-sign', `sha256=${ofTimeAndBody}00`], 'not that of'],
		['without the time', ['x-sign', `sha256=${ofTimeAndBody}`], 'x-time is missing'],
		['at no time', ['x-time', '0', 'x-sign', 'sha256=00'], 'cannot be read'],
		['at a long time', ['x-time', '9'.repeat(400), 'x-sign', 'sha256=00'], 'cannot be read'],
		[
			'with another time',
			['x-time', '1614265331', 'x-sign', `sha256=${ofTimeAndBody}`],
			'not that of',
		],
	])('%s: refused', (_name, rawHeaders, problem) =>
		expect(check(rawHeaders)?.toLowerCase()).toContain(problem),
	);

	test('of a body that n8n does not keep: refused', () =>
		expect(
			signatureProblem({ rawHeaders: [...time, 'x-sign', `sha256=${ofTimeAndBody}`] }, withTime, 0),
		).toContain('multipart'));

	test('in one of several headers, without a prefix', () => {
		const settings = signature({ scheme: 'hmac', secret: SECRET });
		const checkBoth = (...values: string[]) => {
			const rawHeaders = values.flatMap((value) => ['X-Webhook-Signature', value]);
			return signatureProblem({ rawHeaders, rawBody: Buffer.from(body) }, settings, 0);
		};
		expect(checkBoth('AAAA', ofBody)).toBeUndefined();
		expect(checkBoth(` ${ofBody.replace(/=+$/, '')} `)).toBeUndefined();
		expect(checkBoth(' ')).toContain('has no signature');
		expect(checkBoth(`${ofBody.slice(0, 9)}=${ofBody.slice(9)}`)).toContain('not that of');
		// Nobody signs with a thousand secrets.
		expect(checkBoth('AAAA '.repeat(1_000) + ofBody)).toContain('not that of the body');
	});
});

describe('a credential that cannot be used', () => {
	const hmac = { scheme: 'hmac', secret: SECRET };
	test.each([
		['no header', { ...hmac, signatureHeader: '' }, "'Signature Header'"],
		['a header with a space', { ...hmac, timestampHeader: 'a b' }, "'Timestamp Header'"],
		['a prefix that is a number', { ...hmac, prefix: 256 }, "'Prefix' is not text"],
		...[
			standard('MfKQ9r8GKYqrTwjUPD8=ILPZIo2LaLaSw'),
			['MfKQ9r8GKYqrTwjUPD8', 'ILPZIo2LaLaSw'].join('whsec_'),
			standard('not*base64*at*all'),
			standard('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwA'),
			standard('MfKQ9r8GKYqr'),
		].map((given): [string, Record<string, string>, string] => [
			given,
			{ scheme: 'standardWebhooks', secret: given },
			'whsec_ followed by Base64',
		]),
	])('%s', (_name, fields, problem) => {
		expect(() => parseWebhookCredential(fields)).toThrow(problem);
		expect(() => parseWebhookCredential(fields)).not.toThrow(String(fields.secret));
	});
});

test('the test of a credential that cannot be used', async () => {
	const credential = { data: { secret: 'too short' } } as unknown as ICredentialsDecrypted;
	const tested = await testWebhookSecret.call({} as ICredentialTestFunctions, credential);
	expect(tested.status).toBe('Error');
	expect(tested.message).toContain('16 characters');
});

test('the shortest key that can be used', () => {
	const secret = standard('AAECAwQFBgcICQoLDA0ODw==');
	expect([...signature({ scheme: 'standardWebhooks', secret }).key]).toEqual([...Array(16).keys()]);
});
