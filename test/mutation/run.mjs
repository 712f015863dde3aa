/**
 * `npm run test:mutation`: changes the product in small ways, one at a time, and shows the changes that no test of
 * test/unit, test/properties and test/engine notices. Options are those of Stryker:
 * `npm run test:mutation -- --mutate nodes/data/times.ts`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, stopOnSignals } from '../../scripts/command.mjs';
import { cache, nodeForN8n } from '../../scripts/paths.mjs';
import { isEnough } from './score.mjs';

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
	await orEnd('npm', ['install', '--no-save', '--no-audit', '--no-fund'], folder);
	writeFileSync(stamp, lock);
}
const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const options = process.argv.slice(2);
const config = join(folder, 'stryker.config.mjs');
await orEnd(nodeForN8n(), [stryker, 'run', config, ...options]);
process.exitCode = isEnough(join(cache, 'mutation.json')) ? 0 : 1;
