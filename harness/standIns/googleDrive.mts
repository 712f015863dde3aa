/**
 * A local stand-in for what n8n's own Google Drive node asks of Google's API, and the proxy that leads the node to it:
 * the node runs unmodified, with its real addresses.
 *
 * ```ts
 * const drive = await startGoogleDrive();
 * const stack = await startStack({ n8n: { env: drive.env } });
 * const credential = await stack.n8n.createCredential(drive.oauthCredential());
 * ```
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { createCertificate } from '../../emulator/src/certificates.mts';
import type { CredentialInput } from '../n8n/n8n.mts';
import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';
import { Accounts } from './googleDrive/accounts.mts';
import { ApiError } from './googleDrive/apiError.mts';
import {
	described,
	FOLDER,
	newFile,
	ROOT_ID,
	type DriveFile,
	type Metadata,
} from './googleDrive/files.mts';
import { startProxy } from './googleDrive/proxy.mts';
import { matches } from './googleDrive/query.mts';
import { parseMultipart, Session, type Upload } from './googleDrive/uploads.mts';
import { listen } from '../listen.mts';

export interface GoogleDrive {
	/** For the option `env` of `startN8n`. */
	env: Record<string, string>;
	oauthCredential(): CredentialInput;
	serviceAccountCredential(): CredentialInput;
	/** @param parent id of a folder; by default `root`. Returns the id. */
	addFolder(name: string, parent?: string): string;
	/** Puts a file there, as another person would. */
	addFile(name: string, content: Buffer, more?: Metadata): void;
	/** All files, oldest first; without folders. */
	files(): DriveFile[];
	/** Strikes the next upload. */
	addFault(fault: ArchiveFault<'upload'>): void;
	close(): Promise<void>;
}

type Fault = ArchiveFault<'upload'> | undefined;

interface Call {
	method: string;
	url: URL;
	headers: IncomingMessage['headers'];
	body: Buffer;
}

interface Reply {
	status?: number;
	headers?: Record<string, string>;
	body?: object | Buffer;
}

/** An answer that does not come: the connection ends, or stays open. */
class NoAnswer extends Error {
	readonly isLost: boolean;

	constructor(isLost: boolean) {
		super();
		this.isLost = isLost;
	}
}

class Drive {
	readonly accounts = new Accounts();
	readonly faults = new FaultList<'upload'>();
	readonly files: DriveFile[] = [];
	readonly #sessions = new Map<string, { session: Session; fault: Fault }>();

	add({ metadata, content }: Upload): DriveFile {
		const file = newFile(metadata, content);
		for (const parent of file.parents) if (parent !== ROOT_ID) this.#file(parent);
		this.files.push(file);
		return file;
	}

	answer(call: Call): Reply {
		const { method, url, headers, body } = call;
		const route = `${method} ${url.pathname}`;
		if (route === 'POST /token') {
			return { body: this.accounts.token(new URLSearchParams(body.toString())) };
		}
		// The address of the session is the permission.
		if (route === 'PUT /upload/drive/v3/files') return this.#putChunk(call);
		if (!this.accounts.accepts(headers.authorization)) {
			throw new ApiError(401, 'Invalid Credentials', 'authError');
		}
		if (route === 'POST /upload/drive/v3/files') return this.#upload(call);
		if (route === 'GET /drive/v3/files') return this.#list(url.searchParams);
		if (route === 'GET /drive/v3/drives') return { body: { drives: [] } };
		const id = /^(?:GET|PATCH) \/drive\/v3\/files\/([^/]+)$/.exec(route)?.[1];
		if (id === undefined) throw new ApiError(404, `${route} is not known here`, 'notFound');
		const file = this.#file(id);
		if (method === 'PATCH') Object.assign(file, JSON.parse(body.toString()));
		else if (url.searchParams.get('alt') === 'media') return { body: file.content };
		return { body: described(file, url.searchParams.get('fields') ?? undefined) };
	}

	#file(id: string): DriveFile {
		const file = this.files.find((one) => one.id === id);
		if (file === undefined) throw new ApiError(404, `File not found: ${id}.`, 'notFound');
		return file;
	}

	/** All matches on one page, because no test has more. */
	#list(query: URLSearchParams): Reply {
		const q = query.get('q') ?? '';
		const found = this.files.filter((file) => matches(file, q));
		const fields = /files\((.*)\)/.exec(query.get('fields') ?? '')?.[1];
		const page = found.slice(0, Number(query.get('pageSize') ?? 100));
		return { body: { files: page.map((file) => described(file, fields)) } };
	}

	#upload({ url, headers, body }: Call): Reply {
		const fault = this.faults.take('upload');
		if (fault?.kind === 'status') {
			throw new ApiError(fault.status, 'Service Unavailable', 'backendError');
		}
		if (url.searchParams.get('uploadType') === 'multipart') {
			return this.#store(parseMultipart(headers['content-type'] ?? '', body), fault);
		}
		const session = new Session(JSON.parse(body.toString()) as Metadata);
		this.#sessions.set(session.id, { session, fault });
		const location = `${url.origin}${url.pathname}?upload_id=${session.id}`;
		return { headers: { location } };
	}

	#putChunk({ url, headers, body }: Call): Reply {
		const upload = this.#sessions.get(url.searchParams.get('upload_id') ?? '');
		if (upload === undefined) throw new ApiError(404, 'Not Found', 'notFound');
		const { session, fault } = upload;
		const content = session.put(body, headers['content-range']);
		if (content !== undefined) return this.#store({ metadata: session.metadata, content }, fault);
		return { status: 308, headers: { range: `bytes=0-${session.received - 1}` } };
	}

	#store({ metadata, content }: Upload, fault: Fault): Reply {
		const file = this.add({ metadata, content: damaged(content, fault?.kind) });
		if (fault?.kind === 'loseAnswer' || fault?.kind === 'silent') {
			throw new NoAnswer(fault.kind === 'loseAnswer');
		}
		return { body: described(file) };
	}
}

export async function startGoogleDrive(): Promise<GoogleDrive> {
	const drive = new Drive();
	const { key, cert, caPem } = await createCertificate(
		'valid',
		'www.googleapis.com',
		'oauth2.googleapis.com',
	);
	const server = createServer({ key, cert }, (request, response) => {
		handle(drive, request, response).catch((error: unknown) => {
			// A client that went away, or a mistake in here: n8n sees a broken connection.
			if (!request.destroyed) console.error(error);
			request.socket.destroy();
		});
	});
	const listening = await listen(server);
	const proxy = await startProxy(listening.port, /^[\w.-]+\.googleapis\.com:443$/);
	const folder = await mkdtemp(join(tmpdir(), 'google-drive-'));
	const caFile = join(folder, 'ca.pem');
	await writeFile(caFile, caPem);

	return {
		env: {
			HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: caFile,
		},
		oauthCredential: () => drive.accounts.oauthCredential(),
		serviceAccountCredential: () => drive.accounts.serviceAccountCredential(),
		addFolder(name, parent = 'root') {
			const metadata = { name, mimeType: FOLDER, parents: [parent] };
			return drive.add({ metadata, content: Buffer.alloc(0) }).id;
		},
		addFile: (name, content, more) => void drive.add({ metadata: { ...more, name }, content }),
		files: () => drive.files.filter(({ mimeType }) => mimeType !== FOLDER),
		addFault: (fault) => drive.faults.add(fault),
		async close() {
			await proxy.close();
			await listening.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

async function handle(drive: Drive, request: IncomingMessage, response: ServerResponse) {
	const { method = '', headers } = request;
	const url = new URL(request.url ?? '/', `https://${headers.host}`);
	try {
		send(response, drive.answer({ method, url, headers, body: await buffer(request) }));
	} catch (error) {
		if (error instanceof ApiError) send(response, error);
		else if (!(error instanceof NoAnswer)) throw error;
		else if (error.isLost) request.socket.destroy();
	}
}

function send(response: ServerResponse, { status = 200, headers, body = Buffer.alloc(0) }: Reply) {
	const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
	const content = Buffer.isBuffer(body) ? body : JSON.stringify(body);
	const length = Buffer.byteLength(content);
	response.writeHead(status, { 'content-type': type, 'content-length': length, ...headers });
	response.end(content);
}
