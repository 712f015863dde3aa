import { createHmac } from 'node:crypto';

import { parseTime } from '../data/times';
import { headerValues, isHeaderName, onlyHeader } from './headers';
import { isSameText } from './isSameText';

/** How far the time of a webhook may be from n8n's clock. */
const TOLERANCE_SECONDS = 300;
/** More than a service has secrets at a time. */
const MAX_SIGNATURES = 10;

/** How webhooks are signed: with an HMAC (SHA-256) of some headers and the body, joined by dots. */
export interface WebhookSignature {
	key: Buffer;
	/** Carries one signature or several. */
	header: string;
	/** Stands before each signature. */
	prefix: string;
	/** Headers that are signed before the body. The last one has the time of the webhook. */
	signedHeaders: readonly string[];
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
	fields: Record<string, unknown> & { secret: string },
	refuse: (detail: string) => Error,
): WebhookSignature {
	if (fields.scheme === 'standardWebhooks') return standardWebhooks(fields.secret, refuse);
	const { prefix = '', timestampHeader = '' } = fields;
	const header = fields.signatureHeader ?? 'X-Webhook-Signature';
	if (!isHeaderName(header)) throw refuse("'Signature Header' must be letters, digits and hyphens");
	if (typeof prefix !== 'string') throw refuse("'Prefix' is not text");
	const isTimed = timestampHeader !== '';
	if (isTimed && !isHeaderName(timestampHeader)) {
		throw refuse("'Timestamp Header' must be letters, digits and hyphens");
	}
	const signedHeaders = isTimed ? [String(timestampHeader)] : [];
	return { key: Buffer.from(fields.secret), header, prefix, signedHeaders };
}

/** standardwebhooks.com: the key is Base64 behind `whsec_`, of at least 24 bytes. */
function standardWebhooks(secret: string, refuse: (detail: string) => Error): WebhookSignature {
	const base64 = secret.replace(/^whsec_/, '').replace(/=+$/, '');
	const key = Buffer.from(base64, 'base64');
	if (key.toString('base64').replace(/=+$/, '') !== base64 || key.length < 16) {
		throw refuse("'Secret' is not whsec_ followed by Base64");
	}
	const signedHeaders = ['webhook-id', 'webhook-timestamp'];
	return { key, header: 'webhook-signature', prefix: 'v1,', signedHeaders };
}

/** Why a request does not prove where it comes from, for the owner of the workflow; `undefined` if it does. */
export function signatureProblem(
	{ rawHeaders, rawBody }: SignedRequest,
	expected: WebhookSignature,
	nowMs: number,
): string | undefined {
	if (!rawBody) {
		return 'n8n does not keep the bytes of a multipart form, so its signature is unknown';
	}
	const hmac = createHmac('sha256', expected.key);
	for (const name of expected.signedHeaders) {
		const value = onlyHeader(rawHeaders, name);
		if (value === undefined) return `the header ${name} is missing or occurs twice`;
		const isTime = name === expected.signedHeaders.at(-1);
		if (isTime && !(Math.abs(nowMs - parseTime(value)) <= TOLERANCE_SECONDS * 1000)) {
			return `the time in the header ${name} is more than ${TOLERANCE_SECONDS} seconds from now, or cannot be read`;
		}
		hmac.update(`${value}.`);
	}
	const signature = hmac.update(rawBody).digest();
	const given = signaturesIn(headerValues(rawHeaders, expected.header).join(' '), expected);
	if (given.length === 0) return `the header ${expected.header} has no signature`;
	return given.some((one) => isSignature(one, signature))
		? undefined
		: 'the signature is not that of the body: check the secret and the settings in the credential';
}

/** A service may sign with two secrets while one replaces the other. */
function signaturesIn(header: string, { prefix }: WebhookSignature): string[] {
	const pieces = prefix === '' ? header.split(/[\s,;]+/) : header.split(prefix).slice(1);
	const signatures = pieces.map((piece) => piece.split(/[\s,;]/)[0] ?? '');
	return signatures.filter((one) => one !== '').slice(0, MAX_SIGNATURES);
}

/** Whether it is the signature in hex or in Base64, which may have the characters of URLs, and no padding. */
function isSignature(given: string, signature: Buffer): boolean {
	const base64url = given.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
	const isHex = isSameText(given.toLowerCase(), signature.toString('hex'));
	return isSameText(base64url, signature.toString('base64url')) || isHex;
}
