/**
 * The tests of test/unit, for Stryker, without jest around them: it makes a new world for each file, which takes longer
 * than the tests. What they use of jest is its own `expect` and `jest.fn()`; modules are replaced here.
 */
import Module, { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { after, afterEach, before, beforeEach, suite, test } from './nodeTest.mjs';
import { TestsInProcess } from './testsInProcess.mjs';

/** @typedef {(name: string, run: (...values: unknown[]) => unknown) => void} Register */

/** Node's own way to load a module, which it does not describe. @type {any} */
const Loader = Module;

export class UnitTests extends TestsInProcess {
	timeoutMs = 30_000;
	/** What `jest.mock` put in the place of modules, for the test file: by path or name. @type {Map<string, unknown>} */
	#replaced = new Map();
	#isActual = false;
	/** jest's own, for `jest.fn()`. @type {any} */
	#mocker;

	/** @param {string} root the changed copy of the repository */
	constructor(root) {
		super(root, {
			folder: 'test/unit',
			isTest: (name) => name.endsWith('.test.ts'),
			loadsAnew: ['nodes', 'credentials', 'test/unit'],
		});
	}

	/** @override */
	prepare() {
		const { globals } = this.require('./test/unit/jest.config.js');
		const { expect } = this.require('expect');
		Object.assign(globalThis, globals, {
			expect,
			describe: withTable(suite),
			test: withTable(test),
			beforeAll: before,
			afterAll: after,
			beforeEach,
			afterEach,
			jestOf: this.#jestFor(),
		});
		this.#loadTypeScript();
		const load = Loader._load;
		/** @param {string} request @param {NodeJS.Module} parent @param {boolean} isMain */
		Loader._load = (request, parent, isMain) => {
			const name = this.#replaced.size > 0 && !this.#isActual && nameOf(request, parent);
			return this.#replaced.has(name)
				? this.#replaced.get(name)
				: load.call(Module, request, parent, isMain);
		};
	}

	/** @override @param {string} path */
	async load(path) {
		return this.require(path);
	}

	/** @override */
	unload() {
		this.#replaced.clear();
		// Such as a clock: what jest would forget with the world of the file.
		this.#mocker.restoreAllMocks();
	}

	/** @returns {(module: NodeJS.Module) => object} what `jest` is in a file */
	#jestFor() {
		const { ModuleMocker } = this.require('jest-mock');
		const mocker = (this.#mocker = new ModuleMocker(globalThis));
		return (module) => ({
			fn: mocker.fn.bind(mocker),
			spyOn: mocker.spyOn.bind(mocker),
			restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
			/** @param {unknown} value */
			mocked: (value) => value,
			/** @param {string} request @param {() => unknown} make */
			mock: (request, make) => this.#replaced.set(nameOf(request, module), make()),
			/** @param {string} request */
			requireActual: (request) => {
				const wasActual = this.#isActual;
				this.#isActual = true;
				try {
					return createRequire(module.filename)(request);
				} finally {
					this.#isActual = wasActual;
				}
			},
			/** @param {() => void} run */
			isolateModules: (run) => {
				const { cache } = this.require;
				const loaded = { ...cache };
				for (const path of Object.keys(cache)) {
					if (path.startsWith(join(this.root, 'nodes'))) Reflect.deleteProperty(cache, path);
				}
				try {
					run();
				} finally {
					Object.assign(cache, loaded);
				}
			},
		});
	}

	#loadTypeScript() {
		const { config } = ts.readConfigFile(join(this.root, 'tsconfig.json'), ts.sys.readFile);
		const { config: base } = ts.readConfigFile(
			join(this.root, 'tsconfig.base.json'),
			ts.sys.readFile,
		);
		const { options } = ts.convertCompilerOptionsFromJson(
			{ ...base.compilerOptions, ...config.compilerOptions },
			this.root,
		);
		/** The same file is loaded many times. @type {Map<string, string>} */
		const compiled = new Map();
		/** @param {any} module @param {string} path */
		const loadTs = (module, path) => {
			let code = compiled.get(path);
			if (code === undefined) {
				const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
					fileName: path,
					compilerOptions: { ...options, isolatedModules: true },
					transformers: { before: [replacedFirst] },
				});
				code = `const jest = globalThis.jestOf?.(module);${outputText}`;
				compiled.set(path, code);
			}
			module._compile(code, path);
		};
		// First, because VoiceAgent.node.json lies beside VoiceAgent.node.ts.
		const { extensions } = this.require;
		const others = { ...extensions };
		for (const name of Object.keys(others)) Reflect.deleteProperty(extensions, name);
		Object.assign(extensions, { '.ts': loadTs }, others);
	}
}

/** @param {string} request @param {NodeJS.Module} parent @returns {string} */
function nameOf(request, parent) {
	return Loader.isBuiltin(request)
		? request.replace(/^(?!node:)/, 'node:')
		: Loader._resolveFilename(request, parent);
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

/** Puts `jest.mock(…)` before the imports, as jest does. @type {ts.TransformerFactory<ts.SourceFile>} */
const replacedFirst = (context) => (file) => {
	const isReplacing = (/** @type {ts.Statement} */ statement) =>
		ts.isExpressionStatement(statement) &&
		statement.expression.getText(file).startsWith('jest.mock(');
	const { statements } = file;
	return context.factory.updateSourceFile(file, [
		...statements.filter(isReplacing),
		...statements.filter((statement) => !isReplacing(statement)),
	]);
};
