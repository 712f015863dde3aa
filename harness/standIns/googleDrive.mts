/**
 * A local stand-in for what the workflows ask of Google's API. n8n's own Google Drive node runs
 * unmodified, with its real addresses.
 *
 * ```ts
 * const drive = await startGoogleDrive();
 * const stack = await startStack({ n8n: { env: drive.env } });
 * const credential = await stack.n8n.createCredential(drive.oauthCredential());
 * ```
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

import type { CredentialInput } from '../n8n/n8n.mts';
import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';
import { matches } from './googleDriveQuery.mts';
import { startRemoteHost } from './remoteHost.mts';
import { sha256 } from './storedFiles.mts';

const FOLDER = 'application/vnd.google-apps.folder';
/** The folder that the alias `root` stands for. */
const ROOT_ID = '0AvoiceagentrootUk9PVA';
const DEFAULT_FIELDS = 'id,name,mimeType';

/** What a client says about a file. */
export interface Metadata {
	name?: string;
	mimeType?: string;
	/** Ids of the folders it is in. */
	parents?: string[];
	properties?: Record<string, string>;
	trashed?: boolean;
}

/** Fields as the API names them, and the content. Folders are without size and checksum. */
export interface DriveFile extends Required<Omit<Metadata, 'properties'>> {
	id: string;
	properties?: Record<string, string>;
	/** Bytes, as a decimal number. */
	size?: string;
	sha256Checksum?: string;
	content: Buffer;
}

export interface GoogleDrive {
	/** For the option `env` of `startN8n`. */
	env: Record<string, string>;
	/** A connected account, for a node with its default authentication. */
	oauthCredential(): CredentialInput;
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
	/** Why it does not come. */
	fault?: string;
}

/** A file that arrives in chunks. */
interface Upload {
	metadata: Metadata;
	content: Buffer;
	fault: ArchiveFault<'upload'> | undefined;
}

/** A refusal, in the form that Google sends it. */
function refusal(code: number, message: string, reason: string): Reply {
	const errors = [{ message, domain: 'global', reason }];
	return { status: code, body: { error: { code, message, errors } } };
}

/**
 * What Google says about a file.
 *
 * @param fields names of fields, or `*`. By default, checksums and properties are missing
 */
function described(file: DriveFile, fields = DEFAULT_FIELDS): object {
	const names = fields.split(',').map((name) => name.trim());
	const isAll = names.includes('*');
	const shown = Object.entries(file).filter(
		([name]) => name !== 'content' && (isAll || names.includes(name)),
	);
	return Object.fromEntries(shown) as object;
}

class Drive {
	readonly faults = new FaultList<'upload'>();
	readonly files: DriveFile[] = [];
	readonly token = `ya29.${randomBytes(48).toString('base64url')}`;
	readonly #uploads = new Map<string, Upload>();

	add(metadata: Metadata, content: Buffer): DriveFile {
		const isFolder = metadata.mimeType === FOLDER;
		const file = {
			id: `1${randomBytes(24).toString('base64url')}`,
			name: 'Untitled',
			mimeType: 'application/octet-stream',
			trashed: false,
			...metadata,
			parents: (metadata.parents ?? ['root']).map((id) => (id === 'root' ? ROOT_ID : id)),
			...(!isFolder && {
				size: String(content.length),
				sha256Checksum: sha256(content),
			}),
			content,
		};
		this.files.push(file);
		return file;
	}

	answer(call: Call): Reply {
		const { method, url, headers, body } = call;
		const route = `${method} ${url.pathname}`;
		// The address of the upload is the permission.
		if (route === 'PUT /upload/drive/v3/files') return this.#putChunk(call);
		if (headers.authorization !== `Bearer ${this.token}`) {
			return refusal(401, 'Invalid Credentials', 'authError');
		}
		if (route === 'POST /upload/drive/v3/files') return this.#startUpload(call);
		if (route === 'GET /drive/v3/files') return this.#list(url.searchParams);
		if (route === 'GET /drive/v3/drives') return { body: { drives: [] } };
		const id = /^(?:GET|PATCH|DELETE) \/drive\/v3\/files\/([^/]+)$/.exec(route)?.[1];
		const file = this.files.find((one) => one.id === id);
		if (file === undefined) return refusal(404, `File not found: ${route}`, 'notFound');
		if (method === 'DELETE') {
			this.files.splice(this.files.indexOf(file), 1);
			return { status: 204 };
		}
		if (method === 'PATCH') Object.assign(file, JSON.parse(body.toString()));
		else if (url.searchParams.get('alt') === 'media') return { body: file.content };
		return { body: described(file, url.searchParams.get('fields') ?? undefined) };
	}

	#exists(id: string): boolean {
		return id === 'root' || id === ROOT_ID || this.files.some((file) => file.id === id);
	}

	/** All matches on one page, because no test has more. */
	#list(query: URLSearchParams): Reply {
		const q = query.get('q') ?? '';
		const found = this.files.filter((file) => matches(file, q));
		const fields = /files\((.*)\)/.exec(query.get('fields') ?? '')?.[1];
		const page = found.slice(0, Number(query.get('pageSize') ?? 100));
		return { body: { files: page.map((file) => described(file, fields)) } };
	}

	#startUpload({ url, body }: Call): Reply {
		const fault = this.faults.take('upload');
		if (fault?.kind === 'status') {
			return refusal(fault.status, 'Service Unavailable', 'backendError');
		}
		const metadata = JSON.parse(body.toString()) as Metadata;
		const missing = metadata.parents?.find((parent) => !this.#exists(parent));
		if (missing !== undefined) return refusal(404, `File not found: ${missing}.`, 'notFound');
		const id = randomUUID();
		this.#uploads.set(id, { metadata, content: Buffer.alloc(0), fault });
		return { headers: { location: `${url.origin}${url.pathname}?upload_id=${id}` } };
	}

	#putChunk({ url, headers, body }: Call): Reply {
		const upload = this.#uploads.get(url.searchParams.get('upload_id') ?? '');
		const range = String(headers['content-range']);
		const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
		if (upload?.content.length !== Number(first)) {
			return refusal(400, `Invalid request. The chunk does not fit: ${range}`, 'badRequest');
		}
		upload.content = Buffer.concat([upload.content, body]);
		const { length } = upload.content;
		if (length < Number(total)) return { status: 308, headers: { range: `bytes=0-${length - 1}` } };
		const { metadata, content, fault } = upload;
		const file = this.add(metadata, damaged(content, fault?.kind));
		return { body: described(file), fault: fault?.kind };
	}
}

export async function startGoogleDrive(): Promise<GoogleDrive> {
	const drive = new Drive();
	const host = await startRemoteHost('www.googleapis.com', (request, response) => {
		handle(drive, request, response).catch((error: unknown) => {
			// A client that went away, or a mistake in here: n8n sees a broken connection.
			if (!request.destroyed) console.error(error);
			request.socket.destroy();
		});
	});
	return {
		env: host.env,
		oauthCredential: () => ({
			name: 'Google Drive account',
			type: 'googleDriveOAuth2Api',
			data: {
				clientId: '123456789012-voiceagenttest.apps.googleusercontent.com',
				clientSecret: 'GOCSPX-voiceagent-test',
				oauthTokenData: { access_token: drive.token, token_type: 'Bearer', expires_in: 3599 },
			},
		}),
		addFolder: (name, parent = 'root') =>
			drive.add({ name, mimeType: FOLDER, parents: [parent] }, Buffer.alloc(0)).id,
		addFile: (name, content, more) => void drive.add({ ...more, name }, content),
		files: () => drive.files.filter(({ mimeType }) => mimeType !== FOLDER),
		addFault: (fault) => drive.faults.add(fault),
		close: host.close,
	};
}

async function handle(drive: Drive, request: IncomingMessage, response: ServerResponse) {
	const { method = '', headers } = request;
	const url = new URL(request.url ?? '/', `https://${headers.host}`);
	const reply = drive.answer({ method, url, headers, body: await buffer(request) });
	const { status = 200, body = Buffer.alloc(0), fault } = reply;
	if (fault === 'silent') return;
	if (fault === 'loseAnswer') return void request.socket.destroy();
	const content = Buffer.isBuffer(body) ? body : JSON.stringify(body);
	response.writeHead(status, {
		'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
		'content-length': Buffer.byteLength(content),
		...reply.headers,
	});
	response.end(content);
}
