/**
 * `npm run bench`: measures speed and memory, each figure next to one of the same run. The tables
 * go to docs/development/benchmarks.md, below what is written there by hand. `--rows a,b` measures
 * two parts, and keeps the others as they were.
 *
 * No test asserts these figures, because machines differ. With VOICEAGENT_BENCH=quick, part c runs
 * once, to check that it works, and the page goes to .cache/.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { readOptions } from '../../scripts/options.mjs';
import { downloads } from './downloads.mts';
import { fleet } from './fleet.mts';
import { items } from './items.mts';
import { isQuick } from './measure.mts';
import { pageOf, tableBefore, tableOf, type Part } from './page.mts';
import { startUp } from './startUp.mts';
import { webhooks } from './webhooks.mts';
import { years } from './years.mts';

const ROOT = join(import.meta.dirname, '../..');
const KEPT = join(ROOT, 'docs/development/benchmarks.md');
const PAGE = isQuick ? join(ROOT, '.cache/bench/development/benchmarks.md') : KEPT;
const PARTS: readonly Part[] = [downloads, items, startUp, webhooks, fleet, years];

const letters = PARTS.map(({ letter }) => letter);
const { values } = readOptions({ options: { rows: { type: 'string', default: letters.join() } } });
const wanted = values.rows.split(',');
if (wanted.some((letter) => !letters.includes(letter))) {
	console.error(`--rows takes letters with commas between them:`);
	for (const { letter, title } of PARTS) console.error(`  ${letter}  ${title}`);
	process.exit(2);
}

const before = readFileSync(KEPT, 'utf8');
const tables = new Map<string, string>();
for (const part of PARTS) {
	const measured = wanted.includes(part.letter) ? await tableOf(part) : undefined;
	const table = measured ?? (isQuick ? undefined : tableBefore(part, before));
	if (table) tables.set(part.letter, table);
}
const page = pageOf(PARTS, tables, before);
mkdirSync(dirname(PAGE), { recursive: true });
writeFileSync(PAGE, page);
console.log(`\n${page}\nWritten to ${relative(ROOT, PAGE)}`);
