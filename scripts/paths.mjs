/** Paths of the repository, and the Node that runs n8n. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const n8nRuntime = join(root, 'harness/runtime');
export const emulator = join(root, 'emulator');
export const fileDecryptor = join(root, 'file-decryptor');
/** Logs, stamps, the packed package: everything that can be made again. Not in version control. */
export const cache = join(root, '.cache');

/** The same path as a reader sees it from the repository root. @param {string} path */
export const fromRoot = (path) => relative(root, path);

/**
 * The Node 24 that n8n 2.41 needs and that runs `.mts` files directly. npm installs it in
 * harness/runtime. For a platform that npm has none for, the machine's own Node does if it is new
 * enough.
 *
 * @returns {string} path of the binary
 * @throws {Error} when neither is there
 */
export function nodeForN8n() {
	const binary = process.platform === 'win32' ? 'node.exe' : 'node';
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	const fromNpm = join(`node-${platform}-${process.arch}`, 'bin', binary);
	for (const folder of [n8nRuntime, emulator]) {
		const path = join(folder, 'node_modules', fromNpm);
		if (existsSync(path)) return path;
	}
	if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
	throw new Error(
		`n8n 2.41 needs Node 24. npm has no Node 24 for ${process.platform} on ${process.arch}, and this ` +
			`is Node ${process.versions.node}. Install Node 24 (https://nodejs.org) and run the command again.`,
	);
}
