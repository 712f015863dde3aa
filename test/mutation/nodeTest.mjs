/**
 * Stands in for `node:test` while the product is being changed: the same tests run again and again in one process, which
 * has loaded n8n's engine once. It has what the tests use, and runs one test after the other.
 */
/**
 * @typedef {() => unknown} Hook
 * @typedef {Record<'before' | 'after' | 'beforeEach' | 'afterEach', Hook[]>} Hooks
 * @typedef {{ name: string, hooks: Hooks, failure?: unknown }} Suite
 * @typedef {{ id: string, path: Suite[], run: (t: object) => unknown }} Test
 */

/** The suites around what is being registered, the outermost first. @type {Suite[]} */
let path = [];
/** Of the file that is being loaded. @type {Map<string, Test>} */
let tests = new Map();

/** @param {string} name @param {any[]} rest options, which may be left out, and the function */
export function suite(name, ...rest) {
	const around = path;
	path = [...around, newSuite(name)];
	rest.at(-1)();
	path = around;
}

/** @param {string} name @returns {Suite} */
function newSuite(name) {
	return { name, hooks: { before: [], after: [], beforeEach: [], afterEach: [] } };
}

/** @param {string} name @param {any[]} rest the function, with node:test's options before it or jest's timeout after it */
export function test(name, ...rest) {
	if (rest[0].skip) return;
	const run = rest.find((one) => typeof one === 'function');
	let id = [...path.map((suite) => suite.name), name].join(' > ');
	while (tests.has(id)) id += ' again';
	tests.set(id, { id, path, run });
}

/** @param {keyof Hooks} kind @returns {(hook: Hook) => void} */
const hookOf = (kind) => (hook) => void path.at(-1)?.hooks[kind].push(hook);
export const before = hookOf('before');
export const after = hookOf('after');
export const beforeEach = hookOf('beforeEach');
export const afterEach = hookOf('afterEach');

/**
 * The tests of a file.
 *
 * @param {string} file
 * @param {() => Promise<unknown>} load imports it
 * @returns {Promise<Test[]>}
 */
export async function collect(file, load) {
	tests = new Map();
	path = [newSuite(file)];
	await load();
	return [...tests.values()];
}

/**
 * Runs tests, of one file and in its order, until one is not to be followed by another.
 *
 * @param {Test[]} wanted
 * @param {(id: string, work: () => Promise<void>) => Promise<boolean>} attempt runs one of them, and says whether to go on
 */
export async function runTests(wanted, attempt) {
	/** The suites that have begun. @type {Suite[]} */
	let open = [];
	/** @param {Suite[]} path of the next test */
	async function goTo(path) {
		const over = open.filter((suite) => !path.includes(suite)).toReversed();
		const begun = open;
		open = path;
		await runAll(over.flatMap(({ hooks }) => hooks.after));
		for (const suite of path) if (!begun.includes(suite)) await begin(suite);
	}
	try {
		for (const test of wanted) {
			await goTo(test.path);
			if (!(await runTest(test, attempt))) break;
		}
	} finally {
		await goTo([]);
	}
}

/** @param {Suite} suite */
async function begin(suite) {
	try {
		for (const hook of suite.hooks.before) await hook();
	} catch (error) {
		suite.failure = error;
	}
}

/**
 * @param {Test} test
 * @param {(id: string, work: () => Promise<void>) => Promise<boolean>} attempt
 */
async function runTest({ id, path, run }, attempt) {
	/** @type {Hook[]} */
	const ends = [];
	let isOver = false;
	const t = {
		name: id.split(' > ').at(-1),
		/** @param {Hook} hook */
		// A test that goes on after its time is up has its own end.
		after: (hook) => (isOver ? void hook() : ends.push(hook)),
		diagnostic: () => {},
	};
	const goesOn = await attempt(id, async () => {
		for (const { failure } of path) if (failure !== undefined) throw failure;
		for (const { hooks } of path) for (const hook of hooks.beforeEach) await hook();
		await run(t);
	});
	isOver = true;
	await runAll([...ends, ...path.flatMap(({ hooks }) => hooks.afterEach)]);
	return goesOn;
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
