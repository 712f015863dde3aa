/**
 * A local stand-in for Google's Drive API v3, and the proxy that leads n8n's own Google Drive node to it: the
 * node runs unmodified, with its real addresses.
 *
 * ```ts
 * const drive = await startGoogleDrive();
 * const stack = await startStack({ n8n: { env: drive.env } });
 * const credential = await stack.n8n.createCredential(drive.oauthCredential());
 * …
 * assert.equal(drive.files()[0]?.sha256Checksum, expected);
 * await stack.stop();
 * await drive.close();
 * ```
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { createCertificate } from '../../emulator/src/certificates.mts';
import type { CredentialInput } from '../n8n/n8n.mts';
import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';
import { Accounts, orderedRefusal } from './googleDrive/accounts.mts';
import {
	ApiError,
	invalidParameter,
	orderedError,
	unauthenticated,
} from './googleDrive/apiError.mts';
import { select } from './googleDrive/fields.mts';
import {
	fileFields,
	FileStore,
	FOLDER,
	resource,
	type DriveFile,
	type Metadata,
} from './googleDrive/fileStore.mts';
import { pageStart, pageToken, sorted } from './googleDrive/listing.mts';
import { startProxy } from './googleDrive/proxy.mts';
import { parseQuery } from './googleDrive/query.mts';
import { parseMetadata, parseMultipart, Session } from './googleDrive/uploads.mts';

export type { DriveFile } from './googleDrive/fileStore.mts';

/**
 * `upload`: the file is announced or sent whole; `chunk`: a part of a resumable upload; `list`: a search;
 * `update`: metadata or the bin; `token`: an access token is asked for.
 */
export type DriveStep = 'upload' | 'chunk' | 'list' | 'update' | 'token';

/** A damaged or unanswered resumable upload goes wrong with its last chunk. */
export type DriveFault = ArchiveFault<DriveStep>;

export interface DriveRequest {
	method: string;
	host: string;
	path: string;
	query: Record<string, string>;
}

export interface GoogleDrive {
	/** For the option `env` of `startN8n`. */
	env: Record<string, string>;
	/** For a node with `authentication: 'oAuth2'`, its default: a connected account. */
	oauthCredential(): CredentialInput;
	/** For a node with `authentication: 'serviceAccount'`. */
	serviceAccountCredential(): CredentialInput;
	/** Id of the folder that `root` stands for. */
	rootId: string;
	/** @param parent id of the folder to create it in; `root` by default. Returns the id. */
	addFolder(name: string, parent?: string): string;
	/** Puts a file into `root` or `parents`, as another person would. Returns the id. */
	addFile(name: string, content: Buffer, more?: Metadata): string;
	/** All files that are not deleted for good, oldest first; without folders. */
	files(): DriveFile[];
	/** Requests so far, those that were refused too. */
	requests(): DriveRequest[];
	/** `host:port` of what n8n wanted to reach besides Google. */
	refusedHosts(): string[];
	addFault(fault: DriveFault): void;
	/** Refuses all access tokens that were issued so far, as when an hour has passed. */
	expireTokens(): void;
	/** Forgets files, requests and faults; folders and tokens stay. */
	clear(): void;
	close(): Promise<void>;
}

interface Reply {
	status: number;
	headers?: Record<string, string | number>;
	body?: object | string | Buffer;
}

interface Call extends DriveRequest {
	headers: IncomingMessage['headers'];
	body: Buffer;
}

const DEFAULT_FIELDS = 'kind,id,name,mimeType';
const listFields = new Set(['kind', 'incompleteSearch', 'nextPageToken', 'files']);

/** What an upload was announced with, and what becomes of it. */
interface Announced {
	session: Session;
	fields: string;
	fault?: DriveFault;
	fileId?: string;
}

export async function startGoogleDrive(): Promise<GoogleDrive> {
	const store = new FileStore();
	const accounts = new Accounts();
	const faults = new FaultList<DriveStep>();
	const sessions = new Map<string, Announced>();
	let requests: DriveRequest[] = [];

	/* ── faults ─────────────────────────────────────────────────────────────────────────────────── */

	/** Does what can be done before the answer; the rest is up to the caller. */
	async function strike(step: DriveStep): Promise<DriveFault | undefined> {
		const fault = faults.take(step);
		if (fault?.kind === 'delay') await sleep(fault.ms);
		if (fault?.kind === 'status' && step !== 'token') throw orderedError(fault.status);
		return fault;
	}

	const LOST = Symbol('the connection ends without an answer');
	const SILENT = Symbol('there is no answer');
	const unlessLost = (fault: DriveFault | undefined, reply: Reply): Reply => {
		if (fault?.kind === 'loseAnswer') throw LOST;
		if (fault?.kind === 'silent') throw SILENT;
		if (fault?.kind === 'storeAndRefuse') throw orderedError(fault.status);
		return reply;
	};

	/* ── answers ────────────────────────────────────────────────────────────────────────────────── */

	const described = (file: DriveFile, fields = DEFAULT_FIELDS): Reply => ({
		status: 200,
		body: select(resource(file), fields, fileFields),
	});

	async function token({ body }: Call): Promise<Reply> {
		const fault = await strike('token');
		if (fault?.kind === 'status') return orderedRefusal(fault.status);
		return unlessLost(fault, accounts.token(new URLSearchParams(body.toString())));
	}

	async function list({ query }: Call): Promise<Reply> {
		const fault = await strike('list');
		const matches = parseQuery(query.q ?? '', (id) => store.resolve(id));
		const found = sorted(
			store.all().filter((file) => file.id !== store.rootId && matches(file)),
			query.orderBy,
		);
		const pageSize = Number(query.pageSize ?? 100);
		if (!(pageSize >= 1 && pageSize <= 1000)) throw invalidParameter('pageSize');
		const start = query.pageToken === undefined ? 0 : pageStart(query.pageToken);
		const end = start + pageSize;
		const all = {
			kind: 'drive#fileList',
			incompleteSearch: false,
			nextPageToken: end < found.length ? pageToken(end) : undefined,
			files: found.slice(start, end).map(resource),
		};
		const { fields = `kind,incompleteSearch,nextPageToken,files(${DEFAULT_FIELDS})` } = query;
		const body = select(all, fields, listFields, { files: fileFields });
		return unlessLost(fault, { status: 200, body });
	}

	function read(id: string, { query }: Call): Reply {
		const file = store.get(id);
		if (query.alt !== 'media') return described(file, query.fields);
		if (file.mimeType !== FOLDER) {
			return { status: 200, headers: { 'content-type': file.mimeType }, body: file.content };
		}
		throw new ApiError(
			403,
			'Only files with binary content can be downloaded. Use Export with Docs Editors files.',
			{ reason: 'fileNotDownloadable', location: 'alt', locationType: 'parameter' },
		);
	}

	async function update(id: string, { query, body }: Call): Promise<Reply> {
		const fault = await strike('update');
		const file = store.update(id, parseMetadata(body), query);
		return unlessLost(fault, described(file, query.fields));
	}

	function remove(id: string): Reply {
		store.delete(id);
		return { status: 204 };
	}

	async function upload(call: Call): Promise<Reply> {
		const { query, body, headers } = call;
		const fault = await strike('upload');
		const contentType = headers['content-type'] ?? '';
		switch (query.uploadType) {
			case 'multipart': {
				const { metadata, content } = parseMultipart(contentType, body);
				return stored(metadata, content, { fields: query.fields, fault }).reply();
			}
			case 'media':
				return stored({ mimeType: contentType }, body, { fields: query.fields, fault }).reply();
			case 'resumable': {
				const metadata = {
					mimeType: headers['x-upload-content-type'],
					...parseMetadata(body),
				};
				store.checkParents(metadata);
				const session = new Session(metadata);
				const { fields = DEFAULT_FIELDS } = query;
				sessions.set(session.id, { session, fields, fault });
				return {
					status: 200,
					headers: {
						location: `https://${call.host}${call.path}?uploadType=resumable&upload_id=${session.id}`,
						'x-guploader-uploadid': session.id,
					},
				};
			}
			default:
				throw invalidParameter('uploadType');
		}
	}

	/** Stores, and separately answers, so that the answer can be lost. */
	function stored(
		metadata: Metadata,
		content: Buffer,
		{ fields, fault }: { fields?: string; fault?: DriveFault },
	) {
		const file = store.create(metadata, damaged(content, fault?.kind));
		return { id: file.id, reply: () => unlessLost(fault, described(file, fields)) };
	}

	/** Needs no access token: the address of the session is the permission. */
	async function putChunk({ query, headers, body }: Call): Promise<Reply> {
		const announced = sessions.get(query.upload_id ?? '');
		if (announced === undefined) throw new ApiError(404, 'Not Found', { reason: 'notFound' });
		const { session, fields, fault, fileId } = announced;
		// The client asks again after a lost answer.
		if (fileId !== undefined) return described(store.get(fileId), fields);
		const chunkFault = await strike('chunk');
		const progress = session.put(body, headers['content-range']);
		if ('content' in progress) {
			const { id, reply } = stored(progress.metadata, progress.content, { fields, fault });
			announced.fileId = id;
			return unlessLost(chunkFault, reply());
		}
		const range = progress.received > 0 && { range: `bytes=0-${progress.received - 1}` };
		return unlessLost(chunkFault, { status: 308, headers: { ...range } });
	}

	/* ── routes ─────────────────────────────────────────────────────────────────────────────────── */

	async function answer(call: Call): Promise<Reply> {
		const { method, host, path, headers } = call;
		const route = `${method} ${path}`;
		if (host === 'oauth2.googleapis.com') {
			if (route === 'POST /token') return await token(call);
			throw new ApiError(404, 'Not Found', { reason: 'notFound' });
		}
		if (route === 'PUT /upload/drive/v3/files') return await putChunk(call);
		if (!accounts.accepts(headers.authorization)) throw unauthenticated();
		if (route === 'POST /upload/drive/v3/files') return await upload(call);
		if (route === 'GET /drive/v3/files') return await list(call);
		if (route === 'POST /drive/v3/files') {
			const file = store.create(parseMetadata(call.body), Buffer.alloc(0));
			return described(file, call.query.fields);
		}
		if (route === 'GET /drive/v3/drives') {
			return { status: 200, body: { kind: 'drive#driveList', drives: [] } };
		}
		const id = /^\/drive\/v3\/files\/([^/]+)$/.exec(path)?.[1];
		if (id !== undefined && method === 'GET') return read(id, call);
		if (id !== undefined && method === 'PATCH') return await update(id, call);
		if (id !== undefined && method === 'DELETE') return remove(id);
		throw new ApiError(404, `The stand-in does not know ${route}`, { reason: 'notFound' });
	}

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', headers } = request;
		const url = new URL(request.url ?? '/', `https://${headers.host}`);
		const query = Object.fromEntries(url.searchParams);
		const seen = { method, host: url.hostname, path: url.pathname, query };
		requests.push(seen);
		const body = await buffer(request);
		try {
			send(response, await answer({ ...seen, headers, body }));
		} catch (error) {
			if (error === SILENT) return;
			if (error === LOST) request.socket.destroy();
			else if (error instanceof ApiError) send(response, error);
			else throw error;
		}
	}

	/* ── start ──────────────────────────────────────────────────────────────────────────────────── */

	const { key, cert, caPem } = await createCertificate(
		'valid',
		'www.googleapis.com',
		'oauth2.googleapis.com',
	);
	const server = createServer({ key, cert }, (request, response) => {
		handle(request, response).catch((error: unknown) => {
			// A client that went away, or a mistake in here: n8n sees a broken connection.
			if (!request.destroyed) console.error(error);
			request.socket.destroy();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const proxy = await startProxy((server.address() as AddressInfo).port);
	const folder = await mkdtemp(join(tmpdir(), 'google-drive-'));
	const caFile = join(folder, 'ca.pem');
	await writeFile(caFile, caPem);

	return {
		env: {
			HTTPS_PROXY: proxy.url,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: caFile,
		},
		oauthCredential: () => accounts.oauthCredential(),
		serviceAccountCredential: () => accounts.serviceAccountCredential(),
		rootId: store.rootId,
		addFolder: (name, parent = 'root') =>
			store.create({ name, mimeType: FOLDER, parents: [parent] }, Buffer.alloc(0)).id,
		addFile: (name, content, more) => store.create({ ...more, name }, content).id,
		files: () => store.all().filter(({ mimeType }) => mimeType !== FOLDER),
		requests: () => [...requests],
		refusedHosts: () => [...proxy.refused],
		addFault: (fault) => faults.add(fault),
		expireTokens: () => accounts.expireTokens(),
		clear() {
			store.clear();
			faults.clear();
			sessions.clear();
			requests = [];
		},
		async close() {
			await proxy.close();
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function send(response: ServerResponse, { status, headers, body = '' }: Reply): void {
	const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
	const content = isJson ? JSON.stringify(body) : body;
	response.writeHead(status, {
		...(isJson && { 'content-type': 'application/json; charset=UTF-8' }),
		...(status !== 204 && { 'content-length': Buffer.byteLength(content) }),
		...headers,
	});
	response.end(content);
}
