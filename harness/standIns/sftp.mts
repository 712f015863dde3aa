/**
 * An SFTP server (version 3 of the protocol, as OpenSSH speaks it) on a temporary folder, for n8n's own FTP node.
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
import * as fs from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';

import { fromN8n } from '../n8n/installation.mts';
import type { CredentialInput } from '../n8n/n8n.mts';
import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';
import { listen } from '../listen.mts';

/** `open`: a file is opened to be written; `upload`: it is closed. */
type SftpStep = 'open' | 'upload';

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

const { Server, utils } = fromN8n('ssh2') as Ssh2;

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

/** An open file, or a folder with the names that are still to be listed. */
interface Opened {
	path: string;
	/** File descriptor. */
	fd?: number;
	isWritten?: boolean;
	names?: string[];
}

/** Refuses the request, as ordered; the rest of a fault is up to the caller. */
type Strike = (step: SftpStep) => ArchiveFault<SftpStep> | undefined;

type Action = (id: number, ...values: never[]) => void;

/** Answers one client's requests, by their names in the protocol. */
function actionsFor(channel: Channel, root: string, strike: Strike): Record<string, Action> {
	const opened: Opened[] = [];
	const place = (path: string) => join(root, posix.join('/', path));
	const ok = (id: number) => channel.status(id, OK);
	const describe = (id: number, path: string) => channel.attrs(id, attributesOf(place(path)));

	function answerOpened(id: number, one: Opened): void {
		const handle = Buffer.alloc(4);
		handle.writeUInt32BE(opened.push(one) - 1);
		channel.handle(id, handle);
	}

	function at(handle: Buffer): Opened {
		const one = opened[handle.readUInt32BE()];
		if (one === undefined) throw new Refusal(FAILURE);
		return one;
	}

	return {
		STAT: describe,
		LSTAT: describe,
		// The rights of a file.
		FSETSTAT: ok,
		REALPATH(id, path: string) {
			const filename = posix.join('/', path);
			channel.name(id, [{ filename, longname: filename, attrs: {} }]);
		},
		MKDIR(id, path: string) {
			fs.mkdirSync(place(path), { recursive: true });
			ok(id);
		},
		OPENDIR(id, path: string) {
			answerOpened(id, { path: place(path), names: fs.readdirSync(place(path)) });
		},
		READDIR(id, handle: Buffer) {
			const { path, names = [] } = at(handle);
			const listed = names.splice(0);
			if (listed.length === 0) throw new Refusal(END);
			const entries = listed.map((filename) => {
				const type = fs.statSync(join(path, filename)).isDirectory() ? 'd' : '-';
				const longname = `${type}rw-r--r-- 1 0 0 1 Jan 1 00:00 ${filename}`;
				return { filename, longname, attrs: attributesOf(join(path, filename)) };
			});
			channel.name(id, entries);
		},
		OPEN(id, path: string, flags: number) {
			const isWritten = (flags & OPEN_TO_WRITE) !== 0;
			if (isWritten) strike('open');
			const fd = fs.openSync(place(path), isWritten ? 'w' : 'r');
			answerOpened(id, { path: place(path), fd, isWritten });
		},
		READ(id, handle: Buffer, offset: number, length: number) {
			const data = Buffer.alloc(Math.min(length, 32_768));
			const { fd = NaN } = at(handle);
			const count = fs.readSync(fd, data, 0, data.length, offset);
			if (count === 0) throw new Refusal(END);
			channel.data(id, data.subarray(0, count));
		},
		WRITE(id, handle: Buffer, offset: number, data: Buffer) {
			const { fd = NaN } = at(handle);
			fs.writeSync(fd, data, 0, data.length, offset);
			ok(id);
		},
		CLOSE(id, handle: Buffer) {
			const { path, fd, isWritten } = at(handle);
			if (fd !== undefined) fs.closeSync(fd);
			if (!isWritten) return ok(id);
			const fault = strike('upload');
			fs.writeFileSync(path, damaged(fs.readFileSync(path), fault?.kind));
			if (fault?.kind === 'loseAnswer') throw new LostAnswer();
			if (fault?.kind !== 'silent') ok(id);
		},
	};
}

/** As the protocol names them. */
function attributesOf(path: string) {
	const { mode, uid, gid, size } = fs.statSync(path);
	return { mode, uid, gid, size, atime: 0, mtime: 0 };
}

function statusOf(error: unknown): number {
	if (error instanceof Refusal) return error.status;
	return (error as NodeJS.ErrnoException).code === 'ENOENT' ? NO_SUCH_FILE : FAILURE;
}

export async function startSftp(): Promise<Sftp> {
	const root = fs.mkdtempSync(join(tmpdir(), 'voiceagent-sftp-'));
	const faults = new FaultList<SftpStep>();
	const password = randomUUID();

	function strike(step: SftpStep): ReturnType<Strike> {
		const fault = faults.take(step);
		if (fault?.kind === 'status') throw new Refusal(FAILURE);
		return fault;
	}

	function serve(channel: Channel, client: Client): void {
		for (const [event, act] of Object.entries(actionsFor(channel, root, strike))) {
			channel.on(event, (id, ...values) => {
				try {
					act(id, ...values);
				} catch (error) {
					if (error instanceof LostAnswer) client.end();
					else channel.status(id, statusOf(error));
				}
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
				context.accept();
			});
			client.on('session', (accept) => {
				accept().on('sftp', (acceptChannel) => serve(acceptChannel(), client));
			});
		},
	);
	// Each packet is answered at once. Otherwise the two ends wait for each other at every one.
	const server = createServer({ noDelay: true }, (socket) => ssh.injectSocket(socket));
	const { port, close } = await listen(server);

	return {
		credential: {
			name: 'SFTP',
			type: 'sftp',
			data: { host: '127.0.0.1', port, username: USERNAME, password },
		},
		files: () =>
			fs
				.readdirSync(root, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ parentPath, name }) => join(parentPath, name))
				.map((path) => ({ name: relative(root, path), content: fs.readFileSync(path) })),
		write(path, content) {
			fs.mkdirSync(dirname(join(root, path)), { recursive: true });
			fs.writeFileSync(join(root, path), content);
		},
		addFault: (fault) => faults.add(fault),
		async close() {
			await close();
			fs.rmSync(root, { recursive: true });
		},
	};
}
