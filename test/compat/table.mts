/** One row of the table of compatibility for each test. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { installation } from '../../harness/n8n/installation.mts';

const manifest = join(installation, 'node_modules/n8n/package.json');
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

/** What an n8n that is supported lacks all the same. */
interface Limit {
	/** The first version of n8n that has it. Before, the test must fail. */
	since: string;
	/** For the table. */
	otherwise: string;
}

export function row(name: string, works: () => Promise<void>, limit?: Limit): void {
	test(name, async () => {
		if (!limit || !isBefore(version, limit.since)) {
			await works();
			note(name, 'yes');
			return;
		}
		await assert.rejects(works(), 'works before the version that is noted in the test');
		note(name, limit.otherwise);
	});
}

function isBefore(one: string, other: string): boolean {
	const parts = (text: string) => text.split('.').map(Number);
	const [a, b] = [parts(one), parts(other)];
	const differs = [0, 1, 2].find((index) => a[index] !== b[index]);
	return differs !== undefined && (a[differs] ?? 0) < (b[differs] ?? 0);
}

/** For `scripts/compat.mjs`, which prints the table. */
function note(name: string, cell: string): void {
	const { COMPAT_ROWS } = process.env;
	if (COMPAT_ROWS) appendFileSync(COMPAT_ROWS, `${JSON.stringify({ name, cell })}\n`);
}
