import { once } from 'node:events';
import type { Server } from 'node:https';
import { BlockList, createServer as createProbe, isIP } from 'node:net';
import { messageOf, StartError } from '../errors.mts';

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

/** @param flag chooses another port */
export function cannotListen(
	error: unknown,
	host: string,
	port: number,
	flag = '--port',
): StartError {
	return new StartError(
		Reflect.get(Object(error), 'code') === 'EADDRINUSE'
			? `Port ${port} on ${host} is in use. Stop what listens there or choose another port (${flag}, 0 picks a free one)`
			: `Cannot listen on ${host} port ${port}: ${messageOf(error)}`,
	);
}

/** Cuts idle connections and resolves when the last one has ended. */
export async function closeServer(server: Server): Promise<void> {
	// The only possible error says that the server never listened.
	const closed = new Promise<void>((resolve) => server.close(() => resolve()));
	server.closeIdleConnections();
	await closed;
}

/**
 * Checks the port before the data folder is opened. A second emulator started by mistake should
 * complain about the port, not about the folder.
 */
export async function probePort(host: string, port: number): Promise<void> {
	const probe = createProbe();
	try {
		probe.listen(port, host);
		await once(probe, 'listening');
	} catch (error) {
		throw cannotListen(error, host, port);
	} finally {
		probe.close();
	}
}
