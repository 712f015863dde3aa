/**
 * Installs a packed package (`npm pack`) the way n8n 2.41 installs a community package, without a registry.
 * The steps are those of `CommunityPackagesService.downloadPackage` in n8n; n8n itself can only be pointed
 * to another registry with an enterprise license.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

interface Manifest {
	name: string;
	version: string;
	author?: string | { name?: string; email?: string };
	dependencies?: Record<string, string>;
	devDependencies?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}

export interface InstalledPackage {
	name: string;
	version: string;
	authorName?: string;
	authorEmail?: string;
	folder: string;
}

/** A node of the package as n8n loaded it. */
export interface LoadedNode {
	/** With the package name in front, e.g. `n8n-nodes-voiceagent.voiceAgent`. */
	type: string;
	displayName: string;
	version: number;
}

/** The package of this repository, packed by `npm run setup`. */
export function packedPackage(): string {
	const folder = join(import.meta.dirname, '..', '..', '.cache', 'package');
	const [tarball] = existsSync(folder) ? readdirSync(folder) : [];
	if (tarball === undefined) throw new Error('The package is not packed yet: run `npm run setup`.');
	return join(folder, tarball);
}

/**
 * Puts the package's files where n8n looks for community packages. An older version is replaced. n8n
 * must not be running.
 *
 * @param userFolder n8n's `N8N_USER_FOLDER`
 * @param tarball path of the packed package
 */
export async function installFiles(userFolder: string, tarball: string): Promise<InstalledPackage> {
	const nodes = join(userFolder, '.n8n', 'nodes');
	const unpacked = join(nodes, 'node_modules', '.unpacked');
	await rm(unpacked, { recursive: true, force: true });
	await mkdir(unpacked, { recursive: true });
	await runFile('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);

	const manifest = await readJson<Manifest>(join(unpacked, 'package.json'));
	const { devDependencies, peerDependencies, optionalDependencies, ...published } = manifest;
	await writeJson(join(unpacked, 'package.json'), published);
	// Without dependencies, npm would find nothing to do.
	if (Object.keys(published.dependencies ?? {}).length > 0) {
		await runFile(
			'npm',
			[
				'install',
				'--audit=false',
				'--fund=false',
				'--bin-links=false',
				'--install-strategy=shallow',
				'--ignore-scripts=true',
				'--package-lock=false',
			],
			{ cwd: unpacked, shell: process.platform === 'win32' },
		);
	}

	const folder = join(nodes, 'node_modules', published.name);
	await rm(folder, { recursive: true, force: true });
	await mkdir(join(folder, '..'), { recursive: true });
	await rename(unpacked, folder);
	await addToLedger(nodes, published);

	const author = typeof published.author === 'object' ? published.author : {};
	return {
		name: published.name,
		version: published.version,
		authorName: author.name,
		authorEmail: author.email,
		folder,
	};
}

/** n8n's own list of what it installed. */
async function addToLedger(nodes: string, { name, version }: Manifest): Promise<void> {
	const file = join(nodes, 'package.json');
	const empty = { name: 'installed-nodes', private: true, dependencies: {} };
	const ledger = existsSync(file) ? await readJson<typeof empty>(file) : empty;
	await writeJson(file, { ...ledger, dependencies: { ...ledger.dependencies, [name]: version } });
}

/**
 * Writes the database rows that make the package show up under Settings > Community nodes. n8n needs them
 * for nothing else. SQLite only; n8n may be running.
 */
export function registerInDatabase(
	userFolder: string,
	installed: InstalledPackage,
	loadedNodes: LoadedNode[],
): void {
	const database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'), {
		timeout: 60_000,
	});
	try {
		database.exec('BEGIN IMMEDIATE');
		database.prepare('DELETE FROM installed_nodes WHERE package = ?').run(installed.name);
		database.prepare('DELETE FROM installed_packages WHERE packageName = ?').run(installed.name);
		database
			.prepare(
				`INSERT INTO installed_packages
					(packageName, installedVersion, authorName, authorEmail, createdAt, updatedAt)
					VALUES (?, ?, ?, ?, datetime('now'), datetime('now'))`,
			)
			.run(
				installed.name,
				installed.version,
				installed.authorName ?? null,
				installed.authorEmail ?? null,
			);
		const insertNode = database.prepare(
			'INSERT INTO installed_nodes (name, type, latestVersion, package) VALUES (?, ?, ?, ?)',
		);
		for (const { displayName, type, version } of loadedNodes) {
			insertNode.run(displayName, type, version, installed.name);
		}
		database.exec('COMMIT');
	} finally {
		database.close();
	}
}

async function readJson<T>(file: string): Promise<T> {
	return JSON.parse(await readFile(file, 'utf8')) as T;
}

async function writeJson(file: string, value: unknown): Promise<void> {
	await writeFile(file, JSON.stringify(value, null, 2));
}
