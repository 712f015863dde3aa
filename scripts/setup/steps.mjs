/** The steps of the setup. Each knows whether it is up to date, and which ones come before it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.mjs';
import {
	cache,
	emulator,
	fileDecryptor,
	fromRoot,
	n8nRuntime,
	nodeForN8n,
	root,
} from '../paths.mjs';
import { freeGigabytes, npm } from './npm.mjs';
import { rebuildSqlite } from './sqlite.mjs';
import {
	dependencyFingerprint,
	fingerprint,
	readStamp,
	removeStamp,
	writeStamp,
} from './stamps.mjs';

/**
 * @typedef {object} Step
 * @property {string} name names the log file
 * @property {string} title what the step does
 * @property {string} [takes] how long that takes
 * @property {string[]} after names of the steps that it needs, which are further up
 * @property {boolean} [isForTests] the demo does not need it
 * @property {() => boolean} isUpToDate
 * @property {(log: string) => Promise<void>} work
 */

const packFolder = join(cache, 'package');

/** @type {Step[]} */
export const steps = [
	{
		name: 'tools',
		title: 'Checking Node and npm',
		after: [],
		isUpToDate: () => false,
		work: checkTools,
	},
	installStep({
		name: 'dependencies',
		folder: root,
		title: 'Installing the development dependencies',
		takes: 'about 1 GB, one to two minutes',
	}),
	installStep({
		name: 'n8n',
		folder: n8nRuntime,
		title: 'Installing the real n8n 2.41.1 with Node 24',
		takes: 'about 3 GB, two to six minutes',
		neededGigabytes: 4,
	}),
	installStep({
		name: 'emulator',
		folder: emulator,
		title: "Installing the emulator's dependencies",
		takes: 'about 0.3 GB, ten seconds',
	}),
	installStep({
		name: 'file-decryptor',
		folder: fileDecryptor,
		title: "Installing the command line's dependencies",
		takes: 'a few seconds',
		isForTests: true,
	}),
	{
		name: 'sqlite3',
		title: 'Preparing the SQLite binary that n8n stores its data with',
		takes: 'up to two minutes',
		after: ['n8n'],
		isUpToDate: sqliteLoads,
		work: prepareSqlite,
	},
	{
		name: 'database',
		title: 'Making the empty database that each n8n of the tests begins with',
		after: ['sqlite3', 'dependencies'],
		isForTests: true,
		isUpToDate: () => readStamp('database') === dependencyFingerprint(n8nRuntime),
		async work(log) {
			removeStamp('database');
			const program = join(root, 'harness/makeEmptyDatabase.mts');
			const code = await run(nodeForN8n(), [program], { logFile: log });
			if (code !== 0) throw new Error(`n8n ended with exit code ${code}.`);
			writeStamp('database', dependencyFingerprint(n8nRuntime));
		},
	},
	{
		name: 'build',
		title: 'Building the n8n package',
		after: ['dependencies'],
		isUpToDate: () => existsSync(join(root, 'dist')) && readStamp('build') === buildFingerprint(),
		async work(log) {
			const sources = buildFingerprint();
			removeStamp('build');
			await npm(['run', 'build'], { log, name: 'build' });
			writeStamp('build', sources);
		},
	},
	{
		name: 'pack',
		title: 'Packing the n8n package as npm publishes it',
		after: ['build'],
		isUpToDate: () => readStamp('pack') === packFingerprint() && tarballs().length === 1,
		async work(log) {
			removeStamp('pack');
			rmSync(packFolder, { recursive: true, force: true });
			mkdirSync(packFolder, { recursive: true });
			await npm(['pack', '--pack-destination', packFolder], { log, name: 'pack' });
			writeStamp('pack', packFingerprint());
		},
	},
];

/** The stamp of an installation that has not ended. */
const INSTALLING = 'installing';

/** @typedef {{ folder: string, neededGigabytes?: number }} InstallOptions */

/**
 * @param {Omit<Step, 'after' | 'isUpToDate' | 'work'> & InstallOptions} options
 * @returns {Step}
 */
export function installStep({ folder, neededGigabytes = 0, ...step }) {
	const modules = join(folder, 'node_modules');
	// Inside node_modules, so that deleting that folder deletes the stamp too.
	const stamp = join(modules, '.setup-stamp');
	const stamped = () => (existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined);
	return {
		...step,
		after: ['tools'],
		isUpToDate: () => stamped() === dependencyFingerprint(folder),
		async work(log) {
			// npm takes a package for installed whose folder is there, although not all of its files are.
			if (stamped() === INSTALLING) rmSync(modules, { recursive: true, force: true });
			if (!existsSync(modules) && freeGigabytes() < neededGigabytes) {
				throw new Error(`ENOSPC: less than ${neededGigabytes} GB are free on this disk.`);
			}
			const lock = join(folder, 'package-lock.json');
			const lockBefore = readFileSync(lock);
			mkdirSync(modules, { recursive: true });
			writeFileSync(stamp, INSTALLING);
			// Not `npm ci`: it refuses a lock that lacks optional binaries of other platforms.
			const args = ['install', '--no-save', '--no-audit', '--no-fund'];
			await npm(args, { log, name: step.name, cwd: folder });
			if (!readFileSync(lock).equals(lockBefore)) {
				writeFileSync(lock, lockBefore);
				throw new Error(
					`npm changed ${fromRoot(lock)} (now restored): it does not fit package.json. ` +
						'Update it with `npm install` and commit both.',
				);
			}
			writeFileSync(stamp, dependencyFingerprint(folder));
		},
	};
}

async function checkTools() {
	const [major] = process.versions.node.split('.').map(Number);
	if (major === undefined || major < 20) {
		throw new Error(
			`this is Node ${process.versions.node}, and Node 20 or newer is needed (https://nodejs.org).`,
		);
	}
	const { status, stdout } = spawnSync('npm', ['--version'], {
		encoding: 'utf8',
		shell: process.platform === 'win32',
	});
	if (status !== 0) throw new Error('npm is missing. It comes with Node (https://nodejs.org).');
	// n8n loads its nodes with code that has their path in quotes, and a colon ends a path in PATH.
	const unusable = process.platform === 'win32' ? /'/ : /[':\\]/;
	const [found] = unusable.exec(root) ?? [];
	if (found) {
		throw new Error(`n8n cannot start from a path with ${found} in it. Move the folder ${root}`);
	}
	console.log(`      Node ${process.versions.node}, npm ${stdout.trim()}`);
}

/** Whether the native part is there and the Node that will run n8n can load it. */
function sqliteLoads() {
	const { status } = spawnSync(nodeForN8n(), ['-e', "require('sqlite3')"], { cwd: n8nRuntime });
	return status === 0;
}

/** @param {string} log */
async function prepareSqlite(log) {
	await rebuildSqlite(n8nRuntime, { log, name: 'sqlite3' });
	if (!sqliteLoads()) throw new Error(`${nodeForN8n()} cannot load the binary that was made.`);
}

const tarballs = () =>
	existsSync(packFolder) ? readdirSync(packFolder).filter((name) => name.endsWith('.tgz')) : [];

const buildFingerprint = () =>
	fingerprint([
		'package.json',
		'tsconfig.json',
		'tsconfig.base.json',
		'gulpfile.js',
		'credentials',
		'nodes',
		'icons',
	]);

const packFingerprint = () =>
	fingerprint(['package.json', 'README.md', 'LICENSE.md', 'CHANGELOG.md', 'dist']);
