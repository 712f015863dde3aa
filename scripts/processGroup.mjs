/** Runs programs in process groups of their own: one signal reaches all that a program started. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const isWindows = process.platform === 'win32';
/** How often to look whether a group is empty. A system needs longer to give out all other ids. */
const LOOK_MS = 100;

/** @type {NodeJS.Signals[]} */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** @type {Set<ProcessGroup>} */
const running = new Set();
let watching = false;

export class ProcessGroup {
	#isEmpty = false;

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
		this.child.once('exit', () => this.#watchWhatIsLeft());
		running.add(this);
		void this.closed.then(() => running.delete(this));
		endGroupsWithThisProcess();
	}

	get isRunning() {
		return this.child.exitCode === null && this.child.signalCode === null;
	}

	/**
	 * Sends a signal to the group. It reaches nobody once the group is empty, because another group
	 * may have the same id by then.
	 *
	 * @param {NodeJS.Signals} name
	 */
	signal(name) {
		if (isWindows) this.child.kill(name);
		else this.#send(name);
	}

	/** @param {NodeJS.Signals | 0} name */
	#send(name) {
		if (this.child.pid === undefined || this.#isEmpty) return;
		try {
			process.kill(-this.child.pid, name);
		} catch {
			this.#isEmpty = true;
		}
	}

	/** What the program has started may outlive it, and keeps the id of the group. */
	#watchWhatIsLeft() {
		if (isWindows) return;
		const timer = setInterval(() => {
			this.#send(0);
			if (this.#isEmpty) clearInterval(timer);
		}, LOOK_MS).unref();
		this.#send(0);
	}

	/**
	 * Asks the program to stop. When it has or the time is up, kills what is left of its group.
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
