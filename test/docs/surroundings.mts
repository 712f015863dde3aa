/** Where the commands of the documentation are run: a copy of the repository, its shell, and what they talk to. */
import { spawn } from 'node:child_process';
import { createCipheriv, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { isFree } from '../../harness/n8n/ports.mts';
import { repositoryFiles, ROOT } from './pages.mts';

const GRACE_MS = 20_000;

/** Everything that is made here. */
export const TEMPORARY = mkdtempSync(join(tmpdir(), 'voiceagent-docs-'));

/** Process groups that have not ended. */
const running = new Set<number>();

function signal(group: number, name: NodeJS.Signals): void {
	try {
		process.kill(-group, name);
	} catch {
		// It has ended.
	}
}

// Commands have process groups of their own, so whatever ends this process would not reach them.
process.on('exit', () => {
	// Not SIGKILL: they have children in further groups, which they end themselves.
	for (const group of running) signal(group, 'SIGTERM');
	rmSync(TEMPORARY, { recursive: true, force: true, maxRetries: 3 });
});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(name, () => process.exit(128 + constants.signals[name]));
}

/** A copy of the checkout that is set up as the checkout is, so that commands may write into it. */
export class Copy {
	readonly root = join(TEMPORARY, 'n8n-nodes-voiceagent');
	readonly #before: Map<string, string>;

	constructor(files: readonly string[]) {
		for (const file of files) this.#take(file);
		this.#before = new Map(files.map((file) => [file, digest(join(this.root, file))]));
		for (const made of ['dist', '.cache/build.stamp', '.cache/pack.stamp', '.cache/package']) {
			if (existsSync(join(ROOT, made))) this.#take(made);
		}
		// Only looked into. Pages show `npm install` in the other two folders, which writes.
		for (const folder of ['.', 'harness/runtime']) {
			const path = join(folder, 'node_modules');
			symlinkSync(join(ROOT, path), join(this.root, path), 'junction');
		}
		for (const folder of ['emulator', 'file-decryptor']) this.#take(join(folder, 'node_modules'));
	}

	#take(path: string): void {
		mkdirSync(dirname(join(this.root, path)), { recursive: true });
		cpSync(join(ROOT, path), join(this.root, path), { recursive: true, verbatimSymlinks: true });
	}

	/** Files of the repository that commands have changed, deleted or added here. */
	written(): string[] {
		const now = new Set([...repositoryFiles(this.root), ...this.#before.keys()]);
		return [...now].filter((file) => digest(join(this.root, file)) !== this.#before.get(file));
	}

	/** Whether a file that a command has written here is, changed in the same way, in the checkout too. */
	hasReachedCheckout(file: string): boolean {
		const there = digest(join(ROOT, file));
		return there !== (this.#before.get(file) ?? '') && there === digest(join(this.root, file));
	}
}

function digest(file: string): string {
	if (!existsSync(file)) return '';
	return createHash('sha256').update(readFileSync(file)).digest('hex');
}

export interface Ended {
	code: number | null;
	/** Standard output. */
	stdout: string;
	/** Standard output and standard error. */
	output: string;
}

export interface CommandOptions {
	cwd: string;
	env?: Record<string, string>;
	/** Folders with programs that come before those of the machine. */
	programs?: string[];
	/** Once the output shows this, `then` runs, and the command gets a Ctrl+C. */
	until?: RegExp;
	then?: (output: string) => Promise<void>;
	/** Given a terminal, where this is typed once the password is asked for. */
	typed?: string;
	timeoutMs?: number;
}

/** Runs a command exactly as it is, as a user's shell does; the first line that fails ends it. */
export async function runInShell(command: string, options: CommandOptions): Promise<Ended> {
	const { cwd, env, programs = [], until, then, typed, timeoutMs = 240_000 } = options;
	const [program, args] =
		typed === undefined
			? ['sh', ['-e', '-c', command]]
			: ['script', ['-qec', command, '/dev/null']];
	const child = spawn(program, args, {
		cwd,
		env: { ...cleanEnvironment(programs), ...env },
		// A process group, as a terminal gives to each command: Ctrl+C reaches all of it.
		detached: true,
		stdio: [typed === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
	});
	const group = child.pid;
	if (group === undefined) throw new Error(`${program} could not be started.`);
	running.add(group);

	let stdout = '';
	let output = '';
	let isTyped = false;
	let reached: (() => void) | undefined;
	const untilReached = new Promise<void>((resolve) => (reached = resolve));
	const read = (chunk: Buffer, isStdout: boolean) => {
		output += chunk.toString();
		if (isStdout) stdout += chunk.toString();
		if (until?.test(output)) reached?.();
		if (typed !== undefined && !isTyped && /not shown\):/.test(output)) {
			isTyped = true;
			// The program turns the echo off right after it has asked.
			setTimeout(() => child.stdin?.write(`${typed}\r`), 200);
		}
	};
	child.stdout?.on('data', (chunk: Buffer) => read(chunk, true));
	child.stderr?.on('data', (chunk: Buffer) => read(chunk, false));
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve));

	let isLate = false;
	const stop = (name: NodeJS.Signals) => {
		signal(group, name);
		setTimeout(() => signal(group, 'SIGKILL'), GRACE_MS).unref();
	};
	const timer = setTimeout(() => {
		isLate = true;
		stop('SIGTERM');
	}, timeoutMs);
	try {
		if (until !== undefined) {
			const first = await Promise.race([untilReached.then(() => 'reached'), ended]);
			if (first !== 'reached') {
				throw new Error(`It ended with ${first} before it showed ${until}:\n${output}`);
			}
			await then?.(output);
			stop('SIGINT');
		}
		const code = await ended;
		if (isLate) throw new Error(`It did not end within ${timeoutMs / 1000} s:\n${output}`);
		return {
			code,
			stdout: stripVTControlCharacters(stdout),
			output: stripVTControlCharacters(output),
		};
	} finally {
		clearTimeout(timer);
		if (child.exitCode === null && child.signalCode === null) {
			stop('SIGTERM');
			await ended;
		}
		running.delete(group);
	}
}

/** That of a user's shell: without what npm and the test runner have set for this process. */
function cleanEnvironment(programs: readonly string[]): NodeJS.ProcessEnv {
	const foreign =
		/^(?:npm_|NODE_OPTIONS$|NODE_TEST|NODE_ENV$|INIT_CWD$|VOICEAGENT_|FILE_DECRYPTOR_|N8N_)/i;
	const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
	const path = (process.env.PATH ?? '')
		.split(delimiter)
		.filter((folder) => !folder.includes('node_modules'));
	return {
		...Object.fromEntries(kept),
		PATH: [...programs, ...path].join(delimiter),
		// That in which `script` runs a command.
		SHELL: '/bin/sh',
		// Whatever is installed comes from this machine.
		npm_config_offline: 'true',
		npm_config_update_notifier: 'false',
		no_proxy: '127.0.0.1,localhost',
		NO_PROXY: '127.0.0.1,localhost',
	};
}

/** Why a program on a documented port cannot be started now, if it cannot. */
export async function takenPort(...ports: number[]): Promise<string | false> {
	for (const port of ports) {
		if (!(await isFree(port))) return `port ${port} is taken by another program`;
	}
	return false;
}

/**
 * Encrypts as the specification of the service says, without the code under test. Every recording looks like a WAV file.
 */
export function encryptedRecording(password: string): Buffer {
	const salt = randomBytes(16);
	const nonce = randomBytes(12);
	const key = pbkdf2Sync(password, salt, 310_000, 32, 'sha256');
	const cipher = createCipheriv('aes-256-gcm', key, nonce);
	const body = Buffer.concat([cipher.update(recording), cipher.final()]);
	return Buffer.concat([salt, nonce, body, cipher.getAuthTag()]);
}

/** What is in an encrypted recording. */
export const recording = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), randomBytes(1000)]);

/** A folder of its own in which files lie. */
export function folderWith(files: Record<string, string | Buffer>): string {
	const folder = join(mkdtempSync(join(TEMPORARY, 'folder-')), 'here');
	mkdirSync(folder);
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content, { mode: 0o600 });
	}
	return folder;
}

/** Stands in for a program that a machine need not have. */
export function standIn(name: string, script: string): string {
	const folder = join(TEMPORARY, 'stand-ins');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return folder;
}

/** An npm registry that has published this one package. */
export async function startRegistry(
	tarball: string,
): Promise<{ env: Record<string, string>; close: () => void }> {
	const content = readFileSync(tarball);
	const folder = folderWith({ 'package.tgz': content });
	await runInShell('tar -xzf package.tgz', { cwd: folder });
	const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) as {
		name: string;
		version: string;
	};
	const server = createServer((request, response) => {
		if (request.url === `/${manifest.name}`) {
			const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
			const dist = { tarball: `${url()}/${basename(tarball)}`, integrity };
			response.setHeader('Content-Type', 'application/json');
			response.end(
				JSON.stringify({
					name: manifest.name,
					'dist-tags': { latest: manifest.version },
					versions: { [manifest.version]: { ...manifest, dist } },
				}),
			);
		} else if (request.url === `/${basename(tarball)}`) response.end(content);
		else response.writeHead(404).end('{}');
	});
	const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const env = {
		npm_config_registry: url(),
		npm_config_offline: 'false',
		npm_config_audit: 'false',
		npm_config_prefix: join(TEMPORARY, 'global'),
		npm_config_cache: join(TEMPORARY, 'npm-cache'),
	};
	return { env, close: () => void server.close() };
}
