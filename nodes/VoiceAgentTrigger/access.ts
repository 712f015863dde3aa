import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	IHookFunctions,
	INodeCredentialTestResult,
	IWebhookFunctions,
} from 'n8n-workflow';

import { credentialTest } from '../service/credentialTests';
import { type AddressRange, isInRanges, isNarrow, parseAddressRanges } from './addressRanges';
import { type Proof, requestOf, WebhookRefusal } from './request';
import { parseWebhookCredential, unusable } from './webhookAuthentication';

/** A request that may start the workflow. */
export interface Admitted {
	/** What may be read of its query. */
	query: IDataObject;
	/**
	 * Whether it has shown that it comes from the service. Only then may it be answered with a
	 * password.
	 */
	isProven: boolean;
}

/**
 * Checks whether a request may start the workflow.
 *
 * @throws WebhookRefusal if it may not, and another error if that cannot be decided
 */
export async function admit(context: IWebhookFunctions): Promise<Admitted> {
	const request = requestOf(context);
	const ranges = allowedRanges(context);
	// Only the address that n8n trusts counts. req.ips also has those of the proxies in between.
	if (ranges && !isInRanges(request.ip, ranges)) {
		throw new WebhookRefusal(403, 'The address is not allowed');
	}
	const proof = await proofOf(context);
	const query = proof ? proof(request) : request.query;
	return {
		// A copy, because the query that n8n hands over has no prototype.
		query: { ...query },
		isProven: proof !== undefined || (ranges !== undefined && isNarrow(ranges)),
	};
}

/** `undefined` if requests may come from any address. */
function allowedRanges(context: IWebhookFunctions): AddressRange[] | undefined {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	// Not by its value: an expression without one must not open the trigger to everybody.
	const isRestricted = 'allowedAddresses' in options;
	return isRestricted ? parseAddressRanges(options.allowedAddresses) : undefined;
}

/**
 * Makes sure that requests can be checked, before there are any.
 *
 * @throws VoiceAgentError `invalidParameter`
 */
export async function assertCheckable(context: IHookFunctions): Promise<void> {
	await proofOf(context);
	const addresses = rawAddresses(context);
	if (addresses !== null && !isExpression(addresses)) parseAddressRanges(addresses);
}

/**
 * Whether every request will have to prove where it comes from, as far as that is known before
 * there is one.
 */
export function isProtected(context: IHookFunctions): boolean {
	if (context.getNodeParameter('authentication') === 'sharedSecret') return true;
	const addresses = rawAddresses(context);
	if (addresses === null) return false;
	// What an expression yields is checked with each request.
	return isExpression(addresses) || isNarrow(parseAddressRanges(addresses));
}

/** Allowed IP Addresses before expressions are evaluated; `null` if the option is not added. */
function rawAddresses(context: IHookFunctions): unknown {
	return context.getNodeParameter('options.allowedAddresses', null, { rawExpressions: true });
}

/**
 * Whether a parameter that was read with `rawExpressions` has no value before there is a request.
 */
export function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

/** How requests prove where they come from; `undefined` if they need not. */
async function proofOf(context: IWebhookFunctions | IHookFunctions): Promise<Proof | undefined> {
	if (context.getNodeParameter('authentication') === 'none') return undefined;
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
