/**
 * Stands in for `node:test` while the product is being changed: the same tests run again and again in one process, which
 * has loaded n8n's engine once. It has what test/engine uses, and runs one test after the other.
 */
/**
 * @typedef {() => unknown} Hook
 * @typedef {{ name: string, run: (t: object) => unknown, isSkipped: boolean }} Test
 * @typedef {{ name: string, children: Array<Test | Suite>, hooks: Record<'before' | 'after' | 'beforeEach' | 'afterEach', Hook[]> }} Suite
 * @typedef {{ id: string, ms: number, error?: unknown, isSkipped?: boolean }} Result
 */

/** @type {Suite} */
let current = newSuite('');

/** @param {string} name @returns {Suite} */
function newSuite(name) {
	return { name, children: [], hooks: { before: [], after: [], beforeEach: [], afterEach: [] } };
}

/** @param {string} name @param {any[]} rest options, which may be left out, and the function */
export function suite(name, ...rest) {
	const parent = current;
	current = newSuite(name);
	parent.children.push(current);
	try {
		rest.at(-1)();
	} finally {
		current = parent;
	}
}

/** @param {string} name @param {any[]} rest the function, with node:test's options before it or jest's timeout after it */
export function test(name, ...rest) {
	const run = rest.find((one) => typeof one === 'function');
	current.children.push({ name, run, isSkipped: Boolean(rest[0].skip) });
}

/** @param {Hook} hook */
export const before = (hook) => current.hooks.before.push(hook);
/** @param {Hook} hook */
export const after = (hook) => current.hooks.after.push(hook);
/** @param {Hook} hook */
export const beforeEach = (hook) => current.hooks.beforeEach.push(hook);
/** @param {Hook} hook */
export const afterEach = (hook) => current.hooks.afterEach.push(hook);

/**
 * @param {() => Promise<unknown>} load imports the test file
 * @returns {Promise<Suite>}
 */
export async function collect(load) {
	const file = newSuite('');
	current = file;
	await load();
	return file;
}

/**
 * Runs each of them, whether the others fail or not: what one of them closes must not stay open.
 *
 * @param {Hook[]} hooks
 */
async function runAll(hooks) {
	/** @type {unknown[]} */
	const errors = [];
	for (const hook of hooks) {
		try {
			await hook();
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) throw errors[0];
}

/**
 * Runs the wanted tests of a suite until `goOn` says that it is enough.
 *
 * @param {Suite} file
 * @param {{ name: string, isWanted: (id: string) => boolean, run: (id: string, work: () => Promise<unknown>) => Promise<Result>, goOn: () => boolean }} options
 * @returns {Promise<Result[]>}
 */
export async function runTests(file, { name, isWanted, run, goOn }) {
	/** @type {Result[]} */
	const results = [];
	/** @type {Map<string, number>} */
	const seen = new Map();
	/** @type {Map<Test, string>} */
	const ids = new Map();
	number(file, name);

	/** @param {Suite} suite @param {string} path */
	function number(suite, path) {
		for (const child of suite.children) {
			const id = `${path} > ${child.name}`;
			if ('children' in child) {
				number(child, id);
				continue;
			}
			const count = (seen.get(id) ?? 0) + 1;
			seen.set(id, count);
			ids.set(child, count === 1 ? id : `${id} (${count})`);
		}
	}

	/** @param {Suite} suite @returns {boolean} */
	const hasWanted = (suite) =>
		suite.children.some((child) =>
			'children' in child ? hasWanted(child) : isWanted(ids.get(child) ?? ''),
		);

	/** @param {Suite} suite @param {Suite[]} around */
	async function runSuite(suite, around) {
		if (!hasWanted(suite)) return;
		const path = [...around, suite];
		/** @type {unknown} */
		let failure;
		try {
			for (const hook of suite.hooks.before) await hook();
		} catch (error) {
			failure = error;
		}
		try {
			for (const child of suite.children) {
				if (!goOn()) break;
				if ('children' in child) await runSuite(child, path);
				else await runTest(child, path, failure);
			}
		} finally {
			await runAll(suite.hooks.after);
		}
	}

	/** @param {Test} test @param {Suite[]} path @param {unknown} failure */
	async function runTest(test, path, failure) {
		const id = ids.get(test) ?? '';
		if (!isWanted(id)) return;
		if (test.isSkipped) {
			results.push({ id, ms: 0, isSkipped: true });
			return;
		}
		/** @type {Hook[]} */
		const ends = [];
		let isOver = false;
		const t = {
			name: test.name,
			/** @param {Hook} hook */
			// A test that goes on after its time is up has its own end.
			after: (hook) => (isOver ? void hook() : ends.push(hook)),
			diagnostic: () => {},
		};
		const result = await run(id, async () => {
			if (failure !== undefined) throw failure;
			for (const { hooks } of path) for (const hook of hooks.beforeEach) await hook();
			await test.run(t);
		});
		isOver = true;
		try {
			await runAll([...ends, ...path.flatMap(({ hooks }) => hooks.afterEach)]);
		} catch (error) {
			result.error ??= error;
		}
		results.push(result);
	}

	await runSuite(file, []);
	return results;
}
