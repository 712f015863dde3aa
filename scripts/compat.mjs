/**
 * `npm run test:compat -- 2.39.10 2.39.10@22 2.41.1+3.0`: installs these versions of n8n aside, one
 * after the other. It runs test/compat/ and the tests of agents in each, and prints a table.
 *
 * 2.39.10        this version of n8n with Node 24
 * 2.39.10@22     with this version of Node
 * 2.41.1+3.0     with the settings that n8n 3.0 makes its defaults, and a separate task runner
 * latest         the newest version
 * image:latest   n8n's official image with this tag, and that of its task runner, which need a
 *                running Docker daemon. From 3.0 on, n8n comes only as an image
 *
 * --keep    leaves the installations in .cache/compat/ for the next run
 * --write   says in docs/hosting.md which versions were tried, and when
 *
 * .cache/compat/table.md has the table, which CI keeps as a file of its run.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from './command.mjs';
import { FAILS } from './compatTable.mjs';
import { END_WITH_CLIENT } from './endWithClient.mjs';
import { readOptions } from './options.mjs';
import { cache, fromRoot, n8nRuntime, nodeForN8n, root } from './paths.mjs';
import { setup, SetupError, stopSetupOnSignals } from './setup.mjs';
import { npm } from './setup/npm.mjs';
import { rebuildSqlite, SQLITE_BINARY } from './setup/sqlite.mjs';

/**
 * Settings from the list of breaking changes in n8n's documentation. One is left out: n8n 3.0 turns
 * unverified packages off, and then there would be nothing to test.
 */
const DEFAULTS_OF_3 = {
	N8N_RUNNERS_TASK_TIMEOUT: '60',
	N8N_MIGRATE_FS_STORAGE_PATH: 'true',
	N8N_ENV_FEAT_ENCRYPTION_KEY_ROTATION: 'true',
	N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: String(256 * 1024 ** 2),
	N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
	N8N_DISABLED_MODULES: 'chat-hub,mcp-registry',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
};

const PAGE = join(root, 'docs/hosting.md');
/** CI keeps it with each run. */
const TABLE = join(cache, 'compat', 'table.md');
const runtime = JSON.parse(readFileSync(join(n8nRuntime, 'package.json'), 'utf8'));

const { values: flags, positionals } = readOptions({
	allowPositionals: true,
	options: { keep: { type: 'boolean' }, write: { type: 'boolean' } },
});
const wanted = positionals.map((text) =>
	/^(?:(latest|\d+\.\d+\.\d+)(?:@(\d+))?(\+3\.0)?|image:([\w.-]+))$/.exec(text),
);
if (wanted.length === 0 || wanted.includes(null)) {
	console.error(
		'Name versions of n8n from 2.39.10 on, such as 2.39.10, 2.39.10@22 to run it on Node 22, latest+3.0 with the defaults of 3.0, or image:latest.',
	);
	process.exit(2);
}
if (wanted.some((match) => match?.[4]) && spawnSync('docker', ['info']).status !== 0) {
	console.error('No Docker daemon runs here, so n8n cannot be taken from its image.');
	process.exit(2);
}

const release = stopSetupOnSignals();
try {
	await setup();
} catch (error) {
	if (!(error instanceof SetupError)) throw error;
	process.exit(1);
}

/** @type {{ title: string, rows: Map<string, string>, code: number }[]} */
const columns = [];
for (const match of wanted) {
	const [, version = '', node = '24', as3, tag] = match ?? [];
	try {
		columns.push(tag ? await imageColumn(tag) : await column(version, node, as3 !== undefined));
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(error.message);
	}
}
release();
const isWhole = columns.length === wanted.length;

const names = [...new Set(columns.flatMap(({ rows }) => [...rows.keys()]))];
const table = [
	['n8n', ...columns.map(({ title }) => title)],
	['---', ...columns.map(() => '---')],
	...names.map((name) => [name, ...columns.map(({ rows }) => rows.get(name) ?? FAILS)]),
]
	.map((cells) => `| ${cells.join(' | ')} |`)
	.join('\n');
const today = new Date().toISOString().slice(0, 10);
const tried = `On ${today}, ${names.length} rows of tests ran in each of these: ${columns.map(outcome).join('; ')}.`;
if (columns.length > 0) {
	console.log(`\n${table}\n`);
	writeFileSync(TABLE, `${tried}\n\n${table}\n`);
	console.log(`This table is in ${fromRoot(TABLE)}.`);
}
if (flags.write && isWhole) {
	const page = readFileSync(PAGE, 'utf8');
	writeFileSync(PAGE, page.replace(/^On .*, \d+ rows of tests ran in each of these: .*$/m, tried));
	await run('npx', ['prettier', '--write', '--log-level', 'warn', PAGE]);
}
process.exitCode = isWhole && columns.every(({ code }) => code === 0) ? 0 : 1;

/** @param {{ title: string, rows: Map<string, string>, code: number }} column */
function outcome({ title, rows, code }) {
	const failed = names.filter((name) => (rows.get(name) ?? FAILS) === FAILS);
	if (failed.length > 0) return `n8n ${title} (**failed:** ${failed.join(', ')})`;
	// Such as a file that could not be loaded.
	if (code !== 0 || rows.size === 0) return `n8n ${title} (**failed**)`;
	return `n8n ${title} (all passed)`;
}

/**
 * @param {string} version
 * @param {string} node
 * @param {boolean} as3 whether it has the defaults of 3.0
 * @throws {SetupError} when that n8n cannot be installed
 */
async function column(version, node, as3) {
	console.log(`\n=== n8n ${version}, Node ${node}${as3 ? ', with the defaults of 3.0' : ''} ===\n`);
	const isOwn = version === runtime.dependencies.n8n && node === '24';
	const folder = isOwn ? n8nRuntime : join(cache, 'compat', `${version}-${node}`);
	if (!isOwn) await install(folder, version, node);
	const manifest = readFileSync(join(folder, 'node_modules/n8n/package.json'), 'utf8');
	const title = `${JSON.parse(manifest).version}${as3 ? '+3.0' : ''}, Node ${node}`;
	const binary = join(folder, 'node_modules/.bin/node');
	const done = await tests(title, {
		...(as3 && { COMPAT_ENV: JSON.stringify(DEFAULTS_OF_3), TASK_RUNNER: 'external' }),
		...(!isOwn && { COMPAT_N8N: folder, ...(existsSync(binary) && { COMPAT_NODE: binary }) }),
	});
	if (!isOwn && !flags.keep) rmSync(folder, { recursive: true, force: true });
	return done;
}

/**
 * Tests n8n in its image. In place of n8n, a script starts a container that shares the network and
 * the temporary folders of this machine. If Docker's client is killed, the container would go on,
 * so another process watches the client.
 *
 * @param {string} tag
 * @throws {SetupError} when there is no such image
 */
async function imageColumn(tag) {
	const image = `n8nio/n8n:${tag}`;
	console.log(`\n=== ${image} ===\n`);
	const runner = `n8nio/runners:${tag}`;
	await pull([image, runner]);
	const { stdout } = spawnSync('docker', ['run', '--rm', image, '--version'], { encoding: 'utf8' });
	const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
	if (version === undefined) throw new Error(`${image} does not say its version: ${stdout}`);
	const folder = join(cache, 'compat', `image-${tag}`);
	const command = join(folder, 'node_modules/n8n/bin/n8n');
	mkdirSync(dirname(command), { recursive: true });
	const script = `set -eu
flags=
for name in $(env | grep -oE '^(N8N|DB|EXECUTIONS|OFFLOAD|QUEUE|GENERIC|NODE_ENV|NODE_FUNCTION|NODES|NO_PROXY|no_proxy)[A-Za-z0-9_]*'); do
	flags="$flags --env $name"
done
name="compat-$$"
${END_WITH_CLIENT}
exec docker run --rm --name "$name" --network host --user "$(id -u):$(id -g)" --env HOME=/tmp \\
	--volume '${tmpdir()}:${tmpdir()}' --volume '${root}:${root}:ro' $flags ${image} "$@"
`;
	writeFileSync(command, script);
	return await tests(`${version}, image`, {
		COMPAT_N8N: folder,
		COMPAT_NODE: '/bin/sh',
		// 3.0 may no longer start a runner itself.
		TASK_RUNNER: 'external',
		COMPAT_RUNNER_IMAGE: runner,
	});
}

/**
 * Gets the newest images. Without a network, those of this machine count, but not one of each: n8n
 * and its runner must have the same version.
 *
 * @param {string[]} images
 * @throws {SetupError} when they cannot be had
 */
async function pull(images) {
	const missing = [];
	for (const image of images) {
		if ((await run('docker', ['pull', image])) !== 0) missing.push(image);
	}
	if (missing.length === 0) return;
	const areAllHere = spawnSync('docker', ['image', 'inspect', ...images]).status === 0;
	if (missing.length < images.length || !areAllHere) {
		throw new SetupError(`${missing.join(' and ')} cannot be pulled.`);
	}
	console.log('They cannot be pulled, so the images of this machine are tried.');
}

/**
 * @param {string} title
 * @param {Record<string, string>} env which n8n to run
 */
async function tests(title, env) {
	const results = join(cache, 'compat', 'rows.txt');
	mkdirSync(join(cache, 'compat'), { recursive: true });
	rmSync(results, { force: true });
	const args = [
		...['--test', '--test-force-exit', '--test-concurrency=1'],
		...['--test-reporter=spec', '--test-reporter-destination=stdout'],
		...['--test-reporter=./test/compat/rows.mjs', `--test-reporter-destination=${results}`],
		...['test/compat/*.test.mts', 'test/n8n/agent.test.mts'],
	];
	const code = await run(nodeForN8n(), args, { env });
	const lines = existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n') : [];
	const rows = lines.map((line) => /** @type {[string, string]} */ (line.split('\t')));
	return { title, code, rows: new Map(rows) };
}

/**
 * About 3 GB, and some minutes.
 *
 * @param {string} folder
 * @param {string} version
 * @param {string} node
 * @throws {SetupError} when npm cannot
 */
async function install(folder, version, node) {
	if (existsSync(join(folder, '.complete'))) return;
	console.log(`Installing n8n ${version} with Node ${node} into ${folder} …`);
	mkdirSync(folder, { recursive: true });
	const manifest = {
		private: true,
		overrides: runtime.overrides,
		dependencies: { n8n: version, zod: runtime.dependencies.zod },
		optionalDependencies: Object.fromEntries(
			Object.keys(runtime.optionalDependencies).map((name) => [name, node]),
		),
	};
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
	const log = join(cache, 'logs', `n8n-${version}.log`);
	rmSync(log, { force: true });
	const options = { log, name: `n8n ${version}`, cwd: folder };
	await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], options).catch((error) => {
		const reasons = readFileSync(log, 'utf8').match(/^npm error .*$/gm) ?? [];
		throw new SetupError([`${error.message} ${fromRoot(log)}:`, ...reasons].join('\n'));
	});
	// The binary is the same for every Node, and compiling it takes minutes.
	const [own, other] = [n8nRuntime, folder].map((one) =>
		JSON.parse(readFileSync(join(one, 'node_modules/sqlite3/package.json'), 'utf8')),
	);
	if (own.version === other.version) {
		cpSync(join(n8nRuntime, SQLITE_BINARY), join(folder, SQLITE_BINARY));
	} else {
		await rebuildSqlite(folder, options);
	}
	writeFileSync(join(folder, '.complete'), '');
}
