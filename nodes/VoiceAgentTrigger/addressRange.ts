import { VoiceAgentError } from '../errors';

/** All addresses that begin with the first `prefix` bits of `bytes`: 4 bytes for IPv4, 16 for IPv6. */
export interface AddressRange {
	bytes: readonly number[];
	prefix: number;
}

/**
 * Reads a list of IP addresses and CIDR ranges, separated by commas.
 * @throws VoiceAgentError `invalidAllowedAddresses`, naming the entry; an empty list is an error too
 */
export function parseAddressRanges(list: unknown): AddressRange[] {
	const refuse = (detail: string) => new VoiceAgentError('invalidAllowedAddresses', { detail });
	if (typeof list !== 'string' || list.trim() === '') throw refuse('the list is empty');
	return list.split(',').map((entry) => {
		const range = parseRange(entry.trim());
		if (!range) throw refuse(`'${entry.trim().slice(0, 64)}' is not an IP address or CIDR range`);
		return range;
	});
}

/** Whether an address is in one of the ranges. An address that cannot be read is in none. */
export function isInRanges(address: unknown, ranges: readonly AddressRange[]): boolean {
	if (typeof address !== 'string') return false;
	// A link-local IPv6 address may come with the name of the interface: fe80::1%eth0.
	const parsed = parseAddress(address.replace(/%.*/, ''));
	const bytes = parsed && withoutMapping(parsed);
	return bytes !== undefined && ranges.some((range) => startsAlike(bytes, range));
}

function parseRange(entry: string): AddressRange | undefined {
	const [, address, digits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
	const bytes = address === undefined ? undefined : parseAddress(address);
	if (!bytes) return undefined;
	const prefix = digits === undefined ? bytes.length * 8 : Number(digits);
	if (prefix > bytes.length * 8) return undefined;
	const plain = withoutMapping(bytes);
	const mappedBits = (bytes.length - plain.length) * 8;
	return prefix < mappedBits ? { bytes, prefix } : { bytes: plain, prefix: prefix - mappedBits };
}

function startsAlike(bytes: readonly number[], range: AddressRange): boolean {
	if (bytes.length !== range.bytes.length) return false;
	return bytes.every((byte, index) => {
		const bits = Math.min(8, Math.max(0, range.prefix - index * 8));
		return (byte ^ (range.bytes[index] ?? 0)) >> (8 - bits) === 0;
	});
}

function parseAddress(text: string): number[] | undefined {
	return text.includes(':') ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): number[] | undefined {
	const parts = text.split('.');
	// Some programs read a number with a leading zero as octal.
	if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) {
		return undefined;
	}
	const bytes = parts.map(Number);
	return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** RFC 4291, section 2.2: groups of hexadecimal digits, `::` once, IPv4 notation at the end. */
function parseIPv6(text: string): number[] | undefined {
	const halves = text.split('::').map(parseGroups);
	const [start, end] = halves;
	if (!start || halves.length > 2) return undefined;
	if (halves.length === 1) return start.length === 16 ? start : undefined;
	if (!end || start.length + end.length > 14) return undefined;
	return [...start, ...new Array<number>(16 - start.length - end.length).fill(0), ...end];
}

function parseGroups(text: string): number[] | undefined {
	if (text === '') return [];
	const groups = text.split(':').map((group, index, all) => {
		if (group.includes('.')) return index === all.length - 1 ? parseIPv4(group) : undefined;
		if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined;
		const value = parseInt(group, 16);
		return [value >> 8, value & 255];
	});
	return groups.every((group) => group !== undefined) ? groups.flat() : undefined;
}

/** `::ffff:192.0.2.1` is the IPv4 address 192.0.2.1 on a socket for both versions (RFC 4291, section 2.5.5.2). */
function withoutMapping(bytes: number[]): number[] {
	const isMapped =
		bytes.length === 16 &&
		bytes.slice(0, 10).every((byte) => byte === 0) &&
		bytes[10] === 255 &&
		bytes[11] === 255;
	return isMapped ? bytes.slice(12) : bytes;
}
