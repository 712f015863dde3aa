import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHookFunctions,
	INodeCredentialTestResult,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isInRanges, parseAddressRanges } from './addressRange';
import { VoiceAgentError } from '../errors';
import type { WebhookSecret } from './webhookAuthentication';
import { carriesSecret, parseWebhookCredential } from './webhookAuthentication';

const CREDENTIAL = 'voiceAgentWebhookApi';

export interface Refusal {
	status: 401 | 403;
	reason: string;
}

/** Why a request is not taken, or `undefined` if it is. Whatever cannot be checked is refused. */
export async function refusalOf(context: IWebhookFunctions): Promise<Refusal | undefined> {
	const request = context.getRequestObject();
	const addresses = context.getNodeParameter('options.allowedAddresses', null);
	// Of the addresses of proxies in between, only the one that n8n trusts counts: req.ips would let proxies in.
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
 * Whether requests can be checked, before there are any.
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

/** The secret to ask for; `undefined` if the user has chosen to ask for none. */
async function secretOf(
	context: IWebhookFunctions | IHookFunctions,
): Promise<WebhookSecret | undefined> {
	if (context.getNodeParameter('authentication', 'sharedSecret') === 'none') return undefined;
	if (!context.getNode().credentials?.[CREDENTIAL]) {
		throw new VoiceAgentError('invalidWebhookSecret', { detail: 'none is selected in the node' });
	}
	return parseWebhookCredential(await context.getCredentials(CREDENTIAL));
}

/** Tests a webhook secret as far as it can be tested without a request of the service. */
export async function testWebhookSecret(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const { sendIn, name } = parseWebhookCredential(credential.data ?? {});
		const place = sendIn === 'header' ? `header ${name}` : `query parameter ${name}`;
		return {
			status: 'OK',
			message: `The secret can be used. Requests must carry it in the ${place}.`,
		};
	} catch (error) {
		const { message, description } = error as VoiceAgentError;
		return { status: 'Error', message: `${message}. ${description}` };
	}
}
