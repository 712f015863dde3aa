/**
 * Sets everything up, then runs a program of this repository with Node 24 in the foreground:
 * `node scripts/run.mjs harness/demo/start.mts --once`.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { nodeForN8n, root } from './paths.mjs';
import { stopSignals } from './processGroup.mjs';
import { setup, SetupError, stopSetupOnSignals } from './setup.mjs';

const [program = '', ...options] = process.argv.slice(2);
// What a program says about itself needs no set-up, which takes minutes the first time.
const help = join(root, program.replace(/\.mts$/, '.help.txt'));
if (options.includes('--help') && existsSync(help)) {
	process.stdout.write(readFileSync(help));
	process.exit();
}

const releaseSignals = stopSetupOnSignals();
try {
	await setup({ forTests: !program.startsWith('harness/demo/') });
} catch (error) {
	if (!(error instanceof SetupError)) throw error;
	process.exit(1);
}
releaseSignals();

const child = spawn(nodeForN8n(), [join(root, program), ...options], {
	cwd: root,
	stdio: 'inherit',
});
for (const signal of stopSignals) {
	process.on(signal, () => {
		// Ctrl+C in a terminal reaches the program, too. A second signal could cut its shutdown short.
		if (signal === 'SIGINT' && process.stdin.isTTY) return;
		child.kill(signal);
	});
}
child.once('close', (code, signal) => {
	process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
});
