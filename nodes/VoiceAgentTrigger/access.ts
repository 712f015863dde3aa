import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHookFunctions,
	INodeCredentialTestResult,
	IWebhookFunctions,
} from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { credentialTest } from '../service/credentialTests';
import { readOptionalCredential } from '../service/readCredential';
import { isInRanges, parseAddressRanges } from './addressRange';
import type { WebhookSecret } from './webhookAuthentication';
import { carriesSecret, parseWebhookCredential } from './webhookAuthentication';

export interface Refusal {
	status: 401 | 403;
	reason: string;
}

/** Why a request is refused, or `undefined` if it is not. */
export async function refusalOf(context: IWebhookFunctions): Promise<Refusal | undefined> {
	const request = context.getRequestObject();
	const addresses = context.getNodeParameter('options.allowedAddresses', null);
	// Only the address that n8n trusts counts. req.ips also has those of the proxies in between.
	if (addresses !== null && !isInRanges(request.ip, parseAddressRanges(addresses))) {
		return { status: 403, reason: 'The address is not allowed' };
	}
	const secret = await secretOf(context);
	if (secret && !carriesSecret({ rawHeaders: request.rawHeaders, query: request.query }, secret)) {
		return {
			status: 401,
			reason: `The shared secret is missing or wrong (${secret.sendIn} ${secret.name})`,
		};
	}
	return undefined;
}

/**
 * Makes sure that requests can be checked, before there are any.
 * @throws VoiceAgentError `invalidWebhookSecret` or `invalidAllowedAddresses`
 */
export async function assertCheckable(context: IHookFunctions): Promise<void> {
	await secretOf(context);
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

/** The secret that requests must carry; `undefined` if the user has set Authentication to None. */
async function secretOf(
	context: IWebhookFunctions | IHookFunctions,
): Promise<WebhookSecret | undefined> {
	if (context.getNodeParameter('authentication', 'sharedSecret') === 'none') return undefined;
	const name = 'voiceAgentWebhookApi';
	const secret = await readOptionalCredential(context, name, parseWebhookCredential);
	if (secret) return secret;
	throw new VoiceAgentError('invalidWebhookSecret', { detail: 'none is selected in the node' });
}

/** Tests a webhook secret as far as that is possible without a request from the service. */
export async function testWebhookSecret(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await credentialTest(async () => {
		const { sendIn, name } = parseWebhookCredential(credential.data ?? {});
		const place = sendIn === 'header' ? `header ${name}` : `query parameter ${name}`;
		return `The secret can be used. Requests must carry it in the ${place}.`;
	});
}
