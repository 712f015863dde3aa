/** Signed webhooks of other services, with signatures that others have made: see test/vectors. */
import type { WebhookRequest } from '../../nodes/service/webhooks/request';
import { fittingFormat } from '../../nodes/service/webhooks/signature/fittingFormat';
import { whyUnsigned } from '../../nodes/service/webhooks/signature/signature';
import {
	hmacKey,
	parseSignatureFormat,
	publicKey,
} from '../../nodes/service/webhooks/signature/signatureSettings';
import { signedParts } from '../../nodes/service/webhooks/signature/signedParts';

interface Vector {
	name: string;
	fields: Record<string, string>;
	/** In parts. */
	secret: string[];
	headers: Record<string, string>;
	/** Base64. */
	body: string;
	/** Seconds since 1970. */
	at: number;
	url?: string;
}
// From jest.config.js.
declare const webhookSignatures: Vector[];

/** What may be changed in a webhook. */
interface Changes {
	headers?: Record<string, string>;
	moreHeaders?: string[];
	body?: Buffer;
	laterSeconds?: number;
	fields?: Record<string, string>;
	url?: string;
	secret?: string;
}

function received(vector: Vector, changes: Changes = {}) {
	const headers = { ...vector.headers, ...changes.headers };
	const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
	const rawHeaders = [...Object.entries(headers).flat(), ...(changes.moreHeaders ?? [])];
	const address = changes.url ?? vector.url ?? 'https://n8n.example.com/webhook/5a1d/webhook';
	const url = new URL(address);
	const request: WebhookRequest = {
		rawHeaders,
		headers: Object.fromEntries(lowerCase) as Record<string, unknown>,
		query: {},
		originalUrl: url.pathname + url.search,
		rawBody: changes.body ?? Buffer.from(vector.body, 'base64'),
	};
	return { rawHeaders, parts: signedParts(request, url.origin + url.pathname) };
}

function keyOf({ fields, secret }: Vector, changed?: string) {
	if (fields.algorithm === 'ed25519') return publicKey(fields.publicKey, 'Public Key');
	return hmacKey(changed ?? secret.join(''), 'Webhook Secret');
}

/** Why a webhook is refused; `undefined` if its signature holds. */
function check(vector: Vector, changes: Changes = {}): string | undefined {
	const { rawHeaders, parts } = received(vector, changes);
	const format = parseSignatureFormat({ ...vector.fields, ...changes.fields });
	const nowMs = (vector.at + (changes.laterSeconds ?? 0)) * 1000;
	return whyUnsigned(format, keyOf(vector, changes.secret), rawHeaders, parts, nowMs);
}

describe.each(webhookSignatures)('$name', (vector) => {
	const header = vector.fields.signatureHeader ?? '';
	const own = Object.keys(vector.headers).find(
		(name) => name.toLowerCase() === header.toLowerCase(),
	);
	const value = vector.headers[own ?? ''] ?? '';
	const body = Buffer.from(vector.body, 'base64');
	const signsTime = vector.fields.signedContent?.includes('{timestamp}') === true;

	test('the signature holds', () => expect(check(vector)).toBeUndefined());

	test('with another secret or another key, it does not', () => {
		if (vector.fields.algorithm === 'ed25519') {
			// RFC 8032, section 7.1, the public key of TEST 2.
			const other = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
			const changed = { ...vector, fields: { ...vector.fields, publicKey: other } };
			expect(check(changed)).toContain('no signature');
		} else {
			expect(check(vector, { secret: 'another-secret-of-nobody' })).toContain('no signature');
		}
	});

	test('of another body, it does not', () => {
		for (const changed of [
			Buffer.concat([body, Buffer.from('&z=1')]),
			body.subarray(1),
			Buffer.from('{}'),
			Buffer.alloc(0),
		]) {
			expect(check(vector, { body: changed })).toBeDefined();
		}
	});

	test('cut, longer, or without its header, it does not', () => {
		// Hex and Base64 of at least 20 bytes.
		const signature = /[\w+/-]{26,}/g;
		for (const changed of [
			value.replace(signature, (text) => text.slice(0, -3)),
			value.replace(signature, (text) => text.slice(3)),
			value.replace(signature, (text) => `${text}AAAA`),
			value.replace(signature, ''),
			'',
		]) {
			expect(check(vector, { headers: { [own ?? '']: changed } })).toBeDefined();
		}
		const { [own ?? '']: _cut, ...headers } = vector.headers;
		expect(check({ ...vector, headers })).toContain('is missing');
	});

	test('replayed six minutes later or earlier, it does not, if the time is signed', () => {
		for (const laterSeconds of [360, -360]) {
			const why = check(vector, { laterSeconds });
			if (signsTime) expect(why).toContain('too far from that of n8n');
			else expect(why).toBeUndefined();
		}
	});

	test('with its time or id twice, it does not', () => {
		for (const label of ['timestampHeader', 'idHeader'] as const) {
			const name = vector.fields[label];
			if (name === undefined) continue;
			expect(check(vector, { moreHeaders: [name, '1'] })).toContain('missing or occurs twice');
		}
	});

	test('the settings that make it hold are found', () => {
		const { rawHeaders, parts } = received(vector);
		const found = fittingFormat(rawHeaders, keyOf(vector), parts, vector.at * 1000);
		expect(found?.toLowerCase()).toContain(`signature header ${header.toLowerCase()}`);
		expect(found).toContain(`Signed Content ${vector.fields.signedContent ?? '{body}'}`);
		const unlike = fittingFormat(
			rawHeaders,
			hmacKey('of-nobody-at-all', 'Webhook Secret'),
			parts,
			vector.at * 1000,
		);
		expect(unlike).toBeUndefined();
	});
});

test('an address with another host, path or query was not signed', () => {
	const vector = webhookSignatures.find(({ name }) => name === 'Twilio');
	if (!vector) throw new Error('The vector is missing');
	for (const url of [
		'https://mycompany.org/myapp.php?foo=1&bar=2',
		'https://mycompany.com/other.php?foo=1&bar=2',
		'https://mycompany.com/myapp.php?foo=1&bar=3',
	]) {
		expect(check(vector, { url })).toContain('no signature');
	}
	// JSON is no form, so nothing of it would be signed.
	const json = { body: Buffer.from('{"a":1}'), headers: { 'Content-Type': 'application/json' } };
	expect(check(vector, json)).toContain('the body is not a form');
	const called = { body: Buffer.from(' {"a":1}') };
	expect(check(vector, called)).toContain('the body is not a form');
});

test.each([
	['no signature', { headerFormat: 'v1={sig}' }, "'Header Format' has {sig}"],
	['an empty format', { headerFormat: '' }, "'Header Format' must have {signature}"],
	['two signatures', { headerFormat: '{signature},{signature}' }, '{signature} twice'],
	['no body', { signedContent: '{timestamp}' }, "'Signed Content' must have {body}"],
	['another name', { signedContent: '{body}{nonce}' }, "'Signed Content' has {nonce}"],
	['no place of the time', { signedContent: '{timestamp}.{body}' }, "enter 'Timestamp Header'"],
	['no place of the id', { signedContent: '{id}.{body}' }, "enter 'ID Header'"],
	['a time that is not signed', { timestampHeader: 'X-Time' }, 'which is not signed'],
	['an id that is not signed', { headerFormat: 'i={id},s={signature}' }, 'which is not signed'],
	[
		'two places of the time',
		{
			headerFormat: 't={timestamp},s={signature}',
			signedContent: '{timestamp}{body}',
			timestampHeader: 'X-Time',
		},
		"clear 'Timestamp Header'",
	],
	['another algorithm', { algorithm: 'md5' }, "'Algorithm'"],
	['a header with a space', { signatureHeader: 'a b' }, "'Signature Header'"],
])('settings with %s are refused by name', (_name, fields, message) => {
	expect(() => parseSignatureFormat(fields)).toThrow(message);
});

test.each([
	['', 'nothing'],
	['correct-horse-battery-staple', 'a secret'],
	['MCowBQYDK2VwAyEA', 'the start of a key'],
	[Buffer.alloc(31).toString('base64'), 'a byte too few'],
	[`-----BEGIN PUBLIC KEY-----\n${Buffer.alloc(44).toString('base64')}`, 'another kind'],
])('the public key %j (%s) is refused', (text) => {
	expect(() => publicKey(text, 'Public Key')).toThrow("'Public Key' is not a public key");
});
