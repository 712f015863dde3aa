/**
 * A real SFTP server (version 3 of the protocol, as OpenSSH speaks it) on a temporary folder, for n8n's own FTP node.
 *
 * ```ts
 * const sftp = await startSftp();
 * const credential = await n8n.createCredential(sftp.credential);
 * …
 * assert.deepEqual((await sftp.files()).map(({ name }) => name), ['calls/a.opus']);
 * await sftp.close();
 * ```
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import {
	mkdir,
	mkdtemp,
	open,
	readdir,
	readFile,
	rename,
	rm,
	rmdir,
	stat,
	unlink,
	writeFile,
	type FileHandle,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { CredentialInput } from '../n8n/n8n.mts';
import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';

/**
 * `connect`: a client logs in; `upload`: a file that was written is closed; `open`: it is opened for that; `download`: it
 * is opened for reading; `list` and `rename` likewise.
 */
export type SftpStep = 'connect' | 'open' | 'upload' | 'download' | 'list' | 'rename';

export interface Sftp {
	credential: CredentialInput;
	/** The files with their paths, without the slash at the start. */
	files(): Promise<Array<{ name: string; content: Buffer }>>;
	/** Replaces a file, or makes it. */
	write(path: string, content: Buffer | string): Promise<void>;
	/** What was asked for, such as `OPEN w /calls/a.opus` (`r+` if opening does not empty the file), `RENAME /a /b` and `CLOSE`. */
	requests: string[];
	/** A fault of kind `status` is answered with "Failure". */
	addFault(fault: ArchiveFault<SftpStep>): void;
	close(): Promise<void>;
}

interface Attributes {
	mode: number;
	uid: number;
	gid: number;
	size: number;
	atime: number;
	mtime: number;
}

/** The parts of `ssh2` that are used here; n8n's own version comes without types. */
interface SftpSession {
	on(event: string, listener: (id: number, ...values: never[]) => void): void;
	status(id: number, code: number): void;
	handle(id: number, handle: Buffer): void;
	data(id: number, data: Buffer): void;
	name(id: number, names: Array<{ filename: string; longname: string; attrs: object }>): void;
	attrs(id: number, attributes: Attributes): void;
}
interface Client {
	on(event: 'authentication', listener: (context: AuthenticationContext) => void): void;
	on(event: 'session', listener: (accept: () => Session) => void): void;
	on(event: 'error' | 'close', listener: () => void): void;
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
	on(event: 'sftp', listener: (accept: () => SftpSession) => void): void;
}
interface Ssh2 {
	Server: new (
		options: { hostKeys: string[]; algorithms: { compress: string[] } },
		listener: (client: Client) => void,
	) => { injectSocket(socket: Socket): void };
	utils: {
		generateKeyPairSync(type: 'ed25519'): { private: string };
		sftp: { OPEN_MODE: Record<string, number>; STATUS_CODE: Record<string, number> };
	};
}

const { Server, utils } = createRequire(
	join(import.meta.dirname, '..', 'runtime', 'node_modules', 'n8n-nodes-base', 'package.json'),
)('ssh2') as Ssh2;
const { OPEN_MODE, STATUS_CODE } = utils.sftp;

const USERNAME = 'recordings';

/** An open file or folder. */
interface Opened {
	path: string;
	file?: FileHandle;
	writes: boolean;
	/** Names that are still to be listed. */
	names?: string[];
}

export async function startSftp(): Promise<Sftp> {
	const root = await mkdtemp(join(tmpdir(), 'voiceagent-sftp-'));
	const faults = new FaultList<SftpStep>();
	const requests: string[] = [];
	const password = randomUUID();
	const sockets = new Set<Socket>();

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
				accept().on('sftp', (acceptSftp) => serve(acceptSftp(), client));
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

	const local = (path: string) => join(root, posix.normalize(posix.join('/', path)));

	/** Does what can be done before the answer; the rest is up to the caller. */
	async function strike(step: SftpStep): Promise<ArchiveFault<SftpStep> | undefined> {
		const fault = faults.take(step);
		if (fault?.kind === 'delay') await sleep(fault.ms);
		if (fault?.kind === 'status') throw new Error('Failure');
		return fault;
	}

	function serve(sftp: SftpSession, client: Client): void {
		const opened = new Map<number, Opened>();
		// A client that was killed closes nothing.
		client.on('close', () => {
			for (const { file } of opened.values()) void file?.close();
		});
		let nextHandle = 0;
		const LOST = Symbol('the connection ends without an answer');

		/** Answers a request with what `act` does, and with the status of its error. */
		function on(event: string, act: (id: number, ...values: never[]) => Promise<void>): void {
			sftp.on(event, (id, ...values) => {
				act(id, ...values).catch((error: unknown) => {
					if (error === LOST) return client.end();
					const { code } = error as NodeJS.ErrnoException;
					const status = { ENOENT: 'NO_SUCH_FILE', EACCES: 'PERMISSION_DENIED' }[code ?? ''];
					sftp.status(id, STATUS_CODE[status ?? 'FAILURE'] ?? 4);
				});
			});
		}
		const ok = (id: number) => sftp.status(id, STATUS_CODE.OK ?? 0);
		const end = (id: number) => sftp.status(id, STATUS_CODE.EOF ?? 1);

		function add(id: number, one: Opened): void {
			opened.set(nextHandle, one);
			const handle = Buffer.alloc(4);
			handle.writeUInt32BE(nextHandle++);
			sftp.handle(id, handle);
		}
		function openedAt(handle: Buffer): Opened {
			const one = opened.get(handle.readUInt32BE());
			if (one === undefined) throw new Error('There is no such handle');
			return one;
		}
		function fileAt(handle: Buffer): FileHandle {
			const { file } = openedAt(handle);
			if (file === undefined) throw new Error('This handle is not that of a file');
			return file;
		}

		on('REALPATH', async (id, path: string) => {
			const absolute = posix.normalize(posix.join('/', path));
			sftp.name(id, [{ filename: absolute, longname: absolute, attrs: {} }]);
		});
		const describe = async (id: number, path: string) =>
			sftp.attrs(id, attributes(await stat(local(path))));
		on('STAT', describe);
		on('LSTAT', describe);
		on('FSTAT', async (id, handle: Buffer) =>
			sftp.attrs(id, attributes(await fileAt(handle).stat())),
		);

		on('OPEN', async (id, path: string, flags: number) => {
			const writes = (flags & (OPEN_MODE.WRITE ?? 2)) !== 0;
			const empties = (flags & (OPEN_MODE.TRUNC ?? 16)) !== 0;
			requests.push(`OPEN ${empties ? 'w' : writes ? 'r+' : 'r'} ${path}`);
			await strike(writes ? 'open' : 'download');
			const file = await open(local(path), nativeFlags(flags), 0o644);
			add(id, { path, file, writes });
		});
		on('READ', async (id, handle: Buffer, offset: number, length: number) => {
			const { bytesRead, buffer } = await fileAt(handle).read(
				Buffer.alloc(Math.min(length, 32_768)),
				{ position: offset },
			);
			if (bytesRead === 0) end(id);
			else sftp.data(id, buffer.subarray(0, bytesRead));
		});
		on('WRITE', async (id, handle: Buffer, offset: number, data: Buffer) => {
			await fileAt(handle).write(data, 0, data.length, offset);
			ok(id);
		});
		on('CLOSE', async (id, handle: Buffer) => {
			const one = openedAt(handle);
			opened.delete(handle.readUInt32BE());
			await one.file?.close();
			if (one.writes) {
				requests.push(`CLOSE ${one.path}`);
				const fault = await strike('upload');
				const file = local(one.path);
				await writeFile(file, damaged(await readFile(file), fault?.kind));
				if (fault?.kind === 'loseAnswer') throw LOST;
				if (fault?.kind === 'silent') return;
			}
			ok(id);
		});
		on('FSETSTAT', async (id) => ok(id));
		on('SETSTAT', async (id) => ok(id));

		on('OPENDIR', async (id, path: string) => {
			requests.push(`LIST ${path}`);
			await strike('list');
			add(id, { path, writes: false, names: await readdir(local(path)) });
		});
		on('READDIR', async (id, handle: Buffer) => {
			const { path, names = [] } = openedAt(handle);
			const next = names.splice(0, 100);
			if (next.length === 0) return end(id);
			sftp.name(
				id,
				await Promise.all(
					next.map(async (filename) => {
						const found = await stat(local(posix.join(path, filename)));
						const longname = `${found.isDirectory() ? 'd' : '-'}rw-r--r-- 1 0 0 ${found.size} Jan 1 00:00 ${filename}`;
						return { filename, longname, attrs: attributes(found) };
					}),
				),
			);
		});

		on('REMOVE', async (id, path: string) => {
			requests.push(`REMOVE ${path}`);
			await unlink(local(path));
			ok(id);
		});
		on('RENAME', async (id, from: string, to: string) => {
			requests.push(`RENAME ${from} ${to}`);
			const fault = await strike('rename');
			// OpenSSH refuses to rename onto a file that exists. Only its extension posix-rename replaces it.
			if (await exists(local(to))) throw new Error('Failure');
			await rename(local(from), local(to));
			if (fault?.kind === 'loseAnswer') throw LOST;
			ok(id);
		});
		on('MKDIR', async (id, path: string) => {
			await mkdir(local(path));
			ok(id);
		});
		on('RMDIR', async (id, path: string) => {
			await rmdir(local(path));
			ok(id);
		});
	}

	return {
		credential: {
			name: 'SFTP',
			type: 'sftp',
			data: { host: '127.0.0.1', port, username: USERNAME, password },
		},
		async files() {
			const entries = await readdir(root, { recursive: true, withFileTypes: true });
			return await Promise.all(
				entries
					.filter((entry) => entry.isFile())
					.map((entry) => join(entry.parentPath, entry.name))
					.sort()
					.map(async (file) => ({
						name: posix.relative(root, file),
						content: await readFile(file),
					})),
			);
		},
		async write(path, content) {
			await mkdir(posix.dirname(local(path)), { recursive: true });
			await writeFile(local(path), content);
		},
		requests,
		addFault: (fault) => faults.add(fault),
		async close() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, 'close');
			await rm(root, { recursive: true, force: true });
		},
	};
}

/** Flags of `fs.open` for those of SFTP. */
function nativeFlags(flags: number): number {
	const has = (name: string) => (flags & (OPEN_MODE[name] ?? 0)) !== 0;
	const access = has('WRITE')
		? has('READ')
			? constants.O_RDWR
			: constants.O_WRONLY
		: constants.O_RDONLY;
	return (
		access |
		(has('APPEND') ? constants.O_APPEND : 0) |
		(has('CREAT') ? constants.O_CREAT : 0) |
		(has('TRUNC') ? constants.O_TRUNC : 0) |
		(has('EXCL') ? constants.O_EXCL : 0)
	);
}

function attributes({ mode, uid, gid, size, atimeMs, mtimeMs }: Awaited<ReturnType<typeof stat>>) {
	const seconds = (ms: number | bigint) => Math.floor(Number(ms) / 1000);
	return {
		mode: Number(mode),
		uid: Number(uid),
		gid: Number(gid),
		size: Number(size),
		atime: seconds(atimeMs),
		mtime: seconds(mtimeMs),
	};
}

async function exists(file: string): Promise<boolean> {
	return await stat(file).then(
		() => true,
		() => false,
	);
}
