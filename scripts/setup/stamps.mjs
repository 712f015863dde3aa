/** Fingerprints of what a setup step works on. Its stamp holds the one that it last worked on. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cache, root } from '../paths.mjs';

/** @param {string} name */
export function readStamp(name) {
	const file = join(cache, `${name}.stamp`);
	return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Before the work, so that an interrupted step does not count as done. @param {string} name */
export function removeStamp(name) {
	rmSync(join(cache, `${name}.stamp`), { force: true });
}

/** @param {string} name @param {string} fingerprint */
export function writeStamp(name, fingerprint) {
	writeFileSync(join(cache, `${name}.stamp`), fingerprint);
}

/**
 * Changes when an installed package could change; not with a new script in package.json.
 *
 * @param {string} folder
 */
export function dependencyFingerprint(folder) {
	const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides } =
		manifest;
	return createHash('sha256')
		.update(
			JSON.stringify([
				process.platform,
				process.arch,
				dependencies,
				devDependencies,
				optionalDependencies,
				peerDependencies,
				overrides,
			]),
		)
		.update(readFileSync(join(folder, 'package-lock.json')))
		.digest('hex');
}

/**
 * A hash of names and contents of files and folders.
 *
 * @param {string[]} paths below the repository root; those that do not exist count as empty
 */
export function fingerprint(paths) {
	const hash = createHash('sha256');
	for (const file of paths.flatMap((path) => filesBelow(join(root, path)))) {
		hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
	}
	return hash.digest('hex');
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(path) {
	if (!existsSync(path)) return [];
	if (!statSync(path).isDirectory()) return [path];
	return readdirSync(path)
		.sort()
		.flatMap((name) => filesBelow(join(path, name)));
}
