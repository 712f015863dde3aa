/** A web proxy that leads to a stand-in and nowhere else. */
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

import { HOST } from '../../n8n/ports.mts';
import { listen, type Listening } from '../../listen.mts';

/** @param tlsPort port of this machine where tunnels to these hosts end; all others get 403 */
export async function startProxy(tlsPort: number, hosts: RegExp): Promise<Listening> {
	const server = createServer((_request, response) => response.writeHead(403).end());
	server.on('connect', (request, client: Socket, head) => {
		client.on('error', () => client.destroy());
		if (!hosts.test(String(request.url))) {
			client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
			return;
		}
		const upstream = connect(tlsPort, HOST, () => {
			client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			upstream.write(head);
			upstream.pipe(client).pipe(upstream);
		});
		upstream.on('error', () => client.destroy());
		upstream.on('close', () => client.destroy());
		client.on('close', () => upstream.destroy());
	});
	return await listen(server);
}
