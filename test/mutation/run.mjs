/**
 * `npm run test:mutation`: changes the product in small ways, one at a time, and shows the changes that no unit test
 * notices. Options are those of Stryker: `npm run test:mutation -- --mutate nodes/service/times.ts`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, stopOnSignals } from '../../scripts/command.mjs';

const folder = import.meta.dirname;
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
const stamp = join(folder, 'node_modules', '.setup-stamp');

stopOnSignals(() => {});
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
	const code = await run('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
		cwd: folder,
	});
	if (code !== 0) process.exit(code);
	writeFileSync(stamp, lock);
}
const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const config = join(folder, 'stryker.config.mjs');
process.exitCode = await run('node', [stryker, 'run', config, ...process.argv.slice(2)]);
