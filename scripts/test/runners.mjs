/** Ways to run the tests of a stage. Each returns what became of every test. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { run } from '../command.mjs';
import { cache, nodeForN8n, root } from '../paths.mjs';

/** @typedef {import('./reporter.mjs').Outcome} Outcome */
/** @typedef {import('../command.mjs').CommandOptions} CommandOptions */

/**
 * @typedef {object} Context
 * @property {string} name of the result file: of the stage, and of the test file if it runs alone
 * @property {string[]} files the test files to run, from the root; all of them if there are none
 * @property {string} [logFile] receives the output, which otherwise goes to the terminal
 * @property {NodeJS.ProcessEnv} [env] for the tests
 * @property {string} [namePattern] a regular expression; only tests run whose whole name fits it
 */

const results = join(cache, 'test');
/**
 * A command that takes longer hangs: the slowest needs a tenth of it. Files of node:test have their
 * own limit, in fileLimit.mjs.
 */
const LIMIT_MS = 900_000;
const fileLimit = new URL('fileLimit.mjs', import.meta.url).href;

/**
 * Scripts of package.json that only pass or fail.
 *
 * @param {string[]} scripts
 * @returns {(context: Context) => Promise<Outcome[]>}
 */
export function checks(...scripts) {
	return async ({ logFile }) => {
		/** @type {Outcome[]} */
		const outcomes = [];
		for (const script of scripts) {
			const start = Date.now();
			const code = await run('npm', ['run', script], { logFile, limitMs: LIMIT_MS });
			const outcome = code === 0 ? 'passed' : 'failed';
			outcomes.push({ outcome, name: `npm run ${script}`, ms: Date.now() - start });
		}
		return outcomes;
	};
}

/**
 * @param {string} script of package.json, which runs jest
 * @param {{ node?: () => string }} [options] `node` says which Node to run it with; by default,
 *   this machine's
 * @returns {(context: Context) => Promise<Outcome[]>}
 */
export function jestTests(script, { node = () => process.execPath } = {}) {
	return async ({ name, files, logFile, namePattern }) => {
		const report = emptyResultFile(`${name}.json`);
		const options = ['--json', `--outputFile=${report}`, ...files];
		if (namePattern !== undefined) options.push(`--testNamePattern=${namePattern}`);
		const args = ['run', script, '--', ...options];
		const PATH = [dirname(node()), process.env.PATH].join(delimiter);
		const code = await run('npm', args, { env: { PATH }, logFile, limitMs: LIMIT_MS });
		return jestOutcomesIn(report, code);
	};
}

/**
 * @param {string} report
 * @param {number} code
 * @returns {Outcome[]}
 */
function jestOutcomesIn(report, code) {
	if (!existsSync(report))
		throw new Error(`jest ended with exit code ${code} and without a result.`);

	/**
	 * @type {{ testResults: {
	 *   name: string, status: string, message: string,
	 *   assertionResults: { status: string, fullName: string, duration?: number }[],
	 * }[] }}
	 */
	const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
	const outcomes = testResults.flatMap(({ name, status, message, assertionResults }) => {
		/** @type {Outcome[]} */
		const tests = assertionResults.map((test) => ({
			outcome: jestOutcomes[test.status] ?? 'skipped',
			name: test.fullName,
			ms: test.duration,
		}));
		// A file that cannot even be loaded has no tests that could fail.
		if (status === 'failed' && !tests.some(({ outcome }) => outcome === 'failed')) {
			tests.push({ outcome: 'failed', name: relative(root, name), reason: message });
		}
		return tests;
	});
	return withExitCode(code, outcomes);
}

/** @type {Record<string, Outcome['outcome']>} */
const jestOutcomes = { passed: 'passed', failed: 'failed' };

/**
 * node:test files, by Node 24.
 *
 * @param {Context} context with the files
 * @returns {Promise<Outcome[]>}
 */
export async function nodeTests(context) {
	const settings = ['--test', '--test-concurrency=1', `--import=${fileLimit}`];
	return await withReporter(context, async (options) => {
		const args = [...settings, ...named(context), ...context.files];
		return await run(nodeForN8n(), args, options);
	});
}

/** @param {Context} context */
const named = ({ namePattern }) =>
	namePattern === undefined ? [] : [`--test-name-pattern=${namePattern}`];

/**
 * The tests that a package of its own brings along, by its own `npm test`.
 *
 * @param {string} folder
 * @param {(context: Context) => Promise<Outcome[]>} [runFiles] runs single files if `npm test`
 *   cannot
 * @returns {(context: Context) => Promise<Outcome[]>}
 */
export function packageTests(folder, runFiles) {
	return async (context) => {
		const files = context.files.map((file) => basename(file));
		if (files.length > 0 && runFiles !== undefined) return await runFiles(context);
		return await withReporter(context, async (options) => {
			const args = files.length > 0 ? ['--', ...named(context), ...files] : [];
			const cwd = join(root, folder);
			return await run('npm', ['test', ...args], { cwd, limitMs: LIMIT_MS, ...options });
		});
	};
}

/**
 * Runs node:test files and collects their outcomes through a second reporter. NODE_OPTIONS carries
 * it there, so that the scripts of package.json can run as they are.
 *
 * @param {Context} context
 * @param {(options: CommandOptions) => Promise<number>} runTests returns the exit code
 * @returns {Promise<Outcome[]>}
 */
async function withReporter({ name, logFile, env }, runTests) {
	const file = emptyResultFile(`${name}.jsonl`);
	const reporter = new URL('reporter.mjs', import.meta.url).href;
	const code = await runTests({
		logFile,
		env: {
			// A tenth of the work of a test file is to compile what it loads.
			NODE_COMPILE_CACHE: join(cache, 'compiled'),
			...env,
			NODE_OPTIONS: [
				process.env.NODE_OPTIONS ?? '',
				'--test-reporter=spec --test-reporter-destination=stdout',
				`--test-reporter=${reporter} --test-reporter-destination="${file.replaceAll('\\', '/')}"`,
			].join(' '),
		},
	});
	const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
	return withExitCode(
		code,
		lines.map((line) => JSON.parse(line)),
	);
}

/**
 * A command that failed without a failed test (a crash, say) must not look green.
 *
 * @param {number} code
 * @param {Outcome[]} outcomes
 * @returns {Outcome[]}
 */
function withExitCode(code, outcomes) {
	if (code === 0 || outcomes.some(({ outcome }) => outcome === 'failed')) return outcomes;
	const reason = `No test failed, but the command ended with exit code ${code}.`;
	return [...outcomes, { outcome: 'failed', name: 'the command', reason }];
}

/** @param {string} name */
function emptyResultFile(name) {
	mkdirSync(results, { recursive: true });
	const file = join(results, name);
	rmSync(file, { force: true });
	return file;
}
