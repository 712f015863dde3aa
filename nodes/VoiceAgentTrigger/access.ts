import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	IHookFunctions,
	INodeCredentialTestResult,
	IWebhookFunctions,
} from 'n8n-workflow';

import { invalid } from '../errors';
import { credentialTest } from '../service/credentialTests';
import { type Proof, Refusal, requestOf } from './request';
import { parseWebhookCredential, unusable } from './webhookAuthentication';

/** The binary digits that all its addresses begin with. A single address has 128. */
type AddressRange = string;

/** IPv4 addresses have a place in IPv6, behind ::ffff (RFC 4291, section 2.5.5.2): behind so many binary digits. */
const IPV4_START = 96;

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
	if (context.getNodeParameter('authentication') === 'sharedSecret') return true;
	const addresses = rawAddresses(context);
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

/**
 * Reads a list of IP addresses and IPv4 ranges (CIDR), separated by commas.
 * @throws VoiceAgentError `invalidParameter`, naming the entry; an empty list is an error too
 */
export function parseAddressRanges(list: unknown): AddressRange[] {
	const refuse = (problem: string) => invalid(`'Allowed IP Addresses' cannot be used: ${problem}`);
	if (typeof list !== 'string' || list.trim() === '') throw refuse('the list is empty');
	return list.split(',').map((entry) => {
		const range = parseRange(entry.trim());
		if (!range) throw refuse(`'${entry.trim().slice(0, 64)}' is not an IP address or IPv4 range`);
		return range;
	});
}

/** Whether an address is in one of the ranges. An address that cannot be read is in none. */
export function isInRanges(given: unknown, ranges: readonly AddressRange[]): boolean {
	// A link-local IPv6 address may come with the name of the interface: fe80::1%eth0.
	const address = typeof given === 'string' ? digitsOf(given.replace(/%.*/, '')) : undefined;
	return address !== undefined && ranges.some((range) => address.startsWith(range));
}

/** Whether each of them is small enough to say who somebody is: of IPv4, a /8 or smaller. */
export function isNarrow(ranges: readonly AddressRange[]): boolean {
	return ranges.every(({ length }) => length >= IPV4_START + 8);
}

function parseRange(entry: string): AddressRange | undefined {
	if (!/^[\d.]+\/(?:\d|[12]\d|3[0-2])$/.test(entry)) return digitsOf(entry);
	const [address = '', length] = entry.split('/');
	return digitsOf(address)?.slice(0, IPV4_START + Number(length));
}

function digitsOf(text: string): string | undefined {
	const address = text.includes('.') && !text.includes(':') ? `::ffff:${text}` : text;
	const url = `http://[${address}]`;
	if (!/^[\da-f:.]+$/i.test(address) || !URL.canParse(url)) return undefined;
	// URL has one way to write an address: groups of hexadecimal digits, and :: for zeros.
	const parts = new URL(url).hostname.slice(1, -1).split('::');
	const [start = [], end = []] = parts.map((part) => part.split(':').filter(Boolean));
	const zeros = Array<string>(8 - start.length - end.length).fill('0');
	return [...start, ...zeros, ...end]
		.map((group) => parseInt(group, 16).toString(2).padStart(16, '0'))
		.join('');
}
