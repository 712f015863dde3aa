/**
 * Stryker's test runner for the nodes. A change is tried with the quickest tests of test/unit, test/properties and
 * test/engine that reach it, all in this process: what they need is loaded once.
 */
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { performance } from 'node:perf_hooks';
import { filesByChange, quickestFirst, withLoaded } from './coverage.mjs';
import { engineTests } from './engineTests.mjs';
import { collect, runTests } from './nodeTest.mjs';
import { unitTests } from './unitTests.mjs';

/** @typedef {import('@stryker-mutator/api/test-runner').TestResult} TestResult */

/**
 * @typedef {object} Tests folders of tests, and how they are run here
 * @property {string[]} folders
 * @property {(name: string) => boolean} [isLeftOut] by the name of the file
 * @property {() => void} prepare before the first one
 * @property {(file: string) => Promise<unknown>} load which registers the tests of a file
 * @property {() => void} unload after the tests of a file
 */

/** How long one test may take. */
const MAX_TEST_MS = 20_000;

class Runner {
	#root = process.cwd();
	#require = createRequire(join(this.#root, 'package.json'));
	#kinds = [unitTests(this.#root, this.#require), engineTests(this.#root, this.#require)];
	/** What Stryker and the changed code tell each other. */
	#context = (globalThis['__stryker__'] ??= {});
	/** What a background task of the current test threw. @type {unknown} */
	#stray = undefined;

	capabilities() {
		return { reloadEnvironment: true };
	}

	async init() {
		/** @param {unknown} error */
		const keep = (error) => {
			this.#stray ??= error;
		};
		process.on('unhandledRejection', keep);
		process.on('uncaughtException', keep);
		for (const kind of this.#kinds) kind.prepare();
	}

	/** @param {import('@stryker-mutator/api/test-runner').DryRunOptions} options */
	async dryRun({ testFiles }) {
		const wanted = testFiles?.map((file) => relative(this.#root, file).replaceAll(sep, '/'));
		const files = this.#kinds
			.flatMap(({ folders, isLeftOut = () => false }) =>
				globSync(folders.map((folder) => `${folder}/*.test.{ts,mts}`)).filter(
					(file) => !isLeftOut(basename(file)),
				),
			)
			.filter((file) => wanted?.includes(file) ?? true);
		const coverage = (this.#context.mutantCoverage = { static: {}, perTest: {} });
		const results = await this.#run(files, () => true, true);
		// Such as one that measures a pause, which is shorter here.
		for (const { status, name, failureMessage } of results) {
			if (status === TestStatus.Failed) console.error(`Not used: ${name}: ${failureMessage}`);
		}
		const tests = results.filter(({ status }) => status === TestStatus.Success);
		const perTest = quickestFirst(withLoaded(coverage, filesByChange(this.#root)), tests);
		return { status: DryRunStatus.Complete, tests, mutantCoverage: { static: {}, perTest } };
	}

	/** @param {import('@stryker-mutator/api/test-runner').MutantRunOptions} options */
	async mutantRun({ activeMutant, testFilter = [], hitLimit, disableBail }) {
		const wanted = new Set(testFilter);
		// Those with the quickest tests first, as Stryker names them.
		const files = new Set(testFilter.map((id) => id.split(' > ')[0] ?? ''));
		this.#context.activeMutant = activeMutant.id;
		this.#context.hitCount = hitLimit === undefined ? undefined : 0;
		this.#context.hitLimit = hitLimit;
		try {
			const tests = await this.#run([...files], (id) => wanted.has(id), disableBail);
			return toMutantRunResult(
				determineHitLimitReached(this.#context.hitCount, hitLimit) ?? {
					status: DryRunStatus.Complete,
					tests,
				},
				disableBail,
			);
		} finally {
			this.#context.activeMutant = undefined;
		}
	}

	/**
	 * @param {string[]} files
	 * @param {(id: string) => boolean} isWanted
	 * @param {boolean} goesOn after a failure
	 * @returns {Promise<TestResult[]>}
	 */
	async #run(files, isWanted, goesOn) {
		/** @type {TestResult[]} */
		const results = [];
		const isEnough = () => !goesOn && results.at(-1)?.status === TestStatus.Failed;
		for (const file of files) {
			const kind = this.#kinds.find(({ folders }) => folders.includes(dirname(file)));
			if (!kind || isEnough()) continue;
			this.#forgetBuild();
			try {
				const tests = await collect(file, async () => await kind.load(file));
				const wanted = tests.filter(({ id }) => isWanted(id));
				await runTests(wanted, async (id, work) => {
					results.push(await this.#runTest(id, work));
					return !isEnough();
				});
			} catch (error) {
				results.push(failed(file, 0, error));
			} finally {
				kind.unload();
			}
		}
		return results;
	}

	/**
	 * @param {string} id
	 * @param {() => Promise<unknown>} work
	 * @returns {Promise<TestResult>}
	 */
	async #runTest(id, work) {
		// The clock that no test sets.
		const startMs = performance.now();
		const timeSpentMs = () => Math.round(performance.now() - startMs);
		this.#stray = undefined;
		this.#context.currentTestId = id;
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		const late = new Promise((_resolve, reject) => {
			timer = setTimeout(() => reject(new Error('timed out')), MAX_TEST_MS);
		});
		try {
			await Promise.race([work(), late]);
			if (this.#stray !== undefined) throw this.#stray;
			return { id, name: id, timeSpentMs: timeSpentMs(), status: TestStatus.Success };
		} catch (error) {
			return failed(id, timeSpentMs(), error);
		} finally {
			clearTimeout(timer);
			this.#context.currentTestId = undefined;
		}
	}

	/** The nodes, the credentials and the unit tests are loaded anew for each file. */
	#forgetBuild() {
		const { cache } = this.#require;
		for (const path of Object.keys(cache)) {
			if (!path.startsWith(join(this.#root, 'dist') + sep)) continue;
			// The one that loaded it would keep it in memory.
			const { parent } = cache[path] ?? {};
			if (parent) parent.children = parent.children.filter((child) => child !== cache[path]);
			Reflect.deleteProperty(cache, path);
		}
	}
}

/**
 * @param {string} id
 * @param {number} timeSpentMs
 * @param {unknown} error
 * @returns {TestResult}
 */
function failed(id, timeSpentMs, error) {
	const failureMessage = error instanceof Error ? String(error.stack) : String(error);
	return { id, name: id, timeSpentMs, status: TestStatus.Failed, failureMessage };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'nodes', Runner)];
