/**
 * Says which test files jest runs, and in which order. For each change, Stryker names the tests
 * that reach it, but jest would also load every other file that imports the changed one. That takes
 * longer than the tests.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('@jest/test-result').Test} Test a test file */

export default class CoveringFiles {
	/** Fits the names of the tests to run. Without it, all of them run, as in Stryker's first run. */
	#pattern;

	/** @param {{ globalConfig: import('@jest/types').Config.GlobalConfig }} options */
	constructor({ globalConfig }) {
		this.#pattern = globalConfig.testNamePattern;
	}

	/** @param {Test[]} files @returns {Test[]} */
	sort(files) {
		if (this.#pattern === undefined) return files;
		const wanted = new RegExp(this.#pattern);
		/** @type {Record<string, string[]>} */
		const names = JSON.parse(readFileSync(namesFile(files), 'utf8'));
		return files.filter(({ path }) => names[path]?.some((name) => wanted.test(name)));
	}

	/**
	 * Keeps the names of the tests in each file.
	 *
	 * @param {Test[]} files that have run
	 * @param {import('@jest/test-result').AggregatedResult} results
	 */
	cacheResults(files, results) {
		if (this.#pattern !== undefined) return;
		const names = results.testResults.map(({ testFilePath, testResults }) => [
			testFilePath,
			testResults.map(({ fullName }) => fullName),
		]);
		writeFileSync(namesFile(files), JSON.stringify(Object.fromEntries(names)));
	}
}

/** In the copy of the repository that Stryker changes. @param {Test[]} files */
const namesFile = ([file]) => join(file?.context.config.rootDir ?? '.', 'testNames.json');
