import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an IP address is this machine's own, including IPv4 inside IPv6. */
export function isLoopbackAddress(address: string | undefined): boolean {
	if (address === undefined || isIP(address) === 0) return false;
	return loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a host, as in an option or a `Host` header, is this machine. */
export function isLoopbackHost(host: string): boolean {
	const bare = host.replace(/^\[(.*)\]$/, '$1');
	return bare.toLowerCase() === 'localhost' || isLoopbackAddress(bare);
}
