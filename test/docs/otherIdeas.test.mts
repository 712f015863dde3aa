/** Every node that the page of other ideas names exists in n8n, under that name. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { ROOT } from './pages.mts';

const PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

test('docs/what-else.md: n8n has every node that it names', () => {
	const known = PACKAGES.flatMap((name) => {
		const path = `harness/runtime/node_modules/${name}/dist/types/nodes.json`;
		return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Array<{ displayName: string }>;
	}).map(({ displayName }) => displayName);
	const page = readFileSync(join(ROOT, 'docs/what-else.md'), 'utf8');
	const named = [...page.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => String(name));
	assert.ok(named.length > 20);
	assert.deepEqual(
		named.filter((name) => !known.includes(name)),
		[],
	);
	assert.equal(page.match(/^## /gm)?.length, 5);
});
