import { invalid, type VoiceAgentError } from '../errors';

/** The binary digits that all addresses of a range begin with. A single address has 128 of them. */
export type AddressRange = string;

/**
 * IPv4 addresses have a place in IPv6, behind ::ffff (RFC 4291, section 2.5.5.2). That is behind so
 * many binary digits.
 */
const IPV4_START = 96;
/** The largest IPv4 range that says who somebody is: a /8, which has 16 million addresses. */
const MIN_NARROW_IPV4 = 8;

/**
 * Reads a list of IP addresses and IPv4 ranges (CIDR), separated by commas.
 *
 * @throws VoiceAgentError `invalidParameter`, naming the entry; an empty list is an error too
 */
export function parseAddressRanges(list: unknown): AddressRange[] {
	if (typeof list !== 'string' || list.trim() === '') throw unusableList('the list is empty');
	return list.split(',').map((entry) => {
		const text = entry.trim();
		const range = parseRange(text);
		if (range) return range;
		throw unusableList(`'${text.slice(0, 64)}' is not an IP address or IPv4 range`);
	});
}

function unusableList(problem: string): VoiceAgentError {
	return invalid(`'Allowed IP Addresses' cannot be used: ${problem}`);
}

/** Whether an address is in one of the ranges. An address that cannot be read is in none. */
export function isInRanges(given: unknown, ranges: readonly AddressRange[]): boolean {
	// A link-local IPv6 address may come with the name of the interface: fe80::1%eth0.
	const address = typeof given === 'string' ? digitsOf(given.replace(/%.*/, '')) : undefined;
	return address !== undefined && ranges.some((range) => address.startsWith(range));
}

/** Whether each of them is small enough to say who somebody is. */
export function isNarrow(ranges: readonly AddressRange[]): boolean {
	return ranges.every(({ length }) => length >= IPV4_START + MIN_NARROW_IPV4);
}

function parseRange(entry: string): AddressRange | undefined {
	if (!/^[\d.]+\/(?:\d|[12]\d|3[0-2])$/.test(entry)) return digitsOf(entry);
	const [address = '', length] = entry.split('/');
	return digitsOf(address)?.slice(0, IPV4_START + Number(length));
}

/** The 128 binary digits of an address; `undefined` if it is not an IP address. */
function digitsOf(text: string): string | undefined {
	const isIpv4 = text.includes('.') && !text.includes(':');
	const address = isIpv4 ? `::ffff:${text}` : text;
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
