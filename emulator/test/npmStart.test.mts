import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

const folder = path.join(import.meta.dirname, '..');
const isLinux = process.platform === 'linux';

/** Starts the emulator in a process group of its own, and waits until it listens. */
async function startWith(command: string, args: string[]): Promise<ChildProcess & { pid: number }> {
	const child = spawn(command, args, { cwd: folder, detached: true });
	let output = '';
	while (!output.includes('Stop with')) {
		const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
		output += chunk.toString();
	}
	return Object.assign(child, { pid: child.pid ?? 0 });
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

/** What npm has started: a shell, or the program itself. */
async function childOf(pid: number): Promise<number> {
	for (const thread of await readdir(`/proc/${pid}/task`)) {
		const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8');
		if (children !== '') return Number.parseInt(children, 10);
	}
	throw new Error('npm has started nothing');
}

const group = async (pid: number) => -pid;
const targets: [string, NodeJS.Signals, (pid: number) => Promise<number>][] = [
	['npm', 'SIGTERM', async (pid) => pid],
	['npm', 'SIGHUP', async (pid) => pid],
	['npm', 'SIGKILL', async (pid) => pid],
	['the child of npm', 'SIGTERM', childOf],
	['the child of npm', 'SIGHUP', childOf],
	// As a terminal sends Ctrl+C. Sent to npm alone, the shell in between ignores it.
	['all', 'SIGINT', group],
	['all', 'SIGTERM', group],
];

for (const [name, signal, target] of targets) {
	const skip = isLinux ? false : 'needs /proc to find the child of npm';
	test(`${signal} to ${name} leaves nothing behind`, { skip, timeout: 60_000 }, async (t) => {
		const npm = await startWith('npm', ['start', '--', '--port', '0', '--in-memory']);
		t.after(() => isAlive(-npm.pid) && process.kill(-npm.pid, 'SIGKILL'));
		const exit = once(npm, 'exit');
		process.kill(await target(npm.pid), signal);
		await exit;
		while (isAlive(-npm.pid)) await wait(50);
	});
}

test(
	'without npm the emulator outlives the shell that started it',
	{ timeout: 60_000 },
	async (t) => {
		const script = '"$0" "$1" --port 0 --in-memory & wait';
		const { npm_lifecycle_event: _, ...env } = process.env;
		const shell = spawn('sh', ['-c', script, process.execPath, path.join(folder, 'src/cli.mts')], {
			env,
			detached: true,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		t.after(() => process.kill(-(shell.pid ?? 0), 'SIGKILL'));
		let output = '';
		while (!output.includes('Stop with')) {
			output += String(((await once(shell.stdout, 'data')) as [Buffer])[0]);
		}
		shell.kill('SIGKILL');
		await once(shell, 'exit');
		// Several times as long as npm is looked for.
		await wait(1500);
		const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\n/.exec(output) ?? [];
		assert.equal((await fetch(url)).status, 200);
	},
);
