/**
 * `npm test`: builds, translates the tests (Node 20 does not run TypeScript) and runs them with node:test. Arguments go
 * to `node --test`; those that end in `.mts` choose the test files.
 */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import './build.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
// Beside the libraries, so that the tests find theirs.
const translated = join(folder, 'node_modules', '.cache', 'voiceagent-file-decryptor', 'test');

const wanted = process.argv.slice(2).filter((argument) => argument.endsWith('.mts'));
const options = process.argv.slice(2).filter((argument) => !argument.endsWith('.mts'));
const tests = readdirSync(join(folder, 'test'))
	.filter((name) => name.endsWith('.test.mts'))
	.filter((name) => wanted.length === 0 || wanted.some((file) => file.endsWith(name)))
	.sort();

rmSync(translated, { recursive: true, force: true });
await build({
	absWorkingDir: folder,
	entryPoints: tests.map((name) => `test/${name}`),
	outdir: translated,
	outExtension: { '.js': '.mjs' },
	bundle: true,
	packages: 'external',
	platform: 'node',
	target: 'node20',
	format: 'esm',
	sourcemap: 'inline',
	logLevel: 'warning',
});

// Readable also where Node 20 would print TAP. Somebody else's reporter comes first.
const hasReporter = [process.env.NODE_OPTIONS ?? '', ...options].some((text) =>
	text.includes('--test-reporter'),
);

const child = spawn(
	process.execPath,
	[
		'--enable-source-maps',
		'--test',
		...(hasReporter ? [] : ['--test-reporter=spec']),
		...options,
		...tests.map((name) => join(translated, name.replace(/mts$/, 'mjs'))),
	],
	{ cwd: folder, stdio: 'inherit' },
);
child.on('exit', (code) => (process.exitCode = code ?? 1));
