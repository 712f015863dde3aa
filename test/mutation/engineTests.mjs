/** The tests of test/engine, for Stryker. They load the changed nodes from the build. */
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { TestsInProcess } from './testsInProcess.mjs';

/** They measure or wait for what the machine does, not the product. */
const NOT_RUN = ['eventLoop.test.mts', 'longLists.test.mts'];
const SLEEP_FACTOR = 20;

export class EngineTests extends TestsInProcess {
	/** @param {string} root the changed copy of the repository */
	constructor(root) {
		super(root, {
			folder: 'test/engine',
			isTest: (name) => name.endsWith('.test.mts') && !NOT_RUN.includes(name),
			loadsAnew: ['dist'],
		});
	}

	/** @override */
	prepare() {
		const standIn = import.meta.resolve('./nodeTest.mjs');
		registerHooks({
			resolve: (specifier, context, next) =>
				specifier === 'node:test'
					? { url: standIn, format: 'module', shortCircuit: true }
					: next(specifier, context),
		});
		const requireFromWorkflow = createRequire(this.require.resolve('n8n-workflow'));
		const sleeping = requireFromWorkflow('@n8n/utils/sleep');
		const { sleep } = sleeping;
		/** @param {number} ms @param {AbortSignal} [signal] */
		sleeping.sleep = async (ms, signal) => await sleep(ms / SLEEP_FACTOR, signal);
	}

	/** @override @param {string} path */
	async load(path) {
		const url = pathToFileURL(path);
		url.search = `run=${this.runs}`;
		return await import(url.href);
	}
}
