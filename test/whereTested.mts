/**
 * `node scripts/run.mjs test/whereTested.mts` writes into test/README.md and test/FAULTS.md where
 * each promise and each fault is tested.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format } from 'prettier';

import { markedFiles, readPromises, type Marked } from '../scripts/faults/table.mjs';
import { stages } from '../scripts/test/stages.mjs';

const PROMISES = join(import.meta.dirname, 'README.md');
const FAULTS = join(import.meta.dirname, 'FAULTS.md');

export const marked = stages.flatMap(({ folder }) =>
	folder === undefined ? [] : markedFiles(folder),
);

/** The pages with the tables of today, by their paths. */
export async function renderTestsPages(): Promise<Array<[path: string, text: string]>> {
	const promises = read(PROMISES)
		.replace(/^\| # +\| Promise of the README.*\n(?:.+\n)*/m, tableOf('README.md', 'promises'))
		.replace(/^\| # +\| Promise of SECURITY.*\n(?:.+\n)*/m, tableOf('SECURITY.md', 'security'));
	const rendered: Array<[string, string]> = [
		[PROMISES, promises],
		[
			FAULTS,
			read(FAULTS).replaceAll(/^(\| (\d+) +\|.+\|.+\|).*\|$/gm, (_row, kept: string, number) => {
				return `${kept} ${filesWhere(({ rows }) => rows.includes(Number(number)))} |`;
			}),
		],
	];
	return await Promise.all(
		rendered.map(
			async ([path, text]): Promise<[string, string]> => [
				path,
				await format(text, { parser: 'markdown', printWidth: 100, useTabs: true }),
			],
		),
	);
}

function tableOf(page: 'README.md' | 'SECURITY.md', kind: 'promises' | 'security'): string {
	const rows = readPromises(page).map((promise, index) => {
		const files = filesWhere((file) => file[kind].includes(index + 1));
		return `| ${index + 1} | ${promise} | ${files} |\n`;
	});
	const name = page.replace('.md', '');
	const head = `| # | Promise of ${name === 'README' ? 'the README' : name} | Tested in |\n`;
	return [head, '| --- | --- | --- |\n', ...rows].join('');
}

/** Their paths without the ending, as in `engine/delete`. */
function filesWhere(proves: (file: Marked) => boolean): string {
	return marked
		.filter(proves)
		.map(({ file }) => `\`${file.replace(/^test\//, '').replace(/\.test\.m?ts$/, '')}\``)
		.join(', ');
}

const read = (path: string) => readFileSync(path, 'utf8');

if (import.meta.main) {
	for (const [path, text] of await renderTestsPages()) writeFileSync(path, text);
}
