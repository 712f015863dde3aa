/**
 * Installs a packed package (`npm pack`) where n8n looks for community packages. This needs no
 * registry: n8n asks another one than npm's only with an enterprise license.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

/** The package of this repository, packed by `npm run setup`. It has no dependencies. */
export function packedPackage(): string {
	const folder = join(import.meta.dirname, '..', '..', '.cache', 'package');
	const [tarball] = existsSync(folder) ? readdirSync(folder) : [];
	if (tarball === undefined) throw new Error('The package is not packed yet: run `npm run setup`.');
	return join(folder, tarball);
}

/**
 * Installs the package, or replaces an older version. n8n must not be running. Its settings do not
 * list the package, because its database has no rows for it.
 *
 * @param userFolder n8n's `N8N_USER_FOLDER`
 * @param tarball path of the packed package
 */
export async function installFiles(userFolder: string, tarball: string): Promise<void> {
	const packages = join(userFolder, '.n8n', 'nodes', 'node_modules');
	const unpacked = join(packages, '.unpacked');
	await rm(unpacked, { recursive: true, force: true });
	await mkdir(unpacked, { recursive: true });
	await runFile('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
	const manifest = await readFile(join(unpacked, 'package.json'), 'utf8');
	const { name } = JSON.parse(manifest) as { name: string };
	await rm(join(packages, name), { recursive: true, force: true });
	await rename(unpacked, join(packages, name));
}
