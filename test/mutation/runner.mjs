/**
 * Stryker's test runner for the nodes. A change is tried with the unit tests that reach it, and if they let it pass, with
 * the tests of test/engine that reach it, in n8n's engine: all in this process.
 */
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus } from '@stryker-mutator/api/test-runner';
import { globSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { EngineTests } from './engineTests.mjs';
import { UnitTests } from './unitTests.mjs';

/** @typedef {import('@stryker-mutator/api/core').MutantCoverage} MutantCoverage */
/** @typedef {import('@stryker-mutator/api/test-runner').TestResult} TestResult */

/** How long the tests of one kind may take for one change, as measured without a change. */
const MAX_MS = 12_000;

class Runner {
	constructor() {
		this.root = process.cwd();
		this.tests = [new UnitTests(this.root), new EngineTests(this.root)];
	}

	capabilities() {
		return { reloadEnvironment: true };
	}

	/** @param {import('@stryker-mutator/api/test-runner').DryRunOptions} options */
	async dryRun(options) {
		const wanted = options.testFiles?.map((file) => relative(this.root, file).replaceAll(sep, '/'));
		/** @type {TestResult[]} */
		const tests = [];
		/** @type {MutantCoverage} */
		const coverage = { static: {}, perTest: {} };
		for (const some of this.tests) {
			const result = await some.dryRun(wanted);
			tests.push(...result.tests);
			const found = withLoaded(result.mutantCoverage, this.root);
			Object.assign(coverage.perTest, quickestFirst(found.perTest, result.tests));
		}
		return { status: DryRunStatus.Complete, tests, mutantCoverage: coverage };
	}

	/** @param {import('@stryker-mutator/api/test-runner').MutantRunOptions} options */
	async mutantRun(options) {
		/** @type {import('@stryker-mutator/api/test-runner').MutantRunResult} */
		let result = { status: MutantRunStatus.Survived, nrOfTests: 0 };
		for (const some of this.tests) {
			const testFilter = options.testFilter?.filter((id) => some.has(id)) ?? [];
			if (testFilter.length === 0 || result.status !== MutantRunStatus.Survived) continue;
			result = await some.mutantRun({ ...options, testFilter });
		}
		return result;
	}
}

/**
 * What runs only while a file loads, such as a constant, belongs to each test that runs something in this file. Stryker
 * would try it with all tests.
 *
 * @param {MutantCoverage} coverage
 * @param {string} root
 * @returns {MutantCoverage}
 */
function withLoaded(coverage, root) {
	/** @type {Map<string, string[]>} */
	const loaded = new Map();
	/** @type {Map<string, string>} */
	const fileOf = new Map();
	for (const file of globSync('nodes/**/*.ts', { cwd: root })) {
		const text = readFileSync(join(root, file), 'utf8');
		for (const [, id = ''] of text.matchAll(/stryMutAct_9fa48\("(\d+)"\)/g)) fileOf.set(id, file);
	}
	for (const id of Object.keys(coverage.static)) {
		const file = fileOf.get(id) ?? '';
		loaded.set(file, [...(loaded.get(file) ?? []), id]);
	}
	for (const reached of Object.values(coverage.perTest)) {
		for (const file of new Set(Object.keys(reached).map((id) => fileOf.get(id) ?? ''))) {
			for (const id of loaded.get(file) ?? []) reached[id] ??= 1;
		}
	}
	return { static: {}, perTest: coverage.perTest };
}

/**
 * What runs in nearly every test, such as a request, would take minutes if no test notices its change: it gets the
 * quickest of them. What only the others would notice counts as unnoticed.
 *
 * @param {MutantCoverage['perTest']} perTest
 * @param {TestResult[]} tests
 * @returns {MutantCoverage['perTest']}
 */
function quickestFirst(perTest, tests) {
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

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'nodes', Runner)];
