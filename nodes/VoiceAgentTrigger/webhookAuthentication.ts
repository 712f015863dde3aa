import { invalid, type VoiceAgentError } from '../errors';
import { isHeaderName, onlyHeader } from './headers';
import { isSameText } from './isSameText';
import type { Proof } from './request';
import { Refusal } from './request';
import { parseSignature, signatureProof } from './signature';

/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;

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
		return signatureProof(parseSignature({ ...fields, secret }, unusable));
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
