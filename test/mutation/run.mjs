/**
 * `npm run test:mutation`: changes the nodes in small ways, one at a time, and shows the changes
 * that reach a unit test and that none notices. Options are those of Stryker: `npm run
 * test:mutation -- --mutate nodes/data/times.ts`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, stopOnSignals } from '../../scripts/command.mjs';
import { cache } from '../../scripts/paths.mjs';

/** Per cent. */
const LEAST = 90;

const folder = import.meta.dirname;
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
const stamp = join(folder, 'node_modules', '.setup-stamp');

/** @param {string} command @param {string[]} args @param {string} [cwd] */
async function orEnd(command, args, cwd) {
	const code = await run(command, args, { cwd });
	if (code !== 0) process.exit(code);
}

stopOnSignals(() => {});
await orEnd('npm', ['run', '--silent', 'setup']);
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
	await orEnd('npm', ['ci', '--no-audit', '--no-fund'], folder);
	writeFileSync(stamp, lock);
}
const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const config = join(folder, 'stryker.config.mjs');
await orEnd(process.execPath, [stryker, 'run', config, ...process.argv.slice(2)]);

/** @type {import('@stryker-mutator/api/core').schema.MutationTestResult} */
const { files } = JSON.parse(readFileSync(join(cache, 'mutation.json'), 'utf8'));
const changes = Object.values(files).flatMap(({ mutants }) => mutants);
const noticed = changes.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
const missed = changes.filter(({ status }) => status === 'Survived').length;
const percent = (noticed / (noticed + missed)) * 100;
console.log(
	`Noticed: ${noticed} of ${noticed + missed}, ${percent.toFixed(1)} %. Least: ${LEAST} %`,
);
process.exitCode = percent < LEAST ? 1 : 0;
