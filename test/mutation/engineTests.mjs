/** The tests of test/engine, for Stryker. They load the changed nodes from the build, anew for each change. */
import { readdirSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { collect, runTests } from './nodeTest.mjs';

/** @typedef {import('@stryker-mutator/api/test-runner').TestResult} TestResult */

const NAMESPACE = '__stryker__';
const FOLDER = 'test/engine';
/** They measure or wait for what the machine does, not the product. */
const NOT_RUN = ['eventLoop.test.mts'];
const SLEEP_FACTOR = 20;
const TEST_TIMEOUT_MS = 20_000;

export class EngineTests {
	/** @param {string} root the changed copy of the repository */
	constructor(root) {
		this.root = root;
		this.require = createRequire(join(root, 'package.json'));
		this.runs = 0;
		this.isReady = false;
		/** What a background task of the current test threw. @type {unknown} */
		this.stray = undefined;
	}

	/** @param {string} id */
	has(id) {
		return id.startsWith(`${FOLDER}/`);
	}

	/** @param {string[]} [only] files, from the root; without any, all of them */
	async dryRun(only) {
		const context = this.#context();
		context.mutantCoverage = { static: {}, perTest: {} };
		const names = readdirSync(join(this.root, FOLDER)).filter(
			(name) =>
				name.endsWith('.test.mts') &&
				!NOT_RUN.includes(name) &&
				(only === undefined || only.includes(`${FOLDER}/${name}`)),
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
		const names = new Set(
			testFilter.map((id) => id.slice(FOLDER.length + 1).split(' > ')[0] ?? ''),
		);
		context.activeMutant = activeMutant.id;
		context.hitCount = hitLimit === undefined ? undefined : 0;
		context.hitLimit = hitLimit;
		try {
			const tests = await this.#run([...names], (id) => wanted.has(id), disableBail);
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
		this.#prepare();
		this.runs += 1;
		const build = join(this.root, 'dist') + sep;
		for (const path of Object.keys(this.require.cache)) {
			if (path.startsWith(build)) Reflect.deleteProperty(this.require.cache, path);
		}
		/** @type {TestResult[]} */
		const results = [];
		let hasFailed = false;
		for (const name of names) {
			if (hasFailed && !goOnAfterFailure) break;
			const url = pathToFileURL(join(this.root, FOLDER, name));
			url.search = `run=${this.runs}`;
			try {
				const file = await collect(() => import(url.href));
				await runTests(file, {
					name: `${FOLDER}/${name}`,
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
				results.push(failed(`${FOLDER}/${name}`, 0, error));
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
		const start = Date.now();
		this.stray = undefined;
		context.currentTestId = id;
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		try {
			await Promise.race([
				work(),
				new Promise((_resolve, reject) => {
					timer = setTimeout(() => reject(new Error('timed out')), TEST_TIMEOUT_MS);
				}),
			]);
			if (this.stray !== undefined) throw this.stray;
			return { id, name: id, timeSpentMs: Date.now() - start, status: TestStatus.Success };
		} catch (error) {
			return failed(id, Date.now() - start, error);
		} finally {
			clearTimeout(timer);
			context.currentTestId = undefined;
		}
	}

	#context() {
		return (globalThis[NAMESPACE] ??= {});
	}

	#prepare() {
		if (this.isReady) return;
		this.isReady = true;
		const standIn = import.meta.resolve('./nodeTest.mjs');
		registerHooks({
			resolve: (specifier, context, next) =>
				specifier === 'node:test'
					? { url: standIn, format: 'module', shortCircuit: true }
					: next(specifier, context),
		});
		/** @param {unknown} error */
		const keep = (error) => {
			this.stray ??= error;
		};
		process.on('unhandledRejection', keep);
		process.on('uncaughtException', keep);
		const requireFromWorkflow = createRequire(this.require.resolve('n8n-workflow'));
		const sleeping = requireFromWorkflow('@n8n/utils/sleep');
		const { sleep } = sleeping;
		/** @param {number} ms @param {AbortSignal} [signal] */
		sleeping.sleep = async (ms, signal) => await sleep(ms / SLEEP_FACTOR, signal);
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
