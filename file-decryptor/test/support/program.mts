import { spawn, type ChildProcess } from 'node:child_process';
import { join, resolve, sep } from 'node:path';
import type { Outcome } from '../../src/report.mts';
import { temporaryFolder, write } from './folder.mts';

export const packageFolder = resolve(import.meta.dirname, '../..');
export const program = join(packageFolder, 'dist', 'file-decryptor.cjs');

/** The Node that runs the program: the machine's own. The tests need Node 24: tools/node24.mjs. */
export const testedNode = process.env['TESTED_NODE'] ?? process.execPath;

export interface Ended {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: Buffer;
	stderr: string;
}

export interface RunOptions {
	cwd?: string;
	env?: Record<string, string>;
	/** Standard input; without it, there is none. */
	input?: string | Uint8Array | readonly Uint8Array[];
	/** Code that runs in the process before the program does. */
	hook?: string;
	node?: string;
	uid?: number;
}

/** The environment without options of the test runner, and without your own passwords. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
	const {
		NODE_OPTIONS: _options,
		NODE_TEST_CONTEXT: _context,
		FILE_DECRYPTOR_PASSWORD: _password,
		FILE_DECRYPTOR_PREVIOUS_PASSWORDS: _passwords,
		...environment
	} = process.env;
	return environment;
}

export interface Running {
	child: ChildProcess;
	/** Resolves when the process is over. */
	ended: Promise<Ended>;
	/** Sends the signal, then waits for the end. */
	kill(signal: NodeJS.Signals): Promise<Ended>;
}

/** Starts the built program. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
	const { node = testedNode, hook, uid } = options;
	const require =
		hook === undefined ? [] : ['--require', write(temporaryFolder(), 'hook.cjs', hook)];
	return startCommand(node, [...require, program, ...args], {
		...options,
		...(uid !== undefined && { uid, gid: uid }),
	});
}

export function startCommand(
	command: string,
	args: readonly string[],
	{ cwd, env, uid, gid }: Pick<RunOptions, 'cwd' | 'env' | 'uid'> & { gid?: number },
): Running {
	const child = spawn(command, args, {
		cwd,
		env: { ...cleanEnvironment(), ...env },
		stdio: ['pipe', 'pipe', 'pipe'],
		// Without a terminal of its own, so that it cannot ask the person who runs the tests.
		detached: true,
		...(uid !== undefined && { uid, gid }),
	});
	// A program may end without reading its input.
	child.stdin.on('error', () => undefined);
	const ended = endOf(child);
	return {
		child,
		ended,
		async kill(signal) {
			child.kill(signal);
			return await ended;
		},
	};
}

async function endOf(child: ChildProcess): Promise<Ended> {
	const stdout: Buffer[] = [];
	const stderr: Buffer[] = [];
	child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
	child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
	return await new Promise((resolvePromise, reject) => {
		child.on('error', reject);
		child.on('close', (code, signal) =>
			resolvePromise({
				code,
				signal,
				stdout: Buffer.concat(stdout),
				stderr: slashed(Buffer.concat(stderr).toString()),
			}),
		);
	});
}

/** Runs the built program to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
	const { child, ended } = start(args, options);
	const { input = '' } = options;
	for (const piece of typeof input === 'string' || input instanceof Uint8Array ? [input] : input) {
		child.stdin?.write(piece);
	}
	child.stdin?.end();
	return await ended;
}

/** What `--json` has printed. */
export function jsonLines(stdout: Buffer): Outcome[] {
	return stdout
		.toString()
		.split('\n')
		.filter(Boolean)
		.map(
			(line) =>
				JSON.parse(line, (_, value: unknown) =>
					typeof value === 'string' ? slashed(value) : value,
				) as Outcome,
		);
}

/** With the paths as the tests write them, also on Windows. */
function slashed(text: string): string {
	return text.replaceAll(sep, '/');
}
