/**
 * Finds the tests that prove the table of faults, the promises of the README and those of
 * SECURITY.md. The name of such a test has `[fault 12]`, `[faults 4, 5]`, `[promise 1]` or
 * `[security 2]` in it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';

const FAULTS = /\[faults? ([\d, ]+)\]/g;
const PROMISES = /\[promises? ([\d, ]+)\]/g;
const SECURITY = /\[security ([\d, ]+)\]/g;

/** @typedef {{ number: number, fault: string, promise: string }} Row */

/** @returns {Row[]} the rows of test/FAULTS.md */
export function readTable() {
	const page = readFileSync(join(root, 'test/FAULTS.md'), 'utf8');
	const rows = page.matchAll(/^\| (\d+) +\| (.+?) +\| (.+?) +\| .*\|$/gm);
	return [...rows].map(([, number, fault = '', promise = '']) => ({
		number: Number(number),
		fault,
		promise,
	}));
}

/**
 * @param {'README.md' | 'SECURITY.md'} page
 * @returns {string[]} its promises, in their order
 */
export function readPromises(page) {
	const text = readFileSync(join(root, page), 'utf8');
	const [, section = ''] = /^## What [^\n]*promises\n(.*?)^## /ms.exec(text) ?? [];
	return [...section.matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(([, promise = '']) => promise);
}

/** @param {string} name of a test @returns {number[]} the rows that it proves */
export const rowsIn = (name) => numbersIn(name, FAULTS);

/** @param {string} name @param {RegExp} marker */
function numbersIn(name, marker) {
	return [...name.matchAll(marker)].flatMap(([, list = '']) => list.split(',').map(Number));
}

/** @param {string} name of a test */
export function withoutRows(name) {
	return [FAULTS, PROMISES, SECURITY].reduce((rest, one) => rest.replaceAll(one, ''), name).trim();
}

/** @typedef {{ file: string, rows: number[], promises: number[], security: number[] }} Marked */

/**
 * @param {string} folder with tests, from the root
 * @returns {Marked[]} the test files to run, and the rows and promises that each of them proves
 */
export function markedFiles(folder) {
	/** @type {Map<string, Marked>} */
	const found = new Map();
	for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
		if (!/\.m?ts$/.test(path)) continue;
		const text = readFileSync(join(root, folder, path), 'utf8');
		const rows = numbersIn(text, FAULTS);
		const promises = numbersIn(text, PROMISES);
		const security = numbersIn(text, SECURITY);
		if (rows.length + promises.length + security.length === 0) continue;
		// The tests of trigger.test.mts are in the folder trigger, and so on.
		const file = join(folder, path.replace(/[\\/].*/, '.test.mts'));
		const others = found.get(file) ?? { rows: [], promises: [], security: [] };
		found.set(file, {
			file,
			rows: [...new Set([...others.rows, ...rows])],
			promises: [...new Set([...others.promises, ...promises])],
			security: [...new Set([...others.security, ...security])],
		});
	}
	return [...found.values()];
}
