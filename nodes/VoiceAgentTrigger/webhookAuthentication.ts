import { createHash, timingSafeEqual } from 'node:crypto';

import { VoiceAgentError } from '../errors';

/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;

/** The shared secret that webhooks must carry. */
export interface WebhookSecret {
	sendIn: 'header' | 'query';
	/** Of the header or query parameter. */
	name: string;
	secret: string;
}

/** The parts of a request that can carry the secret. */
export interface WebhookRequest {
	/** Names and values in turn, as they arrived. Other forms hide that a header occurs twice. */
	rawHeaders: readonly string[];
	query: Readonly<Record<string, unknown>>;
}

/**
 * Checks the fields of a VoiceAgent Webhook API credential.
 * @throws VoiceAgentError `invalidWebhookSecret`, naming the field and never showing the secret
 */
export function parseWebhookCredential(fields: Record<string, unknown>): WebhookSecret {
	const refuse = (detail: string) => new VoiceAgentError('invalidWebhookSecret', { detail });
	const sendIn = fields.sendIn ?? 'header';
	if (sendIn !== 'header' && sendIn !== 'query') {
		throw refuse("'Send In' must be Header or Query Parameter");
	}
	const name =
		sendIn === 'header'
			? (fields.headerName ?? 'X-Webhook-Secret')
			: (fields.queryName ?? 'secret');
	// RFC 9110, token. These characters are enough for query parameters too.
	if (typeof name !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
		throw refuse("'Name' must be letters, digits and hyphens");
	}
	const { secret } = fields;
	if (typeof secret !== 'string' || secret === '') throw refuse("'Secret' is empty");
	if (secret !== secret.trim()) throw refuse("'Secret' begins or ends with a space or line break");
	if (!/^[\x20-\x7e]+$/.test(secret)) {
		throw refuse("'Secret' has a control or non-ASCII character, which headers cannot carry");
	}
	if (secret.length < MIN_SECRET_CHARS) {
		throw refuse(`'Secret' must have ${MIN_SECRET_CHARS} characters or more`);
	}
	return { sendIn, name, secret };
}

/** Whether a request carries the secret, exactly once. Takes the same time for any wrong secret. */
export function carriesSecret(request: WebhookRequest, expected: WebhookSecret): boolean {
	const given =
		expected.sendIn === 'header'
			? onlyHeader(request.rawHeaders, expected.name)
			: request.query[expected.name];
	return typeof given === 'string' && timingSafeEqual(digest(given), digest(expected.secret));
}

function onlyHeader(rawHeaders: readonly string[], name: string): string | undefined {
	const wanted = name.toLowerCase();
	const values = rawHeaders.filter(
		(_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted,
	);
	return values.length === 1 ? values[0] : undefined;
}

/** Digests have the same length, so comparing them does not reveal the length of the secret. */
function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
