/**
 * Runs other programs for the tools: with a log, a heartbeat, and an end that takes the children along.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './paths.mjs';

const HEARTBEAT_MS = 10_000;
const GRACE_MS = 5_000;
const isWindows = process.platform === 'win32';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let stopping = false;

// After a crash of this process as well, nothing may go on in the background.
process.on('exit', () => {
	for (const child of running) kill(child, 'SIGKILL');
});

/** @type {NodeJS.Signals[]} */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd] where to run, the repository root by default
 * @property {NodeJS.ProcessEnv} [env] added to this process's environment
 * @property {string} [logFile] receives everything that the command prints; without it the command
 *   prints to the terminal
 * @property {(line: string) => void} [onLine] sees each line that goes to the log
 */

/**
 * Runs a command to its end and returns its exit code. A command that cannot be started throws.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<number>}
 */
export async function run(command, args, { cwd = root, env, logFile, onLine } = {}) {
	const child = spawn(command, args, {
		cwd,
		env: { ...process.env, ...env },
		// A process group of its own: one signal ends npm and all that npm started.
		detached: !isWindows,
		// On Windows npm is a .cmd file, which only a shell can start.
		shell: isWindows && command === 'npm',
		stdio: logFile === undefined ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
	});
	running.add(child);
	if (logFile !== undefined) writeLog(child, logFile, onLine);
	try {
		return await new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', (code) => resolve(code ?? 1));
		});
	} finally {
		running.delete(child);
		// Its end is not a result then, and this process is about to end as well.
		if (stopping) await new Promise(() => {});
	}
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} logFile
 * @param {(line: string) => void} [onLine]
 */
function writeLog(child, logFile, onLine = () => {}) {
	mkdirSync(dirname(logFile), { recursive: true });
	const log = createWriteStream(logFile);
	for (const output of [child.stdout, child.stderr]) {
		if (output === null) continue;
		createInterface({ input: output }).on('line', (line) => {
			log.write(`${line}\n`);
			onLine(line);
		});
	}
	child.once('close', () => log.end());
}

/**
 * Prints a line every ten seconds while `work` runs, so that nobody has to wonder whether it hangs.
 *
 * @template T
 * @param {() => string} progress what has been done so far
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withHeartbeat(progress, work) {
	const start = Date.now();
	const timer = setInterval(
		() => console.log(`      … ${duration(Date.now() - start)}, ${progress()}`),
		HEARTBEAT_MS,
	);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}

/**
 * Ends everything that was started here, then this process, when the user or a supervisor asks.
 *
 * @param {() => void} cleanUp runs just before the end
 * @returns {() => void} gives the signals back
 */
export function stopOnSignals(cleanUp) {
	/** @param {NodeJS.Signals} signal */
	const stop = (signal) => {
		if (stopping) return;
		stopping = true;
		const children = [...running];
		for (const child of children) kill(child, 'SIGTERM');
		const finish = () => {
			for (const child of children) kill(child, 'SIGKILL');
			cleanUp();
			process.exit(128 + constants.signals[signal]);
		};
		setTimeout(finish, GRACE_MS);
		const ended = children.map((child) => new Promise((resolve) => child.once('close', resolve)));
		void Promise.all(ended).then(finish);
	};
	for (const signal of stopSignals) process.on(signal, stop);
	return () => {
		for (const signal of stopSignals) process.off(signal, stop);
	};
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function kill(child, signal) {
	if (child.pid === undefined || child.exitCode !== null) return;
	try {
		if (isWindows) child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch {
		// It ended in the meantime.
	}
}

/**
 * @param {string} file
 * @param {number} count
 */
export function lastLines(file, count) {
	return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count);
}

/** Free space on the disk that holds the repository, in bytes. */
export function freeDiskBytes() {
	const { bavail, bsize } = statfsSync(root);
	return bavail * bsize;
}

/** @param {number} ms */
export function duration(ms) {
	const seconds = ms / 1000;
	if (seconds < 10) return `${seconds.toFixed(1)} s`;
	if (seconds < 60) return `${Math.round(seconds)} s`;
	return `${Math.floor(seconds / 60)} min ${Math.round(seconds) % 60} s`;
}
