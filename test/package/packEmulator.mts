import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Builds and packs the emulator as it is published. It builds in a copy, because other tests may
 * read the folder.
 *
 * @param folder for the copy and the tarball
 * @returns path of the tarball
 */
export function packEmulator(folder: string): string {
	const room = join(folder, 'packing');
	const copy = join(room, 'emulator');
	mkdirSync(room, { recursive: true });
	cpSync(join(ROOT, 'emulator'), copy, {
		recursive: true,
		verbatimSymlinks: true,
		filter: (path) => !/\/(?:node_modules|dist|data)$/.test(path),
	});
	for (const file of ['LICENSE.md', 'tsconfig.base.json']) {
		cpSync(join(ROOT, file), join(room, file));
	}
	symlinkSync(join(ROOT, 'emulator/node_modules'), join(copy, 'node_modules'));
	execFileSync(process.execPath, [join(copy, 'tools/build.mjs')]);
	const args = ['pack', '--silent', '--pack-destination', folder];
	const name = execFileSync('npm', args, { cwd: join(copy, 'dist'), encoding: 'utf8' }).trim();
	return join(folder, name);
}
