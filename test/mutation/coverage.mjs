/** Which tests a change is tried with. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('@stryker-mutator/api/core').MutantCoverage} MutantCoverage */

/** How long the tests may take for one change, as measured without a change. */
const MAX_MS = 20_000;

/** The file of each change, by its id. @param {string} root @returns {Map<string, string>} */
export function filesByChange(root) {
	/** @type {Map<string, string>} */
	const files = new Map();
	for (const file of globSync('nodes/**/*.ts', { cwd: root })) {
		const text = readFileSync(join(root, file), 'utf8');
		for (const [, id = ''] of text.matchAll(/stryMutAct_9fa48\("(\d+)"\)/g)) files.set(id, file);
	}
	return files;
}

/**
 * What runs only while a file loads, such as a constant, belongs to each test that runs something in this file. Stryker
 * would try it with all tests.
 *
 * @param {MutantCoverage} coverage
 * @param {Map<string, string>} files by change
 * @returns {MutantCoverage['perTest']}
 */
export function withLoaded(coverage, files) {
	const loaded = Map.groupBy(Object.keys(coverage.static), (id) => files.get(id));
	for (const reached of Object.values(coverage.perTest)) {
		for (const file of new Set(Object.keys(reached).map((id) => files.get(id)))) {
			for (const id of loaded.get(file) ?? []) reached[id] ??= 1;
		}
	}
	return coverage.perTest;
}

/**
 * What runs in nearly every test, such as a request, would take minutes if no test notices its change: it gets the
 * quickest of them. What only the others would notice counts as unnoticed.
 *
 * @param {MutantCoverage['perTest']} perTest
 * @param {import('@stryker-mutator/api/test-runner').TestResult[]} tests
 * @returns {MutantCoverage['perTest']}
 */
export function quickestFirst(perTest, tests) {
	/** @type {MutantCoverage['perTest']} */
	const kept = {};
	/** @type {Map<string, number>} */
	const takenMs = new Map();
	for (const { id, timeSpentMs } of tests.toSorted((a, b) => a.timeSpentMs - b.timeSpentMs)) {
		const reached = Object.entries(perTest[id] ?? {}).filter(([change]) => {
			const beforeMs = takenMs.get(change) ?? 0;
			takenMs.set(change, beforeMs + timeSpentMs);
			return beforeMs === 0 || beforeMs + timeSpentMs <= MAX_MS;
		});
		kept[id] = Object.fromEntries(reached);
	}
	return kept;
}
