import { invalid, type VoiceAgentError } from '../../../errors';
import { isHeaderName } from '../request';
import {
	type Algorithm,
	ed25519Key,
	SIGNATURE_BYTES,
	type SignatureFormat,
	type VerificationKey,
} from './signature';
import { parseTemplate, type Template } from './template';

/** Names that may stand in each template. */
const IN_HEADER = ['signature', 'timestamp', 'id'];
const IN_CONTENT = ['body', 'timestamp', 'id', 'url', 'parameters'];

/**
 * Reads how a service signs its webhooks from the fields of a VoiceAgent API credential.
 *
 * @throws VoiceAgentError `invalidParameter`, naming the field
 */
export function parseSignatureFormat(fields: Record<string, unknown>): SignatureFormat {
	const header = headerName(fields.signatureHeader ?? 'X-Webhook-Signature', 'Signature Header');
	const headerFormat = templateOf(fields.headerFormat ?? '{signature}', 'Header Format', IN_HEADER);
	// A field of one line takes no line break, which some services sign.
	const content = templateOf(
		String(fields.signedContent ?? '{body}').replaceAll('\\n', '\n'),
		'Signed Content',
		IN_CONTENT,
	);
	if (!headerFormat.names.includes('signature')) {
		throw unusable("'Header Format' must have {signature}");
	}
	if (!content.names.includes('body') && !content.names.includes('parameters')) {
		throw unusable("'Signed Content' must have {body}, or {parameters} of a form");
	}
	const algorithm = fields.algorithm ?? 'hmacSha256';
	if (!isAlgorithm(algorithm)) throw unusable("'Algorithm' must be chosen from the list");
	return {
		algorithm,
		header,
		headerFormat,
		content,
		timestampHeader: ownHeader('timestamp', fields.timestampHeader, headerFormat, content),
		idHeader: ownHeader('id', fields.idHeader, headerFormat, content),
	};
}

/** https://www.standardwebhooks.com: `v1` is an HMAC, `v1a` is made with a private key. */
export function standardWebhooks(isSymmetric: boolean): SignatureFormat {
	return {
		algorithm: isSymmetric ? 'hmacSha256' : 'ed25519',
		header: 'webhook-signature',
		headerFormat: parseTemplate(isSymmetric ? 'v1,{signature}' : 'v1a,{signature}'),
		content: parseTemplate('{id}.{timestamp}.{body}'),
		timestampHeader: 'webhook-timestamp',
		idHeader: 'webhook-id',
	};
}

/**
 * The key of an HMAC: the secret itself or, behind `whsec_`, what its Base64 says.
 *
 * @throws VoiceAgentError `invalidParameter`, without showing the secret
 */
export function hmacKey(secret: string, label: string): Buffer {
	if (!secret.startsWith('whsec_')) return Buffer.from(secret);
	const base64 = secret.slice('whsec_'.length);
	const key = Buffer.from(base64, 'base64');
	const isBase64 = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
	if (!isBase64 || key.length < 16) throw unusable(`'${label}' is not whsec_ followed by Base64`);
	return key;
}

/** @throws VoiceAgentError `invalidParameter` */
export function publicKey(text: unknown, label: string): VerificationKey {
	const key = typeof text === 'string' ? ed25519Key(text.replace(/^whpk_/, '')) : undefined;
	if (key) return key;
	throw unusable(
		`'${label}' is not a public key of Ed25519: enter PEM, or 32 bytes in Base64 or hex`,
	);
}

export function unusable(problem: string): VoiceAgentError {
	return invalid(`webhooks cannot be verified with the VoiceAgent API credential: ${problem}`);
}

function isAlgorithm(value: unknown): value is Algorithm {
	return typeof value === 'string' && Object.hasOwn(SIGNATURE_BYTES, value);
}

function headerName(value: unknown, label: string): string {
	if (isHeaderName(value)) return value;
	throw unusable(`'${label}' must be letters, digits and hyphens`);
}

function templateOf(value: unknown, label: string, known: readonly string[]): Template {
	const template = parseTemplate(typeof value === 'string' ? value : '');
	for (const [index, name] of template.names.entries()) {
		if (!known.includes(name)) {
			throw unusable(`'${label}' has {${name}}: use {${known.join('}, {')}}`);
		}
		if (template.names.indexOf(name) !== index) {
			throw unusable(`'${label}' has {${name}} twice`);
		}
	}
	return template;
}

/**
 * The header with the time or the id, if it does not stand in that of the signature. What is not
 * signed proves nothing, so nobody may believe that it does.
 */
function ownHeader(
	name: 'timestamp' | 'id',
	value: unknown,
	headerFormat: Template,
	content: Template,
): string | undefined {
	const label = name === 'id' ? 'ID Header' : 'Timestamp Header';
	const own = value === undefined || value === '' ? undefined : headerName(value, label);
	const isSigned = content.names.includes(name);
	const isInFormat = headerFormat.names.includes(name);
	if (isSigned && isInFormat && own !== undefined) {
		throw unusable(`{${name}} stands in 'Header Format': clear '${label}'`);
	}
	if (isSigned && !isInFormat && own === undefined) {
		throw unusable(
			`'Signed Content' has {${name}}: enter '${label}', or put {${name}} into 'Header Format'`,
		);
	}
	if (!isSigned && (isInFormat || own !== undefined)) {
		const place = own === undefined ? 'Header Format' : label;
		throw unusable(
			`'${place}' names the ${name}, which is not signed: add {${name}} to 'Signed Content'`,
		);
	}
	return own;
}
