/** The charts of docs/development/benchmarks.md and docs/scaling.md show the numbers of their tables. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { drawCharts } from '../bench/charts.mts';
import { ROOT } from './pages.mts';

const PAGES = ['development/benchmarks', 'scaling'].map((name) =>
	readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'),
);

test('the charts are those that npm run bench -- --charts draws from the tables', (context) => {
	const images = join(ROOT, 'docs/images');
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-charts-'));
	context.after(() => rmSync(folder, { recursive: true }));
	const drawn = drawCharts(PAGES, folder);
	const stored = readdirSync(images).filter((name) => name.startsWith('chart-'));
	assert.deepEqual(stored.sort(), drawn.sort());
	for (const name of drawn) {
		const read = (place: string) => readFileSync(join(place, name), 'utf8');
		assert.equal(read(images), read(folder), name);
	}
});
