import { createHmac } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { likeTime } from '../profile/likeExample.mts';
import type { SeenSignature } from '../profile/schema.mts';
import { HEADER_NAME_PATTERN, strict, TextEnum } from '../schema.mts';

const HeaderName = Type.String({ pattern: HEADER_NAME_PATTERN, maxLength: 100 });

export const Signing = Type.Object(
	{
		scheme: TextEnum(['hmac', 'standardWebhooks', 'profile']),
		secret: Type.String({ minLength: 1, maxLength: 1000 }),
		algorithm: Type.Optional(TextEnum(['sha256', 'sha1', 'sha512'])),
		encoding: Type.Optional(TextEnum(['hex', 'base64'])),
		header: Type.Optional(HeaderName),
		prefix: Type.Optional(
			Type.String({
				pattern: '^[\\x20-\\x7e]*$',
				maxLength: 100,
				description: 'Stands before the signature',
			}),
		),
		timestampHeader: Type.Optional(HeaderName),
	},
	{
		...strict,
		description:
			'HMAC of every webhook. `standardWebhooks` takes nothing but a secret, `whsec_…`, and `profile` nothing but the secret for what the profile shows',
	},
);
export type Signing = Static<typeof Signing>;

/**
 * The headers that sign a body. With a timestamp header, time, dot and body are signed.
 *
 * @param id the same for each attempt to deliver a webhook
 */
export function signatureHeaders(
	body: string,
	signing: Signing,
	{ id, nowMs }: { id: string; nowMs: number },
): Record<string, string> {
	const { scheme, secret, algorithm = 'sha256', encoding = 'hex', timestampHeader } = signing;
	const time = String(Math.floor(nowMs / 1000));
	if (scheme === 'standardWebhooks') {
		const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
		const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
		return {
			'webhook-id': id,
			'webhook-timestamp': time,
			'webhook-signature': `v1,${signature}`,
		};
	}
	const signed = timestampHeader === undefined ? body : `${time}.${body}`;
	const signature = createHmac(algorithm, secret).update(signed).digest(encoding);
	return {
		...(timestampHeader !== undefined && { [timestampHeader]: time }),
		[signing.header ?? 'X-Webhook-Signature']: `${signing.prefix ?? ''}${signature}`,
	};
}

/** How a service was seen to prove where a webhook comes from. */
export interface SeenProof {
	signature: SeenSignature;
	/** By their names in lower case. */
	headers: Record<string, string>;
}

/** What is signed. */
interface Signed {
	body: string;
	/** Of the target, with the query. */
	url: string;
	/** Names and values of a form or query. */
	parameters: Record<string, string>;
}

const HASHES = { hmacSha1: 'sha1', hmacSha256: 'sha256', hmacSha512: 'sha512' } as const;

/** The headers that prove the origin as a service was seen to do it, with this secret. */
export function seenHeaders(
	signed: Signed,
	{ signature: seen, headers }: SeenProof,
	{ secret, id, nowMs }: { secret: string; id: string; nowMs: number },
): Record<string, string> {
	if (seen.webhookVerification === 'sharedSecret') {
		return { [seen.headerName ?? 'X-Webhook-Secret']: secret };
	}
	const { signatureHeader: header = 'X-Webhook-Signature', headerFormat = '{signature}' } = seen;
	const { timestampHeader, idHeader, signedContent = '{body}', encoding = 'hex' } = seen;
	const example = headers[(timestampHeader ?? header).toLowerCase()] ?? '';
	// Beside the signature, in the same header, a time is one of its parts.
	const time =
		timestampHeader === undefined
			? (/(?<!\w)\d{10}(?:\d{3})?(?!\w)/.exec(example)?.[0] ?? '0'.padEnd(10, '1'))
			: example;
	const timestamp = String(likeTime(time, nowMs));
	const sorted = Object.entries(signed.parameters).sort(([one], [other]) => (one < other ? -1 : 1));
	const texts = { ...signed, parameters: sorted.flat().join(''), timestamp, id };
	const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
	const hash = createHmac(HASHES[seen.algorithm ?? 'hmacSha256'], key);
	const signature = hash.update(filledIn(signedContent, texts)).digest(encoding);
	return {
		...(timestampHeader !== undefined && { [timestampHeader]: timestamp }),
		...(idHeader !== undefined && { [idHeader]: id }),
		[header]: filledIn(headerFormat, { ...texts, signature }),
	};
}

function filledIn(template: string, texts: Record<string, string>): string {
	return template.replace(/\{(\w+)\}/g, (all, name: string) => texts[name] ?? all);
}
