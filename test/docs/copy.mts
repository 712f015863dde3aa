/** A copy of the repository in which the commands of the documentation run. */
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repositoryFiles, ROOT } from './pages.mts';
import { runInShell, succeedsIn, type CommandOptions, type Ended } from './shell.mts';
import { TEMPORARY } from './temporary.mts';

export const copy = { root: join(TEMPORARY, 'n8n-nodes-voiceagent') };

/**
 * Set up as the checkout is, so that commands may write into it.
 * @param installing folders in which commands install packages; elsewhere they only use them
 */
export function makeCopy(installing: string[] = []): void {
	const made = ['dist', '.cache/build.stamp', '.cache/pack.stamp', '.cache/package'];
	const taken = [
		...repositoryFiles(),
		...made,
		...installing.map((path) => `${path}/node_modules`),
	];
	for (const path of taken.filter((one) => existsSync(join(ROOT, one)))) {
		const target = join(copy.root, path);
		mkdirSync(dirname(target), { recursive: true });
		cpSync(join(ROOT, path), target, { recursive: true, verbatimSymlinks: true });
	}
	for (const folder of ['.', 'harness/runtime', 'emulator', 'file-decryptor']) {
		if (installing.includes(folder)) continue;
		const path = join(folder, 'node_modules');
		symlinkSync(join(ROOT, path), join(copy.root, path), 'junction');
	}
}

export async function inCopy(
	command: string,
	{ cwd = '.', ...options }: Partial<CommandOptions> = {},
): Promise<Ended> {
	return await runInShell(command, { cwd: join(copy.root, cwd), ...options });
}

/** @throws {AssertionError} when the command fails */
export async function succeeds(
	command: string,
	{ cwd = '.', ...options }: Partial<CommandOptions> = {},
): Promise<Ended> {
	return await succeedsIn(join(copy.root, cwd), command, options);
}
