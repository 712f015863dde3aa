/**
 * An SFTP server (version 3 of the protocol, as OpenSSH speaks it) with its files in memory, for n8n's own FTP node.
 *
 * ```ts
 * const sftp = await startSftp();
 * const credential = await n8n.createCredential(sftp.credential);
 * …
 * assert.deepEqual(sftp.files().map(({ name }) => name), ['calls/a.opus']);
 * await sftp.close();
 * ```
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join, posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { CredentialInput } from '../n8n/n8n.mts';
import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';

/** `connect`: a client logs in; `open`: a file is opened to be written; `upload`: it is closed. */
export type SftpStep = 'connect' | 'open' | 'upload';

export interface Sftp {
	credential: CredentialInput;
	/** The files with their paths, without the slash at the start. */
	files(): Array<{ name: string; content: Buffer }>;
	/** Replaces a file, or makes it, with its folders. */
	write(path: string, content: Buffer | string): void;
	/** A fault of kind `status` is answered with "Failure". */
	addFault(fault: ArchiveFault<SftpStep>): void;
	close(): Promise<void>;
}

/** The parts of `ssh2` that are used here; n8n's own version comes without types. */
interface Channel {
	on(event: string, listener: (id: number, ...values: never[]) => void): void;
	status(id: number, code: number): void;
	handle(id: number, handle: Buffer): void;
	data(id: number, data: Buffer): void;
	name(id: number, names: Array<{ filename: string; longname: string; attrs: object }>): void;
	attrs(id: number, attributes: object): void;
}
interface Client {
	on(event: 'authentication', listener: (context: AuthenticationContext) => void): void;
	on(event: 'session', listener: (accept: () => Session) => void): void;
	on(event: 'error', listener: () => void): void;
	end(): void;
}
interface AuthenticationContext {
	method: string;
	username: string;
	password?: string;
	accept(): void;
	reject(methods: string[]): void;
}
interface Session {
	on(event: 'sftp', listener: (accept: () => Channel) => void): void;
}
interface Ssh2 {
	Server: new (
		options: { hostKeys: string[]; algorithms: { compress: string[] } },
		listener: (client: Client) => void,
	) => { injectSocket(socket: Socket): void };
	utils: { generateKeyPairSync(type: 'ed25519'): { private: string } };
}

const { Server, utils } = createRequire(
	join(import.meta.dirname, '..', 'runtime', 'node_modules', 'n8n-nodes-base', 'package.json'),
)('ssh2') as Ssh2;

const USERNAME = 'recordings';
const OPEN_TO_WRITE = 2;
const OK = 0;
const END = 1;
const NO_SUCH_FILE = 2;
const FAILURE = 4;

/** A request that is answered with a status other than OK. */
class Refusal extends Error {
	readonly status: number;

	constructor(status: number) {
		super();
		this.status = status;
	}
}

/** The connection ends without an answer. */
class LostAnswer extends Error {}

const absolute = (path: string) => posix.normalize(posix.join('/', path));

class FileTree {
	/** What was written one after the other, by path. */
	readonly #files = new Map<string, Buffer[]>();
	readonly folders = new Set(['/']);

	write(path: string, content: Buffer | string): void {
		for (let folder = posix.dirname(path); folder !== '/'; folder = posix.dirname(folder)) {
			this.folders.add(folder);
		}
		this.#files.set(path, [Buffer.from(content)]);
	}

	/** As OpenSSH does with the flags of n8n's node. */
	empty(path: string): void {
		if (!this.folders.has(posix.dirname(path))) throw new Refusal(NO_SUCH_FILE);
		if (this.folders.has(path)) throw new Refusal(FAILURE);
		this.#files.set(path, []);
	}

	append(path: string, data: Buffer): void {
		this.#files.get(path)?.push(Buffer.from(data));
	}

	read(path: string): Buffer {
		const parts = this.#files.get(path);
		if (parts === undefined) throw new Refusal(NO_SUCH_FILE);
		const [first = Buffer.alloc(0), ...others] = parts;
		if (others.length === 0) return first;
		const content = Buffer.concat(parts);
		this.#files.set(path, [content]);
		return content;
	}

	paths(): string[] {
		return [...this.#files.keys()];
	}

	/** @returns attributes as the protocol names them */
	describe(path: string): object {
		const isFolder = this.folders.has(path);
		const size = isFolder ? 4096 : this.read(path).length;
		return { mode: isFolder ? 0o40755 : 0o100644, uid: 0, gid: 0, size, atime: 0, mtime: 0 };
	}

	list(folder: string): string[] {
		if (!this.folders.has(folder)) throw new Refusal(NO_SUCH_FILE);
		const paths = [...this.folders, ...this.paths()];
		return paths.filter((path) => path !== '/' && posix.dirname(path) === folder);
	}
}

/** An open file or folder. */
interface Opened {
	path: string;
	isWritten?: boolean;
	/** Paths that are still to be listed. */
	listed?: string[];
}

/** Does what can be done before the answer; the rest is up to the caller. */
type Strike = (step: SftpStep) => Promise<ArchiveFault<SftpStep> | undefined>;

/** One client's requests. */
class Requests {
	readonly #channel: Channel;
	readonly #tree: FileTree;
	readonly #strike: Strike;
	readonly #opened = new Map<number, Opened>();
	#nextHandle = 0;

	constructor(channel: Channel, tree: FileTree, strike: Strike) {
		this.#channel = channel;
		this.#tree = tree;
		this.#strike = strike;
	}

	realPath(id: number, path: string): void {
		const filename = absolute(path);
		this.#channel.name(id, [{ filename, longname: filename, attrs: {} }]);
	}

	describe(id: number, path: string): void {
		this.#channel.attrs(id, this.#tree.describe(absolute(path)));
	}

	makeFolder(id: number, path: string): void {
		this.#tree.folders.add(absolute(path));
		this.ok(id);
	}

	openFolder(id: number, path: string): void {
		const folder = absolute(path);
		this.#open(id, { path: folder, listed: this.#tree.list(folder) });
	}

	listFolder(id: number, handle: Buffer): void {
		const { listed = [] } = this.#at(handle);
		const paths = listed.splice(0);
		if (paths.length === 0) throw new Refusal(END);
		const names = paths.map((path) => {
			const filename = posix.basename(path);
			const type = this.#tree.folders.has(path) ? 'd' : '-';
			const longname = `${type}rw-r--r-- 1 0 0 1 Jan 1 00:00 ${filename}`;
			return { filename, longname, attrs: this.#tree.describe(path) };
		});
		this.#channel.name(id, names);
	}

	async openFile(id: number, path: string, flags: number): Promise<void> {
		const file = absolute(path);
		if ((flags & OPEN_TO_WRITE) === 0) {
			this.#tree.read(file);
			return this.#open(id, { path: file });
		}
		await this.#strike('open');
		this.#tree.empty(file);
		this.#open(id, { path: file, isWritten: true });
	}

	read(id: number, handle: Buffer, offset: number, length: number): void {
		const content = this.#tree.read(this.#at(handle).path);
		if (offset >= content.length) throw new Refusal(END);
		this.#channel.data(id, content.subarray(offset, offset + Math.min(length, 32_768)));
	}

	/** The node writes one piece after the other. */
	write(id: number, handle: Buffer, _offset: number, data: Buffer): void {
		this.#tree.append(this.#at(handle).path, data);
		this.ok(id);
	}

	async closeHandle(id: number, handle: Buffer): Promise<void> {
		const { path, isWritten } = this.#at(handle);
		this.#opened.delete(handle.readUInt32BE());
		if (!isWritten) return this.ok(id);
		const fault = await this.#strike('upload');
		this.#tree.write(path, damaged(this.#tree.read(path), fault?.kind));
		if (fault?.kind === 'loseAnswer') throw new LostAnswer();
		if (fault?.kind !== 'silent') this.ok(id);
	}

	ok(id: number): void {
		this.#channel.status(id, OK);
	}

	#open(id: number, one: Opened): void {
		const handle = Buffer.alloc(4);
		handle.writeUInt32BE(this.#nextHandle);
		this.#opened.set(this.#nextHandle, one);
		this.#nextHandle += 1;
		this.#channel.handle(id, handle);
	}

	#at(handle: Buffer): Opened {
		const one = this.#opened.get(handle.readUInt32BE());
		if (one === undefined) throw new Refusal(FAILURE);
		return one;
	}
}

export async function startSftp(): Promise<Sftp> {
	const tree = new FileTree();
	const faults = new FaultList<SftpStep>();
	const password = randomUUID();
	const sockets = new Set<Socket>();

	async function strike(step: SftpStep): ReturnType<Strike> {
		const fault = faults.take(step);
		if (fault?.kind === 'delay') await sleep(fault.ms);
		if (fault?.kind === 'status') throw new Refusal(FAILURE);
		return fault;
	}

	function serve(channel: Channel, client: Client): void {
		const requests = new Requests(channel, tree, strike);
		const actions: Record<string, (id: number, ...values: never[]) => void | Promise<void>> = {
			REALPATH: requests.realPath,
			STAT: requests.describe,
			LSTAT: requests.describe,
			MKDIR: requests.makeFolder,
			OPENDIR: requests.openFolder,
			READDIR: requests.listFolder,
			OPEN: requests.openFile,
			READ: requests.read,
			WRITE: requests.write,
			CLOSE: requests.closeHandle,
			// The rights of a file.
			FSETSTAT: requests.ok,
		};
		for (const [event, act] of Object.entries(actions)) {
			channel.on(event, (id, ...values) => {
				const answered = (async () => await act.call(requests, id, ...values))();
				answered.catch((error: unknown) => {
					if (error instanceof LostAnswer) client.end();
					else channel.status(id, error instanceof Refusal ? error.status : FAILURE);
				});
			});
		}
	}

	const ssh = new Server(
		{
			hostKeys: [utils.generateKeyPairSync('ed25519').private],
			// ssh2 as a server throws when a compressed connection ends.
			algorithms: { compress: ['none'] },
		},
		(client) => {
			// Its connection closes, and that is all that is to be done.
			client.on('error', () => {});
			client.on('authentication', (context) => {
				const isKnown = context.username === USERNAME && context.password === password;
				if (context.method !== 'password' || !isKnown) return context.reject(['password']);
				// Like a server that first looks up the name of the client.
				void strike('connect').then(() => context.accept());
			});
			client.on('session', (accept) => {
				accept().on('sftp', (acceptChannel) => serve(acceptChannel(), client));
			});
		},
	);
	// Each packet is answered at once. Otherwise the two ends wait for each other at every one.
	const server = createServer({ noDelay: true }, (socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
		ssh.injectSocket(socket);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;

	return {
		credential: {
			name: 'SFTP',
			type: 'sftp',
			data: { host: '127.0.0.1', port, username: USERNAME, password },
		},
		files: () => tree.paths().map((path) => ({ name: path.slice(1), content: tree.read(path) })),
		write: (path, content) => tree.write(path, content),
		addFault: (fault) => faults.add(fault),
		async close() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, 'close');
		},
	};
}
