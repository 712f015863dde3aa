/**
 * Stryker's test runner for the nodes. A change is tried with the unit tests that reach it, in jest, and if they let it
 * pass, with the tests of test/engine that reach it, in n8n's engine within this process.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import {
	commonTokens,
	declareFactoryPlugin,
	PluginKind,
	tokens,
} from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus } from '@stryker-mutator/api/test-runner';
import {
	strykerPlugins as jestPlugins,
	strykerValidationSchema,
} from '@stryker-mutator/jest-runner';
import { EngineTests } from './engineTests.mjs';

/** @typedef {import('@stryker-mutator/api/core').MutantCoverage} MutantCoverage */

class Runner {
	/** @param {any} jest Stryker's own runner */
	constructor(jest) {
		this.jest = jest;
		this.root = process.cwd();
		this.engine = new EngineTests(this.root);
		/** The unit tests' files, which the processes tell each other: by test. */
		this.unitFiles = join(this.root, 'unit-files.json');
	}

	async init() {
		await this.jest.init();
	}

	capabilities() {
		return { reloadEnvironment: true };
	}

	/** @param {import('@stryker-mutator/api/test-runner').DryRunOptions} options */
	async dryRun(options) {
		const wanted = options.testFiles?.map((file) => relative(this.root, file).replaceAll(sep, '/'));
		const unitFiles = options.testFiles?.filter((file) => file.endsWith('.ts'));
		const unit =
			unitFiles?.length === 0
				? { status: DryRunStatus.Complete, tests: [] }
				: await this.jest.dryRun({ ...options, testFiles: unitFiles });
		if (unit.status !== DryRunStatus.Complete) return unit;
		/** @type {Array<[string, string]>} */
		const files = unit.tests.map((/** @type {any} */ { id, fileName }) => [id, fileName]);
		writeFileSync(this.unitFiles, JSON.stringify(Object.fromEntries(files)));
		const engine = await this.engine.dryRun(wanted);
		const coverage = joined([unit.mutantCoverage, engine.mutantCoverage]);
		return {
			status: DryRunStatus.Complete,
			tests: [...unit.tests, ...engine.tests],
			mutantCoverage: withLoaded(coverage, this.root),
		};
	}

	/** @param {import('@stryker-mutator/api/test-runner').MutantRunOptions} options */
	async mutantRun(options) {
		const { testFilter = [] } = options;
		const unit = testFilter.filter((id) => !this.engine.has(id));
		const inEngine = testFilter.filter((id) => this.engine.has(id));
		/** @type {import('@stryker-mutator/api/test-runner').MutantRunResult} */
		let result = { status: MutantRunStatus.Survived, nrOfTests: 0 };
		if (unit.length > 0) result = await this.#runUnitTests({ ...options, testFilter: unit });
		if (result.status !== MutantRunStatus.Survived || inEngine.length === 0) return result;
		return await this.engine.mutantRun({ ...options, testFilter: inEngine });
	}

	/**
	 * With the files of these tests only: jest itself would load each file that imports the changed one.
	 *
	 * @param {import('@stryker-mutator/api/test-runner').MutantRunOptions & { testFilter: string[] }} options
	 */
	async #runUnitTests(options) {
		/** @type {Record<string, string>} */
		const fileOf = JSON.parse(readFileSync(this.unitFiles, 'utf8'));
		const testFiles = [...new Set(options.testFilter.map((id) => fileOf[id]))];
		const { jestTestAdapter } = this.jest;
		const runAll = jestTestAdapter.run;
		/** @param {object} settings */
		jestTestAdapter.run = async (settings) =>
			await runAll.call(jestTestAdapter, { ...settings, testFiles });
		try {
			return await this.jest.mutantRun(options);
		} finally {
			jestTestAdapter.run = runAll;
		}
	}

	async dispose() {
		await this.jest.dispose?.();
	}
}

/** @param {Array<MutantCoverage | undefined>} coverages @returns {MutantCoverage} */
function joined(coverages) {
	/** @type {MutantCoverage} */
	const all = { static: {}, perTest: {} };
	for (const coverage of coverages) {
		Object.assign(all.static, coverage?.static);
		Object.assign(all.perTest, coverage?.perTest);
	}
	return all;
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

/** @param {any} injector */
function factory(injector) {
	const [plugin] = jestPlugins;
	return new Runner(/** @type {any} */ (plugin).factory(injector));
}
factory.inject = tokens(commonTokens.injector);

// The defaults of its options.
export { strykerValidationSchema };

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'nodes', factory)];
