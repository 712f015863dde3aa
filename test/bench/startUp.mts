/** c. What the package adds to the start of n8n and to its memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packedPackage, startN8n } from '../../harness/n8n/n8n.mts';
import { inTurns, isQuick, megabytes, noise, seconds } from './measure.mts';
import type { Part } from './page.mts';

const ROUNDS = isQuick ? 1 : 5;

export const startUp: Part = {
	letter: 'c',
	title: 'Start of n8n',
	text: [
		'The time from the start of the process until n8n answers, and its memory at that moment. The',
		'database already exists.',
	].join(' '),
	async measure() {
		const folder = mkdtempSync(join(tmpdir(), 'voiceagent-bench-'));
		const start = (name: string, packages: string[]) => async () => {
			const begin = performance.now();
			const n8n = await startN8n({ userFolder: join(folder, name), packages, editor: true });
			const ms = performance.now() - begin;
			const { rssBytes } = n8n.memory();
			await n8n.stop();
			return { ms, rssBytes };
		};
		try {
			const measured = await inTurns(ROUNDS, {
				'n8n with this package': start('with', [packedPackage()]),
				'n8n alone': start('without', []),
			});
			return {
				head: ['', 'Start', 'Memory', ''],
				rows: Object.entries(measured).map(([name, { ms, rssBytes }]) => [
					name,
					seconds(ms),
					megabytes(rssBytes.median),
					noise(ms, rssBytes),
				]),
			};
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	},
};
