/**
 * A command of this repository that gets a wrong option lists the right ones, and ends before it
 * begins anything.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../../scripts/paths.mjs';

const COMMANDS = [
	['scripts/compat.mjs', '--keep, --write'],
	['test/bench/bench.mts', '--rows'],
	['test/properties/fuzz.mjs', '--minutes, --seed, --stories'],
	['test/queue/queue.mts', '--calls, --seed'],
	['test/soak/soak.mts', '--calls, --kills, --outages, --seed'],
] as const;

for (const [path, options] of COMMANDS) {
	for (const wrong of ['--help', '--seed', '--calls', '--keep=5', '--rows']) {
		if (!wrong.startsWith('--help') && !options.includes(wrong.split('=')[0] ?? '')) continue;
		test(`${path} ${wrong}`, () => {
			const { status, stderr } = spawnSync(process.execPath, [join(root, path), wrong], {
				encoding: 'utf8',
			});
			assert.equal(status, 2, stderr);
			assert.match(stderr, new RegExp(`^[^\n]+\nThe options are ${options}\\.\n$`));
		});
	}
}
