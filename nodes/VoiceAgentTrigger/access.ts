import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	IHookFunctions,
	INodeCredentialTestResult,
	IWebhookFunctions,
} from 'n8n-workflow';

import { credentialTest } from '../service/credentials/credentialTests';
import { isInRanges, isNarrow, parseAddressRanges } from './addressRange';
import { type Proof, Refusal, requestOf } from './request';
import { parseWebhookCredential, unusable } from './webhookAuthentication';

/** A request that may start the workflow. */
export interface Admitted {
	/** What may be read of it. */
	query: IDataObject;
	/** Whether it has shown that it comes from the service: only then may it be answered with a password. */
	isProven: boolean;
}

/** @throws Refusal if a request may not start the workflow, and another error if that cannot be told */
export async function admit(context: IWebhookFunctions): Promise<Admitted> {
	const request = requestOf(context);
	const options = context.getNodeParameter('options', {}) as IDataObject;
	// An expression without a value must not open the trigger to everybody.
	const ranges = 'allowedAddresses' in options && parseAddressRanges(options.allowedAddresses);
	// Only the address that n8n trusts counts. req.ips also has those of the proxies in between.
	if (ranges && !isInRanges(request.ip, ranges)) {
		throw new Refusal(403, 'The address is not allowed');
	}
	const proof = await proofOf(context);
	return {
		// A copy, because the query has no prototype.
		query: { ...(proof ? proof(request) : request.query) },
		isProven: proof !== undefined || (ranges && isNarrow(ranges)),
	};
}

/**
 * Makes sure that requests can be checked, before there are any.
 * @throws VoiceAgentError `invalidParameter`
 */
export async function assertCheckable(context: IHookFunctions): Promise<void> {
	await proofOf(context);
	const addresses = rawAddresses(context);
	if (addresses !== null && !isExpression(addresses)) parseAddressRanges(addresses);
}

/** Whether every request will have to prove where it comes from, as far as that is known before there is one. */
export function isProtected(context: IHookFunctions): boolean {
	const raw = { rawExpressions: true };
	const authentication = context.getNodeParameter('authentication', 'sharedSecret', raw);
	const addresses = rawAddresses(context);
	if (authentication === 'sharedSecret') return true;
	return addresses !== null && (isExpression(addresses) || isNarrow(parseAddressRanges(addresses)));
}

function rawAddresses(context: IHookFunctions): unknown {
	return context.getNodeParameter('options.allowedAddresses', null, { rawExpressions: true });
}

/** Whether a parameter that was read with `rawExpressions` has no value before there is a request. */
export function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

/** How requests prove where they come from; `undefined` if they need not. */
async function proofOf(context: IWebhookFunctions | IHookFunctions): Promise<Proof | undefined> {
	if (context.getNodeParameter('authentication', 'sharedSecret') === 'none') return undefined;
	const name = 'voiceAgentWebhookApi';
	if (!context.getNode().credentials?.[name]) throw unusable('none is selected in the node');
	return parseWebhookCredential(await context.getCredentials(name));
}

/** Tests a webhook secret as far as that is possible without a request from the service. */
export async function testWebhookSecret(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await credentialTest(async () => {
		parseWebhookCredential(credential.data ?? {});
		return 'The secret can be used. Whether the service uses the same one shows when a webhook comes.';
	});
}
