/**
 * A server of this machine that stands in for one of the internet. It has a certificate for that
 * name, and n8n reaches it through a proxy that leads nowhere else.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createCertificate } from '../../emulator/src/certificates.mts';
import { listen } from '../listen.mts';
import { HOST } from '../n8n/ports.mts';

export interface RemoteHost {
	/** For the option `env` of `startN8n`. */
	env: { HTTPS_PROXY: string; NO_PROXY: string; NODE_EXTRA_CA_CERTS: string };
	/** For files; removed at the end. */
	folder: string;
	close(): Promise<void>;
}

export async function startRemoteHost(name: string, answer: RequestListener): Promise<RemoteHost> {
	const { key, cert, caPem } = await createCertificate('valid', name);
	const server = createTlsServer({ key, cert }, answer);
	const proxy = createServer((_request, response) => response.writeHead(403).end());
	proxy.on('connect', (request, client: Socket) => {
		client.on('error', () => client.destroy());
		if (request.url !== `${name}:443`) {
			client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
			return;
		}
		client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
		server.emit('connection', client);
	});
	const { port, close } = await listen(proxy);
	const folder = await mkdtemp(join(tmpdir(), 'remote-host-'));
	const caFile = join(folder, 'ca.pem');
	await writeFile(caFile, String(caPem));
	return {
		env: {
			HTTPS_PROXY: `http://${HOST}:${port}`,
			NO_PROXY: `${HOST},localhost`,
			NODE_EXTRA_CA_CERTS: caFile,
		},
		folder,
		async close() {
			await close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
