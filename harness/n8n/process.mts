/** The process of a real n8n: start it, watch it, end it. */
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProcessGroup } from '../../scripts/processGroup.mjs';
import { isolatedEnvironment } from './environment.mts';
import { n8nCommand, nodeOfN8n } from './installation.mts';
import { freePort, HOST, isFree } from './ports.mts';

const START_TIMEOUT_MS = 600_000;
/** Pauses between two probes: short at first, then longer, so that long waits cost n8n little. */
const FIRST_PROBE_MS = 30;
const PROBE_GROWTH = 1.3;
const MAX_PROBE_MS = 400;
const STOP_TIMEOUT_MS = 15_000;
const KEPT_LOG_LINES = 200;

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

export class N8nProcess {
	readonly url: string;
	readonly port: number;
	readonly pid: number;
	readonly #group: ProcessGroup;
	readonly #lines: string[] = [];

	/**
	 * Starts n8n and waits until it answers.
	 *
	 * @throws {Error} with n8n's last log lines, when the port is taken, n8n ends, or it is not ready
	 * within ten minutes
	 */
	static async start({ command, userFolder, port, env, log }: ProcessOptions): Promise<N8nProcess> {
		if (!existsSync(n8nCommand)) {
			throw new Error('The real n8n is not installed yet: run `npm run setup`.');
		}
		if (port !== 0 && !(await isFree(port))) {
			throw new Error(
				`Port ${port} on ${HOST} is taken by another program. ` +
					'Stop that program or choose another port.',
			);
		}
		const ownPort = port === 0 ? await freePort() : port;
		const settings = {
			...isolatedEnvironment(),
			N8N_USER_FOLDER: userFolder,
			N8N_PORT: String(ownPort),
			// The only page of a worker is the one for its health.
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(ownPort),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...env,
		};
		const n8n = new N8nProcess(command, ownPort, settings, log);
		try {
			await n8n.#ready(command);
			return n8n;
		} catch (error) {
			await n8n.stop();
			throw error;
		}
	}

	private constructor(
		command: Command,
		port: number,
		env: NodeJS.ProcessEnv,
		log: (line: string) => void,
	) {
		this.port = port;
		this.url = `http://${HOST}:${port}`;
		this.#group = new ProcessGroup(nodeOfN8n, [n8nCommand, command], {
			env,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const { pid, stdout, stderr } = this.#group.child;
		this.#group.child.once('error', (error) => this.#lines.push(String(error)));
		if (pid === undefined) throw new Error(`${nodeOfN8n} could not be started.`);
		this.pid = pid;
		for (const output of [stdout, stderr]) {
			if (output === null) continue;
			createInterface({ input: output }).on('line', (line) => {
				this.#lines.push(line);
				if (this.#lines.length > KEPT_LOG_LINES) this.#lines.shift();
				log(line);
			});
		}
	}

	get isRunning(): boolean {
		return this.#group.isRunning;
	}

	/** The last lines that n8n printed, for messages about a failure. */
	logTail(count = 20): string {
		return this.#lines
			.slice(-count)
			.map((line) => `  n8n | ${line}`)
			.join('\n');
	}

	/**
	 * Polls until `probe` returns something.
	 *
	 * @param what completes "n8n did not …" in the message
	 * @throws {Error} on time-out or when n8n ends, with n8n's last log lines
	 */
	async waitFor<T>(
		what: string,
		timeoutMs: number,
		probe: () => Promise<T | undefined>,
	): Promise<T> {
		let intervalMs = FIRST_PROBE_MS;
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
			intervalMs = Math.min(intervalMs * PROBE_GROWTH, MAX_PROBE_MS);
		}
	}

	/** Asks n8n to stop, and kills it and what it has started after 15 s. */
	async stop(): Promise<void> {
		await this.#group.end({ graceMs: STOP_TIMEOUT_MS, programOnly: true });
	}

	/** Kills n8n and what it has started. */
	kill(): void {
		this.#group.signal('SIGKILL');
	}

	async #ready(command: Command): Promise<void> {
		await this.waitFor('become ready', START_TIMEOUT_MS, async () => {
			try {
				const health = await fetch(`${this.url}/healthz/readiness`);
				if (!health.ok) return undefined;
				if (command !== 'start') return true;
				// Its routes exist once it says that nobody is signed in.
				return (await fetch(`${this.url}/rest/login`)).status === 401 || undefined;
			} catch {
				return undefined;
			}
		});
	}
}
