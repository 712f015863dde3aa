import { createHmac } from 'node:crypto';

import { parseTime } from '../data/times';
import { isHeaderName, isSameText, onlyHeader, type Proof, Refusal } from './request';

/** How far the time of a webhook may be from n8n's clock. */
const TOLERANCE_SECONDS = 300;
/** More than a service has secrets at a time. */
const MAX_SIGNATURES = 10;

/** How webhooks are signed: with an HMAC (SHA-256) of some headers and the body, joined by dots. */
interface Signature {
	key: Buffer;
	/** Carries one signature, or several with spaces between them, in hex or Base64. */
	header: string;
	/** Stands before each signature. */
	prefix: string;
	/** Headers that are signed before the body. The last one has the time of the webhook. */
	signedHeaders: readonly string[];
}

/** @param refuse makes the error for a field of the credential that cannot be used */
export function parseSignature(
	fields: Record<string, unknown> & { secret: string },
	refuse: (detail: string) => Error,
): Signature {
	if (fields.scheme === 'standardWebhooks') return standardWebhooks(fields.secret, refuse);
	const { signatureHeader = 'X-Webhook-Signature', prefix = '', timestampHeader = '' } = fields;
	const signedHeaders = timestampHeader === '' ? [] : [timestampHeader];
	if (!isHeaderName(signatureHeader)) {
		throw refuse("'Signature Header' must be letters, digits and hyphens");
	}
	if (typeof prefix !== 'string') throw refuse("'Prefix' is not text");
	if (!signedHeaders.every(isHeaderName)) {
		throw refuse("'Timestamp Header' must be letters, digits and hyphens");
	}
	return { key: Buffer.from(fields.secret), header: signatureHeader, prefix, signedHeaders };
}

/** standardwebhooks.com: the key is Base64 behind `whsec_`, of at least 24 bytes. */
function standardWebhooks(secret: string, refuse: (detail: string) => Error): Signature {
	const base64 = secret.replace(/^whsec_/, '');
	const key = Buffer.from(base64, 'base64');
	if (key.toString('base64') !== base64 || key.length < 16) {
		throw refuse("'Secret' is not whsec_ followed by Base64");
	}
	const signedHeaders = ['webhook-id', 'webhook-timestamp'];
	return { key, header: 'webhook-signature', prefix: 'v1,', signedHeaders };
}

export function signatureProof({ key, header, prefix, signedHeaders }: Signature): Proof {
	const refuse = (detail: string) => new Refusal(401, 'The signature is missing or wrong', detail);
	return ({ rawHeaders, rawBody }) => {
		if (!rawBody) throw refuse('n8n does not keep the bytes of a multipart form');
		const hmac = createHmac('sha256', key);
		for (const name of signedHeaders) {
			const value = onlyHeader(rawHeaders, name);
			if (value === undefined) throw refuse(`the header ${name} is missing or occurs twice`);
			const isTime = name === signedHeaders.at(-1);
			if (isTime && !(Math.abs(Date.now() - parseTime(value)) <= TOLERANCE_SECONDS * 1000)) {
				throw refuse(`the time in the header ${name} is unclear, or too far from that of n8n`);
			}
			hmac.update(`${value}.`);
		}
		const digest = hmac.update(rawBody).digest();
		const hex = `${prefix}${digest.toString('hex')}`.toLowerCase();
		const base64 = `${prefix}${digest.toString('base64')}`;
		const value = onlyHeader(rawHeaders, header) ?? '';
		// Alone, a signature may have a prefix with a space in it.
		const given = [value, ...value.split(' ', MAX_SIGNATURES)];
		if (!given.some((one) => isSameText(one.toLowerCase(), hex) || isSameText(one, base64))) {
			throw refuse(
				`the header ${header} does not have the signature of the body: check the credential`,
			);
		}
		// The query is not signed, so it is not believed.
		return {};
	};
}
