/** Tests that run in the process of Stryker's runner, again and again: what they need is loaded once. */
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { performance } from 'node:perf_hooks';
import { collect, runTests } from './nodeTest.mjs';

/** @typedef {import('@stryker-mutator/api/test-runner').TestResult} TestResult */

const NAMESPACE = '__stryker__';

/** @abstract */
export class TestsInProcess {
	/** How long one test may take. */
	timeoutMs = 20_000;
	/** Counts the runs: a test file is loaded anew in each. */
	runs = 0;
	/** What a background task of the current test threw. @type {unknown} */
	#stray = undefined;
	#isReady = false;

	/**
	 * @param {string} root the changed copy of the repository
	 * @param {{ folder: string, isTest: (name: string) => boolean, loadsAnew: string[] }} options the tests' folder, the
	 *   files in it that are tests, and the folders whose modules are loaded anew for each test file
	 */
	constructor(root, options) {
		this.root = root;
		this.options = options;
		this.require = createRequire(join(root, 'package.json'));
	}

	/** Before the first test. */
	prepare() {}

	/**
	 * Loads a test file, which registers its tests.
	 *
	 * @param {string} path
	 * @returns {Promise<unknown>}
	 */
	async load(path) {
		throw new Error(`No way to load ${path}`);
	}

	/** After the tests of a file. */
	unload() {}

	/** @param {string} id */
	has(id) {
		return id.startsWith(`${this.options.folder}/`);
	}

	/** @param {string[]} [only] files, from the root; without any, all of them */
	async dryRun(only) {
		const { folder, isTest } = this.options;
		const context = this.#context();
		context.mutantCoverage = { static: {}, perTest: {} };
		const names = readdirSync(join(this.root, folder)).filter(
			(name) => isTest(name) && (only === undefined || only.includes(`${folder}/${name}`)),
		);
		const tests = await this.#run(names, () => true, true);
		for (const test of tests) {
			if (test.status !== TestStatus.Failed) continue;
			// Such as one that measures a pause, which is shorter here.
			console.error(`Not used, because it fails here: ${test.name}: ${test.failureMessage}`);
			Reflect.deleteProperty(context.mutantCoverage.perTest, test.id);
		}
		return {
			tests: tests.filter(({ status }) => status !== TestStatus.Failed),
			mutantCoverage: context.mutantCoverage,
		};
	}

	/** @param {import('@stryker-mutator/api/test-runner').MutantRunOptions & { testFilter: string[] }} options */
	async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
		const context = this.#context();
		const wanted = new Set(testFilter);
		const start = this.options.folder.length + 1;
		const files = new Set(testFilter.map((id) => id.slice(start).split(' > ')[0] ?? ''));
		context.activeMutant = activeMutant.id;
		context.hitCount = hitLimit === undefined ? undefined : 0;
		context.hitLimit = hitLimit;
		try {
			const tests = await this.#run([...files], (id) => wanted.has(id), disableBail);
			return toMutantRunResult(
				determineHitLimitReached(context.hitCount, hitLimit) ?? {
					status: DryRunStatus.Complete,
					tests,
				},
				disableBail,
			);
		} finally {
			context.activeMutant = undefined;
		}
	}

	/**
	 * @param {string[]} names of files
	 * @param {(id: string) => boolean} isWanted
	 * @param {boolean} goOnAfterFailure
	 * @returns {Promise<TestResult[]>}
	 */
	async #run(names, isWanted, goOnAfterFailure) {
		this.#getReady();
		this.runs += 1;
		const { folder } = this.options;
		/** @type {TestResult[]} */
		const results = [];
		let hasFailed = false;
		for (const name of names) {
			if (hasFailed && !goOnAfterFailure) break;
			this.#forget();
			try {
				const file = await collect(() => this.load(join(this.root, folder, name)));
				await runTests(file, {
					name: `${folder}/${name}`,
					isWanted,
					goOn: () => goOnAfterFailure || !hasFailed,
					run: async (id, work) => {
						const result = await this.#runTest(id, work);
						hasFailed ||= result.status === TestStatus.Failed;
						results.push(result);
						return { id, ms: 0 };
					},
				});
			} catch (error) {
				hasFailed = true;
				results.push(failed(`${folder}/${name}`, 0, error));
			} finally {
				this.unload();
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
		const context = this.#context();
		// The clock that no test sets.
		const startMs = performance.now();
		const timeSpentMs = () => Math.round(performance.now() - startMs);
		this.#stray = undefined;
		context.currentTestId = id;
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		try {
			await Promise.race([
				work(),
				new Promise((_resolve, reject) => {
					timer = setTimeout(() => reject(new Error('timed out')), this.timeoutMs);
				}),
			]);
			if (this.#stray !== undefined) throw this.#stray;
			return { id, name: id, timeSpentMs: timeSpentMs(), status: TestStatus.Success };
		} catch (error) {
			return failed(id, timeSpentMs(), error);
		} finally {
			clearTimeout(timer);
			context.currentTestId = undefined;
		}
	}

	#context() {
		return (globalThis[NAMESPACE] ??= {});
	}

	#forget() {
		const folders = this.options.loadsAnew.map((folder) => join(this.root, folder) + sep);
		const { cache } = this.require;
		for (const path of Object.keys(cache)) {
			if (!folders.some((folder) => path.startsWith(folder))) continue;
			// The one that loaded it would keep it in memory.
			const { parent } = cache[path] ?? {};
			if (parent) parent.children = parent.children.filter((child) => child !== cache[path]);
			Reflect.deleteProperty(cache, path);
		}
	}

	#getReady() {
		if (this.#isReady) return;
		this.#isReady = true;
		/** @param {unknown} error */
		const keep = (error) => {
			this.#stray ??= error;
		};
		process.on('unhandledRejection', keep);
		process.on('uncaughtException', keep);
		this.prepare();
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
