/** The weekly mutation tests run in parts. Together they have every file of the nodes, each once. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { root } from '../../scripts/paths.mjs';

test('each file of the nodes is in one part of the weekly mutation tests', () => {
	const weekly = readFileSync(`${root}/.github/workflows/weekly.yml`, 'utf8');
	const [, list = ''] = /matrix:\n +files:\n((?: +- .*\n)+)/.exec(weekly) ?? [];
	// Stryker splits at each comma, also at those within braces.
	const patterns = [...list.matchAll(/- (.*)/g)].flatMap(([, part = '']) => part.split(','));
	const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
	const ofNodes = files.filter((file) => file.startsWith('nodes'));
	assert.deepEqual(ofNodes.sort(), globSync('nodes/**/*.ts', { cwd: root }).sort());
	for (const pattern of patterns)
		assert.notDeepEqual(globSync(pattern, { cwd: root }), [], pattern);
});
