import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { type Account, readAccount } from '../service/account';
import { type AddressRange, isInRanges, isNarrow, parseAddressRanges } from './addressRanges';
import { type Proof, requestOf, WebhookRefusal } from '../service/webhooks/request';
import { unusable } from '../service/webhooks/signature/signatureSettings';
import { parseWebhookVerification } from '../service/webhooks/verification';

/** A request that may start the workflow. */
export interface Admitted {
	/** What may be read of its query. */
	query: IDataObject;
	/**
	 * Whether it has shown that it comes from the service. Only then may it be answered with a
	 * password.
	 */
	isProven: boolean;
	account: Account;
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
	const account = await readAccount(context);
	const proof = proofOf(context, account);
	const receiver = {
		address: context.getNodeWebhookUrl('default'),
		isWatched: context.getMode() === 'manual',
	};
	const query = proof ? proof(request, receiver) : request.query;
	return {
		// A copy, because the query that n8n hands over has no prototype.
		query: { ...query },
		isProven: proof !== undefined || (ranges !== undefined && isNarrow(ranges)),
		account,
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
export function assertCheckable(context: IHookFunctions, account: Account): void {
	proofOf(context, account);
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
function proofOf(
	context: IWebhookFunctions | IHookFunctions,
	{ isSelected, fields, problem }: Account,
): Proof | undefined {
	if (context.getNodeParameter('authentication') === 'none') return undefined;
	if (!isSelected) throw unusable('none is selected in the node');
	if (problem !== undefined) throw problem;
	return parseWebhookVerification(fields);
}
