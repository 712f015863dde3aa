import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	IHookFunctions,
	INodeCredentialTestResult,
	IWebhookFunctions,
} from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { credentialTest } from '../service/credentialTests';
import type { CredentialContext } from '../service/readCredential';
import { readOptionalCredential } from '../service/readCredential';
import { isInRanges, parseAddressRanges } from './addressRange';
import type { SignedRequest } from './signature';
import { signatureProblem } from './signature';
import type { WebhookProof } from './webhookAuthentication';
import { carriesSecret, parseWebhookCredential } from './webhookAuthentication';

export interface Refusal {
	status: 401 | 403;
	reason: string;
	/** More about it, for the log only. */
	detail?: string;
}

/** What of a request may be read, besides its body. */
export interface Admission {
	query: IDataObject;
}

/** Checks where a request comes from. */
export async function admit(context: IWebhookFunctions): Promise<Refusal | Admission> {
	const request = context.getRequestObject();
	const addresses = context.getNodeParameter('options.allowedAddresses', null);
	// Only the address that n8n trusts counts. req.ips also has those of the proxies in between.
	if (addresses !== null && !isInRanges(request.ip, parseAddressRanges(addresses))) {
		return { status: 403, reason: 'The address is not allowed' };
	}
	const proof = isProtected(context) ? await proofOf(context) : undefined;
	const query = { ...request.query } as IDataObject;
	if (!proof) return { query };
	if (!('sendIn' in proof)) {
		const problem = signatureProblem(request as SignedRequest, proof, Date.now());
		// The query is not signed, so it is not believed.
		if (problem === undefined) return { query: {} };
		return { status: 401, reason: 'The signature is missing or wrong', detail: problem };
	}
	if (!carriesSecret({ rawHeaders: request.rawHeaders, query }, proof)) {
		return {
			status: 401,
			reason: `The shared secret is missing or wrong (${proof.sendIn} ${proof.name})`,
		};
	}
	if (proof.sendIn === 'query') delete query[proof.name];
	return { query };
}

/**
 * Makes sure that requests can be checked, before there are any.
 * @throws VoiceAgentError `invalidWebhookSecret` or `invalidAllowedAddresses`
 */
export async function assertCheckable(context: IHookFunctions): Promise<void> {
	if (isProtected(context)) await proofOf(context);
	const addresses = context.getNodeParameter('options.allowedAddresses', null, {
		rawExpressions: true,
	});
	const isExpression = typeof addresses === 'string' && addresses.startsWith('=');
	if (addresses !== null && !isExpression) parseAddressRanges(addresses);
}

/**
 * Makes sure that only the service can get the recording password, which is in the answer to CallStart.
 * @throws VoiceAgentError `passwordUnprotected`
 */
export function assertPasswordProtected(context: IHookFunctions): void {
	const read = (name: string) =>
		context.getNodeParameter(name, null, { rawExpressions: true }) as unknown;
	const isOpen = read('authentication') === 'none' && read('options.allowedAddresses') === null;
	// An expression may turn encryption on.
	const mayEncrypt = ![null, false].includes(read('encryptRecording') as null | false);
	if (isOpen && mayEncrypt) throw new VoiceAgentError('passwordUnprotected');
}

function isProtected(context: IWebhookFunctions | IHookFunctions): boolean {
	return context.getNodeParameter('authentication', 'sharedSecret') !== 'none';
}

/** What requests must carry. */
async function proofOf(context: CredentialContext): Promise<WebhookProof> {
	const name = 'voiceAgentWebhookApi';
	const proof = await readOptionalCredential(context, name, parseWebhookCredential);
	if (proof) return proof;
	throw new VoiceAgentError('invalidWebhookSecret', { detail: 'none is selected in the node' });
}

/** Tests a webhook secret as far as that is possible without a request from the service. */
export async function testWebhookSecret(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await credentialTest(async () => {
		const proof = parseWebhookCredential(credential.data ?? {});
		if (!('sendIn' in proof)) {
			const { header, signedHeaders } = proof;
			const signed = [...signedHeaders, 'body'].join(', ');
			return `The secret can be used. Requests must carry a signature (HMAC, SHA-256) of ${signed} in the header ${header}.`;
		}
		const { sendIn, name } = proof;
		const place = sendIn === 'header' ? `header ${name}` : `query parameter ${name}`;
		return `The secret can be used. Requests must carry it in the ${place}.`;
	});
}
