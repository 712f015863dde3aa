/** A copy of the repository in which the commands of the documentation run. */
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repositoryFiles, ROOT } from './pages.mts';
import { runInShell, succeedsIn, type CommandOptions, type Ended } from './shell.mts';
import { TEMPORARY } from './temporary.mts';

/** Set up as the checkout is, so that commands may write into it. */
class Copy {
	readonly root = join(TEMPORARY, 'n8n-nodes-voiceagent');

	/** @param installing folders in which commands install packages; elsewhere they only use them */
	make(installing: string[] = []): void {
		for (const file of repositoryFiles()) this.#take(file);
		for (const made of ['dist', '.cache/build.stamp', '.cache/pack.stamp', '.cache/package']) {
			if (existsSync(join(ROOT, made))) this.#take(made);
		}
		for (const folder of ['.', 'harness/runtime', 'emulator', 'file-decryptor']) {
			const path = join(folder, 'node_modules');
			if (installing.includes(folder)) this.#take(path);
			else symlinkSync(join(ROOT, path), join(this.root, path), 'junction');
		}
	}

	#take(path: string): void {
		mkdirSync(dirname(join(this.root, path)), { recursive: true });
		cpSync(join(ROOT, path), join(this.root, path), { recursive: true, verbatimSymlinks: true });
	}
}

export const copy = new Copy();

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
