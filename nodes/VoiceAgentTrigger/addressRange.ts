import { VoiceAgentError } from '../errors';

/** An address: a number of 32 bits for IPv4, its canonical text for IPv6. */
type Address = number | string;

/** An exact address, or all IPv4 addresses that begin with the same bits. */
export interface AddressRange {
	address: Address;
	/** How many addresses are in it: 1, or a power of two. */
	size: number;
}

/**
 * Reads a list of IP addresses and IPv4 ranges (CIDR), separated by commas.
 * @throws VoiceAgentError `invalidAllowedAddresses`, naming the entry; an empty list is an error too
 */
export function parseAddressRanges(list: unknown): AddressRange[] {
	const refuse = (detail: string) => new VoiceAgentError('invalidAllowedAddresses', { detail });
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
	const address = typeof given === 'string' ? parseAddress(given.replace(/%.*/, '')) : undefined;
	return ranges.some((range) =>
		typeof address === 'number' && typeof range.address === 'number'
			? Math.floor(address / range.size) === Math.floor(range.address / range.size)
			: address !== undefined && address === range.address,
	);
}

function parseRange(entry: string): AddressRange | undefined {
	const [text = '', digits, ...others] = entry.split('/');
	const address = parseAddress(text);
	if (address === undefined || others.length > 0) return undefined;
	if (digits === undefined) return { address, size: 1 };
	const isPrefix = /^\d{1,2}$/.test(digits) && Number(digits) <= 32;
	return isPrefix && typeof address === 'number'
		? { address, size: 2 ** (32 - Number(digits)) }
		: undefined;
}

/** `::ffff:192.0.2.1` is the IPv4 address 192.0.2.1 on a socket for both versions (RFC 4291, section 2.5.5.2). */
function parseAddress(text: string): Address | undefined {
	if (!text.includes(':')) return parseIPv4(text);
	if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
	const canonical = new URL(`http://[${text}]`).hostname;
	const mapped = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(canonical);
	return mapped
		? parseInt(mapped[1] ?? '', 16) * 65_536 + parseInt(mapped[2] ?? '', 16)
		: canonical;
}

function parseIPv4(text: string): number | undefined {
	const parts = text.split('.');
	// Some programs read a number with a leading zero as octal.
	const isAddress =
		parts.length === 4 &&
		parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
	return isAddress ? parts.reduce((sum, part) => sum * 256 + Number(part), 0) : undefined;
}
