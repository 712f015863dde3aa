/**
 * A host that nobody should send a secret to. It is also a proxy in front of all other hosts, which
 * it does not connect to. It keeps all that reaches it.
 */
import { createServer } from 'node:http';

import { listen } from '../../../harness/listen.mts';

export async function startTrap() {
	/** Each request, with its headers and its body, and each host that a client tried to reach. */
	const requests: string[] = [];
	const server = createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
		request.on('end', () => {
			const head = [request.method, request.url, ...request.rawHeaders].join('\n');
			requests.push(`${head}\n${body}`);
			response.writeHead(403).end();
		});
	});
	server.on('connect', (request, socket) => {
		requests.push(['CONNECT', request.url, ...request.rawHeaders].join('\n'));
		socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
	});
	const { port, close } = await listen(server);
	return { url: `http://127.0.0.1:${port}`, requests, close };
}
