/** The table of faults, and the tests that prove its rows: those with `[fault 12]` or `[faults 4, 5]` in their names. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';

const MARKER = /\[faults? ([\d, ]+)\]/g;

/** @typedef {{ number: number, fault: string, promise: string }} Row */

/** @returns {Row[]} the rows of docs/faults.md */
export function readTable() {
	const page = readFileSync(join(root, 'docs/faults.md'), 'utf8');
	const rows = page.matchAll(/^\| (\d+) +\| (.+?) +\| (.+?) +\|$/gm);
	return [...rows].map(([, number, fault = '', promise = '']) => ({
		number: Number(number),
		fault,
		promise,
	}));
}

/** @param {string} name of a test @returns {number[]} the rows that it proves */
export function rowsIn(name) {
	return [...name.matchAll(MARKER)].flatMap(([, list = '']) => list.split(',').map(Number));
}

/** @param {string} name of a test */
export const withoutRows = (name) => name.replaceAll(MARKER, '').trim();

/**
 * @param {string} folder with tests, from the root
 * @returns {{ file: string, rows: number[] }[]} the test files to run, and the rows that each of them proves
 */
export function markedFiles(folder) {
	/** @type {Map<string, Set<number>>} */
	const found = new Map();
	for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
		if (!/\.m?ts$/.test(path)) continue;
		const rows = rowsIn(readFileSync(join(root, folder, path), 'utf8'));
		if (rows.length === 0) continue;
		// The tests of trigger.test.mts are in the folder trigger, and so on.
		const file = join(folder, path.replace(/[\\/].*/, '.test.mts'));
		found.set(file, new Set([...(found.get(file) ?? []), ...rows]));
	}
	return [...found].map(([file, rows]) => ({ file, rows: [...rows] }));
}
