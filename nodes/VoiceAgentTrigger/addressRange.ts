import { invalid } from '../errors';

/** The binary digits that all its addresses begin with. A single address has 128. */
export type AddressRange = string;

/** IPv4 addresses have a place in IPv6, behind ::ffff (RFC 4291, section 2.5.5.2): behind so many binary digits. */
const IPV4_START = 96;

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
