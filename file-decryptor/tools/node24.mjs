import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeForN8n } from '../../scripts/paths.mjs';

/**
 * Runs TypeScript of this package directly, which needs Node 24. `TESTED_NODE` tells it the
 * machine's own Node, which runs this file: on that one, the built program is tested and measured.
 *
 * @param {string[]} args for Node
 */
export function runOnNode24(args) {
	const child = spawn(node24(), args, {
		cwd: fileURLToPath(new URL('..', import.meta.url)),
		env: { ...process.env, TESTED_NODE: process.execPath },
		stdio: 'inherit',
	});
	child.on('exit', (code) => (process.exitCode = code ?? 1));
}

function node24() {
	try {
		return nodeForN8n();
	} catch {
		console.error(
			`Tests and benchmark need Node 24, and this is Node ${process.versions.node}.\n` +
				'On Linux and Windows, "npm install" in ../emulator brings Node 24 along. ' +
				'On other systems\ninstall Node 24 or newer: https://nodejs.org/en/download',
		);
		process.exit(1);
	}
}
