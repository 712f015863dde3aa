/**
 * Sets up everything that `npm start` and `npm test` need. Steps that are up to date are skipped, so it
 * can run before every command, and go on where an interrupted run stopped.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
	duration,
	freeDiskBytes,
	lastLines,
	run,
	stopOnSignals,
	withHeartbeat,
} from './command.mjs';
import {
	cache,
	emulator,
	fileDecryptor,
	fromRoot,
	n8nRuntime,
	nodeForN8n,
	root,
} from './paths.mjs';

export { nodeForN8n } from './paths.mjs';

/** A step failed and the user has been told what to do. */
export class SetupError extends Error {}

/**
 * @typedef {object} Step
 * @property {string} name names the log file
 * @property {string} title what the step does and how long that takes
 * @property {() => boolean} isUpToDate
 * @property {(log: string) => Promise<void>} work
 */

const packFolder = join(cache, 'package');
const lockFile = join(cache, 'setup.lock');
let ownsLock = false;
const GIGABYTE = 1024 ** 3;

/** @type {Step[]} */
const steps = [
	{
		name: 'tools',
		title: 'Checking Node and npm',
		isUpToDate: () => false,
		work: checkTools,
	},
	installStep({
		name: 'dependencies',
		folder: root,
		title: 'Installing the development dependencies (about 0.9 GB, one to two minutes)',
	}),
	installStep({
		name: 'emulator',
		folder: emulator,
		title: "Installing the emulator's dependencies (about 0.2 GB, ten seconds)",
	}),
	installStep({
		name: 'file-decryptor',
		folder: fileDecryptor,
		title: "Installing the command line's dependencies (a few seconds)",
	}),
	installStep({
		name: 'n8n',
		folder: n8nRuntime,
		title: 'Installing the real n8n 2.41.1 with Node 24 (about 3 GB, three to six minutes)',
		neededBytes: 4 * GIGABYTE,
	}),
	{
		name: 'sqlite3',
		title: 'Preparing the SQLite binary that n8n stores its data with (up to two minutes)',
		isUpToDate: sqliteLoads,
		work: rebuildSqlite,
	},
	{
		name: 'build',
		title: 'Building the n8n package',
		isUpToDate: () => existsSync(join(root, 'dist')) && readStamp('build') === buildFingerprint(),
		async work(log) {
			const sources = buildFingerprint();
			removeStamp('build');
			await npm(['run', 'build'], { log });
			writeStamp('build', sources);
		},
	},
	{
		name: 'pack',
		title: 'Packing the n8n package as npm publishes it',
		isUpToDate: () => readStamp('pack') === packFingerprint() && tarballs().length === 1,
		async work(log) {
			removeStamp('pack');
			rmSync(packFolder, { recursive: true, force: true });
			mkdirSync(packFolder, { recursive: true });
			await npm(['pack', '--pack-destination', packFolder], { log });
			writeStamp('pack', packFingerprint());
		},
	},
];

/**
 * Runs all steps. Prints as it goes.
 *
 * @throws {SetupError} when a step failed; the reason is already printed
 */
export async function setup() {
	await takeTurn();
	try {
		for (const [index, step] of steps.entries()) {
			await runStep(step, `[${index + 1}/${steps.length}]`);
		}
	} finally {
		releaseLock();
	}
}

/**
 * @param {Step} step
 * @param {string} position
 */
async function runStep(step, position) {
	if (step.isUpToDate()) {
		console.log(`${position} ${step.title.replace(/ \(.*\)$/, '')}: up to date`);
		return;
	}
	console.log(`${position} ${step.title} …`);
	const start = Date.now();
	const log = join(cache, 'logs', `${step.name}.log`);
	mkdirSync(dirname(log), { recursive: true });
	rmSync(log, { force: true });
	try {
		await step.work(log);
	} catch (error) {
		explainFailure(step, log, error);
		throw new SetupError(`${step.title}: failed`);
	}
	console.log(`      done in ${duration(Date.now() - start)}`);
}

/**
 * @param {Step} step
 * @param {string} log
 * @param {unknown} error
 */
function explainFailure(step, log, error) {
	const hasLog = existsSync(log);
	const tail = hasLog ? lastLines(log, 20) : [];
	const message = error instanceof Error ? error.message : String(error);
	console.error(['', ...tail.map((line) => `      | ${line}`), ''].join('\n'));
	console.error(`      FAILED: ${step.title.replace(/ \(.*\)$/, '')}: ${message}`);
	if (hasLog) console.error(`      Full log: ${fromRoot(log)}`);
	console.error(`      ${hint(step, hasLog ? readFileSync(log, 'utf8') : message)}`);
}

/**
 * What the user can do about it, in plain words.
 *
 * @param {Step} step
 * @param {string} output
 */
function hint({ name }, output) {
	if (/ENOSPC|no space left/i.test(output)) {
		return 'The disk is full. Free about 5 GB and run the command again.';
	}
	if (/EACCES|EPERM|permission denied/i.test(output)) {
		return (
			'A file or folder may not be written. Check that the repository and the npm cache ' +
			'(`npm config get cache`) belong to you, and run the command again without sudo.'
		);
	}
	if (name === 'sqlite3') {
		return (
			'No ready-made SQLite binary could be downloaded (they come from GitHub), and building one failed. ' +
			'Either allow the download, or install python3, make and a C++ compiler (Debian, Ubuntu: ' +
			'`sudo apt-get install python3 make g++`; macOS: `xcode-select --install`) and run the command again.'
		);
	}
	if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(output)) {
		return (
			'The npm registry cannot be reached. Check the internet connection (behind a proxy: ' +
			'`npm config set https-proxy …`) and run the command again.'
		);
	}
	if (/EINTEGRITY/.test(output)) {
		return 'A download was damaged. Run `npm cache verify`, then the command again.';
	}
	if (/\bE404\b|ETARGET|notarget/.test(output)) {
		return 'Your npm registry does not have a version that is needed here. Does `npm config get registry` name a complete one?';
	}
	if (name === 'build') return 'The sources do not compile: the messages above name file and line.';
	return 'Run the command again; if it fails at the same place, please report it with the log.';
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
	console.log(`      Node ${process.versions.node}, npm ${stdout.trim()}`);
}

/**
 * @param {{ name: string, folder: string, title: string, neededBytes?: number }} options
 * @returns {Step}
 */
function installStep({ name, folder, title, neededBytes = 0 }) {
	// Inside node_modules: whoever deletes that folder also deletes the claim that it is complete.
	const stamp = join(folder, 'node_modules', '.setup-stamp');
	return {
		name,
		title,
		isUpToDate: () =>
			existsSync(stamp) && readFileSync(stamp, 'utf8') === dependencyFingerprint(folder),
		async work(log) {
			if (!existsSync(join(folder, 'node_modules')) && freeDiskBytes() < neededBytes) {
				throw new Error(`ENOSPC: less than ${neededBytes / GIGABYTE} GB are free on this disk.`);
			}
			const lock = join(folder, 'package-lock.json');
			const lockBefore = readFileSync(lock);
			rmSync(stamp, { force: true });
			// Not `npm ci`: it refuses a lock that lacks optional binaries of other platforms.
			await npm(['install', '--no-save', '--no-audit', '--no-fund'], { log, cwd: folder });
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

/** Whether the native part is there and the Node that will run n8n can load it. */
function sqliteLoads() {
	const { status } = spawnSync(nodeForN8n(), ['-e', "require('sqlite3')"], { cwd: n8nRuntime });
	return status === 0;
}

/** @param {string} log */
async function rebuildSqlite(log) {
	// Node's C headers, in case it has to be compiled: the Node 24 from npm carries them along.
	const nodeFolder = join(nodeForN8n(), '..', '..');
	const hasHeaders = existsSync(join(nodeFolder, 'include', 'node', 'node_api.h'));
	// Install scripts are off (.npmrc); this is the only one that n8n cannot do without.
	await npm(['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'], {
		log,
		cwd: n8nRuntime,
		env: hasHeaders ? { npm_config_nodedir: nodeFolder } : {},
	});
	if (!sqliteLoads()) throw new Error(`${nodeForN8n()} cannot load the binary that was made.`);
}

/**
 * Runs npm with a log and a heartbeat.
 *
 * @param {string[]} args
 * @param {{ log: string, cwd?: string, env?: NodeJS.ProcessEnv }} options
 */
async function npm(args, { log, cwd = root, env }) {
	let requests = 0;
	let packages = 0;
	let lastLine = '';
	const freeBefore = freeDiskBytes();
	const progress = () => {
		if (args[0] !== 'install') return lastLine.slice(0, 70);
		const written = Math.max(0, freeBefore - freeDiskBytes()) / GIGABYTE;
		return `${requests} downloads, ${packages} of them packages, ${written.toFixed(2)} GB written`;
	};
	const onLine = (/** @type {string} */ line) => {
		if (line.trim() !== '') lastLine = line.trim();
		if (!line.startsWith('npm http')) return;
		requests += 1;
		if (line.includes('.tgz')) packages += 1;
	};
	const code = await withHeartbeat(progress, () =>
		// At this level npm reports each download: that is the progress shown.
		run('npm', [...args, '--loglevel=http'], { cwd, env, logFile: log, onLine }),
	);
	if (code !== 0) throw new Error(`\`npm ${args.join(' ')}\` ended with exit code ${code}.`);
}

/**
 * Waits until no other setup works in this checkout, then claims it.
 */
async function takeTurn() {
	mkdirSync(cache, { recursive: true });
	let announced = 0;
	for (;;) {
		try {
			writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
			ownsLock = true;
			break;
		} catch (error) {
			if (!isCode(error, 'EEXIST')) throw error;
		}
		if (isAbandoned()) {
			rmSync(lockFile, { force: true });
			continue;
		}
		if (Date.now() - announced > 10_000) {
			console.log(`Another setup is at work (${fromRoot(lockFile)}): waiting for it …`);
			announced = Date.now();
		}
		await new Promise((resolve) => setTimeout(resolve, 500));
	}
	setInterval(() => {
		const now = new Date();
		if (ownsLock && existsSync(lockFile)) utimesSync(lockFile, now, now);
	}, 5_000).unref();
}

function releaseLock() {
	if (ownsLock) rmSync(lockFile, { force: true });
	ownsLock = false;
}

/** The owner is gone, or (in another container, where its number says nothing) silent for a minute. */
function isAbandoned() {
	try {
		if (Date.now() - statSync(lockFile).mtimeMs > 60_000) return true;
		const owner = Number(readFileSync(lockFile, 'utf8'));
		// Empty for the moment between creation and writing.
		if (owner === 0) return false;
		process.kill(owner, 0);
		return false;
	} catch (error) {
		return isCode(error, 'ESRCH');
	}
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
	return error instanceof Error && 'code' in error && error.code === code;
}

const tarballs = () =>
	existsSync(packFolder) ? readdirSync(packFolder).filter((name) => name.endsWith('.tgz')) : [];

/** @param {string} name */
function readStamp(name) {
	const file = join(cache, `${name}.stamp`);
	return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Before the work, so that a run that is cut short leaves no claim behind. @param {string} name */
function removeStamp(name) {
	rmSync(join(cache, `${name}.stamp`), { force: true });
}

/** @param {string} name @param {string} fingerprint */
function writeStamp(name, fingerprint) {
	writeFileSync(join(cache, `${name}.stamp`), fingerprint);
}

/**
 * Changes when an installed package could change; a new script in package.json is no reason to install.
 *
 * @param {string} folder
 */
function dependencyFingerprint(folder) {
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

/**
 * A hash of names and contents of files and folders.
 *
 * @param {string[]} paths below the repository root; those that do not exist count as empty
 */
function fingerprint(paths) {
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

/** Ends the setup when the process is told to stop. Returns a function that gives the signals back. */
export function stopSetupOnSignals() {
	return stopOnSignals(() => {
		releaseLock();
		console.error('\nStopped. Finished steps of the setup are kept.');
	});
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
	stopSetupOnSignals();
	try {
		await setup();
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		process.exitCode = 1;
	}
}
