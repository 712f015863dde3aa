/** What the repository consists of. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from './paths.mjs';

/** Folders that are installed or built. */
const MADE = new Set(['node_modules', 'dist', '.git', '.cache', '.demo', 'data']);

/**
 * The files of the repository from its root, with slashes. Those that are not committed yet count
 * too. Without Git, these are all files that are neither installed nor built.
 *
 * @returns {string[]}
 */
export function repositoryFiles() {
	if (!existsSync(join(root, '.git'))) return walk('');
	return execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
		cwd: root,
		encoding: 'utf8',
	})
		.split('\0')
		.filter((path) => path !== '' && existsSync(join(root, path)));
}

/** @param {string} folder @returns {string[]} */
function walk(folder) {
	return readdirSync(join(root, folder), { withFileTypes: true })
		.filter(({ name }) => !MADE.has(name))
		.flatMap((entry) => {
			const path = posix.join(folder, entry.name);
			return entry.isDirectory() ? walk(path) : [path];
		});
}
