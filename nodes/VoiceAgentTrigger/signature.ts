import { createHmac } from 'node:crypto';
import { sleep } from 'n8n-workflow';

import { parseTime } from '../data/times';
import { headerValues, isHeaderName, onlyHeader } from './headers';
import { isSameText } from './isSameText';

const ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const;
const ENCODINGS = ['hex', 'base64'] as const;

/** How many bytes are hashed before n8n gets on with its other work. */
const SLICE_BYTES = 2 * 1024 * 1024;
/** More than a service has secrets at a time. */
const MAX_SIGNATURES = 10;

/** How webhooks are signed: with an HMAC of some headers and the body, joined by dots. */
export interface WebhookSignature {
	algorithm: (typeof ALGORITHMS)[number];
	encoding: (typeof ENCODINGS)[number];
	key: Buffer;
	/** Carries one signature or several. */
	header: string;
	/** Stands before each signature. */
	prefix: string;
	/** Headers that are signed before the body. */
	signedHeaders: readonly string[];
	/** One of them, with a time in a usual spelling. Empty if the time is not signed. */
	timestampHeader: string;
	toleranceSeconds: number;
}

/** A request whose signature is checked. */
export interface SignedRequest {
	rawHeaders: readonly string[];
	/** The body before n8n has parsed it. n8n does not keep that of multipart forms. */
	rawBody?: Uint8Array;
}

/**
 * The settings of a signature, from the fields of a credential.
 * @param refuse makes the error for a field that cannot be used
 */
export function parseSignature(
	scheme: 'hmac' | 'standardWebhooks',
	fields: Record<string, unknown> & { secret: string },
	refuse: (detail: string) => Error,
): WebhookSignature {
	if (scheme === 'standardWebhooks') {
		return {
			...{ algorithm: 'sha256', encoding: 'base64', header: 'webhook-signature', prefix: 'v1,' },
			key: standardKey(fields.secret, refuse),
			signedHeaders: ['webhook-id', 'webhook-timestamp'],
			timestampHeader: 'webhook-timestamp',
			toleranceSeconds: 300,
		};
	}
	const algorithm = ALGORITHMS.find((one) => one === (fields.algorithm ?? 'sha256'));
	if (!algorithm) throw refuse("'Algorithm' must be SHA-256, SHA-1 or SHA-512");
	const encoding = ENCODINGS.find((one) => one === (fields.encoding ?? 'hex'));
	if (!encoding) throw refuse("'Encoding' must be Hex or Base64");
	const header = fields.signatureHeader ?? 'X-Webhook-Signature';
	if (!isHeaderName(header)) throw refuse("'Signature Header' must be letters, digits and hyphens");
	const prefix = fields.prefix ?? '';
	if (typeof prefix !== 'string') throw refuse("'Prefix' is not text");
	const timestampHeader = fields.timestampHeader ?? '';
	if (timestampHeader !== '' && !isHeaderName(timestampHeader)) {
		throw refuse("'Timestamp Header' must be letters, digits and hyphens");
	}
	const toleranceSeconds = fields.toleranceSeconds ?? 300;
	if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 1)) {
		throw refuse("'Tolerance (Seconds)' must be 1 or more");
	}
	return {
		...{ algorithm, encoding, header, prefix, timestampHeader, toleranceSeconds },
		key: Buffer.from(fields.secret),
		signedHeaders: timestampHeader === '' ? [] : [timestampHeader],
	};
}

/** Standard Webhooks: the key is Base64 behind `whsec_`. The specification asks for 24 bytes or more. */
function standardKey(secret: string, refuse: (detail: string) => Error): Buffer {
	const base64 = secret.replace(/^whsec_/, '').replace(/=+$/, '');
	const key = Buffer.from(base64, 'base64');
	if (key.toString('base64').replace(/=+$/, '') !== base64 || key.length < 16) {
		throw refuse("'Secret' is not whsec_ followed by Base64");
	}
	return key;
}

/** Why a request does not prove where it comes from, for the owner of the workflow; `undefined` if it does. */
export async function signatureProblem(
	{ rawHeaders, rawBody }: SignedRequest,
	expected: WebhookSignature,
	nowMs: number,
): Promise<string | undefined> {
	if (!rawBody)
		return 'n8n does not keep the bytes of a multipart form, so its signature is unknown';
	const hmac = createHmac(expected.algorithm, expected.key);
	for (const name of expected.signedHeaders) {
		const value = onlyHeader(rawHeaders, name);
		if (value === undefined) return `the header ${name} is missing or occurs twice`;
		if (name === expected.timestampHeader && !isRecent(value, expected.toleranceSeconds, nowMs)) {
			return `the time in the header ${name} is more than ${expected.toleranceSeconds} seconds from now, or cannot be read`;
		}
		hmac.update(`${value}.`);
	}
	for (let from = 0; from < rawBody.length; from += SLICE_BYTES) {
		if (from > 0) await sleep(0);
		hmac.update(rawBody.subarray(from, from + SLICE_BYTES));
	}
	const signature = plain(hmac.digest(expected.encoding), expected);
	const given = signaturesIn(headerValues(rawHeaders, expected.header).join(' '), expected);
	if (given.length === 0) return `the header ${expected.header} has no signature`;
	return given.some((one) => isSameText(plain(one, expected), signature))
		? undefined
		: 'the signature is not that of the body: check the secret and the settings in the credential';
}

function isRecent(timestamp: string, toleranceSeconds: number, nowMs: number): boolean {
	return Math.abs(nowMs - parseTime(timestamp)) <= toleranceSeconds * 1000;
}

/** A service may sign with two secrets while one replaces the other. */
function signaturesIn(header: string, { prefix }: WebhookSignature): string[] {
	const pieces =
		prefix === ''
			? header.split(/[\s,;]+/)
			: header
					.split(prefix)
					.slice(1)
					.map((piece) => piece.split(/[\s,;]/)[0] ?? '');
	return pieces.filter((piece) => piece !== '').slice(0, MAX_SIGNATURES);
}

/** One spelling for comparison. Base64 may have the characters of URLs, and no padding. */
function plain(signature: string, { encoding }: WebhookSignature): string {
	return encoding === 'hex'
		? signature.toLowerCase()
		: signature.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
}
