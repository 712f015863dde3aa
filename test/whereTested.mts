/** Brings the tables of what is tested where into test/README.md: `node test/whereTested.mts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format } from 'prettier';

import { markedFiles, readPromises, readTable, type Marked } from '../scripts/faults/table.mjs';
import { stages } from '../scripts/test/stages.mjs';

export const PAGE = join(import.meta.dirname, 'README.md');

export const marked = stages.flatMap(({ folder }) =>
	folder === undefined ? [] : markedFiles(folder),
);

/** The page with the tables of today. */
export async function renderTestsPage(): Promise<string> {
	const promises = readPromises().map((promise, index) => ({
		number: index + 1,
		text: promise,
		files: filesWhere(({ promises: numbers }) => numbers.includes(index + 1)),
	}));
	const faults = readTable().map(({ number, fault }) => ({
		number,
		text: fault,
		files: filesWhere(({ rows }) => rows.includes(number)),
	}));
	const text = readFileSync(PAGE, 'utf8')
		.replace(/^\| # +\| Promise.*\n(?:.+\n)*/m, table('Promise', promises))
		.replace(/^\| # +\| Fault.*\n(?:.+\n)*/m, table('Fault', faults));
	return await format(text, { parser: 'markdown', printWidth: 100, useTabs: true });
}

/** Their paths without the ending, as in `engine/delete`. */
function filesWhere(proves: (file: Marked) => boolean): string[] {
	return marked
		.filter(proves)
		.map(({ file }) => `\`${file.replace(/^test\//, '').replace(/\.test\.m?ts$/, '')}\``);
}

function table(
	title: string,
	rows: Array<{ number: number; text: string; files: string[] }>,
): string {
	const lines = rows.map(
		({ number, text, files }) => `| ${number} | ${text} | ${files.join(', ')} |`,
	);
	return [`| # | ${title} | Tested in |`, '| --- | --- | --- |', ...lines, ''].join('\n');
}

if (import.meta.main) writeFileSync(PAGE, await renderTestsPage());
