import { VoiceAgentError } from '../errors';
import { isHeaderName, onlyHeader } from './headers';
import { isSameText } from './isSameText';
import type { WebhookSignature } from './signature';
import { parseSignature } from './signature';

/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;

/** The shared secret that webhooks must carry. */
export interface WebhookSecret {
	sendIn: 'header' | 'query';
	/** Of the header or query parameter. */
	name: string;
	secret: string;
}

/** How webhooks prove where they come from. */
export type WebhookProof = WebhookSecret | WebhookSignature;

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
export function parseWebhookCredential(fields: Record<string, unknown>): WebhookProof {
	const refuse = (detail: string) => new VoiceAgentError('invalidWebhookSecret', { detail });
	const { secret, scheme = 'sharedSecret' } = fields;
	if (typeof secret !== 'string' || secret === '') throw refuse("'Secret' is empty");
	if (secret !== secret.trim()) throw refuse("'Secret' begins or ends with a space or line break");
	if (secret.length < MIN_SECRET_CHARS) {
		throw refuse(`'Secret' must have ${MIN_SECRET_CHARS} characters or more`);
	}
	if (scheme === 'hmac' || scheme === 'standardWebhooks') {
		return parseSignature({ ...fields, secret }, refuse);
	}
	if (scheme !== 'sharedSecret') {
		throw refuse("'Verify By' must be Shared Secret, HMAC Signature or Standard Webhooks");
	}
	if (!/^[\x20-\x7e]+$/.test(secret)) {
		throw refuse("'Secret' has a control or non-ASCII character, which headers cannot carry");
	}
	const sendIn = fields.sendIn ?? 'header';
	if (sendIn !== 'header' && sendIn !== 'query') {
		throw refuse("'Send In' must be Header or Query Parameter");
	}
	const name =
		sendIn === 'header'
			? (fields.headerName ?? 'X-Webhook-Secret')
			: (fields.queryName ?? 'secret');
	// Names of headers. Their characters are enough for query parameters too.
	if (!isHeaderName(name)) {
		const label = sendIn === 'header' ? 'Header Name' : 'Query Parameter Name';
		throw refuse(`'${label}' must be letters, digits and hyphens`);
	}
	return { sendIn, name, secret };
}

/** Whether a request carries the secret, exactly once. Takes the same time for any wrong secret. */
export function carriesSecret(request: WebhookRequest, expected: WebhookSecret): boolean {
	const given =
		expected.sendIn === 'header'
			? onlyHeader(request.rawHeaders, expected.name)
			: request.query[expected.name];
	return typeof given === 'string' && isSameText(given, expected.secret);
}
