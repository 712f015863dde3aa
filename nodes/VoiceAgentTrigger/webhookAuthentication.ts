import { createHmac } from 'node:crypto';

import { parseTime } from '../data/times';
import { invalid, type VoiceAgentError } from '../errors';
import { isHeaderName, isSameText, onlyHeader, type Proof, WebhookRefusal } from './request';

/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;
/** How far the time of a webhook may be from n8n's clock. */
const TOLERANCE_MS = 5 * 60_000;
/** More than a service has secrets at a time. */
const MAX_SIGNATURES = 10;

/**
 * Checks the fields of a VoiceAgent Webhook API credential.
 *
 * @returns what checks the requests
 *
 * @throws VoiceAgentError `invalidParameter`, naming the field and never showing the secret
 */
export function parseWebhookCredential(fields: Record<string, unknown>): Proof {
	const secret = parseSecret(fields.secret);
	// A credential that was saved before a field existed does not have it, so the defaults count.
	const { scheme = 'sharedSecret' } = fields;
	if (scheme === 'sharedSecret') return sharedSecretProof(parseSharedSecret(fields, secret));
	if (scheme === 'hmac') return signatureProof(parseHmac(fields, secret));
	if (scheme === 'standardWebhooks') return signatureProof(standardWebhooks(secret));
	throw unusable("'Verification Method' must be chosen from the list");
}

export function unusable(problem: string): VoiceAgentError {
	return invalid(`the VoiceAgent Webhook API credential cannot be used: ${problem}`);
}

function parseSecret(secret: unknown): string {
	if (typeof secret !== 'string' || secret === '') throw unusable("'Secret' is empty");
	if (secret !== secret.trim()) {
		throw unusable("'Secret' begins or ends with a space or line break");
	}
	if (secret.length < MIN_SECRET_CHARS) {
		throw unusable(`'Secret' must have ${MIN_SECRET_CHARS} characters or more`);
	}
	return secret;
}

/** A secret that the service sends as it is. */
interface SharedSecret {
	secret: string;
	sentIn: 'header' | 'query';
	/** Name of the header or of the query parameter. */
	name: string;
}

function parseSharedSecret(fields: Record<string, unknown>, secret: string): SharedSecret {
	if (!/^[\x20-\x7e]+$/.test(secret)) {
		throw unusable("'Secret' has a control or non-ASCII character, which headers cannot carry");
	}
	const { sendIn = 'header', headerName = 'X-Webhook-Secret', queryName = 'secret' } = fields;
	if (sendIn !== 'header' && sendIn !== 'query') {
		throw unusable("'Send In' must be Header or Query Parameter");
	}
	const name = sendIn === 'header' ? headerName : queryName;
	// The characters of header names are enough for query parameters too.
	if (!isHeaderName(name)) {
		const label = sendIn === 'header' ? 'Header Name' : 'Query Parameter Name';
		throw unusable(`'${label}' must be letters, digits and hyphens`);
	}
	return { secret, sentIn: sendIn, name };
}

function sharedSecretProof({ secret, sentIn, name }: SharedSecret): Proof {
	return ({ rawHeaders, query }) => {
		const { [name]: inQuery, ...otherParameters } = query;
		const given = sentIn === 'header' ? onlyHeader(rawHeaders, name) : inQuery;
		if (typeof given !== 'string' || !isSameText(given, secret)) {
			throw new WebhookRefusal(401, `The shared secret is missing or wrong (${sentIn} ${name})`);
		}
		return sentIn === 'header' ? query : otherParameters;
	};
}

/** How webhooks are signed: with an HMAC (SHA-256) of some headers and the body, joined by dots. */
interface Signature {
	key: Buffer;
	/** Its value is one signature, or several with spaces between them, in hex or Base64. */
	header: string;
	/** Stands before each signature. */
	prefix: string;
	/** Headers that are signed before the body. The last one has the time of the webhook. */
	signedHeaders: readonly string[];
}

function parseHmac(fields: Record<string, unknown>, secret: string): Signature {
	const { signatureHeader = 'X-Webhook-Signature', prefix = '', timestampHeader = '' } = fields;
	if (!isHeaderName(signatureHeader)) {
		throw unusable("'Signature Header' must be letters, digits and hyphens");
	}
	if (typeof prefix !== 'string') throw unusable("'Prefix' is not text");
	const signature = { key: Buffer.from(secret), header: signatureHeader, prefix };
	if (timestampHeader === '') return { ...signature, signedHeaders: [] };
	if (!isHeaderName(timestampHeader)) {
		throw unusable("'Timestamp Header' must be letters, digits and hyphens");
	}
	return { ...signature, signedHeaders: [timestampHeader] };
}

/**
 * The signature of Standard Webhooks (standardwebhooks.com). Its secret is `whsec_` and the key in
 * Base64. The standard wants 24 bytes or more; 16 or more are accepted.
 */
function standardWebhooks(secret: string): Signature {
	const base64 = secret.replace(/^whsec_/, '');
	const key = Buffer.from(base64, 'base64');
	// Buffer.from() passes over what is not Base64.
	if (key.toString('base64') !== base64 || key.length < 16) {
		throw unusable("'Secret' is not whsec_ followed by Base64");
	}
	const signedHeaders = ['webhook-id', 'webhook-timestamp'];
	return { key, header: 'webhook-signature', prefix: 'v1,', signedHeaders };
}

export function signatureProof(signature: Signature): Proof {
	const { key, header, prefix, signedHeaders } = signature;
	return ({ rawHeaders, rawBody }) => {
		if (!rawBody) throw wrongSignature('n8n does not keep the bytes of a multipart form');
		const hmac = createHmac('sha256', key);
		for (const name of signedHeaders) {
			const value = onlyHeader(rawHeaders, name);
			if (value === undefined)
				throw wrongSignature(`the header ${name} is missing or occurs twice`);
			const isTime = name === signedHeaders.at(-1);
			if (isTime && !isRecent(value)) {
				throw wrongSignature(
					`the time in the header ${name} is unclear, or too far from that of n8n`,
				);
			}
			hmac.update(`${value}.`);
		}
		const digest = hmac.update(rawBody).digest();
		const hex = `${prefix}${digest.toString('hex')}`.toLowerCase();
		const base64 = `${prefix}${digest.toString('base64')}`;
		const value = onlyHeader(rawHeaders, header) ?? '';
		// The whole value too: a single signature may have a prefix with a space in it.
		const given = [value, ...value.split(' ', MAX_SIGNATURES)];
		if (!given.some((one) => isSameText(one.toLowerCase(), hex) || isSameText(one, base64))) {
			throw wrongSignature(
				`the header ${header} does not have the signature of the body: check the credential`,
			);
		}
		// The query is not signed, so it is not believed.
		return {};
	};
}

/** Whether the time of a webhook is near that of n8n. One that cannot be read is not. */
function isRecent(time: string): boolean {
	return Math.abs(Date.now() - parseTime(time)) <= TOLERANCE_MS;
}

/** @param detail for the log only: the sender does not learn what of the signature was wrong */
function wrongSignature(detail: string): WebhookRefusal {
	return new WebhookRefusal(401, 'The signature is missing or wrong', detail);
}
