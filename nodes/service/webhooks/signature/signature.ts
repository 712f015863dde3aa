import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';

import { parseTime } from '../../../data/times';
import { headerValues, type WebhookRequest } from '../request';
import { readHeader, type Template } from './template';

/** How far the time of a webhook may be from n8n's clock: the five minutes of Standard Webhooks. */
const TOLERANCE_MS = 300_000;
/** More than a service has secrets at a time. */
const MAX_SIGNATURES = 10;

/** Length of each signature in bytes. */
export const SIGNATURE_BYTES = {
	hmacSha1: 20,
	hmacSha256: 32,
	hmacSha512: 64,
	ed25519: 64,
} as const;

export type Algorithm = keyof typeof SIGNATURE_BYTES;

/** How a service signs its webhooks. */
export interface SignatureFormat {
	algorithm: Algorithm;
	/** Name of the header with the signature, and with more if its format says so. */
	header: string;
	/** How the header is made: `{signature}`, and `{timestamp}` and `{id}` if they stand in it. */
	headerFormat: Template;
	/** What is signed: `{body}`, `{timestamp}`, `{id}`, `{url}` and `{parameters}`. */
	content: Template;
	/** Names of the headers with the time and the id, if they do not stand in the signature's. */
	timestampHeader?: string;
	idHeader?: string;
}

/** The secret of an HMAC, or a public key of Ed25519. */
export type VerificationKey = Buffer | KeyObject;

/** What a signature may cover, in bytes as they were sent. */
export interface SignedParts {
	/** Undefined if n8n has not kept the bytes, which it does not of a multipart form. */
	body: Buffer | undefined;
	/** The names and values of a form or, without a body, of the query, sorted by name. */
	parameters: Buffer | undefined;
	/** The spellings of the address that the service may have called. */
	urls: readonly string[];
}

/**
 * Checks the signature of a webhook.
 *
 * @param nowMs n8n's clock
 * @returns why it does not hold, in words for the log; `undefined` if it holds
 */
export function whyUnsigned(
	format: SignatureFormat,
	key: VerificationKey,
	rawHeaders: WebhookRequest['rawHeaders'],
	parts: SignedParts,
	nowMs: number,
): string | undefined {
	const { header, headerFormat, content } = format;
	const lines = headerValues(rawHeaders, header);
	if (lines.length === 0) return `the header ${header} is missing`;
	const read = lines.map((line) => readHeader(headerFormat, line));
	const all = (name: string) => read.flatMap((values) => values.get(name) ?? []);

	const signatures = all('signature').slice(0, MAX_SIGNATURES);
	if (signatures.length === 0) return `the header ${header} is not as 'Header Format' says`;

	/** The one value that a header, or the signature's header, has for a name. */
	const only = (name: string, ownHeader: string | undefined): string | undefined => {
		const values = ownHeader === undefined ? all(name) : headerValues(rawHeaders, ownHeader);
		return values.length === 1 ? values[0] : undefined;
	};
	const timestamp = only('timestamp', format.timestampHeader);
	const id = only('id', format.idHeader);
	if (content.names.includes('timestamp')) {
		const place = `the header ${format.timestampHeader ?? header}`;
		if (timestamp === undefined) return `the time in ${place} is missing or occurs twice`;
		const awayMs = Math.abs(nowMs - parseTime(timestamp));
		// Not so for a time that cannot be read, either.
		const isNow = awayMs <= TOLERANCE_MS;
		if (!isNow) return `the time in ${place} is unclear, or too far from that of n8n`;
	}
	if (content.names.includes('id') && id === undefined) {
		return `the id in the header ${format.idHeader ?? header} is missing or occurs twice`;
	}
	if (content.names.includes('body') && parts.body === undefined) {
		return 'n8n does not keep the bytes of a multipart form';
	}
	if (content.names.includes('parameters') && parts.parameters === undefined) {
		return "'Signed Content' has {parameters}, and the body is not a form";
	}

	for (const url of parts.urls) {
		const signed = fill(content, { ...parts, timestamp, id, url });
		if (signatures.some((one) => isSignature(format.algorithm, key, one, signed))) return undefined;
	}
	return `no signature in the header ${header} is that of 'Signed Content': check the credential`;
}

function fill(
	{ texts, names }: Template,
	values: Omit<SignedParts, 'urls'> & { timestamp?: string; id?: string; url: string },
): Buffer {
	const bytes: Buffer[] = [Buffer.from(texts[0] ?? '')];
	for (const [index, name] of names.entries()) {
		const value = values[name as keyof typeof values] ?? '';
		// Node reads headers as Latin-1: these are the bytes that were sent.
		bytes.push(typeof value === 'string' ? Buffer.from(value, 'latin1') : value);
		bytes.push(Buffer.from(texts[index + 1] ?? ''));
	}
	return Buffer.concat(bytes);
}

/** Whether a signature in hex or Base64 is that of the bytes, compared in constant time. */
function isSignature(
	algorithm: Algorithm,
	key: VerificationKey,
	text: string,
	signed: Buffer,
): boolean {
	const given = signatureBytes(text, SIGNATURE_BYTES[algorithm]);
	if (!given) return false;
	if (!Buffer.isBuffer(key)) return verify(null, signed, key, given);
	const hash = algorithm.replace('hmac', '').toLowerCase();
	return timingSafeEqual(createHmac(hash, key).update(signed).digest(), given);
}

/**
 * Hex, or Base64 with either alphabet (RFC 4648, sections 4 and 5): the length tells which one.
 *
 * @param length how many bytes it must have
 */
export function signatureBytes(text: string, length: number): Buffer | undefined {
	const isHex = text.length === 2 * length && /^[\da-f]+$/i.test(text);
	const isBase64 = /^[\w+/-]+={0,2}$/.test(text);
	if (!isHex && !isBase64) return undefined;
	const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
	return bytes.length === length ? bytes : undefined;
}

/** What stands before the 32 bytes of a public key in DER (RFC 8410, section 4). */
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Reads a public key of Ed25519: PEM, DER in Base64, or its 32 bytes in hex or Base64.
 *
 * @returns `undefined` if it is none of them
 */
export function ed25519Key(text: string): KeyObject | undefined {
	const base64 = text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s/g, '');
	const raw = signatureBytes(base64, 32);
	const der = raw ? Buffer.concat([ED25519_DER, raw]) : signatureBytes(base64, 44);
	if (!der?.subarray(0, ED25519_DER.length).equals(ED25519_DER)) return undefined;
	try {
		return createPublicKey({ key: der, format: 'der', type: 'spki' });
	} catch {
		return undefined;
	}
}
