/**
 * `npm run test:compat -- 2.35.3 2.35.3@22`: installs these versions of n8n aside, one after the other, runs
 * test/compat/ in each and prints a table. The number after the @ is the Node that n8n runs on, 24 by default. `latest`
 * is the newest version. `image:latest` is n8n's official image with that tag, for which a Docker daemon must run here:
 * from 3.0 on, there is no other n8n.
 *
 * --keep    leaves the installations in .cache/compat/ for the next run
 * --write   puts the table into docs/hosting.md
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { readOptions } from './options.mjs';
import { cache, n8nRuntime, nodeForN8n, root } from './paths.mjs';
import { setup, SetupError, stopSetupOnSignals } from './setup.mjs';
import { npm } from './setup/npm.mjs';

const PAGE = join(root, 'docs/hosting.md');
const runtime = JSON.parse(readFileSync(join(n8nRuntime, 'package.json'), 'utf8'));

const { values: flags, positionals } = readOptions({
	allowPositionals: true,
	options: { keep: { type: 'boolean' }, write: { type: 'boolean' } },
});
const wanted = positionals.map((text) =>
	/^(?:(latest|\d+\.\d+\.\d+)(?:@(\d+))?|image:([\w.-]+))$/.exec(text),
);
if (wanted.length === 0 || wanted.includes(null)) {
	console.error(
		'Name versions of n8n from 2.35.3 on, such as 2.35.3, 2.35.3@22 to run it on Node 22, or image:latest.',
	);
	process.exit(2);
}
if (wanted.some((match) => match?.[3]) && spawnSync('docker', ['info']).status !== 0) {
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

/** @type {{ title: string, rows: string[], code: number }[]} */
const columns = [];
for (const match of wanted) {
	const [, version = '', node = '24', tag] = match ?? [];
	columns.push(tag ? await imageColumn(tag) : await column(version, node));
}
release();

const names = [...new Set(columns.flatMap(({ rows }) => rows))];
const table = [
	['n8n', ...columns.map(({ title }) => title)],
	['---', ...columns.map(() => '---')],
	...names.map((name) => [
		name,
		...columns.map(({ rows }) => (rows.includes(name) ? 'yes' : '**fails**')),
	]),
]
	.map((cells) => `| ${cells.join(' | ')} |`)
	.join('\n');
console.log(`\n${table}\n`);
if (flags.write) {
	const page = readFileSync(PAGE, 'utf8');
	writeFileSync(PAGE, page.replace(/^\| n8n [^]*?\n(?=\n)/m, `${table}\n`));
	await run('npx', ['prettier', '--write', '--log-level', 'warn', PAGE]);
}
process.exitCode = columns.some(({ code }) => code !== 0) ? 1 : 0;

/**
 * @param {string} version
 * @param {string} node
 */
async function column(version, node) {
	console.log(`\n=== n8n ${version}, Node ${node} ===\n`);
	const isOwn = version === runtime.dependencies.n8n && node === '24';
	const folder = isOwn ? n8nRuntime : join(cache, 'compat', `${version}-${node}`);
	if (!isOwn) await install(folder, version, node);
	const manifest = readFileSync(join(folder, 'node_modules/n8n/package.json'), 'utf8');
	const title = `${JSON.parse(manifest).version}, Node ${node}`;
	const binary = join(folder, 'node_modules/.bin/node');
	const done = await tests(title, {
		...(!isOwn && { COMPAT_N8N: folder, ...(existsSync(binary) && { COMPAT_NODE: binary }) }),
	});
	if (!isOwn && !flags.keep) rmSync(folder, { recursive: true, force: true });
	return done;
}

/**
 * In place of Node, a script runs n8n in its image: in the network of this machine, with its temporary folders.
 *
 * @param {string} tag
 */
async function imageColumn(tag) {
	const image = `n8nio/n8n:${tag}`;
	console.log(`\n=== ${image} ===\n`);
	if ((await run('docker', ['pull', image])) !== 0) process.exit(1);
	const { stdout } = spawnSync('docker', ['run', '--rm', image, '--version'], { encoding: 'utf8' });
	const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
	if (version === undefined) throw new Error(`${image} does not say its version: ${stdout}`);
	const folder = join(cache, 'compat', `image-${tag}`);
	mkdirSync(folder, { recursive: true });
	const node = join(folder, 'node');
	const script = `#!/bin/sh
shift
flags=
for name in $(env | grep -oE '^(N8N|DB|EXECUTIONS|QUEUE|NODE_ENV|NODE_EXTRA|NO_PROXY|no_proxy|HTTPS_PROXY)[A-Za-z0-9_]*'); do
	flags="$flags --env $name"
done
exec docker run --rm --init --network host --user "$(id -u):$(id -g)" --volume /tmp:/tmp --volume '${root}:${root}:ro' $flags ${image} "$@"
`;
	writeFileSync(node, script, { mode: 0o755 });
	return await tests(`${version}, image`, { COMPAT_N8N: folder, COMPAT_NODE: node });
}

/**
 * @param {string} title
 * @param {Record<string, string>} env which n8n to run
 */
async function tests(title, env) {
	const results = join(cache, 'compat', 'rows.txt');
	mkdirSync(join(cache, 'compat'), { recursive: true });
	rmSync(results, { force: true });
	const args = ['--test', '--test-force-exit', 'test/compat/*.test.mts'];
	const code = await run(nodeForN8n(), args, { env: { COMPAT_ROWS: results, ...env } });
	const rows = existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n') : [];
	return { title, code, rows };
}

/**
 * About 3 GB, and some minutes.
 *
 * @param {string} folder
 * @param {string} version
 * @param {string} node
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
	const options = { log, name: `n8n ${version}`, cwd: folder };
	await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], options);
	const headers = join(nodeForN8n(), '..', '..');
	await npm(['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'], {
		...options,
		env: existsSync(join(headers, 'include')) ? { npm_config_nodedir: headers } : {},
	});
	writeFileSync(join(folder, '.complete'), '');
}
