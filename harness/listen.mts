import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

import { HOST } from './n8n/ports.mts';

export interface Listening {
	port: number;
	/** Ends it with its connections. */
	close(): Promise<void>;
}

/** Lets a server listen on a free port of this machine. */
export async function listen(server: Server): Promise<Listening> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
	});
	server.listen(0, HOST);
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		async close() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, 'close');
		},
	};
}
