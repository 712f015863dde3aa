/** Runs commands of the documentation as a user's shell does. */
import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { isFree } from '../../harness/n8n/ports.mts';
import { ProcessGroup } from '../../scripts/processGroup.mjs';

const GRACE_MS = 60_000;
const TIMEOUT_MS = 600_000;

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
}

/** Runs a command exactly as it is, as a user's shell does; the first line that fails ends it. */
export async function runInShell(command: string, options: CommandOptions): Promise<Ended> {
	const { cwd, env, programs = [], until, then } = options;
	const group = new ProcessGroup('sh', ['-e', '-c', command], {
		cwd,
		env: { ...cleanEnvironment(programs), ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
		// Not SIGKILL: commands have children in other groups, which they end themselves.
		atExit: 'SIGTERM',
	});
	const { child, closed } = group;
	let stdout = '';
	let output = '';
	let reached: (() => void) | undefined;
	const untilReached = new Promise<void>((resolve) => (reached = resolve));
	const read = (chunk: Buffer, isStdout: boolean) => {
		output += chunk.toString();
		if (isStdout) stdout += chunk.toString();
		if (until?.test(output)) reached?.();
	};
	child.once('error', (error) => (output += error.message));
	child.stdout?.on('data', (chunk: Buffer) => read(chunk, true));
	child.stderr?.on('data', (chunk: Buffer) => read(chunk, false));

	let isLate = false;
	const timer = setTimeout(() => {
		isLate = true;
		void group.end({ graceMs: GRACE_MS });
	}, TIMEOUT_MS);
	try {
		if (until !== undefined) {
			const first = await Promise.race([untilReached.then(() => 'reached'), closed]);
			if (first !== 'reached') {
				throw new Error(`It ended with ${first} before it showed ${until}:\n${output}`);
			}
			await then?.(output);
			await group.end({ signal: 'SIGINT', graceMs: GRACE_MS });
		}
		const code = await closed;
		if (isLate) throw new Error(`It did not end within ${TIMEOUT_MS / 1000} s:\n${output}`);
		return {
			code,
			stdout: stripVTControlCharacters(stdout),
			output: stripVTControlCharacters(output),
		};
	} finally {
		clearTimeout(timer);
		if (group.isRunning) await group.end({ graceMs: GRACE_MS });
	}
}

/** @throws {AssertionError} when the command fails */
export async function succeedsIn(
	folder: string,
	command: string,
	options: Partial<CommandOptions> = {},
): Promise<Ended> {
	const ended = await runInShell(command, { cwd: folder, ...options });
	assert.equal(ended.code, 0, ended.output);
	return ended;
}

/** The environment of a user's shell: npm and the test runner have set more for this process. */
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
		// Packages come from npm's cache.
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
