import type { IDataObject } from 'n8n-workflow';

import {
	isHeaderName,
	isSameText,
	onlyHeader,
	type Proof,
	WebhookRefusal,
	type WebhookRequest,
} from './request';
import { fittingFormat } from './signature/fittingFormat';
import { type SignatureFormat, type VerificationKey, whyUnsigned } from './signature/signature';
import {
	hmacKey,
	parseSignatureFormat,
	publicKey,
	standardWebhooks,
	unusable,
} from './signature/signatureSettings';
import { signedParts } from './signature/signedParts';

/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;

/**
 * Reads from the fields of a VoiceAgent API credential how webhooks are verified.
 *
 * @throws VoiceAgentError `invalidParameter`, naming the field and never showing the secret
 */
export function parseWebhookVerification(fields: Record<string, unknown>): Proof {
	const { webhookVerification: method = 'sharedSecret' } = fields;
	switch (method) {
		case 'sharedSecret':
			return sharedSecretProof(fields);
		case 'hmac':
			return signatureProof(
				parseSignatureFormat(fields),
				secretsOf(fields).map(({ text, label }) => hmacKey(text, label)),
			);
		case 'ed25519': {
			const format = parseSignatureFormat({ ...fields, algorithm: 'ed25519' });
			return signatureProof(format, [publicKey(fields.publicKey, 'Public Key')]);
		}
		case 'standardWebhooks':
			return standardWebhooksProof(secretsOf(fields));
		default:
			throw unusable("'Webhook Verification' must be chosen from the list");
	}
}

/** Whether an account has anything to verify webhooks with. */
export function hasWebhookSecret(fields: Record<string, unknown>): boolean {
	const isEd25519 = fields.webhookVerification === 'ed25519';
	const secret = isEd25519 ? fields.publicKey : fields.webhookSecret;
	return typeof secret === 'string' && secret !== '';
}

interface Secret {
	text: string;
	/** What its field is called. */
	label: string;
}

/** The secret and, while the service changes to it, the one before. */
function secretsOf(fields: Record<string, unknown>): Secret[] {
	const secrets = [checkedSecret(fields.webhookSecret, 'Webhook Secret')];
	const { previousWebhookSecret: previous } = fields;
	if (previous !== undefined && previous !== '') {
		secrets.push(checkedSecret(previous, 'Previous Webhook Secret'));
	}
	return secrets;
}

function checkedSecret(secret: unknown, label: string): Secret {
	if (typeof secret !== 'string' || secret === '') {
		throw unusable(`'${label}' is empty: enter it there, and the same one at the service`);
	}
	if (secret !== secret.trim()) {
		throw unusable(`'${label}' begins or ends with a space or line break`);
	}
	if (secret.length < MIN_SECRET_CHARS) {
		throw unusable(`'${label}' must have ${MIN_SECRET_CHARS} characters or more`);
	}
	return { text: secret, label };
}

function sharedSecretProof(fields: Record<string, unknown>): Proof {
	const secrets = secretsOf(fields);
	const unsendable = secrets.find(({ text }) => !/^[\x20-\x7e]+$/.test(text));
	if (unsendable) {
		throw unusable(
			`'${unsendable.label}' has a control or non-ASCII character, which headers cannot carry`,
		);
	}
	const { sendIn = 'header', headerName = 'X-Webhook-Secret', queryName = 'secret' } = fields;
	const isInHeader = sendIn === 'header';
	if (!isInHeader && sendIn !== 'query') {
		throw unusable("'Send In' must be Header or Query Parameter");
	}
	const name = isInHeader ? headerName : queryName;
	// The characters of header names are enough for query parameters too.
	if (!isHeaderName(name)) {
		const label = isInHeader ? 'Header Name' : 'Query Parameter Name';
		throw unusable(`'${label}' must be letters, digits and hyphens`);
	}
	return ({ rawHeaders, query }) => {
		const { [name]: inQuery, ...others } = query;
		const given = isInHeader ? onlyHeader(rawHeaders, name) : inQuery;
		// Each secret is compared, so that the time does not show which one fits.
		const fitting = secrets.filter(({ text }) => isSameText(String(given), text));
		if (typeof given !== 'string' || fitting.length === 0) {
			throw new WebhookRefusal(
				401,
				`The shared secret is missing or wrong (${String(sendIn)} ${name})`,
			);
		}
		return isInHeader ? query : others;
	};
}

/** https://www.standardwebhooks.com: behind `whpk_` is a public key, and everything else is secret. */
function standardWebhooksProof(secrets: readonly Secret[]): Proof {
	const isSymmetric = !secrets.some(({ text }) => text.startsWith('whpk_'));
	const keys = secrets.map(({ text, label }) => {
		if (!isSymmetric) return publicKey(text, label);
		return hmacKey(text.startsWith('whsec_') ? text : `whsec_${text}`, label);
	});
	return signatureProof(standardWebhooks(isSymmetric), keys);
}

function signatureProof(format: SignatureFormat, keys: readonly VerificationKey[]): Proof {
	return (request, { address, isWatched }) => {
		const { rawHeaders } = request;
		const parts = signedParts(request, address);
		const nowMs = Date.now();
		const problems = keys.map((key) => whyUnsigned(format, key, rawHeaders, parts, nowMs));
		if (problems.includes(undefined)) return signedQuery(request, format);

		const details = [problems[0]];
		if (request.headers['content-encoding'] !== undefined) {
			details.push('the body came compressed, and n8n keeps it only uncompressed');
		}
		const settings = isWatched
			? keys.map((key) => fittingFormat(rawHeaders, key, parts, nowMs)).find(Boolean)
			: undefined;
		if (settings !== undefined) details.push(`these settings fit it: ${settings}`);
		throw new WebhookRefusal(401, 'The signature is missing or wrong', details.join('. '));
	};
}

/** What is not signed is not believed. */
function signedQuery(
	{ query, rawBody }: WebhookRequest,
	{ content }: SignatureFormat,
): IDataObject {
	const hasBody = rawBody !== undefined && rawBody.length > 0;
	const isSigned =
		content.names.includes('url') || (content.names.includes('parameters') && !hasBody);
	return isSigned ? query : {};
}

const METHODS: Readonly<Record<string, string>> = {
	ed25519: 'a signature (Ed25519)',
	hmac: 'a signature (HMAC)',
	sharedSecret: 'a shared secret',
	standardWebhooks: 'a signature (Standard Webhooks)',
};

/**
 * What can be said about the verification of webhooks before there are any.
 *
 * @throws VoiceAgentError `invalidParameter` if what is entered cannot be used
 */
export function verificationInWords(fields: Record<string, unknown>): string {
	const { webhookVerification: method = 'sharedSecret' } = fields;
	if (!hasWebhookSecret(fields)) {
		return 'No webhook secret is set, so triggers accept no webhooks with this credential.';
	}
	parseWebhookVerification(fields);
	return `Webhooks are verified by ${METHODS[String(method)]}; whether the service uses the same one shows when a webhook comes.`;
}
