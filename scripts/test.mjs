/**
 * `npm test`: sets everything up and runs every check, one stage after the other. `npm test -- unit n8n`
 * runs only those stages. The last line says how many passed and failed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { duration, run } from './command.mjs';
import { cache, emulator, fileDecryptor, nodeForN8n, root } from './paths.mjs';
import { setup, SetupError, stopSetupOnSignals } from './setup.mjs';

/**
 * @typedef {object} Result
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skipped names, with the reason where there is one
 *
 * @typedef {object} Stage
 * @property {string} name
 * @property {string} title
 * @property {() => Promise<Result>} run
 */

const results = join(cache, 'test');

/** @type {Stage[]} */
const stages = [
	{
		name: 'lint',
		title: 'Lint, by the rules for verified community nodes',
		run: () => check(['lint', 'lint:mts']),
	},
	{ name: 'types', title: 'Type check', run: () => check(['typecheck']) },
	{ name: 'unit', title: "Unit tests, on this machine's Node", run: unitTests },
	{
		name: 'emulator',
		title: "The emulator's own tests",
		run: () => nodeTests(testsOfPackage(emulator)),
	},
	{
		name: 'file-decryptor',
		title: "The command line's own tests",
		run: () => nodeTests(testsOfPackage(fileDecryptor)),
	},
	{
		name: 'package',
		title: 'The published package',
		run: () => nodeTests(testsIn('package')),
	},
	{
		name: 'docs',
		title: 'The commands in the documentation',
		run: () => nodeTests(testsIn('docs'), { VOICEAGENT_TEST_RUN: JSON.stringify(soFar()) }),
	},
	{ name: 'n8n', title: 'Runs in a real n8n', run: () => nodeTests(testsIn('n8n')) },
	{
		name: 'browser',
		title: "The nodes in n8n's editor, in a real browser",
		run: () => nodeTests(testsIn('browser')),
	},
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !stages.some((stage) => stage.name === name));
if (unknown.length > 0) {
	console.error(`There is no stage "${unknown.join('", "')}". There are: ${stageNames()}.`);
	process.exit(2);
}

stopSetupOnSignals();
const start = Date.now();
/** @type {{ name: string, result: Result, ms: number }[]} */
const done = [];

if (await record('setup', 'Setup', setUp)) {
	for (const { name, title, run: runStage } of stages) {
		if (wanted.length === 0 || wanted.includes(name)) await record(name, title, runStage);
	}
}
printSummary();

/**
 * Runs a stage and keeps its result. A stage that throws has failed; the next ones run all the same.
 *
 * @param {string} name
 * @param {string} title
 * @param {() => Promise<Result>} runStage
 * @returns {Promise<boolean>} whether nothing failed
 */
async function record(name, title, runStage) {
	console.log(`\n=== ${title} (${name}) ===\n`);
	const stageStart = Date.now();
	/** @type {Result} */
	let result;
	try {
		result = await runStage();
	} catch (error) {
		if (!(error instanceof SetupError)) console.error(error);
		result = { passed: 0, failed: 1, skipped: [] };
	}
	if (result.passed + result.failed + result.skipped.length === 0) {
		console.log('This stage ran no test at all: that counts as a failure.');
		result = { ...result, failed: 1 };
	}
	const ms = Date.now() - stageStart;
	console.log(`\n--- ${name}: ${sentence(result)} in ${duration(ms)}`);
	done.push({ name, result, ms });
	return result.failed === 0;
}

/** @returns {Promise<Result>} */
async function setUp() {
	await setup();
	return { passed: 1, failed: 0, skipped: [] };
}

/**
 * Scripts that only pass or fail.
 *
 * @param {string[]} scripts of package.json
 * @returns {Promise<Result>}
 */
async function check(scripts) {
	let passed = 0;
	for (const script of scripts) {
		const code = await run('npm', ['run', script]);
		if (code === 0) passed += 1;
	}
	return { passed, failed: scripts.length - passed, skipped: [] };
}

/** @returns {Promise<Result>} */
async function unitTests() {
	const file = emptyResultFile('unit.json');
	const code = await run('npm', ['run', 'test:unit', '--', '--json', `--outputFile=${file}`]);
	if (!existsSync(file)) throw new Error(`jest ended with exit code ${code} and without a result.`);
	const report = JSON.parse(readFileSync(file, 'utf8'));
	/** @type {{ status: string, fullName: string }[]} */
	const tests = report.testResults.flatMap(
		(/** @type {{ assertionResults: object[] }} */ suite) => suite.assertionResults,
	);
	const skipped = tests.filter(({ status }) => ['pending', 'todo', 'disabled'].includes(status));
	return withExitCode(code, {
		passed: report.numPassedTests,
		// A file that cannot even be loaded has no tests that could fail.
		failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
		skipped: skipped.map(({ fullName }) => fullName),
	});
}

/**
 * Runs node:test files and counts them through a second reporter, which gets there by NODE_OPTIONS: so
 * that a script of package.json can be run as it is.
 *
 * @param {(env: NodeJS.ProcessEnv) => Promise<number>} runTests returns the exit code
 * @param {NodeJS.ProcessEnv} [env] for the tests
 * @returns {Promise<Result>}
 */
async function nodeTests(runTests, env) {
	const file = emptyResultFile('node-test.jsonl');
	const reporter = pathToFileURL(join(root, 'scripts', 'testReporter.mjs')).href;
	const code = await runTests({
		...env,
		NODE_OPTIONS: [
			process.env.NODE_OPTIONS ?? '',
			'--test-reporter=spec --test-reporter-destination=stdout',
			`--test-reporter=${reporter} --test-reporter-destination="${file.replaceAll('\\', '/')}"`,
		].join(' '),
	});
	/** @type {import('./testReporter.mjs').Outcome[]} */
	const outcomes = existsSync(file)
		? readFileSync(file, 'utf8')
				.split('\n')
				.filter(Boolean)
				.map((line) => JSON.parse(line))
		: [];
	const count = (/** @type {string} */ wantedOutcome) =>
		outcomes.filter(({ outcome }) => outcome === wantedOutcome).length;
	return withExitCode(code, {
		passed: count('passed'),
		failed: count('failed'),
		skipped: outcomes
			.filter(({ outcome }) => outcome === 'skipped')
			.map(({ name, reason }) => (reason ? `${name}: ${reason}` : name)),
	});
}

/**
 * What `npm test` can say of itself while it runs: the test of the documentation cannot run it once more.
 *
 * @returns {{ isAll: boolean, stages: string[], passed: string[] }} the stages of this run, and those that have passed already
 */
function soFar() {
	const names = stages.map(({ name }) => name);
	return {
		isAll: wanted.length === 0,
		stages: names.filter((name) => wanted.length === 0 || wanted.includes(name)),
		passed: done
			.filter(({ result }) => result.failed === 0 && result.passed > 0)
			.map(({ name }) => name),
	};
}

/**
 * The tests that a package of its own brings along.
 *
 * @param {string} folder
 * @returns {(env: NodeJS.ProcessEnv) => Promise<number>}
 */
function testsOfPackage(folder) {
	return async (env) => await run('npm', ['test'], { cwd: folder, env });
}

/**
 * The tests of a folder below `test/`, by Node 24.
 *
 * @param {string} name
 * @returns {(env: NodeJS.ProcessEnv) => Promise<number>}
 */
function testsIn(name) {
	const folder = join(root, 'test', name);
	const files = existsSync(folder)
		? readdirSync(folder)
				.filter((file) => file.endsWith('.test.mts'))
				.sort()
				.map((file) => join(folder, file))
		: [];
	// One file at a time: most start an n8n, and two at once slow each other down.
	return async (env) =>
		files.length === 0
			? 0
			: await run(nodeForN8n(), ['--test', '--test-concurrency=1', ...files], { env });
}

/**
 * A command that failed without a failed test (a crash, say) must not look green.
 *
 * @param {number} code
 * @param {Result} result
 * @returns {Result}
 */
function withExitCode(code, result) {
	if (code === 0 || result.failed > 0) return result;
	console.log(`No test failed, but the command ended with exit code ${code}.`);
	return { ...result, failed: 1 };
}

/** @param {string} name */
function emptyResultFile(name) {
	mkdirSync(results, { recursive: true });
	const file = join(results, name);
	rmSync(file, { force: true });
	return file;
}

function printSummary() {
	const skipped = done.flatMap(({ name, result }) =>
		result.skipped.map((test) => `  ${name}: ${test}`),
	);
	if (skipped.length > 0) console.log(['\nSkipped:', ...skipped].join('\n'));

	console.log(`\n${row('Stage', 'passed', 'failed', 'skipped', 'time')}`);
	for (const { name, result, ms } of done) {
		const { passed, failed } = result;
		console.log(row(name, passed, failed, result.skipped.length, duration(ms)));
	}
	const total = {
		passed: done.reduce((sum, { result }) => sum + result.passed, 0),
		failed: done.reduce((sum, { result }) => sum + result.failed, 0),
		skipped,
	};
	console.log(`\nAll of it took ${duration(Date.now() - start)}.`);
	console.log(sentence(total));
	process.exitCode = total.failed > 0 ? 1 : 0;
}

/** @param {[string, ...(string | number)[]]} cells */
function row(...[first, ...rest]) {
	return first.padEnd(12) + rest.map((cell) => String(cell).padStart(12)).join('');
}

/** @param {Result} result */
function sentence({ passed, failed, skipped }) {
	const counts = `${passed} passed, ${failed} failed`;
	return skipped.length > 0 ? `${counts}, ${skipped.length} skipped` : counts;
}

function stageNames() {
	return stages.map(({ name }) => name).join(', ');
}
