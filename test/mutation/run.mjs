/**
 * `npm run test:mutation`: changes the nodes in small ways, one at a time, and shows the changes
 * that reach a unit test and that none notices. Options are those of Stryker: `npm run
 * test:mutation -- --mutate nodes/data/times.ts`.
 *
 * All files take hours. `npm run test:mutation -- --files 20 --seed 1` changes 20 of them, which
 * chance chooses.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, stopOnSignals } from '../../scripts/command.mjs';
import { cache, root } from '../../scripts/paths.mjs';

/** Per cent. */
const LEAST = 90;

const folder = import.meta.dirname;
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
const stamp = join(folder, 'node_modules', '.setup-stamp');

/**
 * The options for Stryker.
 *
 * @param {string[]} args
 */
async function optionsFor(args) {
	const [first, count, , seed, ...others] = args;
	if (first !== '--files') return args;
	const files = await chosenFiles(Number(count), Number(seed));
	console.log(`Changed are:\n  ${files.join('\n  ')}`);
	return ['--mutate', files.join(), ...others];
}

/** Ends with a message if `--files` is used wrongly. @param {string[]} args */
function checkOptions([first, count, second, seed]) {
	if (first !== '--files') return;
	if (second === '--seed' && Number(count) > 0 && Number(seed) >= 0) return;
	console.error('To change some files only, pass --files <number> --seed <number>.');
	process.exit(2);
}

/** @param {number} count @param {number} seed */
async function chosenFiles(count, seed) {
	// It finds its plugin only after the installation.
	const { default: config } = await import('./stryker.config.mjs');
	const files = readdirSync(join(root, 'nodes'), { encoding: 'utf8', recursive: true })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => `nodes/${file.replaceAll('\\', '/')}`)
		.filter((file) => !config.mutate?.includes(`!${file}`));
	const place = (/** @type {string} */ file) =>
		createHash('sha256').update(`${seed} ${file}`).digest('hex');
	return files.sort((a, b) => place(a).localeCompare(place(b))).slice(0, count);
}

/** @param {string} command @param {string[]} args @param {string} [cwd] */
async function orEnd(command, args, cwd) {
	const code = await run(command, args, { cwd });
	if (code !== 0) process.exit(code);
}

const args = process.argv.slice(2);
checkOptions(args);
stopOnSignals(() => {});
await orEnd('npm', ['run', '--silent', 'setup']);
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
	await orEnd('npm', ['ci', '--no-audit', '--no-fund'], folder);
	writeFileSync(stamp, lock);
}
const options = await optionsFor(args);
const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const configFile = join(folder, 'stryker.config.mjs');
await orEnd(process.execPath, [stryker, 'run', configFile, ...options]);

/** @type {import('@stryker-mutator/api/core').schema.MutationTestResult} */
const { files } = JSON.parse(readFileSync(join(cache, 'mutation.json'), 'utf8'));
const changes = Object.values(files).flatMap(({ mutants }) => mutants);
const noticed = changes.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
const missed = changes.filter(({ status }) => status === 'Survived').length;
const percent = (noticed / (noticed + missed)) * 100;
console.log(
	`Noticed: ${noticed} of ${noticed + missed}, ${percent.toFixed(1)} %. Least: ${LEAST} %`,
);
// Of no change, it is not a number.
process.exitCode = percent >= LEAST ? 0 : 1;
