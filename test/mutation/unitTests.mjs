/**
 * The tests of test/unit and test/properties without jest around them: it makes a new world for each file, which takes longer than the tests.
 * What they use of jest is its own `expect`, `jest.fn()` and `jest.spyOn()`; modules are replaced here.
 */
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import jestConfig from '../unit/jest.config.js';
import { after, afterEach, before, beforeEach, suite, test } from './nodeTest.mjs';

/** @typedef {import('./runner.mjs').Tests} Tests */
/** @typedef {(name: string, run: (...values: unknown[]) => unknown) => void} Register */

/** It tests the code of a workflow. */
const OF_A_WORKFLOW = 'quietHours.test.ts';
/** So many values for each property, so that a change is tried in seconds. */
const FEW = { PROPERTIES_CASES: '200', PROPERTIES_STORIES: '20' };

/** Node's own way to load a module, which it does not describe. @type {any} */
const Loader = Module;

/**
 * @param {string} root the changed copy of the repository
 * @param {NodeJS.Require} require from there
 * @returns {Tests}
 */
export function unitTests(root, require) {
	/** What `jest.mock` put in the place of modules, for the test file: by path or name. @type {Map<string, unknown>} */
	const replaced = new Map();
	const { ModuleMocker } = require('jest-mock');
	const mocker = new ModuleMocker(globalThis);

	/** @param {string} request @param {NodeJS.Module} parent @returns {string} */
	const nameOf = (request, parent) =>
		Loader.isBuiltin(request) ? request : Loader._resolveFilename(request, parent);

	/** What `jest` is in a file. @param {NodeJS.Module} module */
	const jestIn = (module) => ({
		fn: mocker.fn.bind(mocker),
		spyOn: mocker.spyOn.bind(mocker),
		restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
		/** @param {unknown} value */
		mocked: (value) => value,
		/** @param {string} request @param {() => unknown} make */
		mock: (request, make) => replaced.set(nameOf(request, module), make()),
		requireActual: createRequire(module.filename),
		/** @param {() => void} run */
		isolateModules(run) {
			for (const path of Object.keys(require.cache)) {
				if (path.startsWith(join(root, 'dist/nodes'))) Reflect.deleteProperty(require.cache, path);
			}
			run();
		},
	});

	return {
		folders: ['test/unit', 'test/properties'],
		isLeftOut: (name) => name === OF_A_WORKFLOW,
		prepare() {
			Object.assign(process.env, FEW);
			Object.assign(globalThis, jestConfig.globals, {
				expect: require('expect').expect,
				describe: withTable(suite),
				test: withTable(test),
				...{ beforeAll: before, afterAll: after, beforeEach, afterEach, jestIn },
			});
			const load = Loader._load;
			/** @param {string} request @param {NodeJS.Module} parent @param {boolean} isMain */
			Loader._load = (request, parent, isMain) => {
				const name = replaced.size > 0 && nameOf(request, parent);
				return replaced.has(name) ? replaced.get(name) : load(request, parent, isMain);
			};
		},
		load: async (file) => require(join(root, 'dist', file.replace(/\.ts$/, '.js'))),
		unload() {
			replaced.clear();
			// Such as a clock: what jest would forget with the world of the file.
			mocker.restoreAllMocks();
		},
	};
}

/**
 * Adds `.each(table)`.
 *
 * @param {(name: string, ...rest: any[]) => void} register
 * @returns {Register & { each: (table: any[]) => Register }}
 */
function withTable(register) {
	return Object.assign(register.bind(undefined), {
		/** @param {any[]} table @returns {Register} */
		each: (table) => (name, run) => {
			const isOfRows = table.every((row) => Array.isArray(row));
			for (const [index, row] of table.entries()) {
				register(`${name} (row ${index + 1})`, () => run(...(isOfRows ? row : [row])));
			}
		},
	});
}
