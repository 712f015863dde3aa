import { createHmac } from 'node:crypto';

import { parseTime } from '../data/times';
import { invalid, type VoiceAgentError } from '../errors';
import { isHeaderName, isSameText, onlyHeader, type Proof, Refusal } from './request';

/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;
/** How far the time of a webhook may be from n8n's clock. */
const TOLERANCE_SECONDS = 300;
/** More than a service has secrets at a time. */
const MAX_SIGNATURES = 10;

/**
 * Checks the fields of a VoiceAgent Webhook API credential.
 * @throws VoiceAgentError `invalidParameter`, naming the field and never showing the secret
 */
export function parseWebhookCredential(fields: Record<string, unknown>): Proof {
	const { secret, scheme = 'sharedSecret', sendIn = 'header' } = fields;
	if (typeof secret !== 'string' || secret === '') throw unusable("'Secret' is empty");
	if (secret !== secret.trim())
		throw unusable("'Secret' begins or ends with a space or line break");
	if (secret.length < MIN_SECRET_CHARS) {
		throw unusable(`'Secret' must have ${MIN_SECRET_CHARS} characters or more`);
	}
	if (scheme === 'hmac' || scheme === 'standardWebhooks') {
		return signatureProof(parseSignature({ ...fields, secret }));
	}
	if (scheme !== 'sharedSecret') {
		throw unusable("'Verification Method' must be chosen from the list");
	}
	if (!/^[\x20-\x7e]+$/.test(secret)) {
		throw unusable("'Secret' has a control or non-ASCII character, which headers cannot carry");
	}
	const isInHeader = sendIn === 'header';
	if (!isInHeader && sendIn !== 'query') {
		throw unusable("'Send In' must be Header or Query Parameter");
	}
	const { headerName = 'X-Webhook-Secret', queryName = 'secret' } = fields;
	const name = isInHeader ? headerName : queryName;
	// The characters of header names are enough for query parameters too.
	if (!isHeaderName(name)) {
		const label = isInHeader ? 'Header Name' : 'Query Parameter Name';
		throw unusable(`'${label}' must be letters, digits and hyphens`);
	}
	return ({ rawHeaders, query }) => {
		const { [name]: inQuery, ...others } = query;
		const given = isInHeader ? onlyHeader(rawHeaders, name) : inQuery;
		if (typeof given !== 'string' || !isSameText(given, secret)) {
			throw new Refusal(401, `The shared secret is missing or wrong (${sendIn} ${name})`);
		}
		return isInHeader ? query : others;
	};
}

export function unusable(problem: string): VoiceAgentError {
	return invalid(`the VoiceAgent Webhook API credential cannot be used: ${problem}`);
}

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

function parseSignature(fields: Record<string, unknown> & { secret: string }): Signature {
	if (fields.scheme === 'standardWebhooks') return standardWebhooks(fields.secret);
	const { signatureHeader = 'X-Webhook-Signature', prefix = '', timestampHeader = '' } = fields;
	const signedHeaders = timestampHeader === '' ? [] : [timestampHeader];
	if (!isHeaderName(signatureHeader)) {
		throw unusable("'Signature Header' must be letters, digits and hyphens");
	}
	if (typeof prefix !== 'string') throw unusable("'Prefix' is not text");
	if (!signedHeaders.every(isHeaderName)) {
		throw unusable("'Timestamp Header' must be letters, digits and hyphens");
	}
	return { key: Buffer.from(fields.secret), header: signatureHeader, prefix, signedHeaders };
}

/** standardwebhooks.com: the key is Base64 behind `whsec_`, of at least 24 bytes. */
function standardWebhooks(secret: string): Signature {
	const base64 = secret.replace(/^whsec_/, '');
	const key = Buffer.from(base64, 'base64');
	if (key.toString('base64') !== base64 || key.length < 16) {
		throw unusable("'Secret' is not whsec_ followed by Base64");
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
