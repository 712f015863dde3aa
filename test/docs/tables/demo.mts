import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { VIEWER } from '../../../harness/pages.mts';
import { copy, inCopy, succeeds } from '../copy.mts';
import { prints, type Entry } from '../entry.mts';
import { takenPort } from '../shell.mts';

const N8N_PORT = 5678;
const EMULATOR_PORT = 8480;
const ARCHIVED = /archived byte for byte, deleted from the service$/gm;

export const demo: Entry[] = [
	prints('npm start -- --help', [/Usage: npm start -- \[options\]/, /--once/]),
	{
		command: 'npm start',
		folder: '.',
		async run(context) {
			const taken = await takenPort(N8N_PORT, EMULATOR_PORT);
			if (taken) return context.skip(taken);
			const archive = join(copy.root, '.demo/archive');
			const { output } = await inCopy(this.command, {
				until: /Stop with Ctrl\+C/,
				then: async (shown) => {
					assert.equal(shown.match(ARCHIVED)?.length, 6, shown);
					assert.match(shown, /VoiceAgent recordings: all is well/);
					const files = readdirSync(archive);
					const metadata = files.filter((name) => name.endsWith('.json'));
					assert.deepEqual([files.length, metadata.length], [12, 6]);
					const [, workflow = ''] = /^ *workflow +(\S+)$/m.exec(shown) ?? [];
					const [, swagger = ''] = /^ *Swagger UI +(\S+)/m.exec(shown) ?? [];
					for (const page of [workflow, swagger]) assert.ok((await fetch(page)).ok, page);
					const headers = { Authorization: `Basic ${btoa(Object.values(VIEWER).join(':'))}` };
					for (const [page, says] of Object.entries({
						status: /Archived: 6</,
						'find a call': /calls: 6</,
					})) {
						const [, address = ''] = new RegExp(`^ *${page} +(\\S+)`, 'm').exec(shown) ?? [];
						assert.match(await (await fetch(address, { headers })).text(), says);
					}
					// It shows a command itself.
					const [place = ''] = /curl -H .*$/m.exec(shown) ?? [];
					assert.match((await succeeds(place)).stdout, /"sessionGuid"/);
					await until(() => readdirSync(archive).length === 14);
				},
			});
			assert.match(output, /Stopping n8n and the service/);
			assert.equal(await takenPort(N8N_PORT, EMULATOR_PORT), false);
		},
	},
];

async function until(holds: () => boolean): Promise<void> {
	const deadline = Date.now() + 120_000;
	while (!holds()) {
		assert.ok(Date.now() < deadline, 'It has not happened within two minutes.');
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}
