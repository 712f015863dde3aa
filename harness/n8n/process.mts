/** The operating system's side of a real n8n: start it, watch it, measure it, end it. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isFree } from './ports.mts';

/** The real n8n that `npm run setup` installs. */
const n8nCommand = join(import.meta.dirname, '..', 'runtime', 'node_modules', 'n8n', 'bin', 'n8n');
const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 15_000;
const KEPT_LOG_LINES = 200;

export interface Memory {
	/** Resident memory of the n8n process now. */
	rssBytes: number;
	/** The most it ever was since the start or the last `resetPeakMemory()`; Linux only. */
	peakRssBytes?: number;
}

/** What n8n runs as: all of it, or one of the processes that queue mode adds. */
export type Command = 'start' | 'webhook' | 'worker';

export interface ProcessOptions {
	command: Command;
	userFolder: string;
	/** 0 picks a free one. */
	port: number;
	/** Wins over the driver's own settings. */
	env: Record<string, string>;
	/** Sees each line that n8n prints. */
	log: (line: string) => void;
}

/**
 * What keeps n8n to itself: nothing is sent anywhere that a workflow does not send, and it is reachable
 * from this machine only.
 */
const quietAndLocal = {
	N8N_LISTEN_ADDRESS: HOST,
	N8N_WORKER_SERVER_ADDRESS: HOST,
	N8N_HOST: HOST,
	N8N_SECURE_COOKIE: 'false',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	// Off: n8n's lists of verified packages and of MCP servers. Both are fetched from api.n8n.io.
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_DISABLED_MODULES: 'mcp-registry',
	// Settings > Community nodes runs `npm outdated`, which would ask the registry.
	npm_config_offline: 'true',
	// Halves the time of a start, most of which goes into compiling.
	NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '..', '.cache', 'compiled'),
	// As in n8n's own container image.
	NODE_ENV: 'production',
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
};

/** Settings of the calling shell that would turn this n8n into another one. */
const FOREIGN_SETTINGS =
	/^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_URL$|NODE_ENV$|NODE_OPTIONS$|NODE_TEST)/;

const alive = new Set<N8nProcess>();

export class N8nProcess {
	readonly url: string;
	readonly port: number;
	readonly pid: number;
	readonly #child: ChildProcess;
	readonly #lines: string[] = [];
	readonly #closed: Promise<void>;

	/**
	 * Starts n8n and waits until it answers.
	 *
	 * @throws {Error} when the port is taken, n8n ends, or it is not ready within three minutes; the last
	 *   lines of n8n's log are in the message
	 */
	static async start(options: ProcessOptions): Promise<N8nProcess> {
		const { command, userFolder, port, env, log } = options;
		const chosenPort = port === 0 ? await freePort() : port;
		if (!existsSync(n8nCommand)) {
			throw new Error('The real n8n is not installed yet: run `npm run setup`.');
		}
		if (!(await isFree(chosenPort))) {
			throw new Error(
				`Port ${chosenPort} on ${HOST} is taken by another program. Stop that program or choose another port.`,
			);
		}
		const n8n = new N8nProcess(
			command,
			chosenPort,
			{
				...ownEnvironment(),
				...quietAndLocal,
				N8N_USER_FOLDER: userFolder,
				N8N_PORT: String(chosenPort),
				// A worker has no other page than that of its health.
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(chosenPort),
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				...env,
			},
			log,
		);
		try {
			await n8n.#ready(command);
		} catch (error) {
			await n8n.stop();
			throw error;
		}
		return n8n;
	}

	private constructor(
		command: Command,
		port: number,
		env: NodeJS.ProcessEnv,
		log: (line: string) => void,
	) {
		this.port = port;
		this.url = `http://${HOST}:${port}`;
		// The Node that runs this file is the Node 24 that n8n needs.
		this.#child = spawn(process.execPath, [n8nCommand, command], {
			env,
			// A process group of its own, so that its task runners end with it.
			detached: process.platform !== 'win32',
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		this.#child.once('error', (error) => this.#lines.push(String(error)));
		if (this.#child.pid === undefined) throw new Error(`${process.execPath} could not be started.`);
		this.pid = this.#child.pid;
		for (const output of [this.#child.stdout, this.#child.stderr]) {
			if (output === null) continue;
			createInterface({ input: output }).on('line', (line) => {
				this.#lines.push(line);
				if (this.#lines.length > KEPT_LOG_LINES) this.#lines.shift();
				log(line);
			});
		}
		this.#closed = new Promise((resolve) => this.#child.once('close', () => resolve()));
		alive.add(this);
		void this.#closed.then(() => alive.delete(this));
		endChildrenWithThisProcess();
	}

	get isRunning(): boolean {
		return this.#child.exitCode === null && this.#child.signalCode === null;
	}

	/** The last lines that n8n printed, for messages about a failure. */
	logTail(count = 20): string {
		return this.#lines
			.slice(-count)
			.map((line) => `  n8n | ${line}`)
			.join('\n');
	}

	/**
	 * Polls until `probe` returns something, at first quickly, then less and less often.
	 *
	 * @param what completes "n8n did not …" in the message
	 * @throws {Error} on time-out or when n8n ends, with n8n's last log lines
	 */
	async waitFor<T>(
		what: string,
		timeoutMs: number,
		probe: () => Promise<T | undefined>,
	): Promise<T> {
		let intervalMs = 30;
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			const found = await probe();
			if (found !== undefined) return found;
			if (!this.isRunning) {
				throw new Error(`n8n ended before it could ${what}. It printed:\n${this.logTail()}`);
			}
			if (Date.now() > deadline) {
				throw new Error(
					`n8n did not ${what} within ${timeoutMs / 1000} s. It printed last:\n${this.logTail()}`,
				);
			}
			await sleep(intervalMs);
			intervalMs = Math.min(intervalMs * 1.3, 400);
		}
	}

	memory(): Memory {
		if (process.platform !== 'linux') {
			const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(this.pid)], {
				encoding: 'utf8',
			});
			return { rssBytes: Number(kilobytes) * 1024 };
		}
		const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
		const bytes = (field: string) => {
			const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status) ?? [];
			return Number(kilobytes) * 1024;
		};
		return { rssBytes: bytes('VmRSS'), peakRssBytes: bytes('VmHWM') };
	}

	/** Lets `peakRssBytes` start anew. Returns false where the system does not allow that. */
	resetPeakMemory(): boolean {
		try {
			// 5: "reset the peak resident set size", proc(5).
			writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
			return true;
		} catch {
			return false;
		}
	}

	/** Asks n8n to end and, if it does not within 15 s, ends it and what it started. */
	async stop(): Promise<void> {
		if (this.isRunning) {
			this.#child.kill('SIGTERM');
			await Promise.race([this.#closed, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
		}
		this.kill();
		await this.#closed;
	}

	/** Ends n8n's process group at once. Nothing else is touched. */
	kill(): void {
		try {
			if (process.platform === 'win32') this.#child.kill('SIGKILL');
			else process.kill(-this.pid, 'SIGKILL');
		} catch {
			// The group is empty already.
		}
	}

	async #ready(command: Command): Promise<void> {
		await this.waitFor('become ready', START_TIMEOUT_MS, async () => {
			try {
				const health = await fetch(`${this.url}/healthz/readiness`);
				if (!health.ok) return undefined;
				if (command !== 'start') return true;
				// Until its routes exist, n8n answers this with a web page.
				const settings = await fetch(`${this.url}/rest/settings`);
				await settings.json();
				return true;
			} catch {
				return undefined;
			}
		});
	}
}

function ownEnvironment(): NodeJS.ProcessEnv {
	const kept = Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name));
	const local = [process.env.NO_PROXY ?? process.env.no_proxy, HOST, 'localhost'].filter(Boolean);
	// Without this, a proxy of the machine would be asked for the emulator on 127.0.0.1.
	return { ...Object.fromEntries(kept), NO_PROXY: local.join(','), no_proxy: local.join(',') };
}

let watching = false;

/** n8n has its own process group, so it would survive a Ctrl-C or a crash of whoever drives it. */
function endChildrenWithThisProcess(): void {
	if (watching) return;
	watching = true;
	const killAll = () => {
		for (const n8n of alive) n8n.kill();
	};
	// First, so that nobody removes a folder under a running n8n.
	process.prependListener('exit', killAll);
	for (const [signal, exitCode] of [
		['SIGINT', 130],
		['SIGTERM', 143],
		['SIGHUP', 129],
	] as const) {
		process.on(signal, () => {
			// A program with a handler of its own decides itself how to end.
			if (process.listenerCount(signal) > 1) return;
			killAll();
			process.exit(exitCode);
		});
	}
}
