/** Runs commands to their end, with a log and a heartbeat. */
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithNpm } from '../emulator/src/end-with-npm.mjs';
import { root } from './paths.mjs';
import { ProcessGroup, runningGroups, stopSignals } from './processGroup.mjs';

const HEARTBEAT_MS = 10_000;
const GRACE_MS = 5_000;

let stopping = false;

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd] where to run, the repository root by default
 * @property {NodeJS.ProcessEnv} [env] added to this process's environment
 * @property {string} [logFile] receives everything that the command prints; without it the command
 *   prints to the terminal
 * @property {(line: string) => void} [onLine] sees each line that goes to the log
 * @property {number} [limitMs] ends the command after this time, with exit code 1; by default it
 *   has no limit
 */

/**
 * Runs a command to its end and returns its exit code. A command that cannot be started throws.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<number>}
 */
export async function run(command, args, { cwd = root, env, logFile, onLine, limitMs } = {}) {
	const group = new ProcessGroup(command, args, {
		cwd,
		env: { ...process.env, ...env },
		// On Windows npm is a .cmd file, which only a shell can start.
		shell: process.platform === 'win32' && command === 'npm',
		stdio: logFile === undefined ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
	});
	const logWritten = logFile && writeLog(group.child, logFile, onLine);
	const limit = limitMs && setTimeout(endAtLimit, limitMs);
	function endAtLimit() {
		console.error(`\nEnded after ${duration(Number(limitMs))}: ${command} ${args.join(' ')}\n`);
		void group.end({ graceMs: GRACE_MS });
	}
	const code = await new Promise((resolve, reject) => {
		group.child.once('error', reject);
		void group.closed.then((exitCode) => resolve(exitCode ?? 1));
	});
	clearTimeout(limit);
	await logWritten;
	// The signal that stops this process has ended the command: that is not a result.
	if (stopping) await new Promise(() => {});
	return code;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} logFile
 * @param {(line: string) => void} [onLine]
 * @returns {Promise<void>} when everything is in the file
 */
async function writeLog(child, logFile, onLine = () => {}) {
	mkdirSync(dirname(logFile), { recursive: true });
	const log = createWriteStream(logFile, { flags: 'a' });
	for (const output of [child.stdout, child.stderr]) {
		if (output === null) continue;
		createInterface({ input: output }).on('line', (line) => {
			log.write(`${line}\n`);
			onLine(line);
		});
	}
	await new Promise((resolve) => child.once('close', () => log.end(resolve)));
}

/**
 * Prints a line every ten seconds while `work` runs, to show that it does not hang.
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
 * @returns {() => void} undoes this
 */
export function stopOnSignals(cleanUp) {
	/** @param {NodeJS.Signals} signal */
	const stop = (signal) => {
		if (stopping) return;
		stopping = true;
		const finish = () => {
			cleanUp();
			process.exit(128 + constants.signals[signal]);
		};
		// Later than that, a group that cannot be ended is left to the exit handler.
		setTimeout(finish, GRACE_MS + 1_000);
		const ends = runningGroups().map(async (group) => await group.end({ graceMs: GRACE_MS }));
		void Promise.all(ends).then(finish);
	};
	for (const signal of stopSignals) process.on(signal, stop);
	endWithNpm(() => process.kill(process.pid, 'SIGTERM'));
	return () => {
		for (const signal of stopSignals) process.off(signal, stop);
	};
}

/**
 * @param {string} file
 * @param {number} count
 */
export function lastLines(file, count) {
	return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count);
}

/** @param {number} ms */
export function duration(ms) {
	const seconds = ms / 1000;
	if (seconds < 10) return `${seconds.toFixed(1)} s`;
	if (seconds < 60) return `${Math.round(seconds)} s`;
	return `${Math.floor(seconds / 60)} min ${Math.round(seconds) % 60} s`;
}
