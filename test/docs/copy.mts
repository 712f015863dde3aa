/** A copy of the repository in which the commands of the documentation run. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repositoryFiles, ROOT } from './pages.mts';
import { runInShell, succeedsIn, type CommandOptions, type Ended } from './shell.mts';
import { TEMPORARY } from './temporary.mts';

/** Set up as the checkout is, so that commands may write into it. */
class Copy {
	readonly root = join(TEMPORARY, 'n8n-nodes-voiceagent');
	#before = new Map<string, string>();

	/** @param installing folders in which commands install packages; elsewhere they only use them */
	make(installing: string[] = []): void {
		const files = repositoryFiles();
		for (const file of files) this.#take(file);
		this.#before = new Map(files.map((file) => [file, digest(join(this.root, file))]));
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

	/** Files of the repository that commands have changed, deleted or added here. */
	written(): string[] {
		const now = new Set([...repositoryFiles(this.root), ...this.#before.keys()]);
		return [...now].filter((file) => digest(join(this.root, file)) !== this.#before.get(file));
	}

	/** Whether a file that a command has written here is, changed in the same way, in the checkout too. */
	hasReachedCheckout(file: string): boolean {
		const there = digest(join(ROOT, file));
		return there !== (this.#before.get(file) ?? '') && there === digest(join(this.root, file));
	}
}

function digest(file: string): string {
	if (!existsSync(file)) return '';
	return createHash('sha256').update(readFileSync(file)).digest('hex');
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
