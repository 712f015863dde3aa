/** `npm run bench`: builds, translates the benchmark (Node 20 does not run TypeScript) and runs it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import './build.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(
	folder,
	'node_modules',
	'.cache',
	'voiceagent-file-decryptor',
	'bench',
	'bench.mjs',
);

await build({
	absWorkingDir: folder,
	entryPoints: ['bench/bench.mts'],
	outfile,
	bundle: true,
	packages: 'external',
	platform: 'node',
	target: 'node20',
	format: 'esm',
	logLevel: 'warning',
});
const child = spawn(process.execPath, [outfile, ...process.argv.slice(2)], {
	cwd: folder,
	stdio: 'inherit',
});
child.on('exit', (code) => (process.exitCode = code ?? 1));
