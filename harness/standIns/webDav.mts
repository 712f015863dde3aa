/** Storage with PUT and GET that a user name and a password open, as WebDAV has them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { listen } from '../listen.mts';
import type { CredentialInput } from '../n8n/n8n.mts';
import type { StoredFile } from './storedFiles.mts';

const USER = 'archive';
const PASSWORD = 'storage-password';
const AUTHORIZATION = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;

export interface WebDav {
	/** The address of its folder, which has no folders in it. */
	url: string;
	credential: CredentialInput;
	files(): StoredFile[];
	close(): Promise<void>;
}

export async function startWebDav(): Promise<WebDav> {
	const files = new Map<string, Buffer>();

	function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
		const name = decodeURIComponent(new URL(request.url ?? '', 'http://host').pathname.slice(1));
		const isAllowed = request.headers.authorization === AUTHORIZATION;
		const content = files.get(name);
		if (!isAllowed) response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
		// RFC 4918, 9.7.1: PUT makes no folders.
		else if (request.method === 'PUT' && name.includes('/')) response.writeHead(409).end();
		else if (request.method === 'PUT') {
			files.set(name, body);
			response.writeHead(201).end();
		} else if (request.method === 'GET' && content) {
			response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content);
		} else response.writeHead(404).end();
	}

	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => answer(request, Buffer.concat(chunks), response));
	});
	const { port, close } = await listen(server);
	return {
		url: `http://127.0.0.1:${port}/`,
		credential: {
			name: 'WebDAV',
			type: 'httpBasicAuth',
			data: { user: USER, password: PASSWORD },
		},
		files: () => [...files].map(([name, content]) => ({ name, content })),
		close,
	};
}
