/** Programs in process groups of their own: one signal reaches a program and everything that it has started. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const isWindows = process.platform === 'win32';

/** @type {NodeJS.Signals[]} */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** @type {Set<ProcessGroup>} */
const running = new Set();
let watching = false;

export class ProcessGroup {
	/**
	 * Starts a program. Its group ends with this process, however that ends.
	 *
	 * @param {string} command
	 * @param {string[]} args
	 * @param {import('node:child_process').SpawnOptions & { atExit?: NodeJS.Signals }} options
	 *   `atExit` is the signal that the group gets when this process ends; SIGKILL by default
	 */
	constructor(command, args, { atExit = 'SIGKILL', ...options }) {
		this.child = spawn(command, args, { ...options, detached: !isWindows });
		this.atExit = atExit;
		/** @type {Promise<number | null>} the exit code; `null` after a signal */
		this.closed = new Promise((resolve) => this.child.once('close', resolve));
		running.add(this);
		void this.closed.then(() => running.delete(this));
		endGroupsWithThisProcess();
	}

	get isRunning() {
		return this.child.exitCode === null && this.child.signalCode === null;
	}

	/** @param {NodeJS.Signals} name */
	signal(name) {
		if (this.child.pid === undefined) return;
		try {
			if (isWindows) this.child.kill(name);
			else process.kill(-this.child.pid, name);
		} catch {
			// The group is empty.
		}
	}

	/**
	 * Asks the program to stop, and kills what is left of its group when it has stopped or the time is up.
	 *
	 * @param {object} options
	 * @param {number} options.graceMs
	 * @param {NodeJS.Signals} [options.signal]
	 * @param {boolean} [options.programOnly] whether the program stops its children itself
	 * @returns {Promise<void>}
	 */
	async end({ graceMs, signal = 'SIGTERM', programOnly = false }) {
		if (this.isRunning) {
			if (programOnly) this.child.kill(signal);
			else this.signal(signal);
			await Promise.race([this.closed, sleep(graceMs, undefined, { ref: false })]);
		}
		this.signal('SIGKILL');
		await this.closed;
	}
}

/** The groups whose programs have not ended. */
export const runningGroups = () => [...running];

/** Signals of the terminal do not reach other groups, and neither does a crash of this process. */
function endGroupsWithThisProcess() {
	if (watching) return;
	watching = true;
	// Before other handlers remove folders that the programs use.
	process.prependListener('exit', () => {
		for (const group of running) group.signal(group.atExit);
	});
	for (const signal of stopSignals) {
		process.on(signal, () => {
			// A program with a handler of its own decides itself how to end.
			if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
		});
	}
}
