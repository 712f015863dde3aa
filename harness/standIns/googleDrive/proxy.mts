/** A web proxy that leads to the stand-in and nowhere else. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
	url: string;
	close(): Promise<void>;
}

/** @param tlsPort port on 127.0.0.1 where tunnels to `*.googleapis.com:443` end; all others get 403 */
export async function startProxy(tlsPort: number): Promise<Proxy> {
	const sockets = new Set<Socket>();
	const server = createServer((_request, response) => response.writeHead(403).end());
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
	});
	server.on('connect', (request, client: Socket, head) => {
		client.on('error', () => client.destroy());
		if (!/^[\w.-]+\.googleapis\.com:443$/.test(String(request.url))) {
			client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
			return;
		}
		const upstream = connect(tlsPort, '127.0.0.1', () => {
			client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			upstream.write(head);
			upstream.pipe(client).pipe(upstream);
		});
		upstream.on('error', () => client.destroy());
		upstream.on('close', () => client.destroy());
		client.on('close', () => upstream.destroy());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, 'close');
		},
	};
}
