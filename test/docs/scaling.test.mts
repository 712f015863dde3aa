/** The calculated table of docs/scaling.md follows from the measured one, by the formulas below it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { ROOT } from './pages.mts';

const page = readFileSync(`${ROOT}/docs/scaling.md`, 'utf8');

/** The numbers of the rows of a table, by the beginning of its head. */
function rowsOf(head: string): string[][] {
	const lines = page.split('\n');
	const start = lines.findIndex((line) => line.startsWith(`| ${head} `));
	assert.ok(start >= 0, head);
	const end = lines.findIndex((line, index) => index > start && line === '');
	return lines.slice(start + 2, end).map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

const number = (cell = '') => Number(/[\d.,]+/.exec(cell)?.[0].replaceAll(',', ''));
const rounded = (value: number) => Number(value.toPrecision(2));

test('cores, storage and bandwidth follow from the measured figures', () => {
	const measured = new Map(rowsOf('One recording takes').map(([what, value]) => [what, value]));
	const figure = (what: string) => number(measured.get(what));
	const megabytes = figure('Opus file of 5 minutes');
	const rows = rowsOf('Recordings a day');
	assert.equal(rows.length, 4);
	for (const [index, row] of rows.entries()) {
		const perDay = 1_000 * 10 ** index;
		const perSecond = (perDay * 0.15) / 3_600;
		const cores = (what: string) => rounded((perSecond * figure(what)) / 1_000 / 0.5);
		assert.deepEqual(row.map(number), [
			perDay,
			rounded(perSecond),
			cores('CPU time of a worker'),
			cores('CPU time of the webhook process'),
			cores('CPU time of PostgreSQL'),
			cores('CPU time of Redis'),
			rounded((perDay * megabytes) / 1_000),
			rounded(perSecond * megabytes * 8),
		]);
	}
});
