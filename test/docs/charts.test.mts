/** The charts of docs/benchmarks.md and docs/scaling.md show the numbers of their tables. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import { drawCharts, picturesOf } from '../bench/charts.mts';
import { ROOT } from './pages.mts';

const PAGES = ['benchmarks', 'scaling'].map((name) =>
	readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'),
);

function drawn(context: TestContext, pages: readonly string[]): Map<string, string> {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-charts-'));
	context.after(() => rmSync(folder, { recursive: true }));
	return new Map(
		drawCharts(pages, folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
	);
}

suite('the charts', () => {
	test('are those that npm run bench -- --charts draws from the tables', (context) => {
		const images = join(ROOT, 'docs/images');
		const stored = readdirSync(images).filter((name) => name.startsWith('chart-'));
		const expected = drawn(context, PAGES);
		assert.deepEqual(stored.sort(), [...expected.keys()].sort());
		for (const name of stored) {
			assert.equal(readFileSync(join(images, name), 'utf8'), expected.get(name), name);
		}
	});

	test('stand in their pages, each in light and dark', () => {
		for (const page of PAGES) {
			const shown = page.match(/images\/chart-[\w-]+\.svg/g);
			assert.deepEqual(
				shown?.sort(),
				picturesOf(page)
					.match(/images\/chart-[\w-]+\.svg/g)
					?.sort(),
			);
		}
	});
});
