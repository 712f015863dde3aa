import { createHmac } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { HEADER_NAME_PATTERN, strict, TextEnum } from '../schema.mts';

const HeaderName = Type.String({ pattern: HEADER_NAME_PATTERN, maxLength: 100 });

export const Signing = Type.Object(
	{
		scheme: TextEnum(['hmac', 'standardWebhooks']),
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
		description: 'HMAC of every webhook. `standardWebhooks` takes nothing but a secret, `whsec_…`',
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
