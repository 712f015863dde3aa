/**
 * `npm run bench`: speed and memory, each figure beside one that was measured in the same run. Writes docs/benchmarks.md
 * and .cache/bench/benchmarks.json, and draws the charts. `npm run bench -- --rows a,b` measures two parts and keeps the
 * others as they were; `npm run bench -- --charts` only draws the charts of the pages again.
 * Nothing here is asserted by a test, because machines differ.
 *
 * With VOICEAGENT_BENCH=quick, all parts but those in queue mode run once on little data, to check that they work. The page
 * then goes to .cache/, because its figures mean nothing.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { readOptions } from '../../scripts/options.mjs';
import { drawCharts } from './charts.mts';
import { downloads } from './downloads.mts';
import { fleet } from './fleet.mts';
import { items } from './items.mts';
import { isQuick } from './measure.mts';
import { Results, type Part } from './page.mts';
import { startUp } from './startUp.mts';
import { webhooks } from './webhooks.mts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.cache/bench');
const PAGE = isQuick ? join(FOLDER, 'benchmarks.md') : join(ROOT, 'docs/benchmarks.md');
const PARTS: readonly Part[] = [downloads, items, startUp, webhooks, fleet];

const IN_QUEUE_MODE: readonly Part[] = [webhooks, fleet];

const letters = PARTS.map(({ letter }) => letter);
const usual = isQuick ? PARTS.filter((part) => !IN_QUEUE_MODE.includes(part)) : PARTS;
const { values } = readOptions({
	options: {
		charts: { type: 'boolean', default: false },
		rows: { type: 'string', default: usual.map(({ letter }) => letter).join() },
		json: {
			type: 'string',
			default: join(FOLDER, isQuick ? 'quick.json' : 'benchmarks.json'),
		},
	},
});
const wanted = values.rows.split(',');
if (wanted.some((letter) => !letters.includes(letter))) {
	console.error(`--rows takes letters with commas between them:`);
	for (const { letter, title } of PARTS) console.error(`  ${letter}  ${title}`);
	process.exit(2);
}

if (!values.charts) {
	const results = new Results(values.json, PAGE);
	for (const part of PARTS) if (wanted.includes(part.letter)) await results.add(part);
	const page = results.page(PARTS);
	await mkdir(dirname(PAGE), { recursive: true });
	await writeFile(PAGE, page);
	console.log(`\n${page}\nWritten to ${relative(ROOT, PAGE)} and ${relative(ROOT, values.json)}`);
}
const pages = [PAGE, join(ROOT, 'docs/scaling.md')].map(
	async (path) => await readFile(path, 'utf8'),
);
const images = join(dirname(PAGE), 'images');
const charts = drawCharts(await Promise.all(pages), images);
console.log(`Drawn in ${relative(ROOT, images)}: ${charts.join(', ')}`);
