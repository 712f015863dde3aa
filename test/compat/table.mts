/** One row of the table of compatibility for each test. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { installation } from '../../harness/n8n/installation.mts';

const manifest = join(installation, 'node_modules/n8n/package.json');
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

/** What the product does with a version of n8n that lacks something. */
interface Limit {
	/** The first version of n8n that does not have it, if earlier ones do. */
	from?: string;
	/** The first version of n8n that has it. */
	since: string;
	/** For the table. */
	otherwise: string;
	/** Shows that it is so. Without it, the test itself must fail there. */
	shownBy?: () => Promise<void>;
}

/** Something that must work, or that older versions of n8n are known to lack. */
export function row(name: string, works: () => Promise<void>, limit?: Limit): void {
	test(name, async () => {
		if (!limit || !isBefore(version, limit.since) || isBefore(version, limit.from ?? '0.0.0')) {
			await works();
			note(name, 'yes');
			return;
		}
		if (limit.shownBy) await limit.shownBy();
		else await assert.rejects(works(), 'works before the version that is noted in the test');
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
