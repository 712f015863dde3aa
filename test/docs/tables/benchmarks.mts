/** Benchmarks and pictures. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { succeeds } from '../copy.mts';
import { prints, weekly, type Entry } from '../entry.mts';
import { ROOT } from '../pages.mts';

const quick = { VOICEAGENT_BENCH: 'quick' };

export const benchmarks: Entry[] = [
	weekly('npm run bench', /- run: npm run bench$/m),
	prints(
		'npm run bench -- --rows c',
		[/^\| n8n alone +\| \d+\.\d+ s/m, /^## Many recordings[^]*?^Not measured\./m],
		{ env: quick },
	),
	prints('npm run bench', [/^Start: \d/m, /^List of 10: \d/m, /^Download: \d/m], {
		folder: 'emulator',
		env: quick,
	}),
	{
		command: 'npm run bench',
		folder: 'file-decryptor',
		async run() {
			const { stdout } = await succeeds(this.command, { cwd: 'file-decryptor', env: quick });
			const [head = ''] = /^\| What .*$/m.exec(stdout) ?? [];
			const columns = (row: string) => row.split('|').map((cell) => cell.trim());
			const readme = readFileSync(join(ROOT, 'file-decryptor/README.md'), 'utf8');
			assert.ok(
				readme.split('\n').some((row) => columns(row).join() === columns(head).join()),
				stdout,
			);
			assert.match(stdout, /^\| start-up, 20 kB, fastest +\| \d+ ms/m);
		},
	},
	weekly('npm run screenshots -- node-delete', /- run: npm run screenshots -- node-delete$/m),
];
